// The recording for profiles of a context: lists that a queue takes are timed, and calls of the program noted. Without a
// profile all of it costs one look at active().
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "backends/backend.h"
#include "core/steady_time.h"
#include "runtime/queue.h"

struct vd_context;

namespace vd::runtime {

class Recording;

// The name of a span.
struct SpanName {
  vd_span_kind kind = VD_SPAN_LAUNCH;
  std::string name;
  std::string label{};
  uint64_t size = 0;  // bytes
};
// The name of a command that is no launch.
SpanName name_of(const backends::Command& command);

// The most commands of a list that is timed: their timestamps fill a driver's room for work in flight.
inline constexpr size_t kTimedCommands = 128;

class Profiler {
 public:
  explicit Profiler(vd_context& context) : context_(context) {}

  bool active() const noexcept { return active_.load(std::memory_order_acquire); }
  void add(std::shared_ptr<Recording> recording);
  // Calls that begin later record nothing for it. Nothing happens if it is not there.
  void remove(const Recording& recording) noexcept;
  // Hands a list, or a prepared one, to the queue, timed, with the names of its commands. Under the order lock. Returns its
  // value.
  uint64_t submit(Queue& queue, const backends::CommandList& list, std::vector<SpanName> names);
  uint64_t submit(Queue& queue, backends::Executable& ready, std::vector<SpanName> names);
  // Notes a call that is over. A `hot` one asks no queue for its progress.
  void note(const SpanName& name, const backends::Interval& interval, bool hot) noexcept;

 private:
  // Calls give(timing), with null for work that is not timed.
  template <class Give>
  uint64_t submit_with(Queue& queue, std::vector<SpanName> names, Give&& give);

  std::vector<std::shared_ptr<Recording>> current() const;

  vd_context& context_;
  // Guards the list. No driver is called under it: one may wait for a callback of the program's, which may end a profile.
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<Recording>> recordings_;
  std::atomic<bool> active_{false};
};

// A call of the program's, while it lives.
class CallSpan {
 public:
  // `label` outlives it. `hot`: the entry never waits.
  CallSpan(Profiler& profiler, const char* entry, vd_span_kind kind = VD_SPAN_CALL, uint64_t size = 0,
           const std::string* label = nullptr, bool hot = false) noexcept
      : profiler_(profiler.active() ? &profiler : nullptr),
        entry_(entry),
        label_(label),
        kind_(kind),
        hot_(hot),
        size_(size) {
    if (profiler_ != nullptr) begin_ = steady_time();
  }
  CallSpan(const CallSpan&) = delete;
  CallSpan& operator=(const CallSpan&) = delete;
  ~CallSpan() {
    if (profiler_ != nullptr) [[unlikely]]
      end();
  }

 private:
  void end() noexcept;

  Profiler* const profiler_;
  const char* const entry_;
  const std::string* const label_;
  const vd_span_kind kind_;
  const bool hot_;
  const uint64_t size_;
  uint64_t begin_ = 0;
};

// Hands a list to the queue's backend, under the order lock. name(i) is called for its commands where they are timed.
template <class Name>
uint64_t give(Profiler& profiler, Queue& queue, const backends::CommandList& list, Name&& name) {
  if (!profiler.active()) [[likely]]
    return queue.backend.submit(list);
  std::vector<SpanName> names;
  names.reserve(list.commands.size());
  for (size_t i = 0; i < list.commands.size(); ++i) names.push_back(name(i));
  return profiler.submit(queue, list, std::move(names));
}

}  // namespace vd::runtime
