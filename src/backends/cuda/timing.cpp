#include "backends/cuda/timing.h"

#include <algorithm>
#include <cmath>
#include <thread>

#include "core/steady_time.h"

namespace vd::cuda {
namespace {

constexpr const char* kSource = R"(extern "C" __global__ void vkdispatch_main(unsigned long long* to, unsigned reads) {
  unsigned long long now, next;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  to[0] = now;
  if (reads == 0u) return;
  next = now;
  for (; reads != 0u && next == now; --reads) asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(next));
  to[1] = next;
}
)";

// Together they take milliseconds, which is longer than a timer has one value.
constexpr uint32_t kMostReads = 1 << 20;
constexpr int kLooks = 3;
// Nanoseconds that a look may wait for room on the device. A thread that reads times does not wait for kernels.
constexpr uint64_t kPatience = 10'000'000;
constexpr uint64_t kPageSize = 64 << 10;

}  // namespace

Stamp::Stamp(CUfunction kernel, CUdeviceptr to, uint32_t reads) : to_(to), reads_(reads), values_{&to_, &reads_} {
  parameters_.func = kernel;
  parameters_.gridDimX = parameters_.gridDimY = parameters_.gridDimZ = 1;
  parameters_.blockDimX = parameters_.blockDimY = parameters_.blockDimZ = 1;
  parameters_.kernelParams = values_;
}

// ---- The clock

DeviceClock::DeviceClock(std::shared_ptr<const Gpu> gpu, Compiler& compiler, std::shared_ptr<HostPool> pool)
    : gpu_(std::move(gpu)), compiler_(compiler), pool_(std::move(pool)) {}

DeviceClock::~DeviceClock() {
  if (stream_ == nullptr) return;
  try {
    const Current current(*gpu_);
    gpu_->cu.cuStreamDestroy(stream_);
  } catch (...) {
    // The context is gone, and its streams with it.
  }
}

void DeviceClock::prepare(bool may_wait) {
  if (ready_.load(std::memory_order_acquire)) return;
  std::unique_lock lock(looking_, std::try_to_lock);
  if (!lock && !may_wait) return;  // another thread does it, and may wait
  if (!lock) lock.lock();
  if (ready_.load(std::memory_order_relaxed)) return;
  const Current current(*gpu_);
  if (!may_wait && !gpu_->streams().are_idle(nullptr)) return;
  if (!module_) make_kernel();
  if (!seen_) seen_ = std::make_unique<HostMemory>(gpu_, 2 * kStampSize, " for the time");
  // Its looks come before the workgroups of a large kernel that have not begun. A number below all of the driver's is taken for
  // its highest priority.
  constexpr int kHighest = -1000;
  if (stream_ == nullptr)
    gpu_->check(gpu_->cu.cuStreamCreateWithPriority(&stream_, CU_STREAM_NON_BLOCKING, kHighest),
                "cuStreamCreateWithPriority", "a stream for the time");
  if (!measure_resolution(may_wait)) return;
  std::optional<Look> first = try_look();
  while (!first && ends(may_wait)) first = try_look();
  if (!first) return;
  first_look_ = *first;
  ready_.store(true, std::memory_order_release);
}

void DeviceClock::make_kernel() {
  backends::SourceText source;
  source.language = VD_LANGUAGE_CUDA;
  source.text = kSource;
  source.bindings = {VD_BINDING_STORAGE_BUFFER};
  source.values_size = sizeof(uint32_t);
  backends::ModuleDesc desc;
  desc.source = &source;
  desc.label = "stamp";
  module_ = std::static_pointer_cast<Module>(compiler_.make(desc));
}

// Steps between two values: 32 ns on an H200, 1 us on some others.
bool DeviceClock::measure_resolution(bool may_wait) {
  const auto* seen = reinterpret_cast<const uint64_t*>(seen_->data());
  uint64_t step = UINT64_MAX;
  for (int look = 0; look < kLooks; ++look) {
    stamp(seen_->address(), stream_, kMostReads);
    if (!ends(may_wait)) return false;
    step = std::min(step, seen[1] - seen[0]);
  }
  if (step == 0)
    fail(VD_ERR_UNSUPPORTED, "the timer of CUDA device \"{}\" (%globaltimer) has the same value after {} reads",
         gpu_->info().name, kMostReads);
  resolution_ = step;
  return true;
}

