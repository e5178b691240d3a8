// Profiles: when work ran, on every backend that is here.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <thread>

#include "api/gate.h"
#include "api/shared_context.h"
#include "support/samples.h"

namespace {

using testing::HasSubstr;

uint64_t now() {
  return static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
          .count());
}

struct Span {
  vd_span_kind kind;
  std::string name, label;
  uint64_t begin, end, size;
  uint32_t queue;

  bool of_host() const { return kind >= VD_SPAN_CALL; }
};

vd_profile_info info_of(const vd_profile* profile) {
  vd_profile_info info = VD_PROFILE_INFO_INIT;
  EXPECT_OK(vd_profile_get_info(profile, &info));
  return info;
}

std::vector<Span> spans_of(const vd_profile* profile) {
  std::vector<Span> spans;
  for (uint64_t i = 0; i < info_of(profile).span_count; ++i) {
    vd_span_info info = VD_SPAN_INFO_INIT;
    EXPECT_OK(vd_profile_get_span(profile, i, &info));
    spans.push_back({info.kind, info.name, info.label, info.begin_ns, info.end_ns, info.size, info.queue});
  }
  return spans;
}

std::vector<Span> device_spans(const vd_profile* profile) {
  std::vector<Span> spans = spans_of(profile);
  std::erase_if(spans, [](const Span& span) { return span.of_host(); });
  return spans;
}

// Begin and end in order, spans of one place apart or within each other.
void expect_tracks(const std::vector<Span>& spans) {
  for (size_t i = 0; i < spans.size(); ++i) {
    const Span& span = spans[i];
    EXPECT_LE(span.begin, span.end) << span.name;
    EXPECT_LE(i != 0 ? spans[i - 1].begin : 0, span.begin);
    for (size_t k = i + 1; k < spans.size(); ++k) {
      const Span& later = spans[k];
      if (span.of_host() != later.of_host() || span.queue != later.queue || later.begin >= span.end) continue;
      EXPECT_TRUE(span.of_host()) << span.name << " overlaps " << later.name;
      EXPECT_LE(later.end, span.end) << span.name << " overlaps " << later.name;
    }
  }
}

class ProfileTest : public testing::TestWithParam<vd_backend> {
 protected:
  void SetUp() override {
    ctx_ = api::shared_context(GetParam(), VD_CONTEXT_DEBUG);
    if (ctx_ == nullptr) GTEST_SKIP() << vd_last_error();
    // The first work that is timed may wait for other work, which some tests hold, and so may CUDA's first fill.
    const api::Profile first = profile();
    ASSERT_OK(vd_buffer_fill(api::make_buffer(ctx_, 256), 0, 256, 1, 0, nullptr, nullptr));
    stop(first);
  }
  api::Profile profile(uint32_t capacity = 0) {
    vd_profile_desc desc = VD_PROFILE_DESC_INIT;
    desc.capacity = capacity;
    api::Profile made;
    EXPECT_OK(vd_profile_create(ctx_, &desc, made.out()));
    return made;
  }
  static void stop(vd_profile* profile) { EXPECT_OK(vd_profile_stop(profile, VD_WAIT_FOREVER)); }

  api::Context ctx_;
};

// Multiplies each element `turns` times.
api::Kernel slow_kernel(const char* name) {
  api::Writer w(name);
  const vd_value dst = w.buffer("dst"), turns = w.constant("turns"), i = w.x();
  w.emit(VD_OP_FOR, {w.u32(0), turns, w.u32(1)});
  w.store(w.at(dst, i), w.emit(VD_OP_ADD, {w.emit(VD_OP_MUL, {w.at(dst, i), w.u32(3)}), w.u32(1)}));
  w.emit(VD_OP_END, {});
  return w.finish();
}

