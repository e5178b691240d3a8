#include "core/thread_pool.h"

#include <gtest/gtest.h>

#include <latch>
#include <numeric>
#include <stdexcept>

namespace {

TEST(ThreadPool, RunsEachTurnOnce) {
  vd::ThreadPool pool(4);
  for (size_t count : {0u, 1u, 2u, 3u, 1000u}) {
    std::vector<std::atomic<int>> seen(count);
    pool.for_each(count, [&](size_t i) { ++seen[i]; });
    for (auto& n : seen) EXPECT_EQ(n, 1);
  }
}

TEST(ThreadPool, ManyShortLoops) {
  vd::ThreadPool pool(3);
  std::atomic<int> turns{0};
  for (int i = 0; i < 2000; ++i) pool.for_each(3, [&](size_t) { ++turns; });
  EXPECT_EQ(turns, 6000);
}

TEST(ThreadPool, LoopInALoopAndFromManyThreads) {
  vd::ThreadPool pool(2);
  std::atomic<int> turns{0};
  std::vector<std::thread> callers;
  for (int t = 0; t < 3; ++t) {
    callers.emplace_back([&] {
      for (int i = 0; i < 50; ++i) pool.for_each(4, [&](size_t) { pool.for_each(4, [&](size_t) { ++turns; }); });
    });
  }
  for (auto& caller : callers) caller.join();
  EXPECT_EQ(turns, 3 * 50 * 16);
}

TEST(ThreadPool, ThrowsTheFirstFailureAndGoesOn) {
  vd::ThreadPool pool(4);
  EXPECT_THROW(pool.for_each(100,
                             [](size_t i) {
                               if (i == 5) throw std::runtime_error("five");
                             }),
               std::runtime_error);
  std::atomic<int> turns{0};
  pool.for_each(100, [&](size_t) { ++turns; });
  EXPECT_EQ(turns, 100);
}

TEST(ThreadPool, ItsThreadsAreTheLibrarys) {
  EXPECT_FALSE(vd::on_library_thread());
  vd::ThreadPool pool(2);
  std::atomic<bool> library{false};
  const auto caller = std::this_thread::get_id();
  std::latch both(2);  // so that each iteration is on a thread of its own
  pool.for_each(2, [&](size_t) {
    both.arrive_and_wait();
    if (std::this_thread::get_id() != caller) library = vd::on_library_thread();
  });
  EXPECT_TRUE(library);
  EXPECT_FALSE(vd::on_library_thread());
}

}  // namespace
