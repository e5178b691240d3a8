// A mutex for work that comes in parts. Whoever gives one up and takes it again at once nearly always has it back
// before a thread that waits has woken up; so between two parts he lets those in first.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <thread>

namespace vd {

class TurnMutex {
 public:
  void lock() {
    if (mutex_.try_lock()) return;
    waiting_.fetch_add(1);
    mutex_.lock();
    waiting_.fetch_sub(1);
    served_.fetch_add(1);  // after that, so that let_others_in() counts nobody twice
  }
  bool try_lock() { return mutex_.try_lock(); }
  void unlock() { mutex_.unlock(); }

  // Whether somebody waits for it.
  bool wanted() const noexcept { return waiting_.load(std::memory_order_relaxed) != 0; }
  // Without holding it: ends when all who wait now have had it.
  void let_others_in() const {
    if (!wanted()) return;
    const uint64_t served = served_.load();
    const uint64_t all = served + waiting_.load();
    for (int looks = 0; served_.load() < all; ++looks) {
      if (looks < kLooks)
        std::this_thread::yield();
      else
        std::this_thread::sleep_for(kPause);
    }
  }

 private:
  static constexpr int kLooks = 100;
  static constexpr auto kPause = std::chrono::microseconds(50);

  std::mutex mutex_;
  std::atomic<uint64_t> waiting_{0};
  std::atomic<uint64_t> served_{0};  // of those who had to wait
};

}  // namespace vd
