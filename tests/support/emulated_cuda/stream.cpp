// The emulated driver's streams: a thread each, so that what ought to be waited for really is not done yet.
#include <algorithm>
#include <chrono>
#include <set>

#include "support/emulated_cuda/state.h"

using namespace vd::cuda;
using namespace vd::cuda::emulated;

namespace vd::cuda {

void Token::finish() {
  {
    const std::lock_guard lock(mutex);
    done = true;
  }
  changed.notify_all();
}
void Token::wait() {
  std::unique_lock lock(mutex);
  changed.wait(lock, [this] { return done; });
}
bool Token::is_done() {
  const std::lock_guard lock(mutex);
  return done;
}

namespace {

std::mutex g_stream_mutex;
std::set<CUstream>& g_streams = *new std::set<CUstream>;

}  // namespace

void emulated::drain_all() {
  const std::lock_guard lock(g_stream_mutex);
  for (CUstream stream : g_streams) stream->drain();
}

CUstream_st::CUstream_st(CUcontext owner) : context(owner), worker_([this] { run(); }) {
  const std::lock_guard lock(g_stream_mutex);
  g_streams.insert(this);
}

CUstream_st::~CUstream_st() {
  {
    const std::lock_guard lock(g_stream_mutex);
    g_streams.erase(this);
  }
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  worker_.join();
}

// As a driver, it has room for so much work in flight, and holds its caller back when there is more.
constexpr size_t kRoom = 1024;

void CUstream_st::push(std::function<void()> work) {
  if (captures()) return add_captured(std::move(work));  // the graph's launch looks at the context
  push_always([work = std::move(work), this] { context->run(work); });
}

void CUstream_st::add_captured(std::function<void()> work) {
  if (capture->aborted) return;
  auto node = std::make_unique<CUgraphNode_st>();
  if (!capture->graph->nodes.empty()) node->after.push_back(capture->graph->nodes.back().get());
  node->run = std::move(work);
  capture->graph->known.insert(node.get());
  capture->graph->nodes.push_back(std::move(node));
}

void CUstream_st::push_always(std::function<void()> task) {
  if (captures()) return add_captured(std::move(task));
  {
    std::unique_lock lock(mutex_);
    if (tasks_.size() >= kRoom) held_back();
    room_.wait(lock, [this] { return tasks_.size() < kRoom; });
    tasks_.push_back(std::move(task));
  }
  wake_.notify_one();
}

bool CUstream_st::idle() {
  const std::lock_guard lock(mutex_);
  return tasks_.empty() && !busy_;
}

void CUstream_st::drain() {
  std::unique_lock lock(mutex_);
  quiet_.wait(lock, [this] { return tasks_.empty() && !busy_; });
}

void CUstream_st::run() {
  unsigned random = 1;
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return stop_ || !tasks_.empty(); });
    if (tasks_.empty()) return;
    auto task = std::move(tasks_.front());
    tasks_.pop_front();
    busy_ = true;
    lock.unlock();
    room_.notify_all();
    random = random * 1664525u + 1013904223u;
    if (const unsigned most = delay(); most != 0)
      std::this_thread::sleep_for(std::chrono::microseconds(random / 65536 % most));
    task();
    task = nullptr;
    lock.lock();
    busy_ = false;
    if (tasks_.empty()) quiet_.notify_all();
  }
}

}  // namespace vd::cuda

