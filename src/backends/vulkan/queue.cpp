#include "backends/vulkan/queue.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <string_view>
#include <thread>

#include "backends/vulkan/semaphore.h"
#include "core/log.h"
#include "core/process_end.h"
#include "core/readback.h"
#include "core/staging.h"
#include "core/thread.h"
#include "core/thread_pool.h"
#include "core/wait.h"

namespace vd::vulkan {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kOpenCommands = 16384;  // the open list is full then
constexpr size_t kWaits = 256;           // for every other queue, that work which must not wait may put before itself
constexpr size_t kOpenBytes = 8 * 1024 * 1024;
// The submitter stays awake this long after its last work: a burst of calls then pays for no wake-up.
constexpr auto kShortSpinTime = std::chrono::microseconds(20);
constexpr size_t kReadsInFlight = 3;  // pieces of one transfer
constexpr uint64_t kStagingSize = 32 * 1024 * 1024;

constexpr uint32_t kStagingParts = 4;

uint64_t staging_size(const Gpu& gpu) {
  return gpu.overrides.staging_size != 0 ? gpu.overrides.staging_size : kStagingSize;
}

backends::StagingRing<Memory> staging(const std::shared_ptr<const Gpu>& gpu, Placement placement, std::string label) {
  return {staging_size(*gpu), kStagingParts, [gpu, placement, label = std::move(label)](uint64_t size) {
            return std::make_unique<Memory>(gpu, size, placement, label);
          }};
}

}  // namespace

Queue::Queue(std::shared_ptr<const Gpu> gpu, uint32_t family, uint32_t index, uint32_t number, ThreadPool& copiers)
    : gpu_(std::move(gpu)),
      label_(fmt::format("queue {}", number)),
      copiers_(copiers),
      timeline_(gpu_, family, label_),
      upload_(staging(gpu_, Placement::Upload, label_ + " upload")),
      readback_(staging(gpu_, Placement::Readback, label_ + " readback")),
      submitter_(gpu_, family, index, label_, timeline_, demand_),
      semaphores_([this] { return timeline_.released(); }) {
  thread_ = start_thread([this] { run(); });
}

