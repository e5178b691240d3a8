// The kinds of work that still need a barrier between them. The runtime states dependencies, by levels and by asking
// for a barrier before a list; this class finds the least that such a barrier must wait for: transfer stages cost 2 us
// more than COMPUTE to COMPUTE, and a barrier that nothing needs costs 1.7 us on a fast GPU.
//
// A barrier that the runtime asked for orders, for the runtime, all earlier work before all later work. Ours may have
// ordered compute work alone. The rest is then owed: the first transfer gets its barrier, whether the runtime asks for
// one or not.
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
  // The kinds of earlier work that a barrier before work of kinds `next` must wait for: all if `next` may depend on
  // them, else those that are owed.
  uint32_t before(uint32_t next, bool depends) const noexcept {
    uint32_t from = kNoWork;
    for (uint32_t i = 0; i < 2; ++i)
      if (((depends ? open_ : owed_)[i] & next) != 0) from |= 1u << i;
    return from;
  }
  // A barrier was recorded.
  void barrier(uint32_t from, uint32_t to) noexcept {
    for (uint32_t i = 0; i < 2; ++i) {
      if ((from & 1u << i) == 0) continue;
      open_[i] &= ~to;
      owed_[i] &= ~to;
    }
  }
  // The runtime takes all work so far for ordered before all later work.
  void mark_ordered() noexcept { owed_ = open_; }

 private:
  // For compute and transfer: the kinds of later work that no barrier has yet ordered after the last such work; and of
  // these, the kinds that the runtime believes to be ordered after the last such work before settle().
  std::array<uint32_t, 2> open_{};
  std::array<uint32_t, 2> owed_{};
};

// The stages or accesses of each kind.
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
