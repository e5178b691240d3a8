// Signals of timeline semaphores by the host, for which the device or a thread waits.
#pragma once

#include "backends/vulkan/gpu.h"

namespace vd::vulkan {

// Tries for a second where the driver has no memory: without the signal a queue would wait for ever.
void signal_from_host(const Gpu& gpu, VkSemaphore semaphore, uint64_t value) noexcept;

}  // namespace vd::vulkan
