#include "backends/vulkan/timeline.h"

#include <algorithm>
#include <thread>

#include "backends/vulkan/spin.h"

namespace vd::vulkan {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kSpinTime = std::chrono::microseconds(30);
// A blocking wait is cut into pieces, so that a failure which another thread met ends it too.
constexpr auto kWaitPiece = std::chrono::milliseconds(100);
constexpr auto kPollTime = std::chrono::microseconds(100);

}  // namespace

Timeline::Timeline(std::shared_ptr<const Gpu> gpu, const std::string& label) : gpu_(std::move(gpu)) {
  VkSemaphoreTypeCreateInfo type{};
  type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  VkSemaphoreCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
  info.pNext = &type;
  VkSemaphore handle = VK_NULL_HANDLE;
  gpu_->check(gpu_->vk.vkCreateSemaphore(gpu_->device(), &info, nullptr, &handle), "vkCreateSemaphore", "a timeline");
  semaphore_ = Semaphore(gpu_, handle);
  gpu_->name(handle, VK_OBJECT_TYPE_SEMAPHORE, label);
}

void Timeline::learn(uint64_t value) noexcept {
  uint64_t known = known_.load(std::memory_order_relaxed);
  while (known < value && !known_.compare_exchange_weak(known, value, std::memory_order_acq_rel)) {
  }
}

uint64_t Timeline::reached() {
  uint64_t value = 0;
  gpu_->check(gpu_->vk.vkGetSemaphoreCounterValue(gpu_->device(), semaphore_.get(), &value),
              "vkGetSemaphoreCounterValue", "a queue's timeline");
  learn(value);
  return value;
}

bool Timeline::wait(uint64_t value, Clock::time_point deadline) {
  const auto spin_end = std::min(Clock::now() + (gpu_->spins ? kSpinTime : Clock::duration::zero()), deadline);
  do {
    if (reached() >= value) return true;
    spin_pause();
  } while (Clock::now() < spin_end);
  const auto now = Clock::now();
  if (now >= deadline) return false;

  VkSemaphoreWaitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO;
  const VkSemaphore semaphore = semaphore_.get();
  info.semaphoreCount = 1;
  info.pSemaphores = &semaphore;
  info.pValues = &value;
  if (gpu_->physical.instance.validates()) {
    // Version 1.3.239 of the layer loses track when several threads block on one timeline: it stalls for ten seconds
    // and reports a bug of its own. It keeps track of those who ask.
    std::this_thread::sleep_for(kPollTime);
    return false;
  }
  const auto piece = std::min<Clock::duration>(kWaitPiece, deadline - now);
  const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(piece).count();
  const VkResult result = gpu_->vk.vkWaitSemaphores(gpu_->device(), &info, static_cast<uint64_t>(ns));
  gpu_->check(result, "vkWaitSemaphores", "value {} of a queue's timeline", value);
  if (result == VK_SUCCESS) learn(value);
  return result == VK_SUCCESS;
}

void Timeline::signal(uint64_t value) noexcept {
  VkSemaphoreSignalInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO;
  info.semaphore = semaphore_.get();
  info.value = value;
  gpu_->vk.vkSignalSemaphore(gpu_->device(), &info);
}

}  // namespace vd::vulkan
