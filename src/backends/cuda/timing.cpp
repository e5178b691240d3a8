#include "backends/cuda/timing.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include "core/log.h"
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
constexpr uint32_t kMostReads = 1 << 18;
constexpr int kLooks = 3;
// Nanoseconds that a look may wait for room on the device. A thread that reads times does not wait for kernels.
constexpr uint64_t kPatience = 10'000'000;
// Looks until the first is as short as this.
constexpr int kFirstLooks = 5;
constexpr uint64_t kShortLook = 50'000;
// Between two questions whether the streams are idle.
constexpr auto kPause = std::chrono::microseconds(100);
// The part of a time by which two clocks differ at most: quartzes are a tenth as bad.
constexpr double kMostDrift = 1e-3;
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

bool DeviceClock::prepare(uint64_t patience) {
  if (ready_.load(std::memory_order_acquire)) return true;
  const std::unique_lock lock(looking_, std::try_to_lock);
  if (!lock) return false;  // another thread does it
  if (ready_.load(std::memory_order_relaxed)) return true;
  failed_ = false;
  const Current current(*gpu_);
  for (const uint64_t begin = steady_time(); !gpu_->streams().are_idle(nullptr); std::this_thread::sleep_for(kPause))
    if (steady_time() - begin >= patience) return false;
  if (!module_) make_kernel();
  if (!seen_) seen_ = std::make_unique<HostMemory>(gpu_, 2 * kStampSize, " for the time");
  // Its looks come before the workgroups of a large kernel that have not begun. A number below all of the driver's is taken for
  // its highest priority.
  constexpr int kHighest = -1000;
  if (stream_ == nullptr)
    gpu_->check(gpu_->cu.cuStreamCreateWithPriority(&stream_, CU_STREAM_NON_BLOCKING, kHighest),
                "cuStreamCreateWithPriority", "a stream for the time");
  const uint64_t each = std::max(patience, kPatience);
  if (!measure_resolution(each)) return false;
  // Its error is one of all times. On a busy host a look may be long.
  std::optional<Look> first;
  for (int count = 0; count < kFirstLooks && (!first || first->error() > kShortLook); ++count) {
    const std::optional<Look> next = look(each);
    if (next && (!first || next->error() < first->error())) first = next;
  }
  if (!first) return false;
  first_look_ = last_look_ = *first;
  ready_.store(true, std::memory_order_release);
  return true;
}

bool DeviceClock::is_usable() noexcept {
  if (ready_.load(std::memory_order_acquire)) return true;
  if (failed_) return false;
  try {
    return prepare(0);
  } catch (const std::exception& error) {
    failed_ = true;
    log_warning("work of CUDA device \"{}\" is not timed: {}", gpu_->info().name, error.what());
    return false;
  }
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
bool DeviceClock::measure_resolution(uint64_t patience) {
  const auto* seen = reinterpret_cast<const uint64_t*>(seen_->data());
  uint64_t step = UINT64_MAX;
  for (int count = 0; count < kLooks; ++count) {
    if (!looks_end(patience)) return false;
    stamp(seen_->address(), stream_, kMostReads);
    if (!looks_end(patience)) return false;
    step = std::min(step, seen[1] - seen[0]);
  }
  if (step == 0)
    fail(VD_ERR_UNSUPPORTED, "the timer of CUDA device \"{}\" (%globaltimer) has the same value after {} reads",
         gpu_->info().name, kMostReads);
  resolution_ = step;
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

bool DeviceClock::looks_ended() const {
  const CUresult state = gpu_->cu.cuStreamQuery(stream_);
  if (state == CUDA_ERROR_NOT_READY) return false;
  gpu_->check(state, "cuStreamQuery", "a look at the timer");
  return true;
}

bool DeviceClock::looks_end(uint64_t patience) const {
  for (const uint64_t begin = steady_time(); !looks_ended(); std::this_thread::yield())
    if (steady_time() - begin > patience) return looks_ended();
  return true;
}

// The shortest look counts. A first one may have to wake the device up.
std::optional<DeviceClock::Look> DeviceClock::look(uint64_t patience) const {
  std::optional<Look> best;
  if (!looks_ended()) return best;
  for (int count = 0; count < kLooks; ++count) {
    const uint64_t before = steady_time();
    stamp(seen_->address(), stream_);
    if (!looks_end(patience)) break;
    const uint64_t after = steady_time();
    if (!best || after - before < best->host.end - best->host.begin)
      best = {*reinterpret_cast<const uint64_t*>(seen_->data()), {before, after}};
  }
  return best;
}

DeviceClock::HostTime DeviceClock::host_time(uint64_t device) {
  const Current current(*gpu_);
  const std::lock_guard lock(looking_);
  const std::optional<Look> now = look(kPatience);
  if (now) last_look_ = *now;
  const auto between = [](uint64_t from, uint64_t to) { return static_cast<double>(static_cast<int64_t>(to - from)); };
  const Look &first = first_look_, &last = last_look_;
  const double known = between(first.device, last.device), distance = between(last.device, device);
  // Behind the last look, a rate from two looks near each other would be worse than none.
  const double rate = distance < 0 && known > 0 ? between(first.middle(), last.middle()) / known : 1;
  const double drift = distance > 0 ? distance * kMostDrift : 0;
  return {last.middle() + static_cast<uint64_t>(std::llround(rate * distance)),
          std::max(first.error(), last.error()) + static_cast<uint64_t>(drift)};
}

// ---- Times

Timing::Timing(std::shared_ptr<DeviceClock> clock, size_t stamps)
    : clock_(std::move(clock)), count_(stamps), submitted_(steady_time()), times_(clock_->take(stamps)) {}

uint64_t Timing::read(std::span<backends::Interval> out) {
  const std::span<const uint64_t> stamps(times_.get(), count_);
  const DeviceClock::HostTime begin = clock_->host_time(stamps.front());
  // A command that was submitted now cannot have begun before.
  uint64_t last = std::max(begin.time, submitted_);
  const uint64_t first = last;
  for (size_t i = 0; i < out.size(); ++i) {
    out[i].begin = last;
    out[i].end = last = std::max(last, first + (stamps[i + 1] - stamps.front()));
  }
  times_.reset();
  return begin.error + clock_->resolution();
}

}  // namespace vd::cuda
