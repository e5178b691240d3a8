// Whether a device is lost, and why: many threads may report it, and the first report stays.
#pragma once

#include <atomic>
#include <mutex>
#include <string>

namespace vd::backends {

class Loss {
 public:
  explicit operator bool() const noexcept { return lost_.load(std::memory_order_acquire); }
  // The first report is the message of every later call; true if this is the first.
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
