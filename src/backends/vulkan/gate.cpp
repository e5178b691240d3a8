#include "backends/vulkan/gate.h"

#include "backends/vulkan/host_signal.h"

namespace vd::vulkan {

Gate::Gate(std::shared_ptr<const Gpu> gpu, const std::string& label) : gpu_(std::move(gpu)) {
  VkSemaphoreTypeCreateInfo type{};
  type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  VkSemaphoreCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
  info.pNext = &type;
  VkSemaphore handle = VK_NULL_HANDLE;
  gpu_->check(gpu_->vk.vkCreateSemaphore(gpu_->device(), &info, nullptr, &handle), "vkCreateSemaphore",
              "the gate of {}", label);
  semaphore_ = Semaphore(gpu_, handle);
  gpu_->name(handle, VK_OBJECT_TYPE_SEMAPHORE, label + " held");
}

uint64_t Gate::close() {
  const std::lock_guard lock(mutex_);
  still_closed_.insert(closed_ + 1);
  return ++closed_;
}

void Gate::open(uint64_t value) noexcept {
  const std::lock_guard lock(mutex_);
  still_closed_.erase(value);
  const uint64_t reached = still_closed_.empty() ? closed_ : *still_closed_.begin() - 1;
  if (reached <= opened_) return;
  opened_ = reached;
  signal_from_host(*gpu_, semaphore_.get(), reached);
}

// Later values than this no work will wait for before the process is gone. Devices bound how far a value may be ahead of those
// that are waited for, by 2^31 - 1 or more.
void Gate::stay_open() noexcept {
  constexpr uint64_t kAhead = 1u << 30;
  const std::lock_guard lock(mutex_);
  if (opened_ > closed_) return;  // it was called before
  opened_ = closed_ + kAhead;
  signal_from_host(*gpu_, semaphore_.get(), opened_);
}

}  // namespace vd::vulkan