namespace vd::cuda::emulated {

namespace {

std::atomic<int> g_captures{0};  // that a call may end
thread_local CUstreamCaptureMode t_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;

}  // namespace

CUstream resolve(CUstream stream) {
  if (reinterpret_cast<uintptr_t>(stream) > 2) return stream;
  static std::mutex mutex;
  static std::map<CUcontext, CUstream> defaults;  // as long as the process, like a driver's
  const std::lock_guard lock(mutex);
  CUstream& own = defaults[current()];
  if (own == nullptr) own = new CUstream_st(current());
  return own;
}

CUresult check_capture(const std::string& name) {
  static const std::set<std::string> kUnsafe{"cuMemAlloc",    "cuMemFree",          "cuMemHostAlloc",
                                             "cuMemFreeHost", "cuEventQuery",       "cuModuleLoadDataEx",
                                             "cuStreamQuery", "cuStreamSynchronize"};
  if (g_captures == 0 || t_mode == CU_STREAM_CAPTURE_MODE_RELAXED || !kUnsafe.contains(name)) return CUDA_SUCCESS;
  const std::lock_guard lock(g_stream_mutex);
  bool ended = false;
  for (CUstream stream : g_streams) {
    if (!stream->captures() || stream->capture->aborted) continue;
    const bool mine = stream->capture->thread == std::this_thread::get_id();
    if (stream->capture->mode == CU_STREAM_CAPTURE_MODE_RELAXED) continue;
    if (!mine && stream->capture->mode == CU_STREAM_CAPTURE_MODE_THREAD_LOCAL) continue;
    stream->capture->aborted = ended = true;
  }
  return ended ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : CUDA_SUCCESS;
}

namespace {

// Work for a capturing stream: an aborted capture takes none.
CUresult state_of(CUstream stream) {
  return stream->captures() && stream->capture->aborted ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED : CUDA_SUCCESS;
}

}  // namespace
}  // namespace vd::cuda::emulated

