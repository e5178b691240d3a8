// A stand-in for libcuda, for tests: devices, contexts, and failures on demand.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>

#include "support/emulated_cuda/control.h"
#include "support/emulated_cuda/state.h"

using namespace vd::cuda;
using namespace vd::cuda::emulated;

namespace {

struct Fault {
  unsigned nth;
  int code;
};

std::shared_mutex g_exclusive;  // shared by calls that begin
std::mutex g_mutex;
// Not destroyed: threads may call the driver until the process has ended.
std::map<std::string, Fault>& g_faults = *new std::map<std::string, Fault>;
std::map<std::string, uint64_t>& g_calls = *new std::map<std::string, uint64_t>;
std::atomic<int64_t> g_live{0};
std::atomic<uint64_t> g_held_back{0};
std::atomic<int> g_break{0};
std::atomic<unsigned> g_delay{0};
std::atomic<uint64_t> g_timer_step{32}, g_timer_fast{0};
std::atomic<uint64_t> g_memory{uint64_t{1} << 32};
std::string& g_slow = *new std::string;  // a call that takes so long, and no other
std::chrono::milliseconds g_slowness{0};
std::atomic<int> g_compute_mode{0};
uint8_t g_uuids[kDevices][16] = {};
bool g_started = false;
CUctx_st g_contexts[kDevices];
// A thread's contexts, the current one last. Nothing is destroyed with the thread: a process that ends still calls the
// driver when the objects of its main thread are gone.
class ContextStack {
 public:
  bool empty() const { return count_ == 0; }
  CUcontext back() const { return items_[count_ - 1]; }
  bool push(CUcontext context) {
    if (count_ == items_.size()) return false;
    items_[count_++] = context;
    return true;
  }
  void pop() { --count_; }
  void remove(CUcontext context) {
    const auto end = std::remove(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(count_), context);
    count_ = static_cast<size_t>(end - items_.begin());
  }

 private:
  std::array<CUcontext, 64> items_{};
  size_t count_ = 0;
};
static_assert(std::is_trivially_destructible_v<ContextStack>);
thread_local ContextStack t_stack;

constexpr const char* kDeviceName = "emulated CUDA device";

std::string plain(std::string symbol) {
  for (const char* suffix : {"_v2", "_v3", "WithFlags"})
    if (symbol.ends_with(suffix)) symbol.resize(symbol.size() - std::strlen(suffix));
  return symbol;
}

int number_from(const char* variable, int otherwise) {
  const char* text = std::getenv(variable);
  return text != nullptr ? std::atoi(text) : otherwise;
}

// Faults from the environment, once.
void read_environment() {
  static bool done = false;
  if (std::exchange(done, true)) return;
  const char* text = std::getenv("VD_EMULATED_FAIL");
  char call[64];
  unsigned nth = 0;
  int code = 0;
  if (text != nullptr && std::sscanf(text, "%63[^:]:%u:%d", call, &nth, &code) == 3) g_faults[call] = {nth, code};
}

}  // namespace

namespace vd::cuda {

void CUctx_st::run(const std::function<void()>& work) {
  {
    const std::shared_lock lock(running_);
    if (ends()) return;
    work();
    if (!ends()) return;
  }
  const std::unique_lock lock(running_);
  error = code_.load();
}

void CUctx_st::end(int code) {
  int none = 0;
  code_.compare_exchange_strong(none, code);
}

void CUctx_st::begin_anew() {
  code_ = 0;
  error = 0;
}

}  // namespace vd::cuda

namespace vd::cuda::emulated {

Exclusive::Exclusive() : alone_(g_exclusive) { drain_all(); }

CUresult begin(const char* symbol, bool needs_context) {
  { const std::shared_lock wait(g_exclusive); }
  std::chrono::milliseconds slowness{0};
  {
    const std::lock_guard lock(g_mutex);
    read_environment();
    const std::string name = plain(symbol);
    ++g_calls[name];
    if (name == g_slow) slowness = g_slowness;
    if (const auto found = g_faults.find(name); found != g_faults.end() && --found->second.nth == 0) {
      const int code = found->second.code;
      g_faults.erase(found);
      return static_cast<CUresult>(code);
    }
    if (const CUresult capture = check_capture(name); capture != CUDA_SUCCESS) return capture;
    if (!g_started && name != "cuInit" && name != "cuDriverGetVersion")
      return static_cast<CUresult>(3);  // not initialised
  }
  if (slowness.count() != 0) std::this_thread::sleep_for(slowness);
  if (!needs_context) return CUDA_SUCCESS;
  const CUcontext context = current();
  if (context == nullptr || context->references == 0) return CUDA_ERROR_INVALID_CONTEXT;
  return static_cast<CUresult>(context->error.load());
}

CUcontext current() { return t_stack.empty() ? nullptr : t_stack.back(); }
void live(int change) { g_live += change; }
void held_back() { ++g_held_back; }
int take_break() { return g_break.exchange(0); }
unsigned delay() { return g_delay; }
uint64_t timer_step() { return g_timer_step; }
uint64_t timer_fast() { return g_timer_fast; }
uint64_t memory_size() { return g_memory; }

}  // namespace vd::cuda::emulated

