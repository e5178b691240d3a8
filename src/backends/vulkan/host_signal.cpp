#include "backends/vulkan/host_signal.h"

#include <chrono>
#include <thread>

#include "core/log.h"

namespace vd::vulkan {

void signal_from_host(const Gpu& gpu, VkSemaphore semaphore, uint64_t value) noexcept {
  constexpr auto kPause = std::chrono::milliseconds(1);
  constexpr int kTries = 1000;
  VkSemaphoreSignalInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO;
  info.semaphore = semaphore;
  info.value = value;
  VkResult result = gpu.vk.vkSignalSemaphore(gpu.device(), &info);
  for (int i = 1; i < kTries && result < 0 && result != VK_ERROR_DEVICE_LOST; ++i) {
    std::this_thread::sleep_for(kPause);
    result = gpu.vk.vkSignalSemaphore(gpu.device(), &info);
  }
  if (result < 0 && !gpu.lost())
    log_error("vkSignalSemaphore failed with {}: what waits for value {} of a timeline may wait for ever.",
              result_name(result), value);
}

}  // namespace vd::vulkan
