#include "runtime/context.h"

#include <algorithm>
#include <bitset>
#include <chrono>
#include <exception>
#include <thread>

#include "core/error.h"
#include "core/log.h"
#include "core/thread.h"
#include "runtime/buffer.h"
#include "runtime/callback.h"
#include "runtime/memory.h"
#include "runtime/notifier.h"

namespace {

using namespace vd;

// Tags of tickets. One of a context that is gone comes back as late as can be, so that its old tickets stay foreign.
std::mutex g_tags_mutex;
std::bitset<256> g_tags;
uint32_t g_last_tag = 0;

uint32_t take_tag() {
  std::lock_guard lock(g_tags_mutex);
  for (uint32_t i = 1; i <= 255; ++i) {
    const uint32_t tag = (g_last_tag + i - 1) % 255 + 1;
    if (g_tags[tag]) continue;
    g_tags[tag] = true;
    g_last_tag = tag;
    return tag;
  }
  fail(VD_ERR_UNSUPPORTED, "255 contexts are alive, which is the limit");
}

void give_tag(uint32_t tag) noexcept {
  std::lock_guard lock(g_tags_mutex);
  g_tags[tag] = false;
}

}  // namespace

vd_context::vd_context(Opened opened)
    : opened_(std::move(opened)), tag_(take_tag()), default_samplers_(opened_.devices.size()) {
  try {
    for (uint32_t d = 0; d < device_count(); ++d) {
      first_queues_.push_back(queue_count());
      backends::Device& device = *opened_.devices[d];
      for (uint32_t q = 0; q < device.queue_count(); ++q) {
        queues_.push_back(std::make_unique<runtime::Queue>(device.queue(q), queue_count(), d));
      }
    }
    if (queue_count() > runtime::kMaxQueues) {
      fail(VD_ERR_UNSUPPORTED, "{} queues are more than the limit ({})", queue_count(), runtime::kMaxQueues);
    }
    for (auto& queue : queues_) queue->waited.assign(queue_count(), 0);
    retired_ = std::make_unique<runtime::RetireList>(queue_count(), [this](uint32_t q) { return completed(q); });
    notifier_ = std::make_unique<runtime::Notifier>(*this);
    finished_at_end_.opened([this](auto deadline) { return finish(deadline); },
                            [this] {
                              for (auto& queue : queues_) queue->backend.let_go();
                            });
  } catch (...) {
    give_tag(tag_);
    throw;
  }
}

namespace {

// All of its failures that were not reported.
void log_failures(const runtime::Queue& queue, uint64_t value, const char* meanwhile) noexcept {
  constexpr uint64_t kMost = 16;
  uint64_t count = 0;
  for (;; ++count) {
    try {
      queue.backend.failures.report(value, false);
      break;
    } catch (const std::exception& error) {
      if (count < kMost) log_warning("work failed while {}: {}", meanwhile, error.what());
    }
  }
  if (count > kMost) log_warning("work failed while {}: {} more failures", meanwhile, count - kMost);
}

}  // namespace

vd_context::~vd_context() {
  notifier_->close();
  // The last work may still run; the thread that released the context first need not have waited for it.
  for (auto& queue : queues_) {
    try {
      queue->backend.wait(queue->last_value, VD_WAIT_FOREVER);
    } catch (const std::exception& error) {
      const auto* known = dynamic_cast<const Error*>(&error);
      if (known == nullptr || known->status() != VD_ERR_DEVICE_LOST || !lost())  // else it was reported
        log_warning("work failed while its context was closed: {}", error.what());
    }
    log_failures(*queue, queue->last_value, "its context was closed");
  }
  wait_completed();
  modules_.clear();
  retired_->clear();
  finished_at_end_.call_program();
  releases_.drain();
  finished_at_end_.call_drivers();
  default_samplers_.clear();
  queues_.clear();
  opened_.devices.clear();
  notifier_.reset();  // the queues' threads look at it to the last
  give_tag(tag_);
}

