#include "runtime/notifier.h"

#include <gmock/gmock.h>

#include <chrono>
#include <thread>

#include "core/error.h"
#include "runtime/context.h"
#include "runtime/fetch.h"
#include "runtime/graph.h"
#include "unit/runtime/fake_backend.h"

namespace {

using namespace vd;
using fake::World;
using testing::HasSubstr;

Ref<vd_buffer> small_buffer(vd_context& ctx, uint32_t device = 0) {
  vd_buffer::Desc desc;
  desc.size = 64;
  desc.device = device;
  return vd_buffer::create(ctx, desc);
}

// The results of calls: "" for success.
class NotifierCalls {
 public:
  void notify(vd_context& ctx, vd_ticket ticket) {
    const runtime::Ticket t = ctx.check_ticket(ticket);
    ctx.notify(t.queue, t.value, [this, t](const std::exception_ptr& failure) {
      std::string message;
      try {
        if (failure) std::rethrow_exception(failure);
      } catch (const Error& error) {
        message = error.what();
      }
      const std::lock_guard lock(mutex_);
      messages_.push_back(std::move(message));
      values_.push_back(t.value);
      changed_.notify_all();
    });
  }
  std::vector<std::string> wait(size_t count) {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, std::chrono::seconds(30), [&] { return messages_.size() >= count; }));
    return messages_;
  }
  std::vector<uint64_t> values() {
    const std::lock_guard lock(mutex_);
    return values_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> messages_;
  std::vector<uint64_t> values_;
};

TEST(Notifier, CallsInTheOrderOfTheWork) {
  World world;
  auto ctx = fake::make_context(world, {.queues = 2});
  auto a = small_buffer(*ctx);
  std::vector<vd_ticket> tickets;
  for (uint32_t i = 0; i < 20; ++i) tickets.push_back(runtime::fill(*a, 0, 64, i, 0));
  NotifierCalls calls, other;
  for (size_t i = 0; i < tickets.size(); ++i) calls.notify(*ctx, tickets[i * 7 % tickets.size()]);
  other.notify(*ctx, 0);  // which nothing holds up
  EXPECT_EQ(other.wait(1)[0], "");
  EXPECT_TRUE(calls.values().empty());
  ctx->wait_idle(VD_QUEUE_ALL, VD_WAIT_FOREVER);
  EXPECT_THAT(calls.wait(20), testing::Each(""));
  EXPECT_TRUE(std::ranges::is_sorted(calls.values()));
}

TEST(Notifier, ALostDeviceIsReportedOnceToEach) {
  World world;
  auto ctx = fake::make_context(world);
  auto a = small_buffer(*ctx);
  NotifierCalls calls, later;
  vd_ticket ticket = 0;
  for (uint32_t i = 0; i < 50; ++i) {
    ticket = runtime::fill(*a, 0, 64, i, 0);
    calls.notify(*ctx, ticket);
  }
  const runtime::Fetch fetch(*a, 0, 64, 0);
  EXPECT_THROW(fetch.data(), Error);
  world.submits_until_failure = 0;
  EXPECT_THROW(runtime::fill(*a, 0, 64, 0, 0), Error);
  EXPECT_THAT(calls.wait(50), testing::Each(HasSubstr("lost")));
  later.notify(*ctx, ticket);  // also of a device that is lost already
  EXPECT_THAT(later.wait(1)[0], HasSubstr("lost"));
  try {
    fetch.data();
    ADD_FAILURE() << "bytes of a lost device";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), VD_ERR_DEVICE_LOST);
  }
  a = nullptr;
  ctx = nullptr;
  EXPECT_EQ(calls.wait(50).size(), 50u);
  EXPECT_EQ(later.wait(1).size(), 1u);
}

TEST(Notifier, FetchedBytesLiveUntilTheirCopyIsDone) {
  World world;
  auto ctx = fake::make_context(world);
  auto a = small_buffer(*ctx);
  runtime::fill(*a, 0, 64, 7, 0);
  { const runtime::Fetch dropped(*a, 0, 64, 0); }
  const runtime::Fetch kept(*a, 16, 4, 0);
  runtime::fill(*a, 0, 64, 8, 0);
  a = nullptr;
  ctx->wait_idle(VD_QUEUE_ALL, VD_WAIT_FOREVER);
  uint32_t word = 0;
  std::memcpy(&word, kept.data(), 4);
  EXPECT_EQ(word, 7u);
  EXPECT_THAT(world.faults, testing::IsEmpty());
}

// Work of another device is waited for by the queue, not by the thread that submits.
TEST(Notifier, ASubmitDoesNotWaitForAnotherDevice) {
  for (const bool held : {false, true}) {
    SCOPED_TRACE(held);
    World world;
    world.holds = held;
    auto ctx = fake::make_context(world, {.devices = 2, .queues = 1});
    auto a = small_buffer(*ctx, 0), b = small_buffer(*ctx, 1);
    const vd_ticket first = runtime::fill(*a, 0, 64, 1, 0);
    auto graph = make_ref<vd_graph>(*ctx, "");
    graph->fill(*b, 0, 64, 2);
    const vd_ticket second = graph->submit({1, 1, runtime::read_waits(*ctx, ctx->queue(1), {&first, 1}, "waits")});
    EXPECT_FALSE(ctx->wait(0, ctx->check_ticket(first).value, 0)) << "it has been waited for";
    EXPECT_FALSE(ctx->wait(1, ctx->check_ticket(second).value, 0));
    if (held) {
      EXPECT_TRUE(ctx->wait(0, ctx->check_ticket(first).value, VD_WAIT_FOREVER));
      while (world.held != 0) std::this_thread::yield();
    }
    EXPECT_TRUE(ctx->wait(1, ctx->check_ticket(second).value, VD_WAIT_FOREVER));
    EXPECT_TRUE(ctx->wait(0, ctx->check_ticket(first).value, 0));
    EXPECT_THAT(world.faults, testing::IsEmpty());
  }
}

// A queue is held up for work that is under way, not for work that ended, well or not.
TEST(Notifier, WorkOfAnotherDeviceThatEndedHoldsNothingUp) {
  World world;
  world.holds = true;
  auto ctx = fake::make_context(world, {.devices = 2, .queues = 1});
  auto a = small_buffer(*ctx, 0), b = small_buffer(*ctx, 1);
  const vd_ticket first = runtime::fill(*a, 0, 64, 1, 0);
  const auto submit = [&] {
    return runtime::fill(*b, 0, 64, 2, 1, runtime::read_waits(*ctx, ctx->queue(1), {&first, 1}, "waits"));
  };
  EXPECT_TRUE(ctx->wait(0, ctx->check_ticket(first).value, VD_WAIT_FOREVER));
  EXPECT_TRUE(ctx->wait(1, ctx->check_ticket(submit()).value, VD_WAIT_FOREVER));
  EXPECT_EQ(world.holds_made, 0);
  world.submits_until_failure = 0;
  EXPECT_THROW(runtime::fill(*a, 0, 64, 1, 0), Error);
  world.submits_until_failure = -1;
  EXPECT_NO_THROW(submit()) << "the failure belongs to its own ticket";
  EXPECT_EQ(world.holds_made, 0);
}

}  // namespace
