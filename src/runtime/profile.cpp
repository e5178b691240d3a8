#include "runtime/profile.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/error.h"
#include "core/wait.h"
#include "runtime/memory.h"

using namespace vd;
using backends::Interval;

namespace vd::runtime {
namespace {

// More lists than this, or of more commands, are read while the profile records, so that their timestamps are used again.
constexpr size_t kMostPending = 256;
constexpr uint64_t kMostPendingCommands = kMostPending * kTimedCommands;

bool is_of_host(const Recording::Span& span) { return span.kind >= VD_SPAN_CALL; }

}  // namespace

TimedList::TimedList(vd_context& context, const Queue& queue, std::vector<SpanName> names)
    : context_(context), queue_(queue.index), names_(std::move(names)), last_use_(context.queue_count(), 0) {
  context_.retired().expect();
}

TimedList::~TimedList() {
  Retired retired;
  retired.last_use = std::move(last_use_);
  retired.timing = std::move(timing_);
  context_.retired().add(std::move(retired));
}

void TimedList::submitted(uint64_t value, std::unique_ptr<backends::Timing> timing) {
  timing_ = std::move(timing);
  last_use_[queue_] = value;
  value_.store(value, std::memory_order_release);
}

uint64_t TimedList::read(std::vector<Interval>& out) {
  const std::lock_guard lock(mutex_);
  if (intervals_.empty()) {
    std::vector<Interval> times(names_.size());
    error_ = context_.call([&] { return timing_->read(times); });
    intervals_ = std::move(times);
  }
  out = intervals_;
  return error_;
}

// ---- Recording

uint32_t Recording::take(uint64_t count) {
  const uint64_t taken = std::min(count, capacity_ - taken_);
  taken_ += taken;
  lost_ += count - taken;
  return static_cast<uint32_t>(taken);
}

bool Recording::expect(const std::shared_ptr<TimedList>& list) {
  const std::lock_guard lock(mutex_);
  if (ended_) return false;
  if (taken_ == capacity_) {
    lost_ += list->names().size();
    return false;
  }
  pending_.push_back({list, 0});
  pending_.back().count = take(list->names().size());
  return true;
}

void Recording::submitted() noexcept {
  { const std::lock_guard lock(mutex_); }  // whoever saw no value under it waits by now
  submitted_.notify_all();
}

void Recording::forget(const std::shared_ptr<TimedList>& list) noexcept {
  {
    const std::lock_guard lock(mutex_);
    if (pending_.empty() || pending_.back().list != list) return;
    taken_ -= pending_.back().count;
    lost_ -= list->names().size() - pending_.back().count;
    pending_.pop_back();
  }
  submitted_.notify_all();
}

void Recording::lose(uint64_t spans) noexcept {
  const std::lock_guard lock(mutex_);
  lost_ += spans;
}

void Recording::note(const SpanName& name, const Interval& interval, uint32_t thread) noexcept {
  const std::lock_guard lock(mutex_);
  if (ended_ || take(1) == 0) return;
  try {
    spans_.push_back({name.kind, keep(name.name), keep(name.label), interval, name.size, thread});
  } catch (...) {
    --taken_;
    ++lost_;
  }
}

// Texts stay where they are when others come.
const std::string* Recording::keep(const std::string& text) { return &*texts_.insert(text).first; }

// ---- Reading

void Recording::read(const Pending& pending) {
  std::vector<Interval> times;
  const uint64_t error = pending.list->read(times);
  const std::lock_guard lock(mutex_);
  const size_t before = spans_.size();
  uint64_t lost = 0;
  try {
    for (uint32_t i = 0; i < pending.count; ++i) {
      const SpanName& name = pending.list->names()[i];
      if (times[i].begin == 0)
        ++lost;
      else
        spans_.push_back({name.kind, keep(name.name), keep(name.label), times[i], name.size, pending.list->queue()});
    }
  } catch (...) {
    spans_.erase(spans_.begin() + static_cast<std::ptrdiff_t>(before), spans_.end());  // it is read once more
    throw;
  }
  error_ = std::max(error_, error);
  lost_ += lost;
}

// The right to read lists, which one thread has at a time.
class Recording::Reading {
 public:
  // Waits for it, at most so long.
  Reading(Recording& recording, uint64_t timeout_ns) : recording_(recording) {
    const auto deadline = deadline_after(timeout_ns);
    std::unique_lock lock(recording_.mutex_);
    mine_ = recording_.read_ends_.wait_until(lock, deadline, [&] { return !recording_.reading_; });
    if (mine_) recording_.reading_ = true;
  }
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;
  ~Reading() {
    if (!mine_) return;
    {
      const std::lock_guard lock(recording_.mutex_);
      recording_.reading_ = false;
    }
    recording_.read_ends_.notify_one();
  }
  explicit operator bool() const { return mine_; }