// Destroys nothing, this context least of all.
bool vd_context::finish(FinishedAtEnd::Clock::time_point deadline) noexcept {
  bool done = true;
  if (!runtime::CallbackScope::runs_for(*this)) {
    for (auto& queue : queues_) done &= finish(*queue, queue->last_value, deadline);
    return done;
  }
  try {
    const std::vector<uint64_t> values = last_values_without_this_thread();
    for (size_t q = 0; q < queues_.size(); ++q) done &= finish(*queues_[q], values[q], deadline);
  } catch (const std::exception& error) {
    log_warning("a process ends in a callback of a context whose work cannot be waited for: {}", error.what());
  }
  return done;
}

bool vd_context::finish(const runtime::Queue& queue, uint64_t value,
                        FinishedAtEnd::Clock::time_point deadline) noexcept {
  const auto left = std::max(deadline - FinishedAtEnd::Clock::now(), FinishedAtEnd::Clock::duration::zero());
  const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(left).count();
  if (value == 0) return true;
  try {
    const bool done = queue.backend.wait(value, static_cast<uint64_t>(ns));
    if (done) log_failures(queue, value, "its process ended");
    return done;
  } catch (const std::exception& error) {
    log_warning("work failed while its process ended: {}", error.what());
    return true;
  }
}

std::vector<uint64_t> vd_context::last_values_without_this_thread() {
  std::vector<uint64_t> values;
  for (const auto& queue : queues_) values.push_back(queue->last_value);
  const auto hold_behind = [&](const runtime::Queue& queue, uint64_t value) {
    values[queue.index] = std::min(values[queue.index], value);
  };
  // All work before the callback is done.
  if (const runtime::Queue* const queue = runtime::CallbackScope::waiting_queue(*this)) hold_behind(*queue, 0);
  for (const runtime::HeldQueue& held : notifier_->held_by_this_thread()) hold_behind(*held.queue, held.behind);
  // Queues that wait for these. How much of their work comes before that wait is not known.
  const std::lock_guard lock(order());
  for (bool more = true; more;) {
    more = false;
    for (const auto& queue : queues_) {
      if (values[queue->index] == 0) continue;
      for (const auto& other : queues_) {
        if (queue->waited[other->index] <= values[other->index] || values[other->index] == other->last_value) continue;
        if (call([&] { return other->backend.reached(queue->waited[other->index]); })) continue;
        values[queue->index] = 0;
        more = true;
        break;
      }
    }
  }
  return values;
}

void vd_context::last_release() const noexcept {
  if (!finished_at_end_.close()) return;
  // A thread of the library's may be one that a queue needs for its progress: it must not wait for that queue.
  if (on_library_thread()) {
    try {
      vd::start_thread([this] { delete this; }).detach();
      return;
    } catch (const std::exception&) {  // no memory, or no thread
      log_error("no thread could be started to close a context, which stays open");
      return;
    }
  }
  delete this;
}

DiskCache& vd_context::disk() {
  std::call_once(disk_once_, [&] { disk_.emplace(cache_directory()); });
  return *disk_;
}

backends::CompileCounts vd_context::compile_counts() const {
  backends::CompileCounts sum;
  for (auto& device : opened_.devices) {
    const auto counts = device->compile_counts();
    sum.compiled += counts.compiled;
    sum.cached += counts.cached;
  }
  return sum;
}

backends::Device& vd_context::device(uint32_t index, const char* name) const {
  if (index >= device_count()) {
    fail(VD_ERR_INVALID, "{} ({}) is not below the context's devices ({})", name, index, device_count());
  }
  return *opened_.devices[index];
}

runtime::Queue& vd_context::queue(uint32_t index, const char* name) const {
  if (index >= queue_count()) {
    fail(VD_ERR_INVALID, "{} ({}) is not below the context's queues ({})", name, index, queue_count());
  }
  return *queues_[index];
}

backends::Sampler& vd_context::default_sampler(uint32_t index) {
  DefaultSampler& found = default_samplers_.at(index);
  std::call_once(found.once, [&] { found.sampler = device(index).make_sampler(VD_SAMPLER_DESC_INIT); });
  return *found.sampler;
}

// ---- Waiting

void vd_context::require_callable() const {
  runtime::refuse_in_callback();
  refuse_in_child();
}

