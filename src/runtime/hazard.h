// Accesses to memory by work in flight, so that later work waits only for conflicting accesses. Two accesses to the
// same bytes conflict when one of them writes.
//
// Within a queue, order comes from barriers: an epoch is the work between two of them, so a conflict matters only if
// the earlier use is in the queue's present epoch. Between queues it comes from waiting for the other's value.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace vd::runtime {

struct Span {
  uint64_t begin = 0;
  uint64_t end = 0;  // past the last byte
  // An empty span overlaps nothing, wherever it lies.
  bool overlaps(const Span& other) const { return std::max(begin, other.begin) < std::min(end, other.end); }
  bool covers(const Span& other) const { return begin <= other.begin && other.end <= end; }
  friend bool operator==(const Span&, const Span&) = default;
};

class Block;

struct Access {
  Block* block;
  Span span;
  bool write;
  uint64_t lead = 0;  // bytes before it that are bound with it, and that nothing touches
};

// The uses of one block of memory that later work may have to wait for.
class AccessLog {
 public:
  struct Entry {
    Span span;
    uint64_t value;  // of the queue's timeline when the use is done
    uint64_t epoch;  // of the queue
    uint32_t queue;
    bool write;
  };

  // `spare`: uses beyond those that the memory of one buffer has.
  explicit AccessLog(uint32_t queue_count, size_t spare = 0);

  // Calls f(entry) for each earlier use that a new one conflicts with.
  template <class F>
  void conflicts(const Span& span, bool write, F&& f) const {
    for (const Entry& e : entries_) {
      if ((write || e.write) && e.span.overlaps(span)) f(e);
    }
  }

  // Whether one more use would have others merged.
  bool is_full() const noexcept { return entries_.size() + expected_ >= limit_; }
  // Drops the uses that is_over(entry) says no later work has to wait for.
  template <class F>
  void forget(F&& is_over) {
    std::erase_if(entries_, is_over);
  }
  // Makes room for one more use, before its work is submitted.
  void expect();
  // Adds a use that has been ordered after all uses that it conflicts with. After expect() it allocates nothing, since
  // the work has been submitted by then, and its use must be recorded.
  void add(const Entry& entry) noexcept;

  const std::vector<Entry>& entries() const { return entries_; }

 private:
  void merge() noexcept;

  uint32_t limit_;         // past this many uses they are merged: later work then waits for a little more than it must
  uint32_t expected_ = 0;  // uses that are not added yet; of work that failed they are left over
  std::vector<Entry> entries_;
};

}  // namespace vd::runtime
