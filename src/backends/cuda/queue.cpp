#include "backends/cuda/queue.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <string_view>
#include <utility>

#include "backends/cuda/allocator.h"
#include "backends/cuda/image_copy.h"
#include "backends/cuda/semaphore.h"
#include "core/driver_thread.h"
#include "core/log.h"
#include "core/readback.h"
#include "core/staging.h"
#include "core/wait.h"

namespace vd::cuda {
namespace {

using Clock = Timeline::Clock;
using backends::Command;

// Calls that follow each other faster than this are a burst; from Python they come every 5 us.
constexpr auto kBurstGap = std::chrono::microseconds(25);
constexpr uint64_t kMarkEvery = 16;
// A graph of this many nodes gets a mark of its own, so that a waiting thread does not wait for the next graph too.
constexpr size_t kLargeGraph = 8;
// The driver blocks a caller at 1024 launches in flight. The queue is full before, so that one more call finds room for
// all of its work.
constexpr uint64_t kMostInFlight = 512;
constexpr uint32_t kRepeatsAtOnce = 256;
// Commands of a timed graph that count as a launch, so that the memory of times in flight is limited, too.
constexpr size_t kTimedAsLaunch = 64;
constexpr size_t kFewestStamps = 1024;

// So often a thread that only looks asks the driver whether the stream failed.
constexpr auto kLookTime = std::chrono::milliseconds(1);

// A processor's cache holds it: 64 MiB were slower by a tenth.
constexpr uint64_t kStagingSize = 32 << 20;
constexpr uint64_t kSmallStagingSize = 1 << 20;
constexpr size_t kReadsInFlight = 3;
constexpr uint32_t kStagingParts = 4, kSmallStagingParts = 8;
constexpr uint64_t kSmallTransfer = kSmallStagingSize / kSmallStagingParts;

backends::StagingRing<HostMemory> staging(const std::shared_ptr<const Gpu>& gpu, uint64_t size, uint32_t parts,
                                          const char* what) {
  if (gpu->overrides.staging_size != 0) size = std::min(gpu->overrides.staging_size, size);
  return {size, parts, [gpu, what](uint64_t bytes) { return std::make_unique<HostMemory>(gpu, bytes, what); }};
}

}  // namespace

Queue::Queue(std::shared_ptr<const Gpu> gpu, uint32_t number, ThreadPool& copiers, std::shared_ptr<DeviceClock> clock)
    : gpu_(std::move(gpu)),
      label_(fmt::format("queue {}", number)),
      copiers_(copiers),
      stream_(gpu_),
      timeline_(gpu_),
      upload_(staging(gpu_, kStagingSize, kStagingParts, " to upload through")),
      small_upload_(staging(gpu_, kSmallStagingSize, kSmallStagingParts, " to upload through")),
      readback_(staging(gpu_, kStagingSize, kStagingParts, " to read through")),
      small_readback_(staging(gpu_, kSmallStagingSize, kSmallStagingParts, " to read through")),
      mutex_(stream_.giving()),
      clock_(std::move(clock)),
      semaphores_([this] { return timeline_.reached(); }) {
  const Current current(*gpu_);
  gpu_->check(gpu_->cu.cuEventCreate(&passed_, CU_EVENT_DISABLE_TIMING), "cuEventCreate", "{}", label_);
  try {
    gpu_->check(gpu_->cu.cuEventCreate(&theirs_, CU_EVENT_DISABLE_TIMING), "cuEventCreate", "{}", label_);
  } catch (...) {
    gpu_->cu.cuEventDestroy(passed_);
    throw;
  }
  target_ = stream_.get();
}

Queue::~Queue() {
  try {
    const Current current(*gpu_);
    gpu_->cu.cuStreamSynchronize(stream_.get());
    gpu_->cu.cuEventDestroy(passed_);
    gpu_->cu.cuEventDestroy(theirs_);
  } catch (...) {
    // The context is gone, and the work with it.
  }
  if (stamps_.address != 0) gpu_->allocator().release(stamps_.address);
}

// ---- Giving work

// For more work.
void Queue::require_usable() const {
  gpu_->require_alive();
  semaphores_.require_none_ended();
}

namespace {

// A mark behind such a copy holds the work behind it back: pieces that streamed up, through a kernel and down took 1.2 times as
// long on an H100.
bool ends_in_upload(const CommandView& view) {
  constexpr uint64_t kLarge = 1 << 20;
  if (view.commands.empty() || view.commands.back().kind != Command::Kind::Copy) return false;
  const Command& copy = view.commands.back();
  return copy.destination.size >= kLarge && copy.source.memory->host_pointer() != nullptr;
}

}  // namespace

// `mark`: one is wanted; `followed`: none, before a thread asks, since more work comes behind.
uint64_t Queue::given(bool mark, uint64_t launches, bool followed) {
  const uint64_t value = last_value_.load(std::memory_order_relaxed) + std::max<uint64_t>(launches, 1);
  const auto now = Clock::now();
  const bool burst = now - last_given_ < kBurstGap;
  last_given_ = now;
  last_value_.store(value, std::memory_order_release);
  if (++unmarked_ >= kMarkEvery || mark || (!burst && !followed)) mark_locked(value);
  return value;
}

void Queue::mark_locked(uint64_t value) {
  timeline_.mark(stream_.get(), value);
  unmarked_ = 0;
}

// A submission that failed half-way has left work in the stream for which no value was returned. The runtime will free
// the memory that this work uses, so the work must be done first.
void Queue::settle_failure() noexcept { settle_failure(foreign_); }

// `theirs`: a stream of the program's that may have some of it, or null.
void Queue::settle_failure(CUstream theirs) noexcept {
  try {
    const Current current(*gpu_);
    CUstreamCaptureStatus capture = CU_STREAM_CAPTURE_STATUS_NONE;
    if (theirs != nullptr && gpu_->cu.cuStreamIsCapturing(theirs, &capture) == CUDA_SUCCESS &&
        capture == CU_STREAM_CAPTURE_STATUS_NONE)
      gpu_->cu.cuStreamSynchronize(theirs);
    gpu_->cu.cuStreamSynchronize(stream_.get());
  } catch (...) {
    // The context is gone, and its work with it.
  }
}

// ---- Streams of the program's

CUstreamCaptureStatus Queue::capture_of(CUstream stream) const {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  gpu_->check(gpu_->cu.cuStreamIsCapturing(stream, &status), "cuStreamIsCapturing", "stream {:#x}",
              reinterpret_cast<uint64_t>(stream));
  if (status == CU_STREAM_CAPTURE_STATUS_INVALIDATED)
    fail(VD_ERR_STATE, "the capture of stream {:#x} was aborted by an earlier error",
         reinterpret_cast<uint64_t>(stream));
  return status;
}

void Queue::refuse_capture(CUstream stream) const {
  if (capture_of(stream) != CU_STREAM_CAPTURE_STATUS_NONE)
    fail(VD_ERR_STATE, "stream {:#x} is capturing: what it is given does not run now, so nothing can be ordered by it",
         reinterpret_cast<uint64_t>(stream));
}

void Queue::check_stream(uint64_t stream, const std::string& name) {
  gpu_->require_alive();
  gpu_->expect_captures();
  const Current current(*gpu_);
  CUcontext owner = nullptr;
  const CUresult found = gpu_->cu.cuStreamGetCtx(reinterpret_cast<CUstream>(stream), &owner);
  if (found == CUDA_ERROR_INVALID_HANDLE || found == CUDA_ERROR_INVALID_CONTEXT || found == CUDA_ERROR_INVALID_VALUE)
    fail(VD_ERR_INVALID, "{} ({:#x}) is no CUDA stream", name, stream);
  if (found == CUDA_SUCCESS && owner != gpu_->context())
    fail(VD_ERR_INVALID, "{} ({:#x}) belongs to another CUDA context than that of device \"{}\"", name, stream,
         gpu_->info().name);
}

bool Queue::is_capturing(uint64_t stream) {
  const Current current(*gpu_);
  return capture_of(reinterpret_cast<CUstream>(stream)) == CU_STREAM_CAPTURE_STATUS_ACTIVE;
}

// Later work of ours comes after what the stream was given.
void Queue::wait_locked(CUstream stream) {
  gpu_->check(gpu_->cu.cuEventRecord(theirs_, stream), "cuEventRecord", "stream {:#x} for {}",
              reinterpret_cast<uint64_t>(stream), label_);
  gpu_->check(gpu_->cu.cuStreamWaitEvent(stream_.get(), theirs_, 0), "cuStreamWaitEvent", "{} for stream {:#x}", label_,
              reinterpret_cast<uint64_t>(stream));
}

// Later work of the stream comes after ours.
void Queue::signal_locked(CUstream stream) {
  gpu_->check(gpu_->cu.cuEventRecord(passed_, stream_.get()), "cuEventRecord", "{} for stream {:#x}", label_,
              reinterpret_cast<uint64_t>(stream));
  gpu_->check(gpu_->cu.cuStreamWaitEvent(stream, passed_, 0), "cuStreamWaitEvent", "stream {:#x} for {}",
              reinterpret_cast<uint64_t>(stream), label_);
}

// Calls order(stream) for a stream of the program's that is not capturing.
template <class F>
auto Queue::beside(uint64_t stream, F&& order) {
  gpu_->require_alive();
  const Lock lock(mutex_);
  const Current current(*gpu_);
  auto* const theirs = reinterpret_cast<CUstream>(stream);
  refuse_capture(theirs);
  return order(theirs);
}

uint64_t Queue::wait_stream(uint64_t stream) {
  return beside(stream, [&](CUstream theirs) {
    wait_locked(theirs);
    return given(true);
  });
}

void Queue::signal_stream(uint64_t stream) {
  beside(stream, [&](CUstream theirs) { signal_locked(theirs); });
}

class Queue::Borrowed {
 public:
  explicit Borrowed(Queue& queue) : queue_(queue) {
    CUstream stream = queue.foreign_;
    if (stream == nullptr) return;
    if (queue.capture_of(stream) == CU_STREAM_CAPTURE_STATUS_ACTIVE) {
      // A wait for our stream would not be captured, and the graph may run at any time from now on: so nothing of ours
      // may be left that it comes after.
      queue.gpu_->check(queue.gpu_->cu.cuStreamSynchronize(queue.stream_.get()), "cuStreamSynchronize",
                        "{}, before a capture", queue.label_);
      queue.captured_ = true;
    } else {
      queue.signal_locked(stream);
    }
    queue.target_ = stream;
  }
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;
  ~Borrowed() {
    queue_.target_ = queue_.stream_.get();
    queue_.captured_ = false;
  }
  // All work was given. Whether it is captured, and has no value.
  bool give_back() {
    if (queue_.foreign_ == nullptr || queue_.captured_) return queue_.captured_;
    queue_.wait_locked(queue_.foreign_);
    return false;
  }