void vd_context::refuse_in_child() const {
  if (is_of_parent()) [[unlikely]]
    fail(VD_ERR_STATE,
         "the context belongs to the process that forked this one, which has none of its threads; a child opens a "
         "context of its own");
}

runtime::Ticket vd_context::check_ticket(vd_ticket ticket, const char* list, size_t index) {
  const runtime::Ticket t = runtime::unpack_ticket(ticket);
  if (ticket == 0) return t;
  const auto name = [&] { return list != nullptr ? fmt::format("{}[{}]", list, index) : "ticket"; };
  if (t.tag != tag_) fail(VD_ERR_INVALID, "{} ({:#x}) belongs to another context", name(), ticket);
  if (t.queue >= queue_count() || t.value > queues_[t.queue]->last_value.load(std::memory_order_acquire)) {
    fail(VD_ERR_INVALID, "{} ({:#x}) is not from this context", name(), ticket);
  }
  return t;
}

vd_ticket vd_context::last_ticket(uint32_t index) {
  const uint64_t value = queue(index).last_value.load(std::memory_order_acquire);
  return value == 0 ? 0 : ticket(index, value);
}

bool vd_context::wait(uint32_t index, uint64_t value, uint64_t timeout_ns) {
  require_callable();
  runtime::Queue& waited = queue(index);
  const bool done = call([&] { return waited.wait(value, timeout_ns); });
  if (done) waited.note_done(value);
  retired_->collect(true);
  return done;
}

bool vd_context::wait_for_end(uint32_t index, uint64_t value, uint64_t timeout_ns) {
  require_callable();
  runtime::Queue& waited = queue(index);
  const bool done = call([&] { return waited.backend.wait(value, timeout_ns); });
  if (done) waited.note_done(value);
  retired_->collect(true);
  return done;
}

bool vd_context::reached(uint32_t index, uint64_t value) {
  require_callable();
  try {
    return call([&] { return queue(index).backend.reached(value); });
  } catch (const Error&) {
    return true;  // a wait meets the failure again
  }
}

namespace {

uint64_t last_value_of(const runtime::Queue& queue) { return queue.last_value.load(std::memory_order_acquire); }

}  // namespace

bool vd_context::wait_idle(uint32_t index, uint64_t timeout_ns) {
  return wait_queues(index, timeout_ns, last_value_of, true);
}

bool vd_context::wait_writable(uint32_t index, uint64_t size, uint64_t timeout_ns) {
  const auto until = [size](const runtime::Queue& queue) {
    if (!queue.backend.would_block() && queue.backend.takes_at_once(size)) return uint64_t{0};
    return queue.last_other.load(std::memory_order_acquire);
  };
  return wait_queues(index, timeout_ns, until, false);
}

