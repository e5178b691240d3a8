// Failures of a queue's work, kept until a thread is told of them. Whoever waits for reasons of its own leaves them
// there.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <vector>

namespace vd {

class WorkFailures {
  struct Parts;

 public:
  // The most that are kept. The oldest that was reported makes room, or else the oldest.
  static constexpr size_t kMost = 4096;

  // Work that is submitted in several parts, whose last value is its ticket's.
  class Work {
    friend class WorkFailures;
    uint64_t first_ = 0;
    std::shared_ptr<Parts> parts_;  // once there are two
  };

  // Adds a failure of the work up to a value of the queue's timeline. Needs no memory: if none is left, the
  // oldest makes room.
  void add(uint64_t value, std::exception_ptr what) noexcept;
  // Adds a part to `work`, before anybody can wait for it. Work up to `done` can add no failure. If memory runs out, the
  // parts so far count as separate work.
  void join(Work& work, uint64_t value, uint64_t done) noexcept;
  // Throws the oldest failure of the work up to a value that was not thrown yet. If there is none and it is `asked` for:
  // again one of that value's own work.
  void report(uint64_t value, bool asked);
  bool has(uint64_t value) const noexcept;  // one of the work whose value that is

 private:
  // Values of one work, of which others may have those in between.
  struct Parts {
    struct Range {
      uint64_t first, last;
    };
    std::vector<Range> ranges;
    bool listed = false;
    bool failed = false;  // one of them

    uint64_t last() const { return ranges.back().last; }
    bool has(uint64_t value) const;
  };
  struct Failure {
    uint64_t value = 0;
    std::exception_ptr what;
    std::shared_ptr<const Parts> parts{};  // null: none but the value
    bool reported = false;

    bool is_of(uint64_t v) const { return value == v || (parts && parts->last() == v); }
  };
  void put(Failure failure) noexcept;
  static void give(Failure& failure, const std::shared_ptr<Parts>& parts) noexcept;
  void note_last(uint64_t value) noexcept;

  std::atomic<uint64_t> unreported_{0};
  std::atomic<uint64_t> last_{0};  // value of work that failed
  mutable std::mutex mutex_;       // of the next
  std::deque<Failure> failures_;   // by value; a deque has room for some from the beginning
  std::deque<std::shared_ptr<Parts>> parts_;
};

}  // namespace vd
