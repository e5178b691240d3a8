// Which kinds of work still need a barrier before which. The runtime says what depends on what, in levels; this says
// how little a barrier between two levels needs to wait for: transfer stages cost 2 us more than COMPUTE to COMPUTE,
// and a barrier that nothing needs costs 1.7 us on a fast GPU.
#pragma once

#include <array>
#include <cstdint>

#include "backends/vulkan/vk.h"

namespace vd::vulkan {

// Kinds of work, as bits.
enum Kinds : uint32_t { kNoWork = 0, kCompute = 1, kTransfer = 2 };

class Hazards {
 public:
  // Work of these kinds was recorded.
  void record(uint32_t kinds) noexcept {
    for (uint32_t from = 0; from < 2; ++from)
      if ((kinds & 1u << from) != 0) open_[from] = kCompute | kTransfer;
  }
  // What a barrier before work of kinds `next`, which depends on everything so far, must wait for.
  uint32_t before(uint32_t next) const noexcept {
    uint32_t from = kNoWork;
    for (uint32_t i = 0; i < 2; ++i)
      if ((open_[i] & next) != 0) from |= 1u << i;
    return from;
  }
  // A barrier was recorded.
  void barrier(uint32_t from, uint32_t to) noexcept {
    for (uint32_t i = 0; i < 2; ++i)
      if ((from & 1u << i) != 0) open_[i] &= ~to;
  }

 private:
  // For compute and transfer: the kinds that no barrier has yet put after the last such work.
  std::array<uint32_t, 2> open_{};
};

// The bits that each kind stands for.
inline VkFlags bits_of(uint32_t kinds, VkFlags compute, VkFlags transfer) noexcept {
  return ((kinds & kCompute) != 0 ? compute : 0) | ((kinds & kTransfer) != 0 ? transfer : 0);
}
inline VkPipelineStageFlags stages_of(uint32_t kinds) noexcept {
  return bits_of(kinds, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT);
}
inline VkAccessFlags writes_of(uint32_t kinds) noexcept {
  return bits_of(kinds, VK_ACCESS_SHADER_WRITE_BIT, VK_ACCESS_TRANSFER_WRITE_BIT);
}
inline VkAccessFlags accesses_of(uint32_t kinds) noexcept {
  return bits_of(kinds, VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT,
                 VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT);
}

}  // namespace vd::vulkan
