#include "backends/semaphore_watch.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>

#include "core/error.h"

namespace vd::backends::testing {
namespace {

struct Forced final : Semaphore {
  std::atomic<uint64_t> value_set{0};
  void force(uint64_t value) override { value_set = value; }
};

// Without a time limit left: the first look ends the wait.
SemaphoreUse wait_for(const std::shared_ptr<Forced>& semaphore) { return {semaphore, 3, 0, "a semaphore"}; }

class SemaphoreWatchTest : public ::testing::Test {
 protected:
  // Returns once the watch has looked at all uses that were there before.
  static void look() {
    const auto semaphore = std::make_shared<Forced>();
    SemaphoreWaits other([] { return uint64_t{1}; });
    other.add_wait(wait_for(semaphore), 1, 2);
    while (semaphore->value_set == 0) std::this_thread::yield();
  }

  const std::shared_ptr<Forced> semaphore_ = std::make_shared<Forced>();
  SemaphoreWaits waits_{[] { return uint64_t{1}; }};
};

TEST_F(SemaphoreWatchTest, AWaitIsNotEndedBeforeItBegins) {
  waits_.note_wait(wait_for(semaphore_), 1, 2);
  look();
  EXPECT_EQ(semaphore_->value_set, 0u);
  waits_.require_none_ended();
  waits_.begin_wait();
  look();
  EXPECT_EQ(semaphore_->value_set, 3u);
  EXPECT_THROW(waits_.require_none_ended(), Error);
}

TEST_F(SemaphoreWatchTest, AWaitThatIsTakenBackLeavesTheOthers) {
  const auto refused = std::make_shared<Forced>();
  waits_.note_wait(wait_for(semaphore_), 1, 2);
  waits_.begin_wait();
  waits_.note_wait(wait_for(refused), 1, 2);
  waits_.take_back();
  EXPECT_EQ(refused.use_count(), 1);
  look();
  EXPECT_EQ(refused->value_set, 0u);
  EXPECT_EQ(semaphore_->value_set, 3u);
}

// The queue may still use it.
TEST_F(SemaphoreWatchTest, AQueueThatCannotBeAskedKeepsItsSemaphores) {
  std::atomic<vd_status> status{VD_ERR_OUT_OF_MEMORY};
  SemaphoreWaits asked([&]() -> uint64_t { fail(status, "asked in vain"); });
  asked.add_signal(wait_for(semaphore_), 2);
  look();
  EXPECT_EQ(semaphore_.use_count(), 2);
  status = VD_ERR_DEVICE_LOST;
  look();
  EXPECT_EQ(semaphore_.use_count(), 1);
}

}  // namespace
}  // namespace vd::backends::testing
