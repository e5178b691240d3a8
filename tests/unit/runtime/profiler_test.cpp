#include "runtime/profiler.h"

#include <gtest/gtest.h>

#include <chrono>
#include <future>

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
  EXPECT_EQ(profile->spans().size(), 1u);
}

}  // namespace