#define VD_CONTROL extern "C" __attribute__((visibility("default")))
VD_CONTROL void vd_emulated_fail(const char* call, unsigned nth, int code) {
  const std::lock_guard lock(g_mutex);
  if (nth == 0)
    g_faults.erase(call);
  else
    g_faults[call] = {nth, code};
}
VD_CONTROL void vd_emulated_break_next_kernel(int code) { g_break = code; }
VD_CONTROL uint64_t vd_emulated_calls(const char* call) {
  const std::lock_guard lock(g_mutex);
  if (call != nullptr) return g_calls[call];
  uint64_t sum = 0;
  for (const auto& [name, count] : g_calls) sum += count;
  return sum;
}
VD_CONTROL uint64_t vd_emulated_live() { return static_cast<uint64_t>(g_live.load()); }
VD_CONTROL uint64_t vd_emulated_held_back() { return g_held_back; }
VD_CONTROL void vd_emulated_delay(unsigned microseconds) { g_delay = microseconds; }
VD_CONTROL void vd_emulated_timer(uint64_t step, uint64_t fast) {
  g_timer_fast = fast;
  g_timer_step = step;
}
VD_CONTROL void vd_emulated_memory(uint64_t bytes) { g_memory = bytes; }
VD_CONTROL void vd_emulated_slow(const char* call, unsigned milliseconds) {
  const std::lock_guard lock(g_mutex);
  g_slow = call;
  g_slowness = std::chrono::milliseconds(milliseconds);
}
VD_CONTROL void vd_emulated_compute_mode(int mode) { g_compute_mode = mode; }
VD_CONTROL void vd_emulated_uuid(int device, const uint8_t* bytes) {
  const std::lock_guard lock(g_mutex);
  std::memcpy(g_uuids[device], bytes, sizeof(g_uuids[device]));
}
VD_CONTROL unsigned vd_emulated_references(int device) { return g_contexts[device].references; }

VD_ENTRY(cuInit, unsigned) {
  VD_BEGIN_ANYWHERE(cuInit);
  if (const char* visible = std::getenv("CUDA_VISIBLE_DEVICES"); visible != nullptr && *visible == '\0')
    return CUDA_ERROR_NO_DEVICE;
  const std::lock_guard lock(g_mutex);
  g_started = true;
  for (int i = 0; i < kDevices; ++i) g_contexts[i].device = i;
  return CUDA_SUCCESS;
}
VD_ENTRY(cuDriverGetVersion, int* version) {
  VD_BEGIN_ANYWHERE(cuDriverGetVersion);
  *version = number_from("VD_EMULATED_DRIVER", 13770);
  return CUDA_SUCCESS;
}