 private:
  Recording& recording_;
  bool mine_ = false;
};

bool Recording::has_many_pending() const {
  uint64_t commands = 0;
  for (const Pending& pending : pending_) commands += pending.list->names().size();
  return pending_.size() > kMostPending || commands > kMostPendingCommands;
}

void Recording::collect() noexcept {
  const Reading reading(*this, 0);
  if (!reading) return;
  for (;;) {
    Pending next;
    {
      const std::lock_guard lock(mutex_);
      if (!has_many_pending() || pending_.front().list->value() == 0) return;
      next = pending_.front();
    }
    try {
      backends::Queue& queue = context_.queue(next.list->queue()).backend;
      if (!queue.reads_times_at_once() || queue.completed() < next.list->value()) return;
      note_end(next);
      read(next);
    } catch (...) {
      return;  // stop() meets the failure again
    }
    const std::lock_guard lock(mutex_);
    pending_.pop_front();
  }
}

bool Recording::stop(uint64_t timeout_ns, bool reports) {
  const uint64_t start = steady_time();
  const auto deadline = deadline_after(timeout_ns);
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  const Reading reading(*this, timeout_ns);
  if (!reading) return false;
  for (;;) {
    Pending next;
    {
      std::unique_lock lock(mutex_);
      const auto is_settled = [&] { return pending_.empty() || pending_.front().list->value() != 0; };
      if (!submitted_.wait_until(lock, deadline, is_settled)) return false;
      if (pending_.empty()) break;
      next = pending_.front();
    }
    uint64_t left = timeout_ns;
    if (left != VD_WAIT_FOREVER) left -= std::min(left, steady_time() - start);
    bool readable = true;
    try {
      const uint32_t queue = next.list->queue();
      const uint64_t value = next.list->value();
      if (!context_.wait_for_end(queue, value, left)) return false;
      note_end(next);
      read(next);
    } catch (const Error&) {
      readable = false;  // perhaps there are no times to wait for
      if (!failure_) failure_ = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    if (!readable) lost_ += next.count;
    pending_.pop_front();
  }
  finish();
  report(reports);
  return true;
}

// Its failure, if it has one, is left to stop().
void Recording::note_end(const Pending& pending) {
  const TimedList& list = *pending.list;
  last_values_[list.queue()] = list.value();
  if (!failed_ && context_.queue(list.queue()).backend.failures.has(list.value())) failed_ = pending.list;
}

// Throws one failure, once, and leaves the others to those who wait for that work. Without `work`, that of a queue alone.
void Recording::report(bool work) {
  const auto values = std::exchange(last_values_, {});
  const auto failed = std::exchange(failed_, nullptr);
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  if (!work) return;
  if (failed) context_.queue(failed->queue()).backend.failures.report(failed->value(), true);
  for (uint32_t q = 0; q < values.size(); ++q) context_.queue(q).backend.failures.report(values[q], false);
}

// A queue's spans come in the order in which they ran. The device's clock is compared with the host's for each list
// anew, so one list may seem to begin before the end of the other: it is moved, by less than the clock's error.
void Recording::finish() {
  const std::lock_guard lock(mutex_);
  if (stopped_) return;
  std::map<uint32_t, uint64_t> ends;  // by queue
  for (Span& span : spans_) {
    if (is_of_host(span)) continue;
    uint64_t& end = ends[span.place];
    const uint64_t late = end > span.interval.begin ? end - span.interval.begin : 0;
    span.interval.begin += late;
    span.interval.end += late;
    end = span.interval.end;
  }
  std::stable_sort(spans_.begin(), spans_.end(), [](const Span& a, const Span& b) {
    return a.interval.begin != b.interval.begin ? a.interval.begin < b.interval.begin : a.interval.end > b.interval.end;
  });
  stopped_ = true;
}

// ---- Looking

bool Recording::stopped() const {
  const std::lock_guard lock(mutex_);
  return stopped_;
}

std::span<const Recording::Span> Recording::spans() const {
  const std::lock_guard lock(mutex_);
  if (!stopped_) fail(VD_ERR_STATE, "the profile was not stopped; call vd_profile_stop() first");
  return spans_;
}

uint64_t Recording::lost() const {
  const std::lock_guard lock(mutex_);
  return lost_;
}

uint64_t Recording::clock_error() const {
  const std::lock_guard lock(mutex_);
  return error_;
}

}  // namespace vd::runtime

vd_profile::vd_profile(vd_context& context, uint32_t capacity)
    : context_(Ref<vd_context>::retain(&context)),
      recording_(std::make_shared<runtime::Recording>(context, capacity)) {}

vd_profile::~vd_profile() { context_->profiler().remove(*recording_); }

Ref<vd_profile> vd_profile::create(vd_context& context, uint32_t capacity) {
  if (!context.runs_kernels()) {
    fail(VD_ERR_UNSUPPORTED, "the {} backend shows code and runs no kernels, so there is nothing to time",
         backends::backend_name(context.backend()));
  }
  for (uint32_t i = 0; i < context.device_count(); ++i) context.call([&] { context.device(i).prepare_timing(); });
  auto made = Ref<vd_profile>::adopt(new vd_profile(context, capacity));
  context.profiler().add(made->recording_);
  return made;
}

bool vd_profile::stop(uint64_t timeout_ns, bool reports) {
  context_->require_callable();
  context_->profiler().remove(*recording_);
  return recording_->stop(timeout_ns, reports);
}
