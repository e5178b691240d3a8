#include "backends/cuda/staging.h"

namespace vd::cuda {

std::optional<StagingRing::Piece> StagingRing::take(uint64_t size, uint64_t reached) {
  {
    const std::lock_guard lock(mutex_);
    if (!memory_) memory_ = std::make_unique<HostMemory>(gpu_, ring_.size(), what_);
  }
  auto place = ring_.take(size, reached);
  if (!place) return std::nullopt;
  std::byte* data = memory_->data() + place->offset();
  return Piece{size, data, std::move(*place)};
}

}  // namespace vd::cuda
