// A ring of pinned host memory through which data travels to or from a device with memory of its own.
#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "backends/opencl/context.h"
#include "core/ring.h"

namespace vd::opencl {

class StagingRing {
 public:
  // The memory is allocated when the first piece is taken, and mapped by way of `queue`.
  StagingRing(std::shared_ptr<const Context> context, cl_command_queue queue, uint64_t size)
      : context_(std::move(context)), queue_(queue), ring_(size) {}
  StagingRing(const StagingRing&) = delete;
  StagingRing& operator=(const StagingRing&) = delete;
  ~StagingRing();

  struct Piece {
    std::byte* data = nullptr;
    uint64_t size = 0;
    Ring::Piece place;
  };

  // The largest piece, such that several are in use at once.
  uint64_t piece_size() const noexcept { return ring_.size() / 4; }
  // Nothing if there is no room until more than `reached` is done. `size` is at most piece_size().
  std::optional<Piece> take(uint64_t size, uint64_t reached);
  // When take() found no room: the value to wait for. Waits itself, and returns 0, while the oldest piece is still in
  // another thread's hands.
  uint64_t oldest() { return ring_.oldest(); }

 private:
  void allocate();

  std::shared_ptr<const Context> context_;
  cl_command_queue queue_;
  Ring ring_;
  std::mutex mutex_;  // of allocating
  MemHandle memory_;
  std::byte* data_ = nullptr;
};

}  // namespace vd::opencl
