// Launches whose numbers of workgroups are in a buffer, run and recorded: on every backend that is here.
#include <array>
#include <numeric>

#include "api/shared_context.h"
#include "api/support.h"

namespace {

using testing::HasSubstr;
using Words = std::vector<uint32_t>;
using Three = std::array<uint32_t, 3>;

constexpr uint32_t kLocal = 4;

// out[group] = out[group] * 10 + the number of workgroups that run on the first axis; the last invocation of each group writes.
// With `barrier` the values pass through a shared array.
api::Kernel group_kernel(bool barrier) {
  api::Writer w(barrier ? "groups_barrier" : "groups");
  const vd_value out = w.buffer("out");
  const vd_value unused = w.constant("unused");
  const auto builtin = [&](vd_builtin which, uint32_t axis) {
    return w.emit(VD_OP_SWIZZLE, {w.emit(VD_OP_BUILTIN, {}, 0, which)}, 0, uint64_t{1} << 8 | axis);
  };
  const vd_value groups = builtin(VD_BUILTIN_NUM_WORKGROUPS, 0);
  vd_value plus = groups;
  if (barrier) {
    vd_value shared = 0;
    EXPECT_OK(vd_builder_shared(w.builder, VD_TYPE_U32, kLocal, VD_SHARED_OFFSET_AUTO, "line", &shared));
    const vd_value me = builtin(VD_BUILTIN_LOCAL_ID, 0);
    w.store(w.at(shared, me), groups);
    w.emit(VD_OP_BARRIER, {});
    plus = w.emit(VD_OP_LOAD, {w.at(shared, w.emit(VD_OP_REM, {w.emit(VD_OP_ADD, {me, w.u32(1)}), w.u32(kLocal)}))});
  }
  // Number of the invocation in the whole grid.
  const vd_value row = w.emit(VD_OP_MUL, {builtin(VD_BUILTIN_EXEC_SIZE, 0), builtin(VD_BUILTIN_GLOBAL_ID, 1)});
  const vd_value plane =
      w.emit(VD_OP_MUL, {w.emit(VD_OP_MUL, {builtin(VD_BUILTIN_EXEC_SIZE, 0), builtin(VD_BUILTIN_EXEC_SIZE, 1)}),
                         builtin(VD_BUILTIN_GLOBAL_ID, 2)});
  const vd_value i = w.emit(VD_OP_ADD, {w.emit(VD_OP_ADD, {row, plane}), w.x()});
  const vd_value then = w.emit(VD_OP_MUL, {w.at(out, i), w.u32(10)});
  w.store(w.at(out, i), w.emit(VD_OP_ADD, {w.emit(VD_OP_ADD, {then, plus}), w.emit(VD_OP_MUL, {unused, w.u32(0)})}));
  return w.finish();
}

// counts[i] = value + i * 0, for i < 3 but with ones behind the first axis: (value, 1, 1) at `first`.
api::Kernel counts_kernel() {
  api::Writer w("write_counts");
  const vd_value counts = w.buffer("counts"), value = w.constant("value"), i = w.x();
  const vd_value is_first = w.emit(VD_OP_EQ, {i, w.u32(0)});
  w.store(w.at(counts, i), w.emit(VD_OP_SELECT, {is_first, value, w.u32(1)}));
  return w.finish();
}

class Counts : public testing::TestWithParam<vd_backend> {
 protected:
  void SetUp() override {
    ctx = api::shared_context(GetParam());
    if (ctx == nullptr) GTEST_SKIP() << vd_last_error();
    ASSERT_OK(vd_graph_create(ctx, nullptr, graph.out()));
    kernel = group_kernel(false);
    groups = api::make_plan(ctx, kernel, kLocal);
    writer_kernel = counts_kernel();
    writer = api::make_plan(ctx, writer_kernel, kLocal);
  }

