#include "backends/vulkan/staging.h"

namespace vd::vulkan {

std::optional<StagingRing::Piece> StagingRing::take(uint64_t size, uint64_t reached) {
  {
    const std::lock_guard lock(mutex_);
    if (!memory_) memory_ = std::make_unique<Memory>(gpu_, ring_.size(), placement_, label_);
  }
  auto place = ring_.take(size, reached);
  if (!place) return std::nullopt;
  auto* data = static_cast<std::byte*>(memory_->host_pointer()) + place->offset();
  return Piece{memory_->buffer(), size, data, std::move(*place)};
}

}  // namespace vd::vulkan