TEST_P(ProfileTest, HasWhatRanInItsOrderAndOnTheHostsClock) {
  const api::Kernel kernel = api::mix_kernel();
  const api::Plan plan = api::make_plan(ctx_, kernel);
  const api::Buffer a = api::make_buffer(ctx_, std::vector<uint32_t>(4096, 1));
  const api::Buffer b = api::make_buffer(ctx_, std::vector<uint32_t>(4096, 2));
  api::Launch launch(4096, {{a, 0, 0}, {b, 0, 0}}, 5);
  ASSERT_OK(vd_plan_launch(plan, &launch.desc, nullptr));  // not in it
  const uint64_t before = now();
  const api::Profile profile = this->profile();
  vd_order_desc order = VD_ORDER_DESC_INIT;
  order.label = "the first";
  launch.desc.order = &order;
  ASSERT_OK(vd_plan_launch(plan, &launch.desc, nullptr));
  ASSERT_OK(vd_buffer_copy(a, 0, b, 0, 1024, 0, nullptr, nullptr));
  ASSERT_OK(vd_buffer_fill(a, 0, 2048, 7, 0, &order, nullptr));
  EXPECT_EQ(api::read<uint32_t>(b, 1)[0], (1 * 3 + 2 + 5) * 3 + 2 + 5);
  stop(profile);
  const uint64_t after = now();
  ASSERT_OK(vd_plan_launch(plan, &launch.desc, nullptr));  // nor is this
  const std::vector<Span> spans = spans_of(profile), device = device_spans(profile);
  expect_tracks(spans);
  ASSERT_EQ(device.size(), 3u);
  EXPECT_EQ(device[0].kind, VD_SPAN_LAUNCH);
  EXPECT_EQ(device[0].name, "mix");
  EXPECT_EQ(device[0].label, "the first");
  EXPECT_EQ(device[1].kind, VD_SPAN_COPY);
  EXPECT_EQ(device[1].name, "copy");
  EXPECT_EQ(device[1].label, "");
  EXPECT_EQ(device[1].size, 1024u);
  EXPECT_EQ(device[2].kind, VD_SPAN_FILL);
  EXPECT_EQ(device[2].name, "fill");
  EXPECT_EQ(device[2].size, 2048u);
  std::vector<std::string> calls;
  for (const Span& span : spans)
    if (span.of_host()) calls.push_back(span.name + (span.label.empty() ? "" : " " + span.label));
  EXPECT_THAT(calls, testing::ElementsAre("vd_plan_launch mix", "vd_buffer_copy", "vd_buffer_fill", "vd_buffer_read"));
  const vd_profile_info info = info_of(profile);
  EXPECT_EQ(info.stopped, 1u);
  EXPECT_EQ(info.lost_count, 0u);
  EXPECT_LT(info.clock_error_ns, 1'000'000'000u);
  for (const Span& span : spans) {
    const uint64_t error = span.of_host() ? 0 : info.clock_error_ns;
    EXPECT_GE(span.begin + error, before) << span.name;
    EXPECT_LE(span.end, after + error) << span.name;
  }
}

TEST_P(ProfileTest, MeasuresAKernelAndNotItsWaiting) {
  // A sanitizer looks at each access of the host's.
  const bool fewer = vd::test::kSanitized && GetParam() == VD_BACKEND_HOST;
  const uint32_t kCount = 1024, kTurns[] = {fewer ? 1'200u : 12'000u, fewer ? 6'000u : 60'000u};
  const api::Kernel slow = slow_kernel("slow"), mix = api::mix_kernel();
  const api::Plan slow_plan = api::make_plan(ctx_, slow), plan = api::make_plan(ctx_, mix);
  const api::Buffer a = api::make_buffer(ctx_, std::vector<uint32_t>(kCount, 1));
  const api::Buffer b = api::make_buffer(ctx_, std::vector<uint32_t>(kCount, 2));
  api::Launch much(kCount, {{a, 0, 0}}, 0), after(kCount, {{a, 0, 0}, {b, 0, 0}}, 5);
  ASSERT_OK(vd_plan_launch(slow_plan, &much.desc, nullptr));
  ASSERT_OK(vd_plan_launch(plan, &after.desc, nullptr));
  ASSERT_OK(vd_context_wait_idle(ctx_, VD_QUEUE_ALL, VD_WAIT_FOREVER));
  const api::Profile profile = this->profile();
  constexpr size_t kRounds = 4;
  for (size_t round = 0; round < kRounds; ++round) {
    for (uint32_t turns : kTurns) {
      much.value = turns;
      ASSERT_OK(vd_plan_launch(slow_plan, &much.desc, nullptr));
      ASSERT_OK(vd_plan_launch(plan, &after.desc, nullptr));  // it waits for the one before
    }
  }
  stop(profile);
  const std::vector<Span> spans = device_spans(profile);
  expect_tracks(spans);
  ASSERT_EQ(spans.size(), 4 * kRounds);
  // Other programs take the processor, too: the shortest time counts.
  uint64_t shortest[4] = {~0ull, ~0ull, ~0ull, ~0ull};
  for (size_t i = 0; i < spans.size(); ++i) shortest[i % 4] = std::min(shortest[i % 4], spans[i].end - spans[i].begin);
  EXPECT_GT(shortest[2], 2 * shortest[0]);
  EXPECT_LT(std::min(shortest[1], shortest[3]), shortest[2] / 2);
}

TEST_P(ProfileTest, HasTheNodesOfGraphs) {
  constexpr uint32_t kNodes = 300, kRepeats = 2;  // more than one list
  const api::Kernel kernel = api::mix_kernel();
  const api::Plan plan = api::make_plan(ctx_, kernel);
  const api::Buffer a = api::make_buffer(ctx_, std::vector<uint32_t>(64, 1));
  const api::Buffer b = api::make_buffer(ctx_, std::vector<uint32_t>(64, 2));
  api::Graph graph;
  ASSERT_OK(vd_graph_create(ctx_, nullptr, graph.out()));
  uint32_t expected = 1;
  for (uint32_t i = 0; i < kNodes; ++i) {
    api::Launch launch(64, {{a, 0, 0}, {b, 0, 0}}, i);
    vd_node node = 0;
    ASSERT_OK(vd_graph_launch(graph, plan, &launch.desc, &node));
    ASSERT_OK(vd_graph_set_label(graph, node, std::to_string(i).c_str()));
  }
  ASSERT_OK(vd_graph_copy(graph, a, 0, b, 128, 128, nullptr));
  vd_submit_desc desc = VD_SUBMIT_DESC_INIT;
  desc.repeat = kRepeats;
  ASSERT_OK(vd_graph_submit(graph, &desc, nullptr));
  const api::Profile profile = this->profile();
  ASSERT_OK(vd_graph_submit(graph, &desc, nullptr));
  stop(profile);
  ASSERT_OK(vd_graph_submit(graph, &desc, nullptr));
  for (uint32_t i = 0; i < 3 * kRepeats * kNodes; ++i) expected = expected * 3 + 2 + i % kNodes;
  EXPECT_EQ(api::read<uint32_t>(a, 1)[0], expected);
  const std::vector<Span> spans = device_spans(profile);
  expect_tracks(spans);
  ASSERT_EQ(spans.size(), (kNodes + 1) * kRepeats);
  for (uint32_t i = 0; i < spans.size(); ++i) {
    const uint32_t node = i % (kNodes + 1);
    EXPECT_EQ(spans[i].name, node == kNodes ? "copy" : "mix");
    EXPECT_EQ(spans[i].label, node == kNodes ? "" : std::to_string(node));
  }
}

// One call that launches a kernel for each level.
TEST_P(ProfileTest, LabelsAllWorkOfACall) {
  vd_image_desc desc = VD_IMAGE_DESC_INIT;
  desc.format = VD_FORMAT_R32_F32;
  desc.dimensions = 2;
  desc.extent[0] = desc.extent[1] = 8;
  desc.mip_levels = VD_MIP_LEVELS_ALL;
  desc.flags = VD_IMAGE_STORAGE;
  api::Image image;
  if (vd_image_create(ctx_, &desc, image.out()) == VD_ERR_UNSUPPORTED) GTEST_SKIP() << vd_last_error();
  const std::vector<float> texels(64, 1);
  ASSERT_OK(vd_image_write(image, nullptr, texels.data(), 256, 0));
  const api::Profile profile = this->profile();
  vd_order_desc order = VD_ORDER_DESC_INIT;
  order.label = "mips";
  ASSERT_OK(vd_image_generate_mips(image, 0, &order, nullptr));
  stop(profile);
  const std::vector<Span> spans = device_spans(profile);
  ASSERT_EQ(spans.size(), 3u);
  for (const Span& span : spans) EXPECT_EQ(span.label, "mips");
}

TEST_P(ProfileTest, CountsWhatItHasNoRoomFor) {
  const api::Buffer a = api::make_buffer(ctx_, 256);
  const api::Profile small = profile(5), large = profile(2000);
  for (uint32_t i = 0; i < 900; ++i) ASSERT_OK(vd_buffer_fill(a, 0, 256, i, 0, nullptr, nullptr));
  stop(small);
  stop(large);
  EXPECT_EQ(info_of(small).span_count, 5u);
  EXPECT_EQ(info_of(small).lost_count, 2 * 900u - 5);
  EXPECT_EQ(info_of(large).span_count, 2 * 900u);
  EXPECT_EQ(info_of(large).lost_count, 0u);
  EXPECT_EQ(device_spans(large).size(), 900u);
  expect_tracks(device_spans(large));
  EXPECT_EQ(api::read<uint32_t>(a, 64)[63], 899u);
}

TEST_P(ProfileTest, IsStoppedWhenItsWorkIsDone) {
  const api::Buffer a = api::make_buffer(ctx_, 256);
  api::Gate gate(ctx_);
  if (!gate.works()) GTEST_SKIP() << "no kernel of this device can be held";
  const api::Profile profile = this->profile();
  ASSERT_OK(vd_buffer_fill(a, 0, 256, 1, 0, nullptr, nullptr));
  EXPECT_EQ(vd_profile_stop(profile, 10'000'000), VD_TIMEOUT);
  EXPECT_EQ(info_of(profile).stopped, 0u);
  vd_span_info span = VD_SPAN_INFO_INIT;
  EXPECT_FAILS(vd_profile_get_span(profile, 0, &span), VD_ERR_STATE,
               "vd_profile_get_span: the profile was not stopped; call vd_profile_stop() first.");
  gate.open();
  stop(profile);
  stop(profile);
  EXPECT_EQ(device_spans(profile).size(), 1u);
}

TEST_P(ProfileTest, AStopHasItsOwnTimeout) {
  const api::Buffer a = api::make_buffer(ctx_, 256);
  api::Gate gate(ctx_);
  if (!gate.works()) GTEST_SKIP() << "no kernel of this device can be held";
  api::Watchdog watchdog(gate);
  const api::Profile profile = this->profile();
  ASSERT_OK(vd_buffer_fill(a, 0, 256, 1, 0, nullptr, nullptr));
  std::atomic<bool> begun{false};
  std::thread patient([&] {
    begun = true;
    stop(profile);
  });
  while (!begun) std::this_thread::yield();
  for (int i = 0; i < 100; ++i) EXPECT_EQ(vd_profile_stop(profile, 1'000'000), VD_TIMEOUT);
  EXPECT_FALSE(watchdog.barked()) << "it waited for the other thread's stop";
  gate.open();
  patient.join();
  stop(profile);
  EXPECT_EQ(device_spans(profile).size(), 1u);
}

TEST_P(ProfileTest, MayGoWhileItsWorkRuns) {
  const api::Buffer a = api::make_buffer(ctx_, 256);
  api::Gate gate(ctx_);
  if (!gate.works()) GTEST_SKIP() << "no kernel of this device can be held";
  {
    const api::Profile profile = this->profile();
    ASSERT_OK(vd_buffer_fill(a, 0, 256, 1, 0, nullptr, nullptr));
  }
  ASSERT_OK(vd_buffer_fill(a, 0, 256, 2, 0, nullptr, nullptr));
  gate.open();
  EXPECT_EQ(api::read<uint32_t>(a, 1)[0], 2u);
}

TEST_P(ProfileTest, HasTheWorkOfSeveralThreads) {
  constexpr uint32_t kThreads = 3, kEach = 60;
  const api::Profile profile = this->profile();
  std::vector<std::thread> threads;
  for (uint32_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      const api::Buffer a = api::make_buffer(ctx_, 256);
      for (uint32_t i = 0; i < kEach; ++i) ASSERT_OK(vd_buffer_fill(a, 0, 256, i, 0, nullptr, nullptr));
    });
  }
  for (std::thread& thread : threads) thread.join();
  stop(profile);
  const std::vector<Span> spans = spans_of(profile);
  expect_tracks(spans);
  std::map<uint32_t, uint32_t> calls;
  for (const Span& span : spans)
    if (span.of_host()) ++calls[span.queue];
  EXPECT_EQ(calls.size(), kThreads);
  EXPECT_EQ(device_spans(profile).size(), kThreads * kEach);
}

