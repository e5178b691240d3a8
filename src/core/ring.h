// The bookkeeping of a ring of bytes whose pieces are taken in order and become free again in order, each when a
// timeline has reached a value.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

namespace vd {

class Ring {
 public:
  // Pieces begin at multiples of a cache line.
  explicit Ring(uint64_t size) : size_(size) {}

  // A piece in use; its destructor gives it back.
  class Piece {
   public:
    Piece(Ring& ring, uint64_t offset, uint64_t number) noexcept : ring_(&ring), offset_(offset), number_(number) {}
    Piece(Piece&& other) noexcept
        : ring_(std::exchange(other.ring_, nullptr)),
          offset_(other.offset_),
          number_(other.number_),
          until_(other.until_) {}
    Piece& operator=(Piece&&) = delete;
    ~Piece() {
      if (ring_ != nullptr) ring_->give_back(number_, until_);
    }

    uint64_t offset() const noexcept { return offset_; }  // never wraps within a piece
    // Work that ends at `value` uses it: until then it is not free, even after it was returned.
    void use_until(uint64_t value) noexcept { until_ = value; }

   private:
    Ring* ring_;
    uint64_t offset_, number_;
    uint64_t until_ = 0;
  };

  uint64_t size() const noexcept { return size_; }
  // Nothing if there is no room until more than `reached` is done.
  std::optional<Piece> take(uint64_t size, uint64_t reached);
  // Whether take() would find room for pieces of `piece` bytes, the last of the rest, that have `size` together.
  bool has_room(uint64_t size, uint64_t piece, uint64_t reached);
  // After take() found no room: the value to wait for. Waits itself, and returns 0, while another thread is still
  // filling the oldest piece.
  uint64_t oldest();

 private:
  struct Entry {
    uint64_t begin, end;  // running offsets, never wrapped
    uint64_t value;
    bool busy;
  };

  void forget(uint64_t reached);  // pieces that are free, under the lock
  uint64_t next_begin(uint64_t head, uint64_t length) const;
  void give_back(uint64_t number, uint64_t value);

  const uint64_t size_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Entry> entries_;  // oldest first
  uint64_t first_number_ = 0;  // of entries_.front()
  uint64_t head_ = 0;          // running offset of the next piece
};

}  // namespace vd