  // At most `most` workgroups of the plan, by the counts.
  struct Counted : api::Launch {
    Counted(vd_buffer* out, vd_buffer* counts, uint64_t offset, Three most) : Launch(0, {{out, 0, 0}}, 0) {
      std::copy(most.begin(), most.end(), desc.workgroups);
      desc.counts = counts;
      desc.counts_offset = offset;
    }
  };
  vd_node record(vd_buffer* out, vd_buffer* counts, uint64_t offset, uint32_t most) {
    const Counted launch(out, counts, offset, {most, 1, 1});
    vd_node node = 0;
    EXPECT_OK(vd_graph_launch(graph, groups, &launch.desc, &node));
    return node;
  }
  vd_node record_counts(vd_buffer* counts, uint32_t value) {
    const api::Launch launch(3, {{counts, 0, 0}}, value);
    vd_node node = 0;
    EXPECT_OK(vd_graph_launch(graph, writer, &launch.desc, &node));
    return node;
  }
  void submit(uint32_t repeat = 1, std::vector<vd_instance_values> values = {}) {
    vd_submit_desc desc = VD_SUBMIT_DESC_INIT;
    desc.repeat = repeat;
    desc.instance_values = values.data();
    desc.instance_value_count = static_cast<uint32_t>(values.size());
    ASSERT_OK(vd_graph_submit(graph, &desc, nullptr));
  }
  // A word for each invocation of `most` workgroups: `value` in the first `count`, else 0.
  static Words expected(uint32_t most, uint32_t count, uint32_t value) {
    Words words(size_t{most} * kLocal);
    std::fill_n(words.begin(), size_t{count} * kLocal, value);
    return words;
  }
  api::Buffer zeros(uint32_t workgroups) { return api::make_buffer(ctx, Words(size_t{workgroups} * kLocal)); }