INSTANTIATE_TEST_SUITE_P(Profile, ProfileTest, api::each_backend(), api::backend_name);

// ---- Bad input

TEST(ProfileInput, IsChecked) {
  const api::Context ctx = api::host_context();
  api::Profile profile;
  vd_profile_desc desc = VD_PROFILE_DESC_INIT;
  desc.capacity = (1 << 24) + 1;
  EXPECT_FAILS(vd_profile_create(ctx, &desc, profile.out()), VD_ERR_INVALID,
               "vd_profile_create: desc->capacity (16777217) is above 16777216.");
  ASSERT_OK(vd_profile_create(ctx, nullptr, profile.out()));
  ASSERT_OK(vd_profile_stop(profile, 0));
  vd_span_info span = VD_SPAN_INFO_INIT;
  EXPECT_FAILS(vd_profile_get_span(profile, 0, &span), VD_ERR_INVALID,
               "vd_profile_get_span: index (0) is not below the profile's spans (0).");
  vd_context_desc dummy = VD_CONTEXT_DESC_INIT;
  dummy.backend = VD_BACKEND_DUMMY;
  api::Context none;
  ASSERT_OK(vd_context_create(&dummy, none.out()));
  EXPECT_EQ(vd_profile_create(none, nullptr, profile.out()), VD_ERR_UNSUPPORTED);
  EXPECT_THAT(vd_last_error(), HasSubstr("runs no kernels"));
}

