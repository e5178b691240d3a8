// Dispatches whose counts are in memory. A device does not bound them, and a count above its limit is undefined. So a kernel of
// one invocation writes the lesser of each count and the most to memory of the command buffer, where the dispatch reads it.
#pragma once

#include <array>
#include <cstdint>

#include "ir/kernel.h"

namespace vd::vulkan {

// Values of the kernel below.
struct CountsValues {
  std::array<uint32_t, 3> most;
  uint32_t first;  // word of its first buffer
};

// Two buffers of words: with the counts, and for the result.
ir::Kernel counts_kernel();

}  // namespace vd::vulkan
