#include "backends/vulkan/queue.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "backends/vulkan/spin.h"
#include "core/log.h"
#include "core/readback.h"
#include "core/thread_pool.h"

namespace vd::vulkan {
namespace {

using Clock = std::chrono::steady_clock;

// Commands of one submit. Encoding takes 0.6 us a command and a dependent dispatch runs for 1.9 us, so batches of this
// size overlap with the device, and the cost of a submit (3-6 us) is spread over many.
constexpr size_t kBatchCommands = 128;
constexpr size_t kBatchRuns = 64;  // command buffers of graphs in one submit
constexpr size_t kBatchSlots = 8;  // command buffers of ours in one submit; well below kRingSlots
constexpr size_t kRingSlots = 64;
constexpr size_t kOpenCommands = 16384;  // the open list is full then
constexpr size_t kWaits = 256;           // for every other queue, that work which must not wait may put before itself
constexpr size_t kOpenBytes = 8 * 1024 * 1024;
// The submitter stays awake this long after its last work: a burst of calls then pays for no wake-up.
constexpr auto kSpinTime = std::chrono::microseconds(20);
constexpr size_t kReadsInFlight = 3;  // pieces of one transfer
constexpr uint64_t kStagingSize = 32 * 1024 * 1024;

Clock::time_point deadline_after(uint64_t timeout_ns) {
  constexpr uint64_t kLong = 100ull * 365 * 24 * 3600 * 1000000000ull;
  if (timeout_ns > kLong) return Clock::time_point::max();
  return Clock::now() + std::chrono::nanoseconds(timeout_ns);
}

uint64_t staging_size(const Gpu& gpu) {
  return gpu.overrides.staging_size != 0 ? gpu.overrides.staging_size : kStagingSize;
}

}  // namespace

Queue::Queue(std::shared_ptr<const Gpu> gpu, uint32_t family, uint32_t index, uint32_t number)
    : gpu_(std::move(gpu)),
      family_(family),
      label_(fmt::format("queue {}", number)),
      timeline_(gpu_, family, label_),
      upload_(gpu_, staging_size(*gpu_), Placement::Upload, label_ + " upload"),
      readback_(gpu_, staging_size(*gpu_), Placement::Readback, label_ + " readback"),
      encoder_(*gpu_, hazards_) {
  gpu_->vk.vkGetDeviceQueue(gpu_->device(), family, index, &queue_);
  gpu_->name(queue_, VK_OBJECT_TYPE_QUEUE, label_);
  thread_ = std::thread([this] { run(); });
}

Queue::~Queue() {
  {
    const std::lock_guard lock(open_mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  thread_.join();
  if (gpu_->lost()) return;
  // What failed half-way may have been submitted all the same.
  gpu_->vk.vkQueueWaitIdle(queue_);
}

// ---- Giving work

bool Queue::full_locked() const noexcept {
  return open_.commands.size() + open_.tasks.size() >= kOpenCommands || open_.values.size() >= kOpenBytes;
}

bool Queue::would_block() {
  const std::lock_guard lock(open_mutex_);
  return open_.commands.size() + open_.tasks.size() + kWaits >= kOpenCommands || open_.values.size() >= kOpenBytes;
}

// Locks the open list when there is room on it. Until then the caller does the submitter's work.
std::unique_lock<std::mutex> Queue::lock_with_room() {
  for (;;) {
    std::unique_lock lock(open_mutex_);
    if (!full_locked()) return lock;
    const uint64_t last = last_value_;
    lock.unlock();
    pump(last);
    require_ok();
  }
}

// After the list has grown. If the submitter sleeps and the device has nothing to do, this thread submits: that takes
// as long as to wake the other, and the work begins at once. If the device is busy the submitter is woken, once, and
// what comes until it is awake goes into one submission.
void Queue::announce(std::unique_lock<std::mutex> lock) {
  has_open_.store(true, std::memory_order_release);
  if (!sleeping_) return;
  if (gpu_->spins && timeline_.seen(submitted_.load(std::memory_order_acquire))) {
    const uint64_t last = last_value_;
    lock.unlock();
    if (std::unique_lock submitting(submit_mutex_, std::try_to_lock); submitting) {
      pump_locked(last);
      return;
    }
    lock.lock();
  }
  const bool wake = std::exchange(sleeping_, false);
  lock.unlock();
  if (wake) wake_.notify_one();
}

// The list has grown by what ends at `value`. Not before it has: there may be no memory for it.
void Queue::given(uint64_t value) noexcept {
  last_value_ = value;
  settled_ = false;
}

uint64_t Queue::append(Task task) {
  auto lock = lock_with_room();
  const uint64_t value = task.value = last_value_ + 1;
  task.settled = settled_;
  open_.tasks.push_back(task);
  given(value);
  announce(std::move(lock));
  return value;
}

uint64_t Queue::submit(const backends::CommandList& list) {
  require_ok();
  check_commands(*gpu_, {list.commands, list.ranges, list.values});
  auto lock = lock_with_room();
  const uint64_t value = last_value_ + 1;
  open_.append(list, value, settled_);
  given(value);
  announce(std::move(lock));
  return value;
}

uint64_t Queue::submit(backends::Executable& executable, uint32_t repeat) {
  require_ok();
  Task task;
  task.kind = Task::Kind::Run;
  task.executable = static_cast<const Executable*>(&executable);
  task.repeat = repeat;
  return append(task);
}

void Queue::wait_for(backends::Queue& other, uint64_t value) {
  auto& queue = static_cast<Queue&>(other);
  require_ok();
  if (&queue == this || value == 0) return;
  queue.require_ok();
  if (queue.timeline_.done(value)) return;  // without the layer's being told: our caller may hold what its report needs
  auto lock = lock_with_room();
  Task task;
  task.kind = Task::Kind::Wait;
  task.value = last_value_;
  task.semaphore = queue.timeline_.semaphore();
  task.semaphore_value = value;
  foreign_.reserve(foreign_.size() + 1);
  open_.tasks.push_back(task);
  foreign_.emplace_back(&queue, value);
  announce(std::move(lock));
}

void Queue::flush() {}  // the submitter thread needs no push

// ---- Transfers

uint64_t Queue::last_value() {
  const std::lock_guard lock(open_mutex_);
  return last_value_;
}

// Whether everything given so far is done, and everything that it was told to wait for.
bool Queue::idle() {
  const uint64_t done = timeline_.last_done();
  const std::lock_guard lock(open_mutex_);
  if (done < last_value_) return false;
  std::erase_if(foreign_, [](const auto& f) { return f.first->timeline_.done(f.second); });
  return foreign_.empty();
}

void Queue::settle() {
  std::vector<std::pair<Queue*, uint64_t>> foreign;
  uint64_t last = 0;
  {
    const std::lock_guard lock(open_mutex_);
    last = last_value_;
    foreign = foreign_;
  }
  for (const auto& [queue, value] : foreign) queue->wait(value, VD_WAIT_FOREVER);
  wait(last, VD_WAIT_FOREVER);
}

StagingRing::Piece Queue::take_piece(StagingRing& ring, uint64_t size) {
  for (;;) {
    require_ok();
    if (auto piece = ring.take(size, timeline_.last_done())) return std::move(*piece);
    if (const uint64_t value = ring.oldest(); value != 0) wait(value, VD_WAIT_FOREVER);
  }
}

uint64_t Queue::write(const backends::Range& destination, const void* data) {
  require_ok();
  auto& memory = static_cast<Memory&>(*destination.memory);
  if (memory.mapped() && idle()) {
    if (destination.size != 0)
      std::memcpy(static_cast<std::byte*>(memory.host_pointer()) + destination.offset, data, destination.size);
    const std::lock_guard lock(open_mutex_);
    settled_ = true;
    return last_value_;
  }
  const auto* bytes = static_cast<const std::byte*>(data);
  uint64_t value = last_value();
  for (uint64_t done = 0; done < destination.size;) {
    const uint64_t size = std::min(destination.size - done, upload_.piece_size());
    auto piece = take_piece(upload_, size);
    std::memcpy(piece.data, bytes + done, size);
    Task task;
    task.kind = Task::Kind::Copy;
    task.wait_before = done == 0;
    task.close = destination.size > size;  // the device copies this piece while the host fills the next
    task.touches_host = memory.mapped();
    task.source = piece.buffer;
    task.source_offset = piece.place.offset();
    task.destination = memory.buffer();
    task.destination_offset = destination.offset + done;
    task.size = size;
    value = append(task);
    piece.place.use_until(value);
    done += size;
  }
  return value;
}

void Queue::read(const backends::Range& source, void* data) {
  require_ok();
  auto& memory = static_cast<Memory&>(*source.memory);
  if (memory.mapped()) {
    settle();
    if (source.size != 0)
      std::memcpy(data, static_cast<const std::byte*>(memory.host_pointer()) + source.offset, source.size);
    return;
  }
  auto* bytes = static_cast<std::byte*>(data);
  read_in_pieces(
      readback_, source.size, kReadsInFlight, [&](uint64_t size) { return take_piece(readback_, size); },
      [&](uint64_t size) { return readback_.take(size, timeline_.last_seen()); },
      [&](const StagingRing::Piece& piece, uint64_t offset) {
        Task task;
        task.kind = Task::Kind::Copy;
        // Also because of the piece's last use. The host saw that done, but it costs nothing beside a transfer, and the
        // validation layer does not follow timelines.
        task.wait_before = true;
        task.close = true;
        task.touches_host = true;
        task.source = memory.buffer();
        task.source_offset = source.offset + offset;
        task.destination = piece.buffer;
        task.destination_offset = piece.place.offset();
        task.size = piece.size;
        return append(task);
      },
      [&](const StagingRing::Piece& piece, uint64_t value, uint64_t offset) {
        wait(value, VD_WAIT_FOREVER);
        std::memcpy(bytes + offset, piece.data, piece.size);
      });
}

// ---- Waiting

void Queue::require_ok() {
  if (failed_.load(std::memory_order_acquire)) [[unlikely]] {
    const std::lock_guard lock(failure_mutex_);
    std::rethrow_exception(failure_);
  }
  gpu_->require_alive();
}

uint64_t Queue::completed() {
  require_ok();
  const uint64_t released = timeline_.released();
  tell_layer();
  return released;
}

// The validation layer's check between submits does not follow timelines: memory that is used again after a wait would
// look like a hazard to it. It does follow this.
void Queue::tell_layer() {
  if (!gpu_->physical.instance.validates()) return;
  const std::lock_guard lock(submit_mutex_);
  if (timeline_.seen(submitted_.load(std::memory_order_acquire))) gpu_->vk.vkQueueWaitIdle(queue_);
}

bool Queue::wait(uint64_t value, uint64_t timeout_ns) {
  require_ok();
  if (timeline_.seen(value) || (timeout_ns == 0 && timeline_.done(value))) {
    tell_layer();
    return true;
  }
  if (timeout_ns == 0) return false;
  const auto start = Clock::now();
  const auto deadline = deadline_after(timeout_ns);
  wanted_.store(value, std::memory_order_relaxed);
  pump(value);
  for (;;) {
    require_ok();
    if (timeline_.wait(value, start, deadline)) {
      require_ok();  // a queue that failed moves its timeline on, so that nobody waits for ever
      tell_layer();
      return true;
    }
    if (Clock::now() >= deadline) return false;
  }
}

void Queue::set_failure(std::exception_ptr failure) noexcept {
  uint64_t last = 0;
  {
    const std::lock_guard lock(failure_mutex_);
    if (failure_) return;
    failure_ = std::move(failure);
  }
  failed_.store(true, std::memory_order_release);
  {
    const std::lock_guard lock(open_mutex_);
    open_.clear();
    has_open_.store(false, std::memory_order_relaxed);
    last = last_value_;
  }
  // Queues that wait for values of this one would wait for ever.
  if (!gpu_->lost() && gpu_->vk.vkQueueWaitIdle(queue_) == VK_SUCCESS && last > submitted_.load())
    timeline_.signal(last);
}

// ---- Submitting

void Queue::run() noexcept {
  const LibraryThread library_thread("vd-vulkan");
  do {
    pump(UINT64_MAX);
  } while (sleep());
}

bool Queue::sleep() {
  const auto until = Clock::now() + (gpu_->spins ? kSpinTime : Clock::duration::zero());
  do {
    if (has_open_.load(std::memory_order_acquire) && !failed_.load(std::memory_order_relaxed)) return true;
    spin_pause();
  } while (Clock::now() < until);
  std::unique_lock lock(open_mutex_);
  const auto has_work = [&] { return !open_.empty() && !failed_.load(std::memory_order_acquire); };
  sleeping_ = true;
  wake_.wait(lock, [&] { return stopping_ || has_work(); });
  sleeping_ = false;
  return !stopping_ || has_work();
}

void Queue::pump(uint64_t until) {
  const auto is_over = [&] {
    return submitted_.load(std::memory_order_acquire) >= until || failed_.load(std::memory_order_acquire);
  };
  while (!is_over()) {
    std::unique_lock lock(submit_mutex_, std::try_to_lock);
    if (!lock) {
      // Another thread submits, mostly what we are here for: that takes some microseconds, and to sleep and be woken as
      // long again.
      const auto end = Clock::now() + (gpu_->spins ? kSpinTime : Clock::duration::zero());
      while (!is_over() && !lock.try_lock() && Clock::now() < end) spin_pause();
      if (is_over()) return;
      if (!lock) lock.lock();
    }
    if (is_over() || !pump_one()) return;
  }
}

void Queue::pump_locked(uint64_t until) {
  while (submitted_.load(std::memory_order_acquire) < until && !failed_.load(std::memory_order_acquire))
    if (!pump_one()) return;
}

bool Queue::pump_one() {
  if (cursor_ == taken_.tasks.size() && !take()) return false;
  try {
    submit_batch();
  } catch (...) {
    set_failure(std::current_exception());
    taken_.clear();
    cursor_ = 0;
  }
  return true;
}

bool Queue::take() {
  taken_.clear();
  cursor_ = 0;
  const std::lock_guard lock(open_mutex_);
  std::swap(taken_, open_);
  has_open_.store(false, std::memory_order_relaxed);
  return !taken_.empty();
}

bool Queue::is_free(const Slot& slot) {
  return slot.value <= timeline_.known_released() || slot.value <= timeline_.released();
}

size_t Queue::free_slot() {
  if (ready_slot_) return *std::exchange(ready_slot_, std::nullopt);
  if (slots_.empty() || (slots_.size() < kRingSlots && !is_free(slots_[next_slot_]))) {
    Slot slot;
    slot.pool = make_pool(gpu_, family_, true);
    slot.buffer = make_buffer(*gpu_, slot.pool, fmt::format("{} list {}", label_, slots_.size()));
    slot.arena = std::make_unique<Arena>(gpu_);
    // In front of the oldest, so that the ring stays in order of age.
    slots_.insert(slots_.begin() + static_cast<std::ptrdiff_t>(next_slot_), std::move(slot));
    for (size_t& used : batch_.slots)
      if (used >= next_slot_) ++used;
  } else {
    Slot& slot = slots_[next_slot_];
    while (!timeline_.wait_released(slot.value, Clock::time_point::max())) gpu_->require_alive();
    gpu_->check(gpu_->vk.vkResetCommandPool(gpu_->device(), slot.pool.get(), 0), "vkResetCommandPool", "\"{}\"",
                label_);
    slot.arena->reset();
  }
  const size_t taken = next_slot_;
  next_slot_ = (next_slot_ + 1) % slots_.size();
  slots_[taken].value = UINT64_MAX;  // known when its batch is submitted
  return taken;
}

// Right after a submission, when the device has work: a thread that waits for it and then launches again does not spend
// its own time on this.
void Queue::prepare_slot() {
  if (ready_slot_ || slots_.empty() || !is_free(slots_[next_slot_])) return;
  ready_slot_ = free_slot();
}

Encoder& Queue::open_encoder(Batch& batch) {
  if (!encoder_.open()) {
    const size_t index = free_slot();
    batch.slots.push_back(index);
    batch.buffers.push_back(slots_[index].buffer);
    encoder_.begin(slots_[index].buffer, *slots_[index].arena, true);
  }
  return encoder_;
}

void Queue::close_encoder(Batch&) {
  if (encoder_.open()) encoder_.end();
}

void Queue::add_run(Batch& batch, Task& task) {
  const Executable& executable = *task.executable;
  const VkCommandBuffer buffer = executable.buffer(family_);
  if (buffer == VK_NULL_HANDLE || task.repeat == 0) {
    task.repeat = 0;
    return;
  }
  // Its own first barrier does not wait for everything.
  if (const uint32_t missed = hazards_.before(executable.first_kinds(), true) & ~executable.waits_for();
      missed != kNoWork)
    open_encoder(batch).barrier(missed, executable.first_kinds());
  close_encoder(batch);
  const uint32_t times = std::min<uint32_t>(task.repeat, kBatchRuns);
  batch.buffers.insert(batch.buffers.end(), times, buffer);
  hazards_.barrier(executable.waits_for(), executable.first_kinds());
  hazards_.settle();
  hazards_.record(executable.kinds());
  task.repeat -= times;
}

void Queue::add(Batch& batch, Task& task) {
  batch.empty = false;
  batch.value = task.value;
  if (task.settled) hazards_.settle();
  switch (task.kind) {
    case Task::Kind::List:
      if (task.count == 0) break;
      open_encoder(batch).encode({{taken_.commands.data() + task.first, task.count}, taken_.ranges, taken_.values},
                                 task.wait_before);
      batch.commands += task.count;
      break;
    case Task::Kind::Run:
      add_run(batch, task);
      batch.commands = kBatchCommands;  // a graph is worth a submit of its own
      batch.partial = task.repeat != 0;
      break;
    case Task::Kind::Copy: {
      Encoder& encoder = open_encoder(batch);
      encoder.barrier_before(kTransfer, task.wait_before);
      encoder.copy(task.source, task.source_offset, task.destination, task.destination_offset, task.size);
      if (task.touches_host) encoder.touches_host();
      hazards_.record(kTransfer);
      ++batch.commands;
      break;
    }
    case Task::Kind::Wait:
      break;
  }
  batch.closed = task.close;
}

void Queue::submit_batch() {
  Batch& batch = batch_;
  batch.buffers.clear();
  batch.slots.clear();
  batch.commands = 0;
  batch.partial = batch.closed = false;
  batch.empty = true;
  while (cursor_ < taken_.tasks.size()) {
    Task& task = taken_.tasks[cursor_];
    if (task.kind == Task::Kind::Wait) {
      if (!batch.empty) break;  // what is in the batch need not wait
      wait_semaphores_.push_back(task.semaphore);
      wait_values_.push_back(task.semaphore_value);
      wait_stages_.push_back(VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT);
      ++cursor_;
      continue;
    }
    add(batch, task);
    if (batch.partial) break;
    ++cursor_;
    if (batch.closed || batch.commands >= kBatchCommands || batch.slots.size() >= kBatchSlots) break;
  }
  if (!batch.empty) queue_submit(batch);
}

// A mark costs the device 1 to 3 us. In a stream of submissions only the last one gets it, and those for which somebody
// waits already.
bool Queue::wants_mark(const Batch& batch) const noexcept {
  if (timeline_.marks() == nullptr || batch.partial) return false;
  if (batch.closed) return true;  // a piece of a transfer, which its thread waits for
  if (cursor_ == taken_.tasks.size() && !has_open_.load(std::memory_order_acquire)) return true;
  const uint64_t wanted = wanted_.load(std::memory_order_relaxed);
  return wanted > submitted_.load(std::memory_order_relaxed) && wanted <= batch.value;
}

void Queue::add_mark(Batch& batch) {
  const auto number = timeline_.take_mark(batch.value);
  if (!number) return;
  if (encoder_.open())
    encoder_.mark(timeline_.marks()->word(), *number);
  else
    batch.buffers.push_back(timeline_.marks()->commands(*number));
}

void Queue::queue_submit(Batch& batch) {
  if (wants_mark(batch)) add_mark(batch);
  close_encoder(batch);
  const VkSemaphore signal = timeline_.semaphore();
  VkTimelineSemaphoreSubmitInfo values{};
  values.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
  values.waitSemaphoreValueCount = static_cast<uint32_t>(wait_values_.size());
  values.pWaitSemaphoreValues = wait_values_.data();
  values.signalSemaphoreValueCount = batch.partial ? 0 : 1;
  values.pSignalSemaphoreValues = &batch.value;
  VkSubmitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.pNext = &values;
  info.waitSemaphoreCount = static_cast<uint32_t>(wait_semaphores_.size());
  info.pWaitSemaphores = wait_semaphores_.data();
  info.pWaitDstStageMask = wait_stages_.data();
  info.commandBufferCount = static_cast<uint32_t>(batch.buffers.size());
  info.pCommandBuffers = batch.buffers.data();
  info.signalSemaphoreCount = batch.partial ? 0 : 1;
  info.pSignalSemaphores = &signal;
  gpu_->check(gpu_->vk.vkQueueSubmit(queue_, 1, &info, VK_NULL_HANDLE), "vkQueueSubmit", "{} commands on {}",
              batch.commands, label_);
  wait_semaphores_.clear();
  wait_values_.clear();
  wait_stages_.clear();
  for (const size_t slot : batch.slots) slots_[slot].value = batch.value;
  if (!batch.partial) submitted_.store(batch.value, std::memory_order_release);
  prepare_slot();
}

}  // namespace vd::vulkan