// A checked context of the host, in which one launch reads past the end of a buffer, and one does not.
struct CheckedLaunches {
  CheckedLaunches() { EXPECT_OK(vd_profile_create(ctx, nullptr, profile.out())); }

  const api::Context ctx = api::host_context(VD_CONTEXT_CHECKED);
  const api::Plan plan = api::make_plan(ctx, api::mix_kernel());
  const api::Buffer a = api::make_buffer(ctx, std::vector<uint32_t>(16, 1));
  const api::Buffer b = api::make_buffer(ctx, std::vector<uint32_t>(8, 1));
  api::Launch outside{16, {{a, 0, 0}, {b, 0, 0}}, 0}, inside{8, {{a, 0, 0}, {b, 0, 0}}, 0};
  api::Profile profile;
};

// A list that failed has no times.
TEST(ProfileInput, WorkThatFailsIsLost) {
  CheckedLaunches of;
  ASSERT_OK(vd_plan_launch(of.plan, &of.outside.desc, nullptr));
  ASSERT_OK(vd_plan_launch(of.plan, &of.inside.desc, nullptr));
  EXPECT_EQ(vd_profile_stop(of.profile, VD_WAIT_FOREVER), VD_ERR_KERNEL);
  EXPECT_EQ(info_of(of.profile).stopped, 1u);
  EXPECT_EQ(info_of(of.profile).lost_count, 1u);
  EXPECT_EQ(device_spans(of.profile).size(), 1u);
}