Queue::~Queue() {
  {
    const std::lock_guard lock(open_mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  thread_.join();
  if (gpu_->lost()) return;
  // A submission that failed half-way may still have been submitted.
  submitter_.wait_idle();
}

// ---- Giving work

bool Queue::full_locked() const noexcept {
  return open_.commands.size() + open_.tasks.size() >= kOpenCommands || open_.values.size() >= kOpenBytes;
}

bool Queue::would_block() {
  const std::lock_guard lock(open_mutex_);
  return open_.commands.size() + open_.tasks.size() + kWaits >= kOpenCommands || open_.values.size() >= kOpenBytes;
}

uint64_t Queue::last_value() {
  const std::lock_guard lock(open_mutex_);
  return last_value_;
}

void Queue::wait_for_room() {
  while (would_block()) {
    pump(last_value());
    require_ok();
  }
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
// as long as waking the submitter, and the work begins at once. If the device is busy the submitter is woken, once, and
// all work that arrives until it is awake goes into one submission.
void Queue::announce(std::unique_lock<std::mutex> lock) {
  demand_.has_open.store(true, std::memory_order_release);
  if (!sleeping_) return;
  if (timeline_.seen(submitter_.submitted())) {
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

// The list has grown by work that ends at `value`. Called only then: there may be no memory for it.
void Queue::given(uint64_t value) noexcept {
  last_value_ = value;
  settled_ = false;
}

uint64_t Queue::append(Task task) {
  semaphores_.require_none_ended();
  auto lock = lock_with_room();
  const uint64_t value = task.value = last_value_ + 1;
  task.settled = settled_;
  open_.tasks.push_back(task);
  given(value);
  announce(std::move(lock));
  return value;
}

// Before the first work that uses an image, on any queue. The runtime orders work by what it reads and writes: of two
// queues that write parts of a new image, neither waits for the other, so both wait for the change of its layout. The
// work that follows here keeps the image alive.
std::optional<uint64_t> Queue::prepare(backends::Image& given) {
  auto& image = static_cast<Image&>(given);
  if (image.ready.load(std::memory_order_acquire)) return {};
  require_ok();
  const std::lock_guard lock(image.first_use);
  if (image.ready.load(std::memory_order_relaxed)) return {};
  Task task;
  task.kind = Task::Kind::Prepare;
  task.image = &image;
  const uint64_t value = append(task);
  for (size_t i = 0; queues_ != nullptr && i < queues_->size(); ++i) {
    Queue& other = *(*queues_)[i];
    if (!other.failed_.load(std::memory_order_acquire)) other.wait_for(*this, value);
  }
  image.ready.store(true, std::memory_order_release);
  return value;
}

uint64_t Queue::submit(const backends::CommandList& list) { return append(list, {}); }

uint64_t Queue::submit_timed(const backends::CommandList& list, std::unique_ptr<backends::Timing>& timing) {
  require_ok();
  if (!clock_) clock_ = std::make_shared<DeviceClock>(gpu_, submitter_.family());
  auto made = std::make_unique<Timing>(clock_, clock_->take(static_cast<uint32_t>(list.commands.size() + 1)));
  const uint64_t value = append(list, made->queries());
  timing = std::move(made);
  return value;
}

uint64_t Queue::append(const backends::CommandList& list, Queries queries) {
  require_ok();
  semaphores_.require_none_ended();
  const CommandView view{list.commands, list.ranges, list.values, list.images, list.boxes};
  check_commands(*gpu_, view);
  for_each_image(view, [&](Image& image) { prepare(image); });
  auto lock = lock_with_room();
  const uint64_t value = last_value_ + 1;
  open_.append(list, value, settled_, queries);
  given(value);
  announce(std::move(lock));
  return value;
}

uint64_t Queue::submit(backends::Executable& executable, uint32_t repeat) {
  require_ok();
  for (Image* image : static_cast<const Executable&>(executable).images()) prepare(*image);
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
  if (queue.timeline_.done(value))
    return;  // without the layer's knowledge: our caller may hold a lock that its report
             // needs
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

// The use, and behind it an empty list, whose value says that it is over.
template <class Note>
uint64_t Queue::append(Task::Kind kind, const backends::SemaphoreUse& use, Note&& note) {
  require_ok();
  semaphores_.require_none_ended();
  auto lock = lock_with_room();
  require_ok();  // what comes after a failure would stay, with its claim
  const uint64_t before = last_value_, value = before + 1;
  // Nothing fails once it is noted. Room is doubled, as it grows by itself.
  if (open_.tasks.capacity() < open_.tasks.size() + 2) open_.tasks.reserve(2 * open_.tasks.size() + 2);
  if (open_.uses.capacity() == open_.uses.size()) open_.uses.reserve(2 * open_.uses.size() + 1);
  note(before, value);
  auto semaphore = std::static_pointer_cast<SharedSemaphore>(use.semaphore);
  Task task;
  task.kind = kind;
  task.value = before;
  task.semaphore = semaphore->handle();
  task.semaphore_value = use.value;
  open_.uses.push_back({open_.tasks.size(), std::move(semaphore), use.value, kind == Task::Kind::Signal});
  open_.tasks.push_back(task);
  backends::CommandList nothing;
  nothing.wait_before = false;
  open_.append(nothing, value, settled_, {});
  given(value);
  announce(std::move(lock));
  return value;
}

uint64_t Queue::wait_for(const backends::SemaphoreUse& use) {
  return append(Task::Kind::Wait, use,
                [&](uint64_t before, uint64_t after) { semaphores_.add_wait(use, before, after); });
}

uint64_t Queue::signal(const backends::SemaphoreUse& use) {
  return append(Task::Kind::Signal, use, [&](uint64_t, uint64_t after) {
    semaphores_.add_signal(use, after);
    static_cast<SharedSemaphore&>(*use.semaphore).forget_failure(use.value);
  });
}

// Nothing that the host writes or reads of this device's memory depends on this wait, so it is not in `foreign_`.
std::function<void()> Queue::hold() {
  require_ok();
  auto lock = lock_with_room();
  if (!gate_) gate_ = std::make_shared<Gate>(gpu_, label_);
  Task task;
  task.kind = Task::Kind::Wait;
  task.value = last_value_;
  task.semaphore = gate_->semaphore();
  task.semaphore_value = gate_->close();
  std::function<void()> open;
  try {
    open = [gate = gate_, value = task.semaphore_value] { gate->open(value); };
    open_.tasks.push_back(task);
  } catch (...) {
    gate_->open(task.semaphore_value);
    throw;
  }
  const std::shared_ptr<Gate> gate = gate_;
  announce(std::move(lock));
  if (process_ended()) gate->stay_open();  // let_go() may have found none
  return open;
}

// NVIDIA's driver waits for its queues at the end of a process.
void Queue::let_go() noexcept {
  std::shared_ptr<Gate> gate;
  {
    const std::lock_guard lock(open_mutex_);
    gate = gate_;
  }
  if (gate) gate->stay_open();
}

void Queue::flush() {}  // the submitter thread needs no push

// ---- Transfers

// Whether all submitted work is done, and everything that the queue was told to wait for.
bool Queue::idle() {
  const uint64_t done = timeline_.last_done();
  const std::lock_guard lock(open_mutex_);
  if (done < last_value_) return false;
  std::erase_if(foreign_, [](const auto& f) { return f.first->timeline_.done(f.second); });
  return foreign_.empty();
}

void Queue::wait_all() {
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

Queue::StagingRing::Piece Queue::take(StagingRing& ring, uint64_t size) {
  return take_piece(
      ring, size,
      [&] {
        require_ok();
        return timeline_.last_done();
      },
      [&](uint64_t value) { wait(value, VD_WAIT_FOREVER); });
}

uint64_t Queue::upload(const StagingRing::Piece& piece, const backends::Range& destination, bool wait_before) {
  require_ok();
  auto& memory = static_cast<Memory&>(*destination.memory);
  Task task;
  task.kind = Task::Kind::Copy;
  task.wait_before = wait_before;
  task.close = destination.size > piece.size;  // the device copies this piece while the host fills the next
  task.touches_host = memory.mapped();
  task.source = piece.memory->buffer();
  task.source_offset = piece.place.offset();
  task.destination = memory.buffer();
  task.destination_offset = destination.offset;
  task.size = piece.size;
  return append(task);
}

std::unique_ptr<backends::Upload> Queue::stage(const backends::Range& destination, const void* data) {
  require_ok();
  auto piece = take(upload_, std::min(destination.size, upload_.piece_size()));
  copy_with(copiers_, piece.data, static_cast<const std::byte*>(data), piece.size);
  return backends::staged_upload(std::move(piece), [this, destination](const auto& filled, bool wait_before) {
    return upload(filled, destination, wait_before);
  });
}

bool Queue::takes_at_once(uint64_t size) {
  require_ok();
  return upload_.has_room(size, timeline_.last_done());
}

std::optional<uint64_t> Queue::write_in_place(const backends::Range& destination, const void* data) {
  require_ok();
  auto& memory = static_cast<Memory&>(*destination.memory);
  if (!memory.mapped() || !idle()) return {};
  copy_with(copiers_, memory.data() + destination.offset, static_cast<const std::byte*>(data), destination.size);
  const std::lock_guard lock(open_mutex_);
  settled_ = true;
  return last_value_;
}

void Queue::read(const backends::Range& source, void* data) {
  require_ok();
  auto& memory = static_cast<Memory&>(*source.memory);
  auto* bytes = static_cast<std::byte*>(data);
  if (memory.mapped()) {
    wait_all();
    copy_out(copiers_, bytes, memory.data() + source.offset, source.size);
    return;
  }
  read_in_pieces(
      readback_, copiers_, bytes, source.size, kReadsInFlight, [&](uint64_t size) { return take(readback_, size); },
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
        task.destination = piece.memory->buffer();
        task.destination_offset = piece.place.offset();
        task.size = piece.size;
        return append(task);
      },
      [&](uint64_t value) { wait(value, VD_WAIT_FOREVER); });
}

// ---- Waiting

void Queue::require_ok() {
  if (failed_.load(std::memory_order_acquire)) [[unlikely]] {
    const std::lock_guard lock(failure_mutex_);
    std::rethrow_exception(failure_);
  }
  gpu_->require_alive();
}

// Whoever is told of a failure here frees what the queue uses, so it is not told before the device has stopped. That the
// driver could not be asked says nothing of the work.
uint64_t Queue::completed() {
  if (stopped_.load(std::memory_order_acquire)) require_ok();
  if (gpu_->lost()) {
    const std::lock_guard lock(submit_mutex_);  // nor while a thread encodes work, which it drops once it sees the loss
    require_ok();
  }
  if (failed_.load(std::memory_order_acquire)) return timeline_.known_released();
  uint64_t released = 0;
  try {
    released = timeline_.released();
  } catch (const Error& error) {
    if (error.status() != VD_ERR_DEVICE_LOST) return timeline_.known_released();
    const std::lock_guard lock(submit_mutex_);
    throw;
  }
  tell_layer();
  return released;
}

// The validation layer's check between submits does not follow timelines: memory that is used again after a wait would
// look like a hazard to it. It does follow this.
void Queue::tell_layer() {
  if (!gpu_->physical.instance.validates()) return;
  const std::lock_guard lock(submit_mutex_);
  if (timeline_.seen(submitter_.submitted())) submitter_.wait_idle();
}

bool Queue::wait(uint64_t value, uint64_t timeout_ns) {
  require_ok();
  if (timeline_.seen(value) || (timeout_ns == 0 && timeline_.done(value))) {
    tell_layer();
    semaphores_.require_none_ended(value);
    return true;
  }
  if (timeout_ns == 0) return false;
  const auto start = Clock::now();
  const auto deadline = deadline_after(timeout_ns);
  demand_.want(value);
  pump(value);
  for (;;) {
    require_ok();
    if (timeline_.wait(value, start, deadline)) {
      require_ok();  // a queue that failed moves its timeline on, so that no thread waits for ever
      tell_layer();
      semaphores_.require_none_ended(value);
      return true;
    }
    if (Clock::now() >= deadline) return false;
  }
}

bool Queue::reached(uint64_t value) {
  require_ok();
  if (timeline_.seen(value)) return true;
  demand_.want(value);
  return timeline_.done(value);
}

void Queue::set_failure(const std::exception_ptr& failure) noexcept {
  uint64_t last = 0;
  {
    const std::lock_guard lock(failure_mutex_);
    if (failure_) return;
    failure_ = failure;
  }
  failed_.store(true, std::memory_order_release);
  Work dropped;
  {
    const std::lock_guard lock(open_mutex_);
    std::swap(dropped, open_);
    demand_.has_open.store(false, std::memory_order_relaxed);
    last = last_value_;
  }
  dropped.give_back_claims(0, failure);
  // Queues that wait for values of this one would wait for ever.
  const bool idle = !gpu_->lost() && submitter_.wait_idle() == VK_SUCCESS;
  stopped_.store(true, std::memory_order_release);
  if (idle && last > submitter_.submitted()) timeline_.signal(last);
}

// ---- Submitting

void Queue::run() noexcept {
  const LibraryThread library_thread("vd-vulkan");
  do {
    left_over_.store(false, std::memory_order_relaxed);
    pump(UINT64_MAX);
  } while (sleep());
}

bool Queue::sleep() {
  const auto until = Clock::now() + (gpu_->spins ? kShortSpinTime : Clock::duration::zero());
  do {
    const bool work = demand_.has_open.load(std::memory_order_acquire) || left_over_.load(std::memory_order_acquire);
    if (work && !failed_.load(std::memory_order_relaxed)) return true;
    spin_pause();
  } while (Clock::now() < until);
  std::unique_lock lock(open_mutex_);
  const auto has_work = [&] {
    return (!open_.empty() || left_over_.load(std::memory_order_relaxed)) && !failed_.load(std::memory_order_acquire);
  };
  // Whoever wakes it says that it does not sleep. If another thread has done the work by then, it does again.
  wake_.wait(lock, [&] {
    sleeping_ = !stopping_ && !has_work();
    return !sleeping_;
  });
  return !stopping_ || has_work();
}

// So often a thread looks whether the work that it waits for was submitted by another.
constexpr auto kLockLookTime = std::chrono::microseconds(20);

void Queue::pump(uint64_t until) {
  const auto is_over = [&] { return submitter_.submitted() >= until || failed_.load(std::memory_order_acquire); };
  while (!is_over()) {
    std::unique_lock lock(submit_mutex_, std::try_to_lock);
    if (!lock) {
      // Another thread submits, mostly the work that this one waits for: that takes some microseconds, and to sleep and
      // be woken takes as long again.
      const auto end = Clock::now() + (gpu_->spins ? kShortSpinTime : Clock::duration::zero());
      // It may hold the lock for long: with more work than there is room for, behind a call that waits for this very thread.
      while (!is_over() && !lock.try_lock()) {
        if (Clock::now() < end)
          spin_pause();
        else
          std::this_thread::sleep_for(kLockLookTime);
      }
      if (is_over()) return;
    }
    if (is_over() || !pump_one()) return;
    if (is_over() && !submitter_.empty()) leave_rest();
  }
}

// A thread that submits the work that it waits for may have taken more than that off the list. The rest is left to the
// submitter.
void Queue::leave_rest() {
  {
    const std::lock_guard lock(open_mutex_);
    left_over_.store(true, std::memory_order_release);
    sleeping_ = false;
  }
  wake_.notify_one();
}

void Queue::pump_locked(uint64_t until) {
  while (submitter_.submitted() < until && !failed_.load(std::memory_order_acquire))
    if (!pump_one()) return;
  if (!submitter_.empty()) leave_rest();
}

bool Queue::pump_one() {
  try {
    if (submitter_.empty() && !take()) return false;
    gpu_->require_alive();
    submitter_.submit_batch();
  } catch (...) {
    submitter_.drop(std::current_exception());  // before anybody learns that the values are free
    set_failure(std::current_exception());
  }
  return true;
}

bool Queue::take() {
  Work& taken = submitter_.refill();
  const std::lock_guard lock(open_mutex_);
  std::swap(taken, open_);
  demand_.has_open.store(false, std::memory_order_relaxed);
  return !taken.empty();
}

bool Queue::native(const char* kind, uint64_t& out) const {
  if (std::string_view(kind) != "VkQueue") return false;
  out = reinterpret_cast<uint64_t>(handle());
  return true;
}

}  // namespace vd::vulkan
