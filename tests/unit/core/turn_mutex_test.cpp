#include "core/turn_mutex.h"

#include <gtest/gtest.h>

#include <mutex>
#include <thread>
#include <vector>

namespace vd {
namespace {

TEST(TurnMutex, LetsInWhoeverWaits) {
  TurnMutex mutex;
  std::vector<int> turns;
  std::unique_lock lock(mutex);
  std::vector<std::thread> others;
  for (int i = 0; i < 3; ++i)
    others.emplace_back([&, i] {
      const std::lock_guard mine(mutex);
      turns.push_back(i);
    });
  while (!mutex.wanted()) std::this_thread::yield();
  lock.unlock();
  mutex.let_others_in();
  lock.lock();
  EXPECT_FALSE(turns.empty());
  lock.unlock();
  for (auto& other : others) other.join();
  EXPECT_EQ(turns.size(), 3u);
}

TEST(TurnMutex, WaitsForNobodyWhereNobodyWaits) {
  TurnMutex mutex;
  EXPECT_FALSE(mutex.wanted());
  mutex.let_others_in();
  EXPECT_TRUE(mutex.try_lock());
  bool had = true;
  std::thread([&] { had = mutex.try_lock(); }).join();
  EXPECT_FALSE(had);
  EXPECT_FALSE(mutex.wanted()) << "who only tries does not wait";
  mutex.unlock();
}

TEST(TurnMutex, KeepsCountUnderLoad) {
  TurnMutex mutex;
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
  EXPECT_FALSE(mutex.wanted());
}

}  // namespace
}  // namespace vd
