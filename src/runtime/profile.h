// Profiles: lists that are timed, and the spans that come of them.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "backends/backend.h"
#include "core/object.h"
#include "runtime/context.h"
#include "runtime/profiler.h"

namespace vd::runtime {

// A list that is timed, for one or several profiles. The backend's part of it outlives the work.
class TimedList {
 public:
  TimedList(vd_context& context, const Queue& queue, std::vector<SpanName> names);
  TimedList(const TimedList&) = delete;
  TimedList& operator=(const TimedList&) = delete;
  ~TimedList();

  void submitted(uint64_t value, std::unique_ptr<backends::Timing> timing);
  uint32_t queue() const { return queue_; }
  uint64_t value() const { return value_.load(std::memory_order_acquire); }  // 0: not submitted yet
  const std::vector<SpanName>& names() const { return names_; }
  // Once it is done: when its commands ran, {0, 0} for one that did not. Returns the most that the clock may be off.
  uint64_t read(std::vector<backends::Interval>& out);

 private:
  vd_context& context_;
  const uint32_t queue_;
  const std::vector<SpanName> names_;
  LastUse last_use_;
  std::atomic<uint64_t> value_{0};
  std::mutex mutex_;  // of the next: several profiles may read it
  std::unique_ptr<backends::Timing> timing_;
  std::vector<backends::Interval> intervals_;
  uint64_t error_ = 0;
};

// The contents of a profile. The profiler and calls in progress hold it, too, so that no profile's end waits for a driver.
class Recording {
 public:
  struct Span {
    vd_span_kind kind = VD_SPAN_LAUNCH;
    const std::string* name = nullptr;
    const std::string* label = nullptr;
    backends::Interval interval;
    uint64_t size = 0;
    uint32_t place = 0;  // the queue, or the thread's number
  };

  Recording(vd_context& context, uint32_t capacity)
      : context_(context), capacity_(capacity), last_values_(context.queue_count(), 0) {}
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  // Ends it and reads what is left. False if the time ran out. Throws a queue's failure and, if it `reports`, that of
  // work; it is stopped then, too.
  bool stop(uint64_t timeout_ns, bool reports);
  bool stopped() const;
  std::span<const Span> spans() const;  // once it is stopped
  uint64_t lost() const;
  uint64_t clock_error() const;

  // ---- For the profiler
  // Room for a list that will be submitted. False if none of it fits.
  bool expect(const std::shared_ptr<TimedList>& list);
  // It was submitted.
  void submitted() noexcept;
  // It was not.
  void forget(const std::shared_ptr<TimedList>& list) noexcept;
  void lose(uint64_t spans) noexcept;
  void note(const SpanName& name, const backends::Interval& interval, uint32_t thread) noexcept;
  // Reads lists that are done, if there are many. Waits for nothing.
  void collect() noexcept;

 private:
  struct Pending {
    std::shared_ptr<TimedList> list;
    uint32_t count = 0;  // of its commands, from the first on
  };

  class Reading;
  uint32_t take(uint64_t count);
  const std::string* keep(const std::string& text);
  void read(const Pending& pending);
  bool has_many_pending() const;
  void note_end(const Pending& pending);
  void finish();
  void report(bool work);

  vd_context& context_;
  const uint32_t capacity_;
  mutable std::mutex mutex_;  // of the next
  std::condition_variable read_ends_, submitted_;
  bool ended_ = false;    // it takes nothing more
  bool reading_ = false;  // a thread reads lists; no other does
  // Of that thread, for the stop that comes to the end: the first failure of a queue or of its clock, which that stop
  // throws; and the lists whose failures are left to it, the last of each queue and the first that failed.
  std::exception_ptr failure_;
  std::vector<uint64_t> last_values_;
  std::shared_ptr<TimedList> failed_;
  std::deque<Pending> pending_;
  std::vector<Span> spans_;
  std::unordered_set<std::string> texts_;
  uint64_t taken_ = 0;  // spans, also of lists that are pending
  uint64_t lost_ = 0;
  uint64_t error_ = 0;
  bool stopped_ = false;
};

}  // namespace vd::runtime

struct vd_profile final : vd::Object {
 public:
  // Records from now on.
  static vd::Ref<vd_profile> create(vd_context& context, uint32_t capacity);

  bool stop(uint64_t timeout_ns, bool reports = true);  // as Recording's
  const vd::runtime::Recording& recording() const { return *recording_; }

 private:
  vd_profile(vd_context& context, uint32_t capacity);
  ~vd_profile() override;

  const vd::Ref<vd_context> context_;
  const std::shared_ptr<vd::runtime::Recording> recording_;
};
