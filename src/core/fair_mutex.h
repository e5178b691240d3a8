// A mutex for work that comes in parts. A thread that unlocks a mutex and locks it again nearly always gets it before a
// waiting thread has woken up. Between two parts, this mutex lets the waiting threads in first.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <thread>

namespace vd {

class FairMutex {
 public:
  void lock() {
    if (mutex_.try_lock()) return;
    state_.fetch_add(kWaiting);
    mutex_.lock();
    state_.fetch_add(kServed - kWaiting);
  }
  bool try_lock() { return mutex_.try_lock(); }
  void unlock() { mutex_.unlock(); }

  // The number of threads that wait for it.
  uint32_t waiters() const noexcept { return waiting(state_.load(std::memory_order_relaxed)); }
  // Call without holding it: ends when every thread that waits now has held it.
  void let_others_in() const {
    const uint64_t now = state_.load();
    if (waiting(now) == 0) return;
    const uint32_t all = served(now) + waiting(now);
    for (int looks = 0; static_cast<int32_t>(served(state_.load()) - all) < 0; ++looks) {
      if (looks < kLooks)
        std::this_thread::yield();
      else
        std::this_thread::sleep_for(kPause);
    }
  }

 private:
  static constexpr int kLooks = 100;
  static constexpr auto kPause = std::chrono::microseconds(50);

  // A waiting thread becomes a served one in one step: between two steps, let_others_in() would count the thread in
  // neither counter, or in both.
  static constexpr uint64_t kWaiting = 1, kServed = uint64_t{1} << 32;
  static uint32_t waiting(uint64_t state) { return static_cast<uint32_t>(state); }
  static uint32_t served(uint64_t state) { return static_cast<uint32_t>(state >> 32); }

  std::mutex mutex_;
  std::atomic<uint64_t> state_{0};  // how many wait, and how many of them were served, which wraps around
};

}  // namespace vd
