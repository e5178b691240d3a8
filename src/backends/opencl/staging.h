// A ring of pinned host memory through which data travels to or from a device with memory of its own. A piece is taken,
// filled or read, and given back with the timeline's value after which it may be used again.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>

#include "backends/opencl/context.h"

namespace vd::opencl {

class StagingRing {
 public:
  // The memory is allocated when the first piece is taken, and mapped by way of `queue`.
  StagingRing(std::shared_ptr<const Context> context, cl_command_queue queue, uint64_t size)
      : context_(std::move(context)), queue_(queue), size_(size) {}
  StagingRing(const StagingRing&) = delete;
  StagingRing& operator=(const StagingRing&) = delete;
  ~StagingRing();

  struct Piece {
    std::byte* data = nullptr;
    uint64_t size = 0;
    uint64_t number = 0;
  };

  // The largest piece, such that several are in use at once.
  uint64_t piece_size() const noexcept { return size_ / 4; }
  // Nothing if there is no room until more than `reached` is done. `size` is at most piece_size().
  std::optional<Piece> take(uint64_t size, uint64_t reached);
  // Give a piece back: it is free when the timeline has reached `value`; 0: now.
  void give_back(const Piece& piece, uint64_t value);
  // When take() found no room: the value to wait for. Waits itself, and returns 0, while the oldest piece is still in
  // another thread's hands.
  uint64_t oldest();

 private:
  struct Entry {
    uint64_t begin, end;  // running offsets, never wrapped
    uint64_t value;
    bool busy;
  };
  void allocate();

  std::shared_ptr<const Context> context_;
  cl_command_queue queue_;
  const uint64_t size_;
  std::mutex mutex_;
  std::condition_variable changed_;
  MemHandle memory_;
  std::byte* data_ = nullptr;
  std::deque<Entry> entries_;  // oldest first
  uint64_t first_number_ = 0;  // of entries_.front()
  uint64_t head_ = 0;          // running offset of the next piece
};

}  // namespace vd::opencl
