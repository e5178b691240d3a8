#include "backends/vulkan/clock_hold.h"

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "core/cuda_library.h"
#include "core/error.h"
#include "core/fork.h"
#include "core/log.h"
#include "core/platform.h"
#include "core/process_end.h"
#include "core/thread.h"
#include "core/thread_pool.h"

// The types of CUDA's driver, which backends/cuda/api.h defines: to call a function by another type is undefined.
namespace vd::cuda {
enum CUresult : int;
enum CUdevice_attribute : int;
struct CUctx_st;
struct CUuuid;
}  // namespace vd::cuda

namespace vd::vulkan {
namespace {

using vd::cuda::CUctx_st;
using vd::cuda::CUdevice_attribute;
using vd::cuda::CUresult;
using vd::cuda::CUuuid;

// CUDA's numbers.
constexpr int kComputeMode = 20;  // CU_DEVICE_ATTRIBUTE_COMPUTE_MODE
constexpr int kSharedMode = 0;    // CU_COMPUTEMODE_DEFAULT: several processes may have contexts

// The calls of CUDA by all holds of the process, one at a time. None runs while the process ends: the driver's own
// handlers take apart what it would use.
class Calls {
 public:
  static Calls& get() {
    static Calls* made = new Calls;  // never destroyed, for threads that outlive main()
    return *made;
  }

  // Without the lock where there may be no calls any more: the process ends, or it is the child of one that made some.
  // The other members want it.
  std::unique_lock<std::timed_mutex> enter() {
    if (process_ != process_number()) return {};
    std::unique_lock lock(mutex_);
    return process_ends() ? std::unique_lock<std::timed_mutex>() : std::move(lock);
  }
  // Keeps a library open until the process ends.
  void keep(const std::string& path, platform::Library library) { libraries_.emplace(path, std::move(library)); }
  // At its end the process waits for the call that runs then: before the driver's own functions for the end, some of
  // which it has by the time that it is loaded, the others when it has started.
  void outlive(bool started) {
    std::unique_ptr<FinishedAtEnd>& end = ends_[started ? 1 : 0];
    if (end) return;
    end = std::make_unique<FinishedAtEnd>();
    end->opened([this](auto deadline) {
      const std::unique_lock lock(mutex_, deadline);  // the next call is refused by enter()
      if (!lock.owns_lock())
        log_warning("the process ends while a thread of the library's starts CUDA to hold a clock");
      return true;  // no work of the program's
    });
  }

 private:
  const uint32_t process_ = process_number();
  std::timed_mutex mutex_;
  std::map<std::string, platform::Library> libraries_;
  std::array<std::unique_ptr<FinishedAtEnd>, 2> ends_;
};

// The few calls of CUDA's driver that a hold needs.
struct Cuda {
  CUresult (*init)(unsigned flags) = nullptr;
  CUresult (*count)(int* count) = nullptr;
  CUresult (*get)(int* device, int ordinal) = nullptr;
  CUresult (*uuid)(CUuuid* bytes, int device) = nullptr;
  CUresult (*attribute)(int* value, CUdevice_attribute attribute, int device) = nullptr;
  CUresult (*retain)(CUctx_st** context, int device) = nullptr;
  CUresult (*release)(int device) = nullptr;

  // The first missing entry point; null if it has all.
  const char* load(const platform::Library& library) {
    if (!library.get(init, "cuInit")) return "cuInit";
    if (!library.get(count, "cuDeviceGetCount")) return "cuDeviceGetCount";
    if (!library.get(get, "cuDeviceGet")) return "cuDeviceGet";
    if (!library.get(uuid, "cuDeviceGetUuid_v2")) return "cuDeviceGetUuid_v2";
    if (!library.get(attribute, "cuDeviceGetAttribute")) return "cuDeviceGetAttribute";
    if (!library.get(retain, "cuDevicePrimaryCtxRetain")) return "cuDevicePrimaryCtxRetain";
    if (!library.get(release, "cuDevicePrimaryCtxRelease_v2")) return "cuDevicePrimaryCtxRelease_v2";
    return nullptr;
  }
};

void require(CUresult result, const char* call) {
  if (const int code = static_cast<int>(result); code != 0)
    fail(VD_ERR_UNAVAILABLE, "{} failed with CUDA's error {}", call, code);
}

}  // namespace

struct ClockHold::State {
  State(const vd_device_info& device, std::string library, std::chrono::milliseconds after)
      : info(device), path(std::move(library)), delay(after) {}