TEST(ProfileInput, AFailureOutlastsAStopThatRanOutOfTime) {
  CheckedLaunches of;
  static std::atomic<bool> open;
  open = false;
  const auto held = [](void*) {
    while (!open) std::this_thread::yield();
  };
  api::Graph graph;
  ASSERT_OK(vd_graph_create(of.ctx, nullptr, graph.out()));
  ASSERT_OK(vd_graph_call(graph, held, nullptr, nullptr, nullptr));
  vd_ticket failed = 0;
  ASSERT_OK(vd_plan_launch(of.plan, &of.outside.desc, &failed));
  ASSERT_OK(vd_graph_submit(graph, nullptr, nullptr));
  ASSERT_OK(vd_buffer_fill(of.b, 0, 32, 1, 0, nullptr, nullptr));
  vd_bool done = 0;
  while (done == 0) ASSERT_OK(vd_ticket_is_done(of.ctx, failed, &done));
  EXPECT_EQ(vd_profile_stop(of.profile, 0), VD_TIMEOUT);
  open = true;
  EXPECT_EQ(vd_profile_stop(of.profile, VD_WAIT_FOREVER), VD_ERR_KERNEL);
  EXPECT_OK(vd_profile_stop(of.profile, VD_WAIT_FOREVER));
}

}  // namespace
