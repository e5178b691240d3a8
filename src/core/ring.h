// The bookkeeping of a ring of bytes whose pieces are taken in order and become free again in order, each when a
// timeline has reached a value.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>

namespace vd {

class Ring {
 public:
  // Pieces begin at multiples of a cache line.
  explicit Ring(uint64_t size) : size_(size) {}

  struct Piece {
    uint64_t offset = 0;  // never wraps within a piece
    uint64_t number = 0;
  };

  uint64_t size() const noexcept { return size_; }
  // Nothing if there is no room until more than `reached` is done.
  std::optional<Piece> take(uint64_t size, uint64_t reached);
  // Give piece `number` back: it is free when the timeline has reached `value`; 0: now.
  void give_back(uint64_t number, uint64_t value);
  // When take() found no room: the value to wait for. Waits itself, and returns 0, while the oldest piece is still in
  // another thread's hands.
  uint64_t oldest();

 private:
  struct Entry {
    uint64_t begin, end;  // running offsets, never wrapped
    uint64_t value;
    bool busy;
  };

  const uint64_t size_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Entry> entries_;  // oldest first
  uint64_t first_number_ = 0;  // of entries_.front()
  uint64_t head_ = 0;          // running offset of the next piece
};

}  // namespace vd
