// A ring of pinned host memory through which data travels to or from the device.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "backends/cuda/memory.h"
#include "core/ring.h"

namespace vd::cuda {

class StagingRing {
 public:
  // The memory is allocated when the first piece is taken.
  StagingRing(std::shared_ptr<const Gpu> gpu, uint64_t size, std::string what)
      : gpu_(std::move(gpu)), ring_(size), what_(std::move(what)) {}

  struct Piece {
    uint64_t size = 0;
    std::byte* data = nullptr;
    Ring::Piece place;
  };

  // The largest piece, such that several are in use at once.
  uint64_t piece_size() const noexcept { return ring_.size() / 8; }
  // Nothing if there is no room until more than `reached` is done. `size` is at most piece_size().
  std::optional<Piece> take(uint64_t size, uint64_t reached);
  // When take() found no room: the value to wait for. Waits itself, and returns 0, while the oldest piece is still in
  // another thread's hands.
  uint64_t oldest() { return ring_.oldest(); }

 private:
  std::shared_ptr<const Gpu> gpu_;
  Ring ring_;
  const std::string what_;
  std::mutex mutex_;  // of allocating
  std::unique_ptr<HostMemory> memory_;
};

}  // namespace vd::cuda