  const vd_device_info info;
  const std::string path;
  const std::chrono::milliseconds delay;
  std::atomic<bool> begun{false};

  std::mutex mutex;
  std::condition_variable changed;
  bool over = false;

  uint32_t process = 0;  // of the thread
  std::thread thread;

  Cuda cuda;  // of the thread from here on
  std::optional<int> held;

  void run() noexcept;
  void acquire();
  std::optional<int> find();
};

ClockHold::ClockHold(const vd_device_info& device, std::string library, std::chrono::milliseconds delay)
    : state_(std::make_unique<State>(device, std::move(library), delay)) {}

ClockHold::~ClockHold() {
  if (!state_->thread.joinable()) return;
  if (state_->process != process_number()) {
    static_cast<void>(state_.release());  // its thread, which may hold its locks, is not in this process
    return;
  }
  {
    const std::lock_guard lock(state_->mutex);
    state_->over = true;
  }
  state_->changed.notify_one();
  state_->thread.join();
}

void ClockHold::begin() noexcept {
  if (state_->begun.load(std::memory_order_relaxed) || state_->begun.exchange(true)) return;
  try {
    // Both are made here: the child of a fork would wait for ever for what the thread has half made.
    static_cast<void>(Calls::get());
    static_cast<void>(log_enabled(VD_LOG_INFO));
    state_->process = process_number();
    state_->thread = start_thread([state = state_.get()] { state->run(); });
  } catch (const std::exception& error) {
    log_info("Vulkan: the clock of device \"{}\" is not held: {}.", state_->info.name, error.what());
  }
}

void ClockHold::State::run() noexcept {
  const LibraryThread library_thread("vd-clock");
  std::unique_lock lock(mutex);
  if (changed.wait_for(lock, delay, [this] { return over; })) return;
  lock.unlock();
  try {
    acquire();
    log_info("Vulkan: an idle CUDA context holds the clock of device \"{}\"; VKDISPATCH_HOLD_CLOCK=0 turns it off.",
             info.name);
  } catch (const std::exception& error) {
    log_info("Vulkan: the clock of device \"{}\" is not held: {}.", info.name, error.what());
  }
  if (!held) return;
  lock.lock();
  changed.wait(lock, [this] { return over; });
  if (const auto calls = Calls::get().enter(); calls) cuda.release(*held);
}

void ClockHold::State::acquire() {
  const auto calls = Calls::get().enter();
  if (!calls) fail(VD_ERR_UNAVAILABLE, "the process ends, or CUDA was started before it was forked");
  std::string why;
  platform::Library library = open_cuda_library(&why, path);
  if (!library) fail(VD_ERR_UNAVAILABLE, "there is no CUDA driver ({})", why);
  if (const char* missing = cuda.load(library); missing != nullptr)
    fail(VD_ERR_UNAVAILABLE, "the CUDA driver has no {}", missing);
  Calls::get().keep(path, std::move(library));
  Calls::get().outlive(false);
  require(cuda.init(0), "cuInit");
  Calls::get().outlive(true);
  const std::optional<int> device = find();
  if (!device) fail(VD_ERR_UNAVAILABLE, "no CUDA device has its UUID");
  int mode = kSharedMode;
  require(cuda.attribute(&mode, static_cast<CUdevice_attribute>(kComputeMode), *device), "cuDeviceGetAttribute");
  if (mode != kSharedMode)
    fail(VD_ERR_UNAVAILABLE, "its compute mode ({}) keeps it for one process or for none; nvidia-smi -q -d COMPUTE",
         mode);
  CUctx_st* context = nullptr;
  require(cuda.retain(&context, *device), "cuDevicePrimaryCtxRetain");
  held = device;
}

// The CUDA device that is this one.
std::optional<int> ClockHold::State::find() {
  int count = 0;
  require(cuda.count(&count), "cuDeviceGetCount");
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    int device = 0;
    require(cuda.get(&device, ordinal), "cuDeviceGet");
    uint8_t uuid[sizeof(info.uuid)] = {};
    require(cuda.uuid(reinterpret_cast<CUuuid*>(uuid), device), "cuDeviceGetUuid");
    if (info.uuid_valid != 0 && std::memcmp(uuid, info.uuid, sizeof(uuid)) == 0) return device;
  }
  return std::nullopt;
}

}  // namespace vd::vulkan
