#include "runtime/notifier.h"

#include <algorithm>
#include <utility>

#include "core/platform.h"
#include "core/process_end.h"
#include "core/thread.h"
#include "core/thread_pool.h"
#include "core/wait.h"
#include "runtime/callback.h"
#include "runtime/context.h"

namespace vd::runtime {
namespace {

// As a thread that waits on a GPU: backends/vulkan/timeline.cpp.
constexpr auto kSpinTime = std::chrono::microseconds(50);
constexpr auto kLongSpinTime = std::chrono::microseconds(400);
constexpr int kSleepPart = 128;
constexpr auto kLeastSleep = std::chrono::microseconds(20);
// At the cost of a look (5 us, 20 us on a busy machine) an idle notification takes 0.05 to 0.2 % of a processor.
constexpr auto kMostSleep = std::chrono::milliseconds(10);

// A thread that the queue wakes may sleep longer from the start.
constexpr auto kLeastWait = std::chrono::milliseconds(1);

// Most calls for one queue before the next queue's.
constexpr uint64_t kTurn = 64;
constexpr uint64_t kNone = ~uint64_t{0};

}  // namespace

Notifier::Notifier(vd_context& context) : context_(context) {
  bool spins = true;
  for (uint32_t d = 0; d < context.device_count(); ++d) spins = spins && context.device(d).info().type != VD_DEVICE_CPU;
  spins_ = spins;
  for (uint32_t q = 0; q < context.queue_count(); ++q) lines_.emplace_back(context.queue(q));
}

bool Notifier::later(const Request& a, const Request& b) {
  return a.value != b.value ? a.value > b.value : a.number > b.number;
}

bool Notifier::quiet() const {
  return calling_ == 0 && std::ranges::all_of(lines_, [](const Line& line) { return line.requests.empty(); });
}

void Notifier::start() {
  thread_ = start_thread([this] { work(); });
  started_ = true;
}

void Notifier::add(Queue& queue, uint64_t value, Asks asks, Done done, HeldQueue held) {
  context_.require_callable();
  Line& line = lines_[queue.index];
  const auto is_reached = [&] {
    try {
      return queue.backend.reached(value);
    } catch (...) {
      return true;  // its thread finds the failure again, and reports it
    }
  };
  const bool there = is_reached();
  const std::lock_guard lock(mutex_);
  if (!started_) start();
  if (!std::exchange(line.asked_to_listen, true))
    line.listens = queue.backend.listen([this, &line](uint64_t progress) { progressed(line, progress); });
  line.requests.push_back({value, number_++, asks, std::move(done), held});
  std::ranges::push_heap(line.requests, later);
  line.lowest.store(line.requests.front().value);
  // If the work was done before the queue's thread could see the request, this thread handles it.
  if (line.listens && !there && !is_reached()) return;
  added_ = true;
  since_ = Clock::now();
  wake_.notify_one();
}

// On the queue's own thread.
void Notifier::progressed(Line& line, uint64_t value) {
  if (line.lowest.load() > value) return;
  std::unique_lock lock(mutex_);
  deliver(line, lock, kNone);
}

// Without locks. Only a wait returns the failure of a value.
void Notifier::call_back(Queue& from, Request request, std::exception_ptr failure) {
  // A queue's own thread runs its work.
  const CallbackScope scope(context_, is_own_thread() ? nullptr : &from);
  try {
    context_.call([&] {
      if (failure) std::rethrow_exception(failure);
      if (request.value != 0 && request.asks == Asks::AsWait) from.wait(request.value, 0);
    });
  } catch (...) {
    failure = std::current_exception();
  }
  request.done(failure);
}

// Calls back for finished work of a queue, at most `most` times; false if there is none. Behind the end of the process
// the program's objects are gone, so that nothing is called.
bool Notifier::deliver(Line& line, std::unique_lock<std::mutex>& lock, uint64_t most) {
  bool any = false;
  for (; most != 0 && !line.requests.empty() && !process_ended(); --most) {
    backends::Queue& queue = line.queue.backend;
    const uint64_t value = line.requests.front().value;
    bool reached = value == 0;
    std::exception_ptr failure;
    try {
      reached = reached || queue.reached(value);
    } catch (...) {
      failure = std::current_exception();
    }
    if (!reached && !failure) break;
    std::ranges::pop_heap(line.requests, later);
    Request request = std::move(line.requests.back());
    line.requests.pop_back();
    line.lowest.store(line.requests.empty() ? kNone : line.requests.front().value);
    ++calling_;
    lock.unlock();
    call_back(line.queue, std::move(request), std::move(failure));
    lock.lock();
    --calling_;
    any = true;
  }
  if (any) {
    since_ = Clock::now();
    if (stop_ && quiet()) {
      quiet_.notify_all();
      wake_.notify_all();
    }
  }
  return any;
}

// Under the lock, or in a call.
bool Notifier::is_own_thread() const { return thread_.get_id() == std::this_thread::get_id(); }

std::vector<HeldQueue> Notifier::held_by_this_thread() {
  std::vector<HeldQueue> all;
  const std::lock_guard lock(mutex_);
  if (!is_own_thread()) return all;
  for (const Line& line : lines_)
    for (const Request& request : line.requests)
      if (request.held.queue != nullptr) all.push_back(request.held);
  return all;
}

void Notifier::work() {
  const LibraryThread library_thread("vd-notify");
  const platform::PreciseSleep precise;
  std::unique_lock lock(mutex_);
  for (;;) {
    added_ = false;
    bool any = false;
    const auto since = since_;
    for (Line& line : lines_) any = deliver(line, lock, kTurn) || any;
    if (any) {
      quick_ = Clock::now() - since < kLongSpinTime;
    } else if (!added_) {
      if (stop_ && quiet()) return;
      rest(lock);
    }
  }
}

// Until it is time to look again.
void Notifier::rest(std::unique_lock<std::mutex>& lock) {
  const auto waited = Clock::now() - since_;
  const bool spin = spins_ && waited < (quick_ ? kLongSpinTime : kSpinTime);
  Line* only = nullptr;
  size_t watched = 0;
  for (Line& line : lines_) {
    if (line.requests.empty() || line.listens) continue;
    ++watched;
    only = &line;
  }
  if (spin && (watched != 0 || waited < kSpinTime)) {  // without requests too: the next is often at hand
    lock.unlock();
    for (int i = 0; i < 16; ++i) spin_pause();
    lock.lock();
    return;
  }
  const auto woken = [&] { return added_ || (stop_ && quiet()); };
  if (watched == 0) {
    wake_.wait(lock, woken);
    return;
  }
  const auto time = std::clamp<Clock::duration>(waited / kSleepPart, kLeastSleep, kMostSleep);
  if (watched != 1 || !only->queue.backend.wakes_waiters()) {
    wake_.wait_for(lock, time, woken);
    return;
  }
  const uint64_t value = only->requests.front().value;
  lock.unlock();
  try {
    only->queue.backend.wait(
        value, static_cast<uint64_t>(std::chrono::nanoseconds(std::max<Clock::duration>(time, kLeastWait)).count()));
  } catch (...) {
    // deliver() finds it again.
  }
  lock.lock();
}

void Notifier::close() noexcept {
  {
    std::unique_lock lock(mutex_);
    stop_ = true;
    wake_.notify_one();
    quiet_.wait(lock, [&] { return quiet(); });
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

}  // namespace vd::runtime