  api::Context ctx;
  api::Graph graph;
  api::Kernel kernel, writer_kernel;
  api::Plan groups, writer;
};

TEST_P(Counts, ALaunchRunsAsManyWorkgroupsAsTheBufferSays) {
  for (const bool barrier : {false, true}) {
    const api::Kernel code = group_kernel(barrier);
    const api::Plan plan = api::make_plan(ctx, code, kLocal);
    // Above the most, above every device's limit, as many, some, none.
    for (const uint32_t count : {9u, ~0u, 8u, 3u, 0u}) {
      const api::Buffer out = zeros(8), counts = api::make_buffer(ctx, Words{7, count, 1, 1});
      const Counted launch(out, counts, 4, {8, 1, 1});
      ASSERT_OK(vd_plan_launch(plan, &launch.desc, nullptr));
      const uint32_t runs = std::min(count, 8u);
      EXPECT_EQ(api::read<uint32_t>(out, 8 * kLocal), expected(8, runs, runs)) << count << " " << barrier;
    }
  }
}

TEST_P(Counts, EachAxisHasACount) {
  const api::Buffer out = zeros(4 * 3 * 2);
  for (const Three counts : {Three{4, 3, 2}, Three{1, 3, 1}, Three{3, 9, 1}, Three{2, 0, 2}, Three{2, 2, 0}}) {
    ASSERT_OK(vd_buffer_fill(out, 0, VD_WHOLE_SIZE, 0, 0, nullptr, nullptr));
    const api::Buffer given = api::make_buffer(ctx, Words(counts.begin(), counts.end()));
    const Counted launch(out, given, 0, {4, 3, 2});
    ASSERT_OK(vd_plan_launch(groups, &launch.desc, nullptr));
    Words wanted;
    for (uint32_t z = 0; z < 2; ++z)
      for (uint32_t y = 0; y < 3; ++y)
        for (uint32_t x = 0; x < 4 * kLocal; ++x) {
          const bool runs = x / kLocal < counts[0] && y < counts[1] && z < counts[2];
          wanted.push_back(runs ? std::min(counts[0], 4u) : 0);
        }
    EXPECT_EQ(api::read<uint32_t>(out, wanted.size()), wanted) << counts[0] << counts[1] << counts[2];
  }
}

// The size in invocations bounds the launch although the counts allow whole workgroups.
TEST_P(Counts, InvocationsPastTheSizeDoNotRun) {
  for (const bool barrier : {false, true}) {
    const api::Kernel code = group_kernel(barrier);
    const api::Plan plan = api::make_plan(ctx, code, kLocal);
    const api::Buffer out = zeros(3), counts = api::make_buffer(ctx, Words{2, 1, 1});
    Counted launch(out, counts, 0, {});
    launch.desc.invocations[0] = 6;
    ASSERT_OK(vd_plan_launch(plan, &launch.desc, nullptr));
    EXPECT_EQ(api::read<uint32_t>(out, 12), (Words{2, 2, 2, 2, 2, 2, 0, 0, 0, 0, 0, 0})) << barrier;
  }
}

// Written by a kernel, by the host and by a copy: whatever wrote them comes before.
TEST_P(Counts, TheLaunchWaitsForItsCounts) {
  const api::Buffer out = zeros(8), counts = api::make_buffer(ctx, Words{0, 1, 1}),
                    others = api::make_buffer(ctx, Words{5, 1, 1});
  const Counted launch(out, counts, 0, {8, 1, 1});
  const api::Launch write(3, {{counts, 0, 0}}, 3);
  ASSERT_OK(vd_plan_launch(writer, &write.desc, nullptr));
  ASSERT_OK(vd_plan_launch(groups, &launch.desc, nullptr));  // 3
  ASSERT_OK(vd_buffer_copy(others, 0, counts, 0, 12, 0, nullptr, nullptr));
  ASSERT_OK(vd_plan_launch(groups, &launch.desc, nullptr));  // 5
  const Words two{2, 1, 1};
  ASSERT_OK(vd_buffer_write(counts, 0, two.data(), 12, 0));
  ASSERT_OK(vd_plan_launch(groups, &launch.desc, nullptr));  // 2
  Words wanted(8 * kLocal);
  for (uint32_t i = 0; i < wanted.size(); ++i)
    for (const uint32_t n : {3u, 5u, 2u})
      if (i < n * kLocal) wanted[i] = wanted[i] * 10 + n;
  EXPECT_EQ(api::read<uint32_t>(out, wanted.size()), wanted);
}

TEST_P(Counts, AGraphReadsThemEachTimeItRuns) {
  const api::Buffer out = zeros(8), counts = api::make_buffer(ctx, Words{0, 1, 1});
  const vd_node write = record_counts(counts, 2);
  record(out, counts, 0, 8);
  vd_graph_info info = VD_GRAPH_INFO_INIT;
  ASSERT_OK(vd_graph_get_info(graph, &info));
  EXPECT_EQ(info.node_count, 2u);
  EXPECT_EQ(info.level_count, 2u);
  EXPECT_EQ(info.edge_count, 1u);
  Words wanted(8 * kLocal);
  const auto ran = [&](uint32_t n) {
    for (uint32_t i = 0; i < n * kLocal; ++i) wanted[i] = wanted[i] * 10 + n;
  };
  submit(3);
  ran(2), ran(2), ran(2);
  EXPECT_EQ(api::read<uint32_t>(out, wanted.size()), wanted);
  // Other values of the kernel that writes them, for all runs and for each instance.
  const uint32_t four = 4;
  ASSERT_OK(vd_graph_set_values(graph, write, 0, &four, 4));
  submit();
  ran(4);
  const Words each{1, 0, 5, 20};
  submit(4, {{write, 0, 4, 0, each.data(), 16}});
  ran(1), ran(5), ran(8);
  EXPECT_EQ(api::read<uint32_t>(out, wanted.size()), wanted);
}

// Launches with counts and without in one level, and what they are ordered by.
TEST_P(Counts, AGraphOrdersTheReadOfTheCounts) {
  const api::Buffer a = zeros(4), b = zeros(4), c = zeros(4), counts = api::make_buffer(ctx, Words{3, 1, 1, 2, 1, 1});
  record(a, counts, 0, 4);
  record(b, counts, 12, 4);
  const api::Launch plain(4 * kLocal, {{c, 0, 0}}, 0);
  ASSERT_OK(vd_graph_launch(graph, groups, &plain.desc, nullptr));
  vd_graph_info info = VD_GRAPH_INFO_INIT;
  ASSERT_OK(vd_graph_get_info(graph, &info));
  EXPECT_EQ(info.level_count, 1u);
  EXPECT_EQ(info.edge_count, 0u);
  // The first counts change after the first launch, which must have read them.
  ASSERT_OK(vd_graph_fill(graph, counts, 0, 4, 1, nullptr));
  ASSERT_OK(vd_graph_get_info(graph, &info));
  EXPECT_EQ(info.level_count, 2u);
  EXPECT_EQ(info.edge_count, 1u);
  submit();
  EXPECT_EQ(api::read<uint32_t>(a, 16), expected(4, 3, 3));
  EXPECT_EQ(api::read<uint32_t>(b, 16), expected(4, 2, 2));
  EXPECT_EQ(api::read<uint32_t>(c, 16), expected(4, 4, 4));
  submit();
  EXPECT_EQ(api::read<uint32_t>(a, 16), (Words{31, 31, 31, 31, 3, 3, 3, 3, 3, 3, 3, 3, 0, 0, 0, 0}));
}

TEST_P(Counts, AreReplacedAsAnArgument) {
  const api::Buffer out = zeros(8), one = api::make_buffer(ctx, Words{1, 1, 1}),
                    two = api::make_buffer(ctx, Words{0, 2, 1, 1}), three = api::make_buffer(ctx, Words{3, 1, 1});
  const vd_node node = record(out, one, 0, 8);
  submit(), submit();
  const vd_binding counts = VD_BINDING_OF(two, 4, VD_WHOLE_SIZE);
  ASSERT_OK(vd_graph_set_bindings(graph, node, 1, &counts, 1));
  submit(), submit();
  vd_buffer* const before = two;
  vd_buffer* const after = three;
  const vd_binding again = VD_BINDING_OF(three, 0, 12);
  EXPECT_EQ(vd_graph_replace_buffers(graph, &before, &after, 1), VD_ERR_INVALID) << "the offset stays";
  ASSERT_OK(vd_graph_set_bindings(graph, node, 1, &again, 1));
  submit();
  EXPECT_EQ(api::read<uint32_t>(out, 13), (Words{11223, 11223, 11223, 11223, 223, 223, 223, 223, 3, 3, 3, 3, 0}));
  const vd_binding large = VD_BINDING_OF(two, 0, 16);
  EXPECT_FAILS(vd_graph_set_bindings(graph, node, 1, &large, 1), VD_ERR_INVALID,
               "vd_graph_set_bindings: the counts of \"groups\": size (16) is neither 12 nor VD_WHOLE_SIZE.");
  api::Blob text;
  ASSERT_OK(vd_graph_get_dot(graph, text.out()));
  EXPECT_THAT(std::string(static_cast<const char*>(vd_blob_data(text, nullptr))),
              HasSubstr("at most 8 x 1 x 1 workgroups"));
}

// A list that goes as single launches, one that is timed, and the values of a block that is large.
TEST_P(Counts, AreReadByLongGraphsAndProfiledOnes) {
  const api::Buffer out = zeros(2), counts = api::make_buffer(ctx, Words{1, 1, 1});
  for (uint32_t i = 0; i < 300; ++i) record(out, counts, 0, 2);
  const vd_profile_desc desc = VD_PROFILE_DESC_INIT;
  submit();
  const Words fresh(2 * kLocal);
  uint32_t value = 0;
  for (uint32_t i = 0; i < 300; ++i) value = value * 10 + 1;
  EXPECT_EQ(api::read<uint32_t>(out, 5), (Words{value, value, value, value, 0}));
  ASSERT_OK(vd_buffer_write(out, 0, fresh.data(), 4 * fresh.size(), 0));
  api::Profile profile;
  ASSERT_OK(vd_profile_create(ctx, &desc, profile.out()));
  submit();
  ASSERT_OK(vd_profile_stop(profile, VD_WAIT_FOREVER));
  EXPECT_EQ(api::read<uint32_t>(out, 5), (Words{value, value, value, value, 0}));
}

TEST_P(Counts, AreRefusedWhereTheyCannotBe) {
  const api::Buffer out = zeros(8), counts = api::make_buffer(ctx, Words{1, 1, 1, 1});
  const auto refuses = [&](const Counted& launch, const char* message) {
    EXPECT_FAILS(vd_plan_launch(groups, &launch.desc, nullptr), VD_ERR_INVALID, message);
  };
  refuses({out, counts, 8, {8, 1, 1}},
          "vd_plan_launch: desc->counts_offset (8) + size (12) is past the end of the buffer (16).");
  refuses({out, counts, 2, {8, 1, 1}},
          "vd_plan_launch: desc->counts_offset (2) makes the counts of \"groups\" begin at byte 2 of memory, which is "
          "not a "
          "multiple of 4.");
  refuses({out, out, 0, {8, 1, 1}},
          "vd_plan_launch: argument 0 (\"out\") of \"groups\" is written, and has bytes of its counts: 0 to 12 of the "
          "buffer.");
  refuses({out, nullptr, 4, {8, 1, 1}}, "vd_plan_launch: desc->counts_offset (4) is given, and desc->counts is NULL.");
  refuses({out, counts, 0, {}}, "vd_plan_launch: desc->invocations (0, 0, 0) is zero on the first axis.");
  const api::Context other = api::host_context();
  const api::Buffer foreign = api::make_buffer(other, Words{1, 1, 1});
  refuses({out, foreign, 0, {8, 1, 1}},
          "vd_plan_launch: desc->counts of \"groups\": the buffer belongs to another context.");
  // Nothing of it was run.
  EXPECT_EQ(api::read<uint32_t>(out, 8), Words(8));
  vd_reduce_desc reduce = VD_REDUCE_DESC_INIT;
  reduce.rank = 1;
  reduce.shape[0] = 8;
  api::Plan sum;
  ASSERT_OK(vd_plan_create_reduce(ctx, &reduce, sum.out()));
  const api::Buffer input = api::make_buffer(ctx, Words(8));
  api::Launch launch(0, {{out, 0, 0}, {input, 0, 0}}, 0);
  launch.desc.values = nullptr;
  launch.desc.values_size = 0;
  launch.desc.counts = counts;
  EXPECT_EQ(vd_plan_launch(sum, &launch.desc, nullptr), VD_ERR_INVALID);
  EXPECT_THAT(vd_last_error(), HasSubstr("desc->counts is given, and"));
}

INSTANTIATE_TEST_SUITE_P(Backends, Counts, api::each_backend(), api::backend_name);

TEST(CountsChecked, CountsThatNobodyWroteAreReported) {
  const api::Context ctx = api::host_context(VD_CONTEXT_CHECKED);
  const api::Kernel kernel = group_kernel(false);
  const api::Plan plan = api::make_plan(ctx, kernel, kLocal);
  const api::Buffer out = api::make_buffer(ctx, Words(8)), counts = api::make_buffer(ctx, 12);
  api::Launch launch(8, {{out, 0, 0}}, 0);
  launch.desc.counts = counts;
  ASSERT_OK(vd_plan_launch(plan, &launch.desc, nullptr));
  EXPECT_EQ(vd_context_wait_idle(ctx, VD_QUEUE_ALL, VD_WAIT_FOREVER), VD_ERR_KERNEL);
  EXPECT_THAT(vd_last_error(), HasSubstr("its counts of workgroups are read before anything was written to them"));
}

}  // namespace