namespace {
struct Name {
  int code;
  const char *name, *text;
};
constexpr Name kNames[] = {
    {0, "CUDA_SUCCESS", "no error"},
    {1, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {3, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {34, "CUDA_ERROR_STUB_LIBRARY", "CUDA driver is a stub library"},
    {46, "CUDA_ERROR_DEVICE_UNAVAILABLE", "CUDA-capable device(s) is/are busy or unavailable"},
    {100, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {101, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {200, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {201, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {209, "CUDA_ERROR_NO_BINARY_FOR_GPU", "no kernel image is available for execution on the device"},
    {400, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {500, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {600, "CUDA_ERROR_NOT_READY", "device not ready"},
    {700, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "too many resources requested for launch"},
    {702, "CUDA_ERROR_LAUNCH_TIMEOUT", "the launch timed out and was terminated"},
    {712, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED", "part or all of the memory is registered already"},
    {719, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", "operation not permitted when stream is capturing"},
    {901, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED", "operation failed due to a previous error during capture"},
    {905, "CUDA_ERROR_STREAM_CAPTURE_ISOLATION", "dependency created on uncaptured work in another stream"},
    {999, "CUDA_ERROR_UNKNOWN", "unknown error"},
};
const Name* find(CUresult code) {
  const auto* found = std::find_if(std::begin(kNames), std::end(kNames), [&](const Name& n) { return n.code == code; });
  return found == std::end(kNames) ? nullptr : found;
}
}  // namespace

VD_ENTRY(cuGetErrorName, CUresult error, const char** text) {
  const Name* name = find(error);
  *text = name != nullptr ? name->name : nullptr;
  return name != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
VD_ENTRY(cuGetErrorString, CUresult error, const char** text) {
  const Name* name = find(error);
  *text = name != nullptr ? name->text : nullptr;
  return name != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
VD_ENTRY(cuDeviceGetCount, int* count) {
  VD_BEGIN_ANYWHERE(cuDeviceGetCount);
  *count = std::clamp(number_from("VD_EMULATED_DEVICES", kDevices), 0, kDevices);
  return CUDA_SUCCESS;
}
VD_ENTRY(cuDeviceGet, CUdevice* device, int ordinal) {
  VD_BEGIN_ANYWHERE(cuDeviceGet);
  if (ordinal < 0 || ordinal >= kDevices) return static_cast<CUresult>(101);
  *device = ordinal;
  return CUDA_SUCCESS;
}
VD_ENTRY(cuDeviceGetName, char* name, int size, CUdevice device) {
  VD_BEGIN_ANYWHERE(cuDeviceGetName);
  const char* other = std::getenv("VD_EMULATED_NAME");
  std::snprintf(name, static_cast<size_t>(size), "%s %d", other != nullptr ? other : kDeviceName, device);
  return CUDA_SUCCESS;
}
VD_ENTRY(cuDeviceGetUuid_v2, CUuuid* uuid, CUdevice device) {
  VD_BEGIN_ANYWHERE(cuDeviceGetUuid_v2);
  constexpr uint8_t kNone[16] = {};
  const std::lock_guard lock(g_mutex);
  if (std::memcmp(g_uuids[device], kNone, sizeof(kNone)) != 0) {
    std::memcpy(uuid->bytes, g_uuids[device], sizeof(kNone));
    return CUDA_SUCCESS;
  }
  std::memcpy(uuid->bytes, "emulated-device-", 16);
  uuid->bytes[15] = static_cast<uint8_t>(device + 1);
  return CUDA_SUCCESS;
}
VD_ENTRY(cuDeviceTotalMem_v2, size_t* bytes, CUdevice) {
  VD_BEGIN_ANYWHERE(cuDeviceTotalMem_v2);
  *bytes = memory_size();
  return CUDA_SUCCESS;
}
VD_ENTRY(cuDeviceGetAttribute, int* value, CUdevice_attribute attribute, CUdevice) {
  VD_BEGIN_ANYWHERE(cuDeviceGetAttribute);
  switch (static_cast<int>(attribute)) {
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X:
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X + 1:
      *value = 1024;
      break;
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X + 2:
      *value = 64;
      break;
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X:
      *value = 0x7fffffff;
      break;
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X + 1:
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X + 2:
      *value = 65535;
      break;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK:
      *value = 48 * 1024;
      break;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
      *value = kMostShared;
      break;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR:
      *value = 228 * 1024;
      break;
    case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR:
      *value = 65536;
      break;
    case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_WIDTH + 2:
    case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_WIDTH + 1:
    case CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_LAYERED_WIDTH + 1:
    case CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_WIDTH + 2:
      *value = 2048;
      break;
    case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH:
    case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH + 1:
    case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH + 2:
    case CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_WIDTH:
    case CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_WIDTH + 1:
    case CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_WIDTH + 2:
      *value = 16384;
      break;
    case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_WIDTH:
    case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH:
    case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH + 1:
    case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_WIDTH:
    case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_WIDTH + 1:
    case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_WIDTH:
    case CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_WIDTH:
    case CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_WIDTH:
    case CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_WIDTH + 1:
    case CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_LAYERED_WIDTH:
    case CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_WIDTH:
    case CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_WIDTH + 1:
    case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH:
    case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH + 1:
    case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH:
      *value = 32768;
      break;
    case 20:  // the compute mode
      *value = g_compute_mode;
      break;
    case CU_DEVICE_ATTRIBUTE_WARP_SIZE:
      *value = 32;
      break;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
      *value = number_from("VD_EMULATED_MULTIPROCESSORS", 2);
      break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
      *value = number_from("VD_EMULATED_ARCHITECTURE", 90) / 10;
      break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
      *value = number_from("VD_EMULATED_ARCHITECTURE", 90) % 10;
      break;
    case CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH:
      *value = number_from("VD_EMULATED_ARCHITECTURE", 90) >= 90;
      break;
    case CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING:
    case CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_TIMELINE_SEMAPHORE_INTEROP_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS:
      *value = 1;
      break;
    default:
      *value = 0;
  }
  return CUDA_SUCCESS;
}
VD_ENTRY(cuDevicePrimaryCtxRetain, CUcontext* context, CUdevice device) {
  VD_BEGIN_ANYWHERE(cuDevicePrimaryCtxRetain);
  const std::lock_guard lock(g_mutex);
  *context = &g_contexts[device];
  if ((*context)->references++ == 0) (*context)->begin_anew();
  return CUDA_SUCCESS;
}
VD_ENTRY(cuDevicePrimaryCtxRelease_v2, CUdevice device) {
  VD_BEGIN_ANYWHERE(cuDevicePrimaryCtxRelease_v2);
  const std::lock_guard lock(g_mutex);
  if (g_contexts[device].references == 0) return CUDA_ERROR_INVALID_CONTEXT;
  --g_contexts[device].references;
  return CUDA_SUCCESS;
}
VD_ENTRY(cuCtxCreate_v2, CUcontext* context, unsigned, CUdevice device) {
  VD_BEGIN_ANYWHERE(cuCtxCreate_v2);
  if (device < 0 || device >= kDevices) return static_cast<CUresult>(101);
  auto made = std::make_unique<CUctx_st>();
  made->device = device;
  made->references = 1;
  if (!t_stack.push(made.get())) return CUDA_ERROR_OUT_OF_MEMORY;
  *context = made.release();
  live(1);
  return CUDA_SUCCESS;
}
VD_ENTRY(cuCtxDestroy_v2, CUcontext context) {
  VD_BEGIN_ANYWHERE(cuCtxDestroy_v2);
  t_stack.remove(context);
  delete context;
  live(-1);
  return CUDA_SUCCESS;
}
VD_ENTRY(cuCtxSynchronize) {
  VD_BEGIN(cuCtxSynchronize);
  drain_all();
  return CUDA_SUCCESS;
}
VD_ENTRY(cuCtxGetDevice, CUdevice* device) {
  VD_BEGIN(cuCtxGetDevice);
  *device = current()->device;
  return CUDA_SUCCESS;
}
VD_ENTRY(cuCtxGetCurrent, CUcontext* context) {
  VD_BEGIN_ANYWHERE(cuCtxGetCurrent);
  *context = current();
  return CUDA_SUCCESS;
}
VD_ENTRY(cuCtxSetCurrent, CUcontext context) {
  VD_BEGIN_ANYWHERE(cuCtxSetCurrent);
  if (!t_stack.empty()) t_stack.pop();
  return context == nullptr || t_stack.push(context) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}
VD_ENTRY(cuCtxPushCurrent_v2, CUcontext context) {
  VD_BEGIN_ANYWHERE(cuCtxPushCurrent_v2);
  if (context == nullptr || context->references == 0) return CUDA_ERROR_INVALID_CONTEXT;
  return t_stack.push(context) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}
VD_ENTRY(cuCtxPopCurrent_v2, CUcontext* context) {
  VD_BEGIN_ANYWHERE(cuCtxPopCurrent_v2);
  if (t_stack.empty()) return CUDA_ERROR_INVALID_CONTEXT;
  *context = t_stack.back();
  t_stack.pop();
  return CUDA_SUCCESS;
}
// A real NVRTC asks for the driver's inner tables once a driver is loaded.
VD_ENTRY(cuGetExportTable, const void** table, const void*) {
  static const size_t kEmpty[64] = {sizeof(size_t)};
  *table = kEmpty;
  return CUDA_ERROR_NOT_FOUND;
}