 private:
  Queue& queue_;
};

// ---- Submitting

uint64_t Queue::submit(const backends::CommandList& list) {
  require_usable();
  const CommandView view{list.commands, list.ranges, list.values, list.images, list.boxes};
  check_commands(view);
  const Lock lock(mutex_);
  const Current current(*gpu_);
  try {
    Borrowed stream(*this);
    for (const Command& command : view.commands) run(command, view);
    if (stream.give_back()) return last_value_.load(std::memory_order_relaxed);
    return given(false, view.commands.size(), ends_in_upload(view));
  } catch (...) {
    settle_failure();
    throw;
  }
}

uint64_t Queue::submit_timed(const backends::CommandList& list, std::unique_ptr<backends::Timing>& timing) {
  require_usable();
  const CommandView view{list.commands, list.ranges, list.values, list.images, list.boxes};
  check_commands(view);
  if (!clock_->prepare(0)) return submit(list);
  const Lock lock(mutex_);
  const Current current(*gpu_);
  const size_t count = view.commands.size() + 1;
  std::unique_ptr<Timing> made;
  uint64_t value = 0;
  try {
    Borrowed stream(*this);
    CUdeviceptr stamps = 0;
    if (!captured_) {
      made = std::make_unique<Timing>(clock_, count);
      stamps = room_for_stamps(count);
    }
    for (size_t i = 0; i < count; ++i) {
      if (i != 0) run(view.commands[i - 1], view);
      if (!captured_) clock_->stamp(stamps + i * kStampSize, target_);
    }
    if (made) made->fetch(stamps, target_);
    if (stream.give_back()) return last_value_.load(std::memory_order_relaxed);
    value = given(false, 2 * count);
  } catch (...) {
    settle_failure();
    throw;
  }
  timing = std::move(made);
  return value;
}

void Queue::run(const Command& command, const CommandView& view) {
  const Driver& cu = gpu_->cu;
  switch (command.kind) {
    case Command::Kind::Dispatch:
      if (command.workgroups[0] != 0 && command.workgroups[1] != 0 && command.workgroups[2] != 0) launch(command, view);
      break;
    case Command::Kind::Copy:
      if (command.destination.size == 0) break;
      gpu_->check(cu.cuMemcpyAsync(address_of(command.destination), address_of(command.source),
                                   command.destination.size, target_),
                  "cuMemcpyAsync", "{} bytes", command.destination.size);
      break;
    case Command::Kind::CopyToImage:
    case Command::Kind::CopyFromImage:
    case Command::Kind::CopyImage: {
      const CUDA_MEMCPY3D boxes = box_parameters(command, view);
      gpu_->check(cu.cuMemcpy3DAsync(&boxes, target_), "cuMemcpy3DAsync", "{}", box_text(boxes));
      break;
    }
    case Command::Kind::Fill:
      if (command.destination.size == 0) break;
      gpu_->check(
          cu.cuMemsetD32Async(address_of(command.destination), command.pattern, command.destination.size / 4, target_),
          "cuMemsetD32Async", "{} bytes", command.destination.size);
      break;
  }
}

void Queue::launch(const Command& command, const CommandView& view) {
  const auto& module = static_cast<const Module&>(*command.module);
  const auto& workgroups = command.workgroups;
  const auto& block = module.block();
  CUdeviceptr values = 0;
  if (module.values_by_pointer()) {
    if (captured_)
      fail(VD_ERR_UNSUPPORTED,
           "kernel \"{}\" has {} bytes of values, more than fit in a kernel's parameters, and cannot be captured",
           module.label(), command.values_size);
    values = gpu_->allocator().allocate(command.values_size, target_, " for a launch's values");
    // The driver has taken bytes from pageable memory when it returns.
    const CUresult copied =
        gpu_->cu.cuMemcpyHtoDAsync(values, view.values.data() + command.first_value, command.values_size, target_);
    if (copied != CUDA_SUCCESS) gpu_->allocator().release(values, target_);
    gpu_->check(copied, "cuMemcpyHtoDAsync", "{} bytes of values of kernel \"{}\"", command.values_size,
                module.label());
  }
  const CUresult result = gpu_->cu.cuLaunchKernel(module.function(), workgroups[0], workgroups[1], workgroups[2],
                                                  block[0], block[1], block[2], module.dynamic_shared_size(), target_,
                                                  arguments_.fill(command, view, values), nullptr);
  if (values != 0) gpu_->allocator().release(values, target_);
  if (module.prints()) prints_.store(true, std::memory_order_relaxed);
  gpu_->check(result, "cuLaunchKernel",
              "kernel \"{}\" in {} x {} x {} workgroups of {} x {} x {} with {} bytes of dynamic shared memory",
              module.label(), workgroups[0], workgroups[1], workgroups[2], block[0], block[1], block[2],
              module.dynamic_shared_size());
}

CUdeviceptr Queue::room_for_stamps(size_t count) {
  if (stamps_.count < count) {
    if (stamps_.address != 0) gpu_->allocator().release(std::exchange(stamps_, {}).address, target_);
    count = std::max(count, kFewestStamps);
    stamps_.address = gpu_->allocator().allocate(count * kStampSize, target_, " for the times of a list");
    stamps_.count = count;
  }
  return stamps_.address;
}

uint64_t Queue::submit(backends::Executable& executable, uint32_t repeat) {
  return launch(static_cast<Executable&>(executable), repeat, nullptr);
}

uint64_t Queue::submit_timed_executable(backends::Executable& executable, std::unique_ptr<backends::Timing>& timing) {
  return launch(static_cast<Executable&>(executable), 1, &timing);
}

// `timing`: receives the times of one run; null for its plain form.
uint64_t Queue::launch(Executable& graph, uint32_t repeat, std::unique_ptr<backends::Timing>* timing) {
  require_usable();
  if (timing != nullptr && !clock_->prepare(0)) timing = nullptr;
  const Lock lock(mutex_);
  const Current current(*gpu_);
  std::unique_ptr<Timing> made;
  uint64_t value = 0;
  try {
    Borrowed stream(*this);
    CUgraphExec instance = nullptr;
    CUdeviceptr stamps = 0;
    if (timing == nullptr) {
      instance = graph.instance(stream_.get(), target_, captured_);
    } else {
      const Executable::Timed timed = graph.timed_instance(stream_.get(), target_, clock_);
      instance = timed.instance;
      stamps = timed.stamps;
      made = std::make_unique<Timing>(clock_, timed.count);
    }
    if (graph.prints()) prints_.store(true, std::memory_order_relaxed);
    if (instance != nullptr)
      for (uint32_t turn = 0; turn < repeat; ++turn)
        gpu_->check(gpu_->cu.cuGraphLaunch(instance, target_), "cuGraphLaunch", "repeat {} of {} on {}", turn + 1,
                    repeat, label_);
    // No node of the graph, which would have to be changed for each run.
    if (made) made->fetch(stamps, target_);
    stream.give_back();
    value = given(graph.size() * repeat >= kLargeGraph, made ? 2 + graph.size() / kTimedAsLaunch : repeat);
  } catch (...) {
    settle_failure();
    throw;
  }
  if (timing != nullptr) *timing = std::move(made);
  return value;
}

uint32_t Queue::repeats_at_once(const backends::Executable&) const { return kRepeatsAtOnce; }

void Queue::wait_for(backends::Queue& other, uint64_t value) {
  auto& queue = static_cast<Queue&>(other);
  gpu_->require_alive();
  if (&queue == this || value == 0 || queue.timeline_.reached() >= value) return;
  const Current current(*gpu_);
  // One lock after the other: two queues may wait for each other's earlier work at the same time. The event marks its
  // last record, so another thread's record in between only makes us wait for more.
  {
    const Lock lock(queue.mutex_);
    gpu_->check(gpu_->cu.cuEventRecord(queue.passed_, queue.stream_.get()), "cuEventRecord", "{} for {}", queue.label_,
                label_);
  }
  const Lock lock(mutex_);
  gpu_->check(gpu_->cu.cuStreamWaitEvent(stream_.get(), queue.passed_, 0), "cuStreamWaitEvent", "{} for {}", label_,
              queue.label_);
}

// A mark before and one behind tell whether the stream waits for nothing else.
uint64_t Queue::wait_for(const backends::SemaphoreUse& use) {
  require_usable();
  const Lock lock(mutex_);
  const Current current(*gpu_);
  const uint64_t before = last_value_.load(std::memory_order_relaxed);
  if (timeline_.marked() < before) mark_locked(before);
  // First, since a wait that nothing watches may last for ever.
  semaphores_.note_wait(use, before, before + 1);
  try {
    static_cast<const SharedSemaphore&>(*use.semaphore).wait_on(stream_.get(), use.value);
  } catch (...) {
    semaphores_.take_back();
    throw;
  }
  semaphores_.begin_wait();
  return given(true);
}

uint64_t Queue::signal(const backends::SemaphoreUse& use) {
  require_usable();
  const Lock lock(mutex_);
  const Current current(*gpu_);
  semaphores_.add_signal(use, last_value_.load(std::memory_order_relaxed) + 1);
  try {
    static_cast<SharedSemaphore&>(*use.semaphore).signal_claimed_on(stream_.get(), use.value);
  } catch (...) {
    semaphores_.take_back();
    throw;
  }
  return given(true);
}

// Events are known to all devices of a process.
bool Queue::wait_for_device(backends::Queue& other, uint64_t value) {
  wait_for(other, value);
  return true;
}

// On a thread of the driver, which must not be called here, not even by what the function lets go of.
void Queue::run_call(void* data) {
  const DriverThread mark;
  auto* const call = static_cast<Call*>(data);
  std::unique_ptr<Call> owned;
  {
    const Lock lock(call->queue.calls_mutex_);
    const auto found = call->queue.calls_.find(call);
    owned = std::move(found->second);
    call->queue.calls_.erase(found);
  }
  owned->function();
}

std::optional<uint64_t> Queue::call(std::function<void()> function) {
  gpu_->require_alive();
  auto made = std::make_unique<Call>(Call{*this, std::move(function)});
  Call* const call = made.get();
  const Lock lock(mutex_);
  const Current current(*gpu_);
  try {
    Borrowed stream(*this);
    if (captured_) fail(VD_ERR_UNSUPPORTED, "a call of a function of the program's cannot be captured");
    {
      const Lock calls(calls_mutex_);
      calls_.emplace(call, std::move(made));
    }
    const CUresult result = gpu_->cu.cuLaunchHostFunc(target_, run_call, call);
    if (result != CUDA_SUCCESS) {
      const Lock calls(calls_mutex_);
      calls_.erase(call);
    }
    gpu_->check(result, "cuLaunchHostFunc", "on {}", label_);
    stream.give_back();
    return given(false);
  } catch (...) {
    settle_failure();
    throw;
  }
}

bool Queue::would_block() {
  if (gpu_->lost()) return false;
  return last_value_.load(std::memory_order_relaxed) - timeline_.reached() > kMostInFlight;
}

void Queue::wait_for_room() {
  while (would_block()) wait(last_value_.load(std::memory_order_relaxed) - kMostInFlight, VD_WAIT_FOREVER);
}

// ---- Transfers

Queue::StagingRing& Queue::ring_for(bool upload, uint64_t size) {
  if (size <= kSmallTransfer) return upload ? small_upload_ : small_readback_;
  return upload ? upload_ : readback_;
}

Queue::StagingRing::Piece Queue::take(StagingRing& ring, uint64_t size) {
  return take_piece(
      ring, size, [&] { return timeline_.reached(); }, [&](uint64_t value) { wait(value, VD_WAIT_FOREVER); });
}

std::unique_ptr<backends::Upload> Queue::stage(const backends::Range& destination, const void* data) {
  gpu_->require_alive();
  StagingRing& ring = ring_for(true, destination.size);
  auto piece = take(ring, std::min(destination.size, ring.piece_size()));
  copy_with(copiers_, piece.data, static_cast<const std::byte*>(data), piece.size);
  // A mark, so that the device copies this piece while the host fills the next.
  const bool mark = destination.size > piece.size;
  return backends::staged_upload(std::move(piece), [this, to = address_of(destination), mark](
                                                       const auto& filled, bool) { return upload(to, filled, mark); });
}

bool Queue::takes_at_once(uint64_t size) {
  gpu_->require_alive();
  return ring_for(true, size).has_room(size, timeline_.reached());
}

uint64_t Queue::upload(CUdeviceptr destination, const StagingRing::Piece& piece, bool mark) {
  require_usable();
  const Lock lock(mutex_);
  const Current current(*gpu_);
  try {
    gpu_->check(gpu_->cu.cuMemcpyHtoDAsync(destination, piece.data, piece.size, stream_.get()), "cuMemcpyHtoDAsync",
                "{} bytes on {}", piece.size, label_);
    return given(mark);
  } catch (...) {
    settle_failure(nullptr);  // the device may still read the piece
    throw;
  }
}

std::optional<uint64_t> Queue::write_in_place(const backends::Range& destination, const void* data) {
  gpu_->require_alive();
  auto& memory = static_cast<Memory&>(*destination.memory);
  if (memory.host_pointer() == nullptr) return {};
  // Nothing of the stream is in its way: not even a wait for another queue, which is no value of ours.
  const Lock lock(mutex_);
  const Current current(*gpu_);
  const CUresult state = gpu_->cu.cuStreamQuery(stream_.get());
  if (state == CUDA_ERROR_NOT_READY) return {};
  gpu_->check(state, "cuStreamQuery", "{}", label_);
  copy_with(copiers_, static_cast<std::byte*>(memory.host_pointer()) + destination.offset,
            static_cast<const std::byte*>(data), destination.size);
  return last_value_.load(std::memory_order_relaxed);
}

void Queue::read(const backends::Range& source, void* data) {
  gpu_->require_alive();
  if (source.size == 0) return;
  auto& memory = static_cast<Memory&>(*source.memory);
  auto* bytes = static_cast<std::byte*>(data);
  if (memory.host_pointer() != nullptr) {
    uint64_t value = 0;
    {
      const Lock lock(mutex_);
      const Current current(*gpu_);
      value = given(true);  // behind waits for other queues too
    }
    wait(value, VD_WAIT_FOREVER);
    copy_out(copiers_, bytes, static_cast<const std::byte*>(memory.host_pointer()) + source.offset, source.size);
    return;
  }
  StagingRing& ring = ring_for(false, source.size);
  read_in_pieces(
      ring, copiers_, bytes, source.size, kReadsInFlight, [&](uint64_t size) { return take(ring, size); },
      [&](uint64_t size) { return ring.take(size, timeline_.reached()); },
      [&](const StagingRing::Piece& piece, uint64_t offset) {
        try {
          const Lock lock(mutex_);
          const Current current(*gpu_);
          gpu_->check(gpu_->cu.cuMemcpyDtoHAsync(piece.data, address_of(source) + offset, piece.size, stream_.get()),
                      "cuMemcpyDtoHAsync", "{} bytes at {} of {}", piece.size, offset, source.size);
          return given(true);
        } catch (...) {
          settle_failure(nullptr);  // the device may still write to the piece; other threads may use other streams
          throw;
        }
      },
      [&](uint64_t value) { wait(value, VD_WAIT_FOREVER); });
}

// ---- Waiting

void Queue::mark_up_to(uint64_t value) {
  if (timeline_.marked() >= value) return;
  const Lock lock(mutex_);
  if (timeline_.marked() >= value) return;
  const Current current(*gpu_);
  mark_locked(last_value_.load(std::memory_order_relaxed));
}

uint64_t Queue::completed() {
  gpu_->require_alive();
  uint64_t reached = 0;
  try {
    reached = timeline_.reached();
    const uint64_t last = last_value_.load(std::memory_order_acquire);
    // Whoever asks again and again shall see the end of a burst.
    if (reached < last && reached == timeline_.marked()) mark_up_to(last);
  } catch (const Error& error) {
    // This is not the queue's failure: its work runs, so the memory that the work uses must stay. A thread that waits
    // for the work gets the error.
    gpu_->require_alive();
    log_verbose("CUDA: the progress of {} is unknown: {}", label_, error.what());
  }
  return reached;
}

bool Queue::wait(uint64_t value, uint64_t timeout_ns) {
  if (!wait_for_mark(value, timeout_ns)) return false;
  semaphores_.require_none_ended(value);
  // The driver shows kernels' output only during a wait of its own, which has no timeout.
  if (prints_.load(std::memory_order_relaxed) && timeout_ns == VD_WAIT_FOREVER && prints_.exchange(false))
      [[unlikely]] {
    const Current current(*gpu_);
    gpu_->check(gpu_->cu.cuStreamSynchronize(stream_.get()), "cuStreamSynchronize", "{}, whose kernels print", label_);
  }
  return true;
}

bool Queue::wait_for_mark(uint64_t value, uint64_t timeout_ns) {
  gpu_->require_alive();
  if (timeline_.reached() >= value) return true;
  mark_up_to(value);
  if (timeout_ns == 0) {
    if (timeline_.reached() >= value) return true;
    const Current current(*gpu_);
    const CUresult result = gpu_->cu.cuStreamQuery(stream_.get());
    if (result != CUDA_ERROR_NOT_READY) gpu_->check(result, "cuStreamQuery", "{}", label_);
    return timeline_.reached() >= value;
  }
  return timeline_.wait(stream_.get(), value, deadline_after(timeout_ns));
}

bool Queue::reached(uint64_t value) {
  gpu_->require_alive();
  if (timeline_.reached() >= value) return true;
  mark_up_to(value);
  const auto now = Clock::now().time_since_epoch();
  if (now - Clock::duration(asked_.load(std::memory_order_relaxed)) >= kLookTime) {
    asked_.store(now.count(), std::memory_order_relaxed);
    const Current current(*gpu_);
    const CUresult result = gpu_->cu.cuStreamQuery(stream_.get());
    if (result != CUDA_ERROR_NOT_READY) gpu_->check(result, "cuStreamQuery", "{}", label_);
  }
  return timeline_.reached() >= value;
}

bool Queue::native(const char* kind, uint64_t& out) const {
  if (std::string_view(kind) != "CUstream") return false;
  gpu_->expect_captures();
  out = reinterpret_cast<uint64_t>(stream());
  return true;
}

}  // namespace vd::cuda
