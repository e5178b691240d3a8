#include "backends/host/queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "backends/host/check.h"
#include "backends/host/memory.h"
#include "backends/host/module.h"
#include "core/staging.h"
#include "core/steady_time.h"
#include "core/thread.h"
#include "core/thread_pool.h"

namespace vd::host {
namespace {

// The queue takes the first bytes of a large write while the next ones are copied.
constexpr uint64_t kUploadPiece = uint64_t{32} << 20;

Memory& memory_of(const backends::Range& range) { return static_cast<Memory&>(*range.memory); }

void copy(const backends::Range& source, const backends::Range& destination) {
  Memory& from = memory_of(source);
  Memory& to = memory_of(destination);
  std::memmove(to.data() + destination.offset, from.data() + source.offset, source.size);
  to.copy_marks(from, source.offset, destination.offset, source.size);
}

std::array<uint32_t, 3> workgroups_of(const backends::Command& command, const backends::CommandList& list) {
  if (!command.counts) return command.workgroups;
  const backends::Range& counts = list.ranges[command.first_binding + command.binding_count];
  for (uint64_t byte = 0; memory_of(counts).checked() && byte < counts.size; ++byte)
    if (!memory_of(counts).is_written(counts.offset + byte))
      end_kernel(static_cast<Module&>(*command.module).program(), 0,
                 "its counts of workgroups are read before anything was written to them");
  std::array<uint32_t, 3> numbers{};
  std::memcpy(numbers.data(), memory_of(counts).data() + counts.offset, sizeof(numbers));
  for (size_t axis = 0; axis < 3; ++axis) numbers[axis] = std::min(numbers[axis], command.workgroups[axis]);
  return numbers;
}

void fill(const backends::Range& destination, uint32_t pattern) {
  std::byte* p = memory_of(destination).data() + destination.offset;
  for (uint64_t i = 0; i + 4 <= destination.size; i += 4) std::memcpy(p + i, &pattern, 4);
  memory_of(destination).mark_written(destination.offset, destination.size);
}

}  // namespace

Queue::Queue(Runner& runner, ThreadPool& copiers, uint32_t index) : runner_(runner), copiers_(copiers) {
  thread_ = start_thread([this, name = fmt::format("vd-queue{}", index)] {
    LibraryThread mark(name.c_str());
    work();
  });
}

Queue::~Queue() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

uint64_t Queue::push(Task task, bool counts) {
  uint64_t value;
  {
    std::lock_guard lock(mutex_);
    value = last_ + (counts ? 1 : 0);
    task.value = counts ? value : 0;
    tasks_.push_back(std::move(task));
    last_ = value;  // not before: a value without a task would never be done
  }
  wake_.notify_one();
  return value;
}

uint64_t Queue::submit(const backends::CommandList& list) {
  return push({.list = std::make_shared<backends::CommandList>(list), .call = nullptr});
}

uint64_t Queue::submit(backends::Executable& executable, uint32_t repeat) {
  return push({.list = static_cast<Executable&>(executable).list(), .repeat = repeat, .call = nullptr});
}

uint64_t Queue::submit_timed(const backends::CommandList& list, std::unique_ptr<backends::Timing>& timing) {
  auto made = std::make_unique<Timing>(list.commands.size());
  Task task{.list = std::make_shared<backends::CommandList>(list), .call = nullptr, .times = made->intervals()};
  timing = std::move(made);
  return push(std::move(task));
}

// In a copy, which waits in the queue.
class Queue::Upload final : public backends::Upload {
 public:
  Upload(Queue& queue, const backends::Range& destination, const std::byte* bytes)
      : queue_(queue),
        destination_(destination),
        copy_(std::make_shared<const std::vector<std::byte>>(bytes, bytes + destination.size)) {}
  uint64_t size() const override { return destination_.size; }
  uint64_t submit(bool) override {
    return queue_.push({.list = nullptr, .call = [copy = copy_, destination = destination_] {
                          Memory& memory = memory_of(destination);
                          std::copy(copy->begin(), copy->end(), memory.data() + destination.offset);
                          memory.mark_written(destination.offset, destination.size);
                        }});
  }

