#include "core/ring.h"

#include <algorithm>

namespace vd {
namespace {

constexpr uint64_t kAlign = 64;  // a cache line, and enough for every copy

uint64_t aligned(uint64_t size) { return (size + kAlign - 1) / kAlign * kAlign; }

}  // namespace

void Ring::forget(uint64_t reached) {
  while (!entries_.empty() && !entries_.front().busy && entries_.front().value <= reached) {
    entries_.pop_front();
    ++first_number_;
  }
}

// A piece does not wrap: the rest of the ring stays unused.
uint64_t Ring::next_begin(uint64_t head, uint64_t length) const {
  return head % size_ + length > size_ ? head + size_ - head % size_ : head;
}

bool Ring::has_room(uint64_t size, uint64_t piece, uint64_t reached) {
  const std::lock_guard lock(mutex_);
  forget(reached);
  uint64_t head = head_, tail = head_;
  if (!entries_.empty()) tail = entries_.front().begin;
  bool first = entries_.empty();
  while (size != 0) {
    const uint64_t taken = std::min(size, piece), length = aligned(taken), begin = next_begin(head, length);
    if (std::exchange(first, false)) tail = begin;
    if (begin + length - tail > size_) return false;
    head = begin + length;
    size -= taken;
  }
  return true;
}

std::optional<Ring::Piece> Ring::take(uint64_t size, uint64_t reached) {
  const std::lock_guard lock(mutex_);
  forget(reached);
  const uint64_t length = aligned(size), begin = next_begin(head_, length);
  const uint64_t tail = entries_.empty() ? begin : entries_.front().begin;
  if (begin + length - tail > size_) return std::nullopt;
  entries_.push_back({begin, begin + length, 0, true});
  head_ = begin + length;
  return Piece(*this, begin % size_, first_number_ + entries_.size() - 1);
}

void Ring::give_back(uint64_t number, uint64_t value) {
  {
    const std::lock_guard lock(mutex_);
    Entry& entry = entries_[number - first_number_];
    entry.busy = false;
    entry.value = value;
  }
  changed_.notify_all();
}

uint64_t Ring::oldest() {
  std::unique_lock lock(mutex_);
  if (entries_.empty()) return 0;
  if (!entries_.front().busy) return entries_.front().value;
  changed_.wait(lock, [&] { return entries_.empty() || !entries_.front().busy; });
  return 0;
}

}  // namespace vd