VD_ENTRY(cuStreamBeginCapture_v2, CUstream stream, CUstreamCaptureMode mode) {
  VD_BEGIN(cuStreamBeginCapture_v2);
  if (reinterpret_cast<uintptr_t>(stream) < 2) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;  // the default stream
  if (stream->captures()) return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
  stream->capture = std::make_unique<CUstream_st::Capture>();
  stream->capture->mode = mode;
  stream->capture->thread = std::this_thread::get_id();
  stream->capture->graph = new CUgraph_st{};
  live(1);
  ++g_captures;
  return CUDA_SUCCESS;
}
VD_ENTRY(cuStreamEndCapture, CUstream stream, CUgraph* graph) {
  VD_BEGIN(cuStreamEndCapture);
  if (!stream->captures()) return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
  const auto capture = std::move(stream->capture);
  --g_captures;
  *graph = capture->aborted ? nullptr : capture->graph;
  if (!capture->aborted) return CUDA_SUCCESS;
  delete capture->graph;
  live(-1);
  return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
}
VD_ENTRY(cuStreamIsCapturing, CUstream handle, CUstreamCaptureStatus* status) {
  VD_BEGIN(cuStreamIsCapturing);
  CUstream stream = resolve(handle);
  *status = !stream->captures()        ? CU_STREAM_CAPTURE_STATUS_NONE
            : stream->capture->aborted ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
                                       : CU_STREAM_CAPTURE_STATUS_ACTIVE;
  return CUDA_SUCCESS;
}
VD_ENTRY(cuThreadExchangeStreamCaptureMode, CUstreamCaptureMode* mode) {
  VD_BEGIN_ANYWHERE(cuThreadExchangeStreamCaptureMode);
  std::swap(*mode, t_mode);
  return CUDA_SUCCESS;
}
VD_ENTRY(cuStreamGetCtx, CUstream handle, CUcontext* context) {
  VD_BEGIN(cuStreamGetCtx);
  CUstream stream = resolve(handle);
  {
    const std::lock_guard lock(g_stream_mutex);
    if (!g_streams.contains(stream)) return CUDA_ERROR_INVALID_HANDLE;
  }
  *context = stream->context;
  return CUDA_SUCCESS;
}
VD_ENTRY(cuLaunchHostFunc, CUstream handle, CUhostFn work, void* user) {
  VD_BEGIN(cuLaunchHostFunc);
  resolve(handle)->push([=] { work(user); });
  return CUDA_SUCCESS;
}
VD_ENTRY(cuStreamCreate, CUstream* stream, unsigned) {
  VD_BEGIN(cuStreamCreate);
  *stream = new CUstream_st(current());
  live(1);
  return CUDA_SUCCESS;
}
VD_ENTRY(cuStreamCreateWithPriority, CUstream* stream, unsigned, int) {
  VD_BEGIN(cuStreamCreateWithPriority);
  *stream = new CUstream_st(current());
  live(1);
  return CUDA_SUCCESS;
}
VD_ENTRY(cuStreamDestroy_v2, CUstream stream) {
  VD_BEGIN_ANYWHERE(cuStreamDestroy_v2);
  delete stream;
  live(-1);
  return CUDA_SUCCESS;
}
VD_ENTRY(cuStreamSynchronize, CUstream handle) {
  VD_BEGIN(cuStreamSynchronize);
  CUstream stream = resolve(handle);
  if (stream->captures()) {
    stream->capture->aborted = true;
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  }
  stream->drain();
  return static_cast<CUresult>(stream->context->error.load());
}
VD_ENTRY(cuStreamQuery, CUstream stream) {
  VD_BEGIN(cuStreamQuery);
  return stream->idle() ? static_cast<CUresult>(stream->context->error.load()) : CUDA_ERROR_NOT_READY;
}
VD_ENTRY(cuStreamWriteValue64_v2, CUstream stream, CUdeviceptr address, uint64_t value, unsigned) {
  VD_BEGIN(cuStreamWriteValue64_v2);
  if (!is_memory(address, sizeof(value)) || address % sizeof(value) != 0) return CUDA_ERROR_INVALID_VALUE;
  stream->push([=] { __atomic_store_n(reinterpret_cast<uint64_t*>(address), value, __ATOMIC_RELEASE); });
  return CUDA_SUCCESS;
}
VD_ENTRY(cuStreamWaitValue32_v2, CUstream stream, CUdeviceptr address, uint32_t value, unsigned) {
  VD_BEGIN(cuStreamWaitValue32_v2);
  if (!is_memory(address, sizeof(value)) || address % sizeof(value) != 0) return CUDA_ERROR_INVALID_VALUE;
  stream->push([=] {
    const auto* word = reinterpret_cast<const uint32_t*>(address);
    // The device waits until the word is the value or has gone past it.
    while (static_cast<int32_t>(__atomic_load_n(word, __ATOMIC_ACQUIRE) - value) < 0)
      std::this_thread::sleep_for(std::chrono::microseconds(100));
  });
  return CUDA_SUCCESS;
}
VD_ENTRY(cuEventCreate, CUevent* event, unsigned) {
  VD_BEGIN(cuEventCreate);
  *event = new CUevent_st{};
  live(1);
  return CUDA_SUCCESS;
}
VD_ENTRY(cuEventDestroy_v2, CUevent event) {
  VD_BEGIN_ANYWHERE(cuEventDestroy_v2);
  delete event;
  live(-1);
  return CUDA_SUCCESS;
}
VD_ENTRY(cuEventRecord, CUevent event, CUstream handle) {
  VD_BEGIN(cuEventRecord);
  CUstream stream = resolve(handle);
  if (const CUresult state = state_of(stream); state != CUDA_SUCCESS) return state;
  auto token = std::make_shared<Token>();
  event->token = token;
  event->captured = stream->captures() ? stream : nullptr;
  if (stream->captures()) return CUDA_SUCCESS;
  stream->push_always([token] { token->finish(); });
  return CUDA_SUCCESS;
}
VD_ENTRY(cuEventQuery, CUevent event) {
  VD_BEGIN(cuEventQuery);
  return !event->token || event->token->is_done() ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}
VD_ENTRY(cuStreamWaitEvent, CUstream handle, CUevent event, unsigned) {
  VD_BEGIN(cuStreamWaitEvent);
  CUstream stream = resolve(handle);
  if (const CUresult state = state_of(stream); state != CUDA_SUCCESS) return state;
  if (event->captured == stream) return CUDA_SUCCESS;
  // Neither does a capture wait for what runs now, nor the other way round.
  if (event->captured != nullptr || stream->captures()) {
    (stream->captures() ? stream : event->captured)->capture->aborted = true;
    return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
  }
  if (auto token = event->token) stream->push_always([token] { token->wait(); });
  return CUDA_SUCCESS;
}