bool DeviceClock::ends(bool may_wait) const {
  if (becomes_idle()) return true;
  if (!may_wait) return false;
  gpu_->check(gpu_->cu.cuStreamSynchronize(stream_), "cuStreamSynchronize", "a look at the timer");
  return true;
}

void DeviceClock::stamp(CUdeviceptr to, CUstream stream, uint32_t reads) const {
  const Stamp stamp(kernel(), to, reads);
  const CUDA_KERNEL_NODE_PARAMS& p = stamp.parameters();
  gpu_->check(gpu_->cu.cuLaunchKernel(p.func, p.gridDimX, p.gridDimY, p.gridDimZ, p.blockDimX, p.blockDimY, p.blockDimZ,
                                      p.sharedMemBytes, stream, p.kernelParams, nullptr),
              "cuLaunchKernel", "a stamp");
}

void DeviceClock::copy(CUdeviceptr stamps, uint64_t* times, size_t count, CUstream stream) const {
  gpu_->check(gpu_->cu.cuMemcpyDtoHAsync(times, stamps, count * kStampSize, stream), "cuMemcpyDtoHAsync", "{} stamps",
              count);
}

std::shared_ptr<uint64_t> DeviceClock::take(size_t count) {
  const std::lock_guard lock(taking_);
  if (!page_ || (page_->size() / kStampSize) - used_ < count) {
    page_ = {pool_->take(std::max(kPageSize, count * kStampSize)).release(),
             [pool = pool_](HostMemory* memory) { pool->give_back(std::unique_ptr<HostMemory>(memory)); }};
    used_ = 0;
  }
  auto* first = reinterpret_cast<uint64_t*>(page_->data()) + used_;
  used_ += count;
  return {page_, first};
}

bool DeviceClock::is_idle() const {
  const CUresult state = gpu_->cu.cuStreamQuery(stream_);
  if (state == CUDA_ERROR_NOT_READY) return false;
  gpu_->check(state, "cuStreamQuery", "a look at the timer");
  return true;
}

bool DeviceClock::becomes_idle() const {
  for (const uint64_t begin = steady_time(); !is_idle(); std::this_thread::yield())
    if (steady_time() - begin > kPatience) return is_idle();
  return true;
}

std::optional<DeviceClock::Look> DeviceClock::look() {
  const Current current(*gpu_);
  const std::lock_guard lock(looking_);
  return try_look();
}

// The shortest look counts. A first one may have to wake the device up.
std::optional<DeviceClock::Look> DeviceClock::try_look() const {
  std::optional<Look> best;
  if (!is_idle()) return best;
  for (int count = 0; count < kLooks; ++count) {
    const uint64_t before = steady_time();
    stamp(seen_->address(), stream_);
    if (!becomes_idle()) break;
    const uint64_t after = steady_time();
    if (!best || after - before < best->host.end - best->host.begin)
      best = {*reinterpret_cast<const uint64_t*>(seen_->data()), {before, after}};
  }
  return best;
}

// ---- Times

Timing::Timing(std::shared_ptr<DeviceClock> clock, size_t stamps)
    : clock_(std::move(clock)), count_(stamps), submitted_(steady_time()), times_(clock_->take(stamps)) {}

// The clocks do not run equally fast, so the begin lies between two looks. Without the second one, it lies between the submission
// and the latest time at which it can have been: now, less what the work took.
uint64_t Timing::read(std::span<backends::Interval> out) {
  const std::span<const uint64_t> stamps(times_.get(), count_);
  uint64_t last = 0, error = 0;
  if (const auto look = clock_->look()) {
    const DeviceClock::Look& first = clock_->first_look();
    const auto device = static_cast<double>(look->device - std::min(first.device, look->device));
    const double rate = device > 0 ? static_cast<double>(look->middle() - first.middle()) / device : 1;
    const double age = rate * static_cast<double>(look->device - std::min(stamps.front(), look->device));
    last = look->middle() - std::min(look->middle(), static_cast<uint64_t>(std::llround(age)));
    error = std::max(first.error(), look->error());
  } else {
    const uint64_t latest = steady_time() - (stamps.back() - stamps.front());
    const DeviceClock::Look at{stamps.front(), {submitted_, std::max(submitted_, latest)}};
    last = at.middle();
    error = at.error();
  }
  const uint64_t begin = last;
  for (size_t i = 0; i < out.size(); ++i) {
    out[i].begin = last;
    out[i].end = last = std::max(last, begin + (stamps[i + 1] - stamps.front()));
  }
  times_.reset();
  return error + clock_->resolution();
}

}  // namespace vd::cuda
