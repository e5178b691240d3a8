#include "backends/vulkan/staging.h"

namespace vd::vulkan {

std::optional<StagingRing::Piece> StagingRing::take(uint64_t size, uint64_t reached) {
  {
    const std::lock_guard lock(mutex_);
    if (!memory_) memory_ = std::make_unique<Memory>(gpu_, ring_.size(), placement_, label_);
  }
  const auto piece = ring_.take(size, reached);
  if (!piece) return std::nullopt;
  return Piece{memory_->buffer(), piece->offset, size, static_cast<std::byte*>(memory_->host_pointer()) + piece->offset,
               piece->number};
}

}  // namespace vd::vulkan
