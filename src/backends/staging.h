// Host memory through which transfers travel to or from a device, and writes that go that way: the same for every
// backend whose device does not reach all of the host's memory. A backend names the memory, `M`, which has data().
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "backends/backend.h"
#include "core/ring.h"

namespace vd::backends {

template <class M>
class StagingRing {
 public:
  // `make(bytes)` allocates the memory when the first piece is taken. The largest piece is one of `parts`, such that
  // several are in use at once.
  StagingRing(uint64_t size, uint32_t parts, std::function<std::unique_ptr<M>(uint64_t size)> make)
      : ring_(size), piece_size_(size / parts), make_(std::move(make)) {}

  struct Piece {
    M* memory = nullptr;
    std::byte* data = nullptr;
    uint64_t size = 0;
    Ring::Piece place;
  };

  uint64_t piece_size() const noexcept { return piece_size_; }
  // Nothing if there is no room until more than `reached` is done. `size` is at most piece_size().
  std::optional<Piece> take(uint64_t size, uint64_t reached) {
    {
      const std::lock_guard lock(mutex_);
      if (!memory_) memory_ = make_(ring_.size());
    }
    auto place = ring_.take(size, reached);
    if (!place) return std::nullopt;
    std::byte* data = memory_->data() + place->offset();
    return Piece{memory_.get(), data, size, std::move(*place)};
  }
  // Whether there is room for all pieces of a write.
  bool has_room(uint64_t size, uint64_t reached) { return ring_.has_room(size, piece_size_, reached); }
  // After take() found no room: the value to wait for. Waits itself, and returns 0, while another thread is still
  // filling the oldest piece.
  uint64_t oldest() { return ring_.oldest(); }

 private:
  Ring ring_;
  const uint64_t piece_size_;
  const std::function<std::unique_ptr<M>(uint64_t size)> make_;
  std::mutex mutex_;  // of allocating
  std::unique_ptr<M> memory_;
};

// A filled piece. give(piece, wait_before) has the queue copy it to the device, and returns its value.
template <class Piece, class Give>
class StagedUpload final : public Upload {
 public:
  StagedUpload(Piece piece, Give give) : piece_(std::move(piece)), give_(std::move(give)) {}
  uint64_t size() const override { return piece_.size; }
  uint64_t submit(bool wait_before) override {
    const uint64_t value = give_(std::as_const(piece_), wait_before);
    piece_.place.use_until(value);
    return value;
  }

 private:
  Piece piece_;
  Give give_;
};

template <class Piece, class Give>
std::unique_ptr<Upload> staged_upload(Piece piece, Give give) {
  return std::make_unique<StagedUpload<Piece, Give>>(std::move(piece), std::move(give));
}

// Threads that fill and empty staging memory together.
uint32_t copier_count(const DeviceOptions& options);

}  // namespace vd::backends