 private:
  Queue& queue_;
  const backends::Range destination_;
  const std::shared_ptr<const std::vector<std::byte>> copy_;
};

std::unique_ptr<backends::Upload> Queue::stage(const backends::Range& destination, const void* data) {
  const backends::Range piece{destination.memory, destination.offset, std::min(destination.size, kUploadPiece)};
  return std::make_unique<Upload>(*this, piece, static_cast<const std::byte*>(data));
}

// Nothing is in the way of an idle queue, and the runtime gives it nothing meanwhile.
std::optional<uint64_t> Queue::write_in_place(const backends::Range& destination, const void* data) {
  uint64_t last = 0;
  {
    const std::lock_guard lock(mutex_);
    if (working_ || !tasks_.empty()) return {};
    last = last_;
  }
  copy_with(copiers_, memory_of(destination).data() + destination.offset, static_cast<const std::byte*>(data),
            destination.size);
  memory_of(destination).mark_written(destination.offset, destination.size);
  return last;
}

void Queue::read(const backends::Range& source, void* data) {
  const uint64_t value = push({.list = nullptr, .call = [this, source, data] {
                                 const std::byte* from = memory_of(source).data() + source.offset;
                                 copy_out(copiers_, static_cast<std::byte*>(data), from, source.size);
                               }});
  wait_done(value, ~uint64_t{0});
  failures.report(value, true);  // of the copy itself, or earlier
}

void Queue::wait_for(backends::Queue& other, uint64_t value) {
  auto& queue = static_cast<Queue&>(other);
  if (&queue == this) return;
  push({.list = nullptr, .call = [&queue, value] { queue.wait_done(value, ~uint64_t{0}); }}, false);
}

void Queue::drain() {
  wait_done(push({.list = nullptr, .call = [] {}}), ~uint64_t{0});
}

bool Queue::wait_done(uint64_t value, uint64_t timeout_ns) {
  const auto done = [&] { return completed_.load(std::memory_order_acquire) >= value; };
  if (done()) return true;
  std::unique_lock lock(mutex_);
  if (timeout_ns == ~uint64_t{0}) {
    done_.wait(lock, done);
    return true;
  }
  // Longer than a clock can add is for ever in practice.
  const auto limit = std::chrono::nanoseconds(std::min<uint64_t>(timeout_ns, uint64_t{1} << 60));
  return done_.wait_for(lock, limit, done);
}

bool Queue::listen(std::function<void(uint64_t value)> on_progress) {
  const std::lock_guard lock(mutex_);
  on_progress_ = std::move(on_progress);
  return true;
}

void Queue::run(const backends::CommandList& list, Timing::Intervals* times) {
  for (size_t i = 0; i < list.commands.size(); ++i) {
    const uint64_t begin = times != nullptr ? steady_time() : 0;
    run(list.commands[i], list);
    if (times != nullptr) (*times)[i] = {begin, steady_time()};
  }
}

void Queue::run(const backends::Command& command, const backends::CommandList& list) {
  using Kind = backends::Command::Kind;
  switch (command.kind) {
    case Kind::Copy:
      copy(command.source, command.destination);
      ++copies_;
      break;
    case Kind::CopyToImage:
    case Kind::CopyFromImage:
    case Kind::CopyImage:
      backends::refuse_image_copy();
    case Kind::Fill:
      fill(command.destination, command.pattern);
      ++fills_;
      break;
    case Kind::Dispatch:
      runner_.dispatch(static_cast<Module&>(*command.module).program(), workgroups_of(command, list),
                       {list.ranges.data() + command.first_binding, command.binding_count},
                       {list.values.data() + command.first_value, command.values_size});
      ++dispatches_;
      break;
  }
}

void Queue::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [&] { return stop_ || !tasks_.empty(); });
    if (tasks_.empty()) return;
    Task task = std::move(tasks_.front());
    tasks_.pop_front();
    working_ = true;
    lock.unlock();
    std::exception_ptr failure;
    try {
      if (task.list == nullptr)
        task.call();
      else
        for (uint32_t i = 0; i < task.repeat; ++i) run(*task.list, task.times.get());
    } catch (...) {
      failure = std::current_exception();
    }
    const uint64_t value = task.value;
    task = {};  // what it holds goes before anybody hears that it is done
    lock.lock();
    if (failure) failures.add(value, std::move(failure));
    working_ = false;
    if (value == 0) continue;
    completed_.store(value);
    done_.notify_all();
    if (!on_progress_) continue;
    lock.unlock();
    on_progress_(value);
    lock.lock();
  }
}

}  // namespace vd::host
