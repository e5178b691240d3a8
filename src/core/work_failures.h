// Failures of a queue's work, kept until a thread waits for that work.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>

namespace vd {

class WorkFailures {
 public:
  // Adds a failure of the work up to a value of the queue's timeline. The oldest makes room, so that it needs no memory.
  void add(uint64_t value, std::exception_ptr what) noexcept;
  // Throws the oldest failure of the work up to a value that was not thrown yet. `asked`: and one of that very value once
  // more.
  void report(uint64_t value, bool asked);
  bool has(uint64_t value) const noexcept;  // one of that very value

 private:
  struct Failure {
    uint64_t value = 0;
    std::exception_ptr what;  // null: none
    bool reported = false;
  };
  static constexpr size_t kMost = 64;

  std::atomic<bool> any_{false};
  mutable std::mutex mutex_;
  std::array<Failure, kMost> failures_;  // the latest, oldest first
};

}  // namespace vd
