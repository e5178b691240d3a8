// Whether a device is lost, and to what: told by many threads, and never taken back.
#pragma once

#include <atomic>
#include <mutex>
#include <string>

namespace vd::backends {

class Loss {
 public:
  explicit operator bool() const noexcept { return lost_.load(std::memory_order_acquire); }
  // What is said first is what every later call tells; true if this is it.
  bool report(const std::string& why) {
    const std::lock_guard lock(mutex_);
    if (*this) return false;
    why_ = why;
    lost_.store(true, std::memory_order_release);
    return true;
  }
  std::string why() const {
    const std::lock_guard lock(mutex_);
    return why_;
  }

 private:
  std::atomic<bool> lost_{false};
  mutable std::mutex mutex_;
  std::string why_;
};

}  // namespace vd::backends
