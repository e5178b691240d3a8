#include "runtime/profiler.h"

#include <algorithm>

#include "core/platform.h"
#include "runtime/profile.h"

namespace vd::runtime {

SpanName name_of(const backends::Command& command) {
  const bool fills = command.kind == backends::Command::Kind::Fill;
  const backends::Range& buffer =
      command.kind == backends::Command::Kind::CopyFromImage ? command.destination : command.source;
  return {
      fills ? VD_SPAN_FILL : VD_SPAN_COPY, fills ? "fill" : "copy", {}, fills ? command.destination.size : buffer.size};
}

void Profiler::add(std::shared_ptr<Recording> recording) {
  const std::lock_guard lock(mutex_);
  recordings_.push_back(std::move(recording));
  active_.store(true, std::memory_order_release);
}

void Profiler::remove(const Recording& recording) noexcept {
  std::shared_ptr<Recording> removed;  // its end is no part of what the mutex guards
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(recordings_, &recording, &std::shared_ptr<Recording>::get);
  if (found == recordings_.end()) return;
  removed = std::move(*found);
  recordings_.erase(found);
  active_.store(!recordings_.empty(), std::memory_order_release);
}

std::vector<std::shared_ptr<Recording>> Profiler::current() const {
  const std::lock_guard lock(mutex_);
  return recordings_;
}

uint64_t Profiler::submit(Queue& queue, const backends::CommandList& list, std::vector<SpanName> names) {
  return submit_with(queue, std::move(names), [&](std::unique_ptr<backends::Timing>* timing) {
    return timing != nullptr ? queue.backend.submit_timed(list, *timing) : queue.backend.submit(list);
  });
}

uint64_t Profiler::submit(Queue& queue, backends::Executable& ready, std::vector<SpanName> names) {
  return submit_with(queue, std::move(names), [&](std::unique_ptr<backends::Timing>* timing) {
    return timing != nullptr ? queue.backend.submit_timed_executable(ready, *timing) : queue.backend.submit(ready, 1);
  });
}

template <class Give>
uint64_t Profiler::submit_with(Queue& queue, std::vector<SpanName> names, Give&& give) {
  const std::vector<std::shared_ptr<Recording>> recordings = current();
  const auto count = static_cast<uint32_t>(names.size());
  if (count == 0 || recordings.empty()) return give(nullptr);
  if (!queue.backend.has_clock()) {
    for (const auto& recording : recordings) recording->lose(count);
    return give(nullptr);
  }
  const auto timed = std::make_shared<TimedList>(context_, queue, std::move(names));
  try {
    bool wanted = false;
    for (const auto& recording : recordings) wanted |= recording->expect(timed);
    if (!wanted) return give(nullptr);
    std::unique_ptr<backends::Timing> timing;
    const uint64_t value = give(&timing);
    if (timing) {
      timed->submitted(value, std::move(timing));
      for (const auto& recording : recordings) recording->submitted();
    } else {
      for (const auto& recording : recordings) recording->forget(timed);
    }
    return value;
  } catch (...) {
    for (const auto& recording : recordings) recording->forget(timed);
    throw;
  }
}

void Profiler::note(const SpanName& name, const backends::Interval& interval, bool hot) noexcept {
  std::vector<std::shared_ptr<Recording>> recordings;
  try {
    recordings = current();
  } catch (...) {
    return;  // without memory for the list the call is not recorded
  }
  const uint32_t thread = platform::thread_id();
  for (const auto& recording : recordings) recording->note(name, interval, thread);
  if (hot) return;
  for (const auto& recording : recordings) recording->collect();
}

void CallSpan::end() noexcept {
  const backends::Interval interval{begin_, steady_time()};
  try {
    profiler_->note({kind_, entry_, label_ != nullptr ? *label_ : std::string(), size_}, interval, hot_);
  } catch (...) {
    // Without memory for its name the call is not recorded.
  }
}

}  // namespace vd::runtime
