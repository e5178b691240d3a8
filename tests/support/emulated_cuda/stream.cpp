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
std::set<CUstream> g_streams;

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
  push_always([work = std::move(work), this] { context->run(work); });
}

void CUstream_st::push_always(std::function<void()> task) {
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

VD_ENTRY(cuStreamCreate, CUstream* stream, unsigned) {
  VD_BEGIN(cuStreamCreate);
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
VD_ENTRY(cuStreamSynchronize, CUstream stream) {
  VD_BEGIN(cuStreamSynchronize);
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
VD_ENTRY(cuEventRecord, CUevent event, CUstream stream) {
  VD_BEGIN(cuEventRecord);
  auto token = std::make_shared<Token>();
  event->token = token;
  stream->push_always([token] { token->finish(); });
  return CUDA_SUCCESS;
}
VD_ENTRY(cuEventQuery, CUevent event) {
  VD_BEGIN(cuEventQuery);
  return !event->token || event->token->is_done() ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}
VD_ENTRY(cuLaunchHostFunc, CUstream stream, CUhostFn function, void* data) {
  VD_BEGIN(cuLaunchHostFunc);
  stream->push([function, data] { function(data); });
  return CUDA_SUCCESS;
}
VD_ENTRY(cuStreamWaitEvent, CUstream stream, CUevent event, unsigned) {
  VD_BEGIN(cuStreamWaitEvent);
  if (auto token = event->token) stream->push_always([token] { token->wait(); });
  return CUDA_SUCCESS;
}
