#include "runtime/profiler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <utility>

#include "runtime/graph.h"
#include "runtime/profile.h"
#include "unit/runtime/fake_backend.h"

namespace {

using namespace vd;
using fake::World;

// A driver may log while it takes work, and the log's receiver may need a lock that the other call's thread holds.
TEST(Profiler, ACallIsNotedWhileAnotherThreadSubmits) {
  World world;
  const Ref<vd_context> ctx = fake::make_context(world);
  const Ref<vd_profile> profile = vd_profile::create(*ctx, 16);
  vd_buffer::Desc desc;
  desc.size = 16;
  const Ref<vd_buffer> buffer = vd_buffer::create(*ctx, desc);
  std::future<void> other;
  bool noted = false;
  world.on_submit = [&] {
    other = std::async(std::launch::async, [&] { const runtime::CallSpan span(ctx->profiler(), "call"); });
    noted = other.wait_for(std::chrono::seconds(10)) == std::future_status::ready;
  };
  runtime::fill(*buffer, 0, 16, 1, 0);
  EXPECT_TRUE(noted);
  other.wait();
  EXPECT_TRUE(profile->stop(VD_WAIT_FOREVER));
  EXPECT_EQ(profile->recording().spans().size(), 1u);
}

// A driver may take no work until a function that a graph calls has returned, and that function may end a profile.
TEST(Profiler, AProfileEndsWhileAnotherThreadSubmits) {
  World world;
  world.clock = true;
  const Ref<vd_context> ctx = fake::make_context(world);
  const Ref<vd_buffer> buffer = fake::make_buffer(*ctx, 16);
  const Ref<vd_profile> profile = vd_profile::create(*ctx, 16), stopped = vd_profile::create(*ctx, 16);
  Ref<vd_profile> dropped = vd_profile::create(*ctx, 16);
  std::future<void> other;
  std::future<bool> stop;
  bool ended = false, first = true;
  world.on_submit = [&] {
    if (!std::exchange(first, false)) return;
    other = std::async(std::launch::async, [&] {
      dropped = nullptr;
      vd_profile::create(*ctx, 16);
    });
    ended = other.wait_for(std::chrono::seconds(10)) == std::future_status::ready;
    EXPECT_FALSE(stopped->stop(0));  // what is being submitted has no times yet
    stop = std::async(std::launch::async, [&] { return stopped->stop(VD_WAIT_FOREVER); });
  };
  runtime::fill(*buffer, 0, 16, 1, 0);
  EXPECT_TRUE(ended);
  other.wait();
  EXPECT_TRUE(stop.get());
  runtime::fill(*buffer, 0, 16, 2, 0);
  EXPECT_TRUE(profile->stop(VD_WAIT_FOREVER));
  EXPECT_EQ(stopped->recording().spans().size(), 1u);
  EXPECT_EQ(profile->recording().spans().size(), 2u);
}

// A queue that times executables gets a short graph's first run as a list, as without a profile, and each later run as one
// submission, however long.
TEST(Profiler, GraphsKeepTheirExecutables) {
  World world;
  world.clock = true;
  const Ref<vd_context> ctx = fake::make_context(world);
  const Ref<vd_buffer> buffer = fake::make_buffer(*ctx, 16);
  const auto graph = make_ref<vd_graph>(*ctx, ""), longer = make_ref<vd_graph>(*ctx, "");
  constexpr uint32_t kShort = 3, kLong = 300, kRepeats = 3;
  for (uint32_t i = 0; i < kShort; ++i) graph->fill(*buffer, 0, 16, i);
  for (uint32_t i = 0; i < kLong; ++i) longer->fill(*buffer, 0, 16, i);
  longer->set_label(kLong - 1, "the last");
  const Ref<vd_profile> profile = vd_profile::create(*ctx, 1 << 16);
  graph->submit({});
  EXPECT_EQ(world.timed_lists, 1);
  EXPECT_EQ(world.timed_executables, 0);
  graph->submit({});
  EXPECT_EQ(world.timed_executables, 1);
  vd_graph::Submit repeated;
  repeated.repeat = kRepeats;
  longer->submit(repeated);
  EXPECT_EQ(world.timed_executables, 1 + static_cast<int>(kRepeats));
  EXPECT_EQ(world.timed_lists, 1);
  EXPECT_TRUE(profile->stop(VD_WAIT_FOREVER));
  ASSERT_EQ(profile->recording().spans().size(), 2 * kShort + kRepeats * kLong);
  EXPECT_EQ(*profile->recording().spans().back().label, "the last");
  longer->submit({});
  EXPECT_EQ(world.timed_executables, 1 + static_cast<int>(kRepeats));
  uint32_t last = 0;
  buffer->read(0, 0, &last, 4);
  EXPECT_EQ(last, kLong - 1);
  EXPECT_TRUE(world.faults.empty());
}

// So that the timestamps that a profile has not read are limited for graphs of any length.
TEST(Profiler, LongGraphsAreReadEarly) {
  World world;
  world.clock = true;
  const Ref<vd_context> ctx = fake::make_context(world);
  const Ref<vd_buffer> buffer = fake::make_buffer(*ctx, 16);
  const auto graph = make_ref<vd_graph>(*ctx, "");
  constexpr int kNodes = 512, kUnread = 64, kRuns = kUnread + 3;
  for (int i = 0; i < kNodes; ++i) graph->fill(*buffer, 0, 16, static_cast<uint32_t>(i));
  const Ref<vd_profile> profile = vd_profile::create(*ctx, 1 << 20);
  for (int run = 1; run <= kRuns; ++run) {
    graph->submit({});
    uint32_t last = 0;
    buffer->read(0, 0, &last, 4);
    { const runtime::CallSpan span(ctx->profiler(), "call"); }
    EXPECT_EQ(world.timings_read, std::max(run - kUnread, 0));
  }
  EXPECT_TRUE(profile->stop(VD_WAIT_FOREVER));
  EXPECT_EQ(world.timings_read, kRuns);
}

// A driver that waits for all its work before it gives times would have a call of the program wait for other work.
TEST(Profiler, TimesThatTakeAWaitAreReadLast) {
  World world;
  world.clock = world.waits_for_times = true;
  const Ref<vd_context> ctx = fake::make_context(world);
  const Ref<vd_buffer> buffer = fake::make_buffer(*ctx, 16);
  const Ref<vd_profile> profile = vd_profile::create(*ctx, 1 << 20);
  constexpr int kRuns = 300;
  for (int run = 0; run < kRuns; ++run) {
    runtime::fill(*buffer, 0, 16, 1, 0);
    uint32_t last = 0;
    buffer->read(0, 0, &last, 4);
    { const runtime::CallSpan span(ctx->profiler(), "call"); }
  }
  EXPECT_EQ(world.timings_read, 0);
  EXPECT_TRUE(profile->stop(VD_WAIT_FOREVER));
  EXPECT_EQ(world.timings_read, kRuns);
}

}  // namespace
