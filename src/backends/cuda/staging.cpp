#include "backends/cuda/staging.h"

namespace vd::cuda {

std::optional<StagingRing::Piece> StagingRing::take(uint64_t size, uint64_t reached) {
  {
    const std::lock_guard lock(mutex_);
    if (!memory_) memory_ = std::make_unique<HostMemory>(gpu_, ring_.size(), what_);
  }
  const auto piece = ring_.take(size, reached);
  if (!piece) return std::nullopt;
  return Piece{size, memory_->data() + piece->offset, piece->number};
}

}  // namespace vd::cuda