bool vd_context::wait_queues(uint32_t index, uint64_t timeout_ns,
                             const std::function<uint64_t(const runtime::Queue&)>& until, bool reports) {
  require_callable();
  using clock = std::chrono::steady_clock;
  const auto start = clock::now();
  const uint32_t first = index == VD_QUEUE_ALL ? 0 : queue(index).index;
  const uint32_t last = index == VD_QUEUE_ALL ? queue_count() : first + 1;
  bool done = true;
  std::vector<uint64_t> values(last, 0);
  std::exception_ptr failure;
  for (uint32_t q = first; q < last; ++q) {
    uint64_t left = timeout_ns;
    if (timeout_ns != VD_WAIT_FOREVER) {
      const auto passed = std::chrono::duration_cast<std::chrono::nanoseconds>(clock::now() - start).count();
      left -= std::min(left, static_cast<uint64_t>(passed));
    }
    // One queue's failure is reported when the others are idle, too.
    try {
      const uint64_t value = values[q] = call([&] { return until(*queues_[q]); });
      const bool reached = call([&] { return queues_[q]->backend.wait(value, left); });
      if (reached) queues_[q]->note_done(value);
      done &= reached;
      retired_->collect(true);
    } catch (...) {
      if (!failure) failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
  // The first that throws leaves the others where they are, for the next wait.
  for (uint32_t q = first; done && reports && q < last; ++q) queues_[q]->backend.failures.report(values[q], false);
  return done;
}

void vd_context::notify(uint32_t index, uint64_t value, std::function<void(const std::exception_ptr&)> done) {
  notifier_->add(queue(index), value, runtime::Notifier::Asks::AsWait, std::move(done), {});
}

void vd_context::when_done(uint32_t index, uint64_t value, std::function<void(const std::exception_ptr&)> done,
                           runtime::HeldQueue held) {
  notifier_->add(queue(index), value, runtime::Notifier::Asks::ForEnd, std::move(done), held);
}

void vd_context::wait_completed() noexcept {
  for (uint32_t q = 0; q < queue_count(); ++q) {
    wait_completed(q, queues_[q]->last_value.load(std::memory_order_acquire));  // others may submit meanwhile
  }
}

void vd_context::wait_completed(uint32_t index, uint64_t value) noexcept {
  while (completed(index) < value) std::this_thread::sleep_for(std::chrono::microseconds(20));
}

void vd_context::collect_behind(uint32_t index, uint64_t value) noexcept {
  wait_completed(index, value);
  retired_->collect(true);
}

uint64_t vd_context::completed(uint32_t index) noexcept {
  try {
    const uint64_t value = queues_[index]->backend.completed();
    queues_[index]->note_done(value);
    return value;
  } catch (...) {
    // The queue failed for good: its submitted work does not run any more.
    note_failure();
    return ~uint64_t{0};
  }
}

void vd_context::note_failure() noexcept {
  try {
    throw;
  } catch (const Error& error) {
    if (error.status() == VD_ERR_DEVICE_LOST && !lost_.exchange(true)) log_error("device lost: {}", error.what());
  } catch (...) {
  }
}

std::unique_ptr<backends::Memory> vd_context::allocate(uint32_t index, const Make& make) {
  require_callable();
  retired_->collect();
  backends::Device& where = device(index);
  try {
    return call([&] { return make(where); });
  } catch (const Error& error) {
    if (error.status() != VD_ERR_OUT_OF_MEMORY || retired_->empty()) throw;
  }
  // The failure of earlier work is not the allocation's.
  wait_queues(VD_QUEUE_ALL, VD_WAIT_FOREVER, last_value_of, false);
  wait_completed();
  retired_->collect(true);
  return call([&] { return make(where); });
}

std::unique_ptr<backends::Memory> vd_context::allocate_readback(uint32_t index, uint64_t size) {
  retired_->collect();
  backends::Device& where = device(index);
  try {
    return call([&] { return where.make_readback(size); });
  } catch (const Error& error) {
    if (error.status() != VD_ERR_OUT_OF_MEMORY || retired_->empty()) throw;
  }
  retired_->collect(true);
  return call([&] { return where.make_readback(size); });
}

// ---- Addresses

namespace {

// Uses that are remembered of all imports together before they are merged.
constexpr size_t kImportedUses = 512;

}  // namespace

void vd_context::note_address(const runtime::Block& block, uint64_t address) {
  const std::lock_guard lock(known_mutex_);
  if (block.region() == imports_) return;  // its address is its place there
  std::erase_if(known_, [](const Known& known) { return known.memory.expired(); });
  const uint64_t base = block.placed({0, 0}).begin;
  const auto same = [&](const Known& known) { return known.begin == address && known.region.lock() == block.region(); };
  if (std::ranges::any_of(known_, same)) return;
  known_.push_back({address, address + block.size(), block.memory(), block.region(), base});
}

runtime::Place vd_context::place_of(uint64_t address, uint64_t size) {
  const std::lock_guard lock(known_mutex_);
  for (const Known& known : known_) {
    // Another buffer may have the bytes of one that was discarded and whose block still lives.
    if (address < known.begin || address + size > known.end || known.memory.expired()) continue;
    if (auto region = known.region.lock()) return {std::move(region), known.base + (address - known.begin)};
  }
  if (!imports_) imports_ = std::make_shared<runtime::Region>(queue_count(), kImportedUses);
  return {imports_, address};
}
