// Timeline semaphores that other APIs and the program know too.
#pragma once

#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "backends/backend.h"
#include "backends/vulkan/gpu.h"

namespace vd::vulkan {

class SharedSemaphore final : public backends::Semaphore {
 public:
  SharedSemaphore(std::shared_ptr<const Gpu> gpu, const backends::SemaphoreDesc& desc);

  uint64_t value() const override;
  void signal(uint64_t value) override;
  bool wait(uint64_t value, uint64_t timeout_ns) override;
  int export_fd() const override;
  bool native(const char* kind, uint64_t& out) const override;
  void force(uint64_t value) override;
  void check(uint64_t value, bool set, const std::string& name) override;
  void claim(uint64_t value, const std::string& name) override;
  void give_back(uint64_t value) noexcept override { give_back(value, nullptr); }

  VkSemaphore handle() const noexcept { return handle_; }
  // Work that sets the value was given to a queue: a failure of earlier work that would have set it is past.
  void forget_failure(uint64_t value) noexcept;
  // The work never came to the driver. Until other work that sets the value comes, or the host sets it, whoever waits for
  // it is told of the failure.
  void give_back(uint64_t value, const std::exception_ptr& failure) noexcept;

 private:
  void take_fd(uint64_t fd);
  // Under the lock, as the next.
  void require_above(uint64_t value, std::set<uint64_t>::const_iterator end, const std::string& name);
  void forget_up_to(uint64_t present);
  void set(uint64_t value);
  bool reached(uint64_t value);

  const std::shared_ptr<const Gpu> gpu_;
  const std::string label_;
  VkSemaphore handle_ = VK_NULL_HANDLE;
  vulkan::Semaphore owned_;  // none where it is the program's
  bool exportable_ = false;
  static constexpr size_t kLeastPending = 64;
  std::mutex mutex_;                     // of all that follows
  uint64_t highest_set_ = 0;             // value that the host set, or work of which nothing else is known any more
  std::set<uint64_t> pending_;           // values that work sets, and has set meanwhile
  size_t most_pending_ = kLeastPending;  // before those that it has set are forgotten
  std::map<uint64_t, std::exception_ptr> broken_;  // values of work that failed before it came to the driver
};

}  // namespace vd::vulkan
