#include "core/fair_mutex.h"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

namespace vd {
namespace {

constexpr int kRounds = 500;

TEST(FairMutex, LetsInWhoeverWaits) {
  FairMutex mutex;
  std::vector<int> turns;
  std::unique_lock lock(mutex);
  std::vector<std::thread> others;
  for (int i = 0; i < 3; ++i)
    others.emplace_back([&, i] {
      const std::lock_guard mine(mutex);
      turns.push_back(i);
    });
  while (mutex.waiters() == 0) std::this_thread::yield();
  lock.unlock();
  mutex.let_others_in();
  lock.lock();
  EXPECT_FALSE(turns.empty());
  lock.unlock();
  for (auto& other : others) other.join();
  EXPECT_EQ(turns.size(), 3u);
}

// Also while the first of them has it already, and is about to say so.
TEST(FairMutex, LetsInEveryoneWhoWaits) {
  FairMutex mutex;
  std::atomic<int> turns{0};
  std::atomic<bool> stop{false};
  std::atomic<int> round{0};
  std::vector<std::thread> others;
  for (int i = 0; i < 2; ++i)
    others.emplace_back([&] {
      for (int seen = 0; !stop;) {
        if (round == seen) {
          std::this_thread::yield();
          continue;
        }
        seen = round;
        const std::lock_guard mine(mutex);
        ++turns;
      }
    });
  for (int i = 1; i <= kRounds; ++i) {
    std::unique_lock lock(mutex);
    turns = 0;
    round = i;
    while (mutex.waiters() != 2) std::this_thread::yield();
    lock.unlock();
    mutex.let_others_in();
    lock.lock();
    EXPECT_EQ(turns, 2) << "round " << i;
  }
  stop = true;
  for (auto& other : others) other.join();
}

TEST(FairMutex, WaitsForNobodyWhereNobodyWaits) {
  FairMutex mutex;
  EXPECT_EQ(mutex.waiters(), 0u);
  mutex.let_others_in();
  EXPECT_TRUE(mutex.try_lock());
  bool had = true;
  std::thread([&] { had = mutex.try_lock(); }).join();
  EXPECT_FALSE(had);
  EXPECT_EQ(mutex.waiters(), 0u) << "who only tries does not wait";
  mutex.unlock();
}

TEST(FairMutex, KeepsCountUnderLoad) {
  FairMutex mutex;
  uint64_t count = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 2000; ++i) {
        {
          const std::lock_guard lock(mutex);
          ++count;
        }
        mutex.let_others_in();
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(count, 8000u);
  EXPECT_EQ(mutex.waiters(), 0u);
}

}  // namespace
}  // namespace vd
