#include "core/ring.h"

namespace vd {
namespace {

constexpr uint64_t kAlign = 64;  // a cache line, and enough for every copy

}  // namespace

std::optional<Ring::Piece> Ring::take(uint64_t size, uint64_t reached) {
  const std::lock_guard lock(mutex_);
  while (!entries_.empty() && !entries_.front().busy && entries_.front().value <= reached) {
    entries_.pop_front();
    ++first_number_;
  }
  const uint64_t length = (size + kAlign - 1) / kAlign * kAlign;
  uint64_t begin = head_;
  // A piece does not wrap: the rest of the ring stays unused.
  if (begin % size_ + length > size_) begin += size_ - begin % size_;
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
