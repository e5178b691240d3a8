// Work that does not end before a test lets it, in front of what the test gives to the same queue.
//
// A kernel waits for a word that the host writes. The test reaches the word by its address: on the host that is the host's
// own, and Vulkan drivers that run on the CPU give device addresses that are. CUDA's stream waits for such a word by
// itself: an atomic of the device's on the host's memory may write back what it read before the host's own write. OpenCL
// has an event for it.
#pragma once

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <thread>

#include "api/cuda_types.h"
#include "api/support.h"

namespace api {

class Gate {
 public:
  // `ctx` of one device, on its queue 0.
  explicit Gate(vd_context* ctx) {
    vd_device_info info = VD_DEVICE_INFO_INIT;
    EXPECT_OK(vd_context_get_device(ctx, 0, &info));
    if (info.backend == VD_BACKEND_OPENCL)
      close_opencl(ctx);
    else if (info.backend == VD_BACKEND_CUDA)
      close_cuda(ctx);
    else if (info.backend != VD_BACKEND_VULKAN || info.type == VD_DEVICE_CPU)
      close_kernel(ctx);
  }
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  ~Gate() {
    open();
    if (event_ != nullptr) release_(event_);
  }

  // Whether this device has one.
  bool works() const { return word_ != nullptr || event_ != nullptr; }
  void open() {
    if (word_ != nullptr) __atomic_store_n(word_, 1u, __ATOMIC_SEQ_CST);
    if (event_ != nullptr && !opened_) complete_(event_, 0);
    opened_ = true;
  }

 private:
  using Event = void*;

  void close_kernel(vd_context* ctx) {
    static constexpr char kText[] =
        "kernel \"gate\" workgroup_size 64 1 1\nargument 0 buffer u32 \"word\"\n{\n%0: storage u32 = index @0, u32 0\n"
        "while {\n%1: u32 = atomic_or %0, u32 0\n%2: bool = eq %1, u32 0\n} %2 {\n}\n}\n";
    Kernel kernel;
    ASSERT_OK(vd_kernel_parse(kText, sizeof(kText) - 1, kernel.out()));
    plan_ = make_plan(ctx, kernel);
    uint32_t* const word = make_word(ctx);
    ASSERT_NE(word, nullptr);
    const vd_binding binding = VD_BINDING_OF(buffer_, 0, VD_WHOLE_SIZE);
    vd_launch_desc launch = VD_LAUNCH_DESC_INIT;
    // lavapipe ends every loop after 65536 iterations, and counts lanes without an invocation too: so there are many
    // workgroups, and each fills its lanes.
    launch.workgroups[0] = 1000;
    launch.bindings = &binding;
    launch.binding_count = 1;
    ASSERT_OK(vd_plan_launch(plan_, &launch, nullptr));
    word_ = word;
  }

  // The host's address of a word that is 0, in memory that both sides reach; null after a failure.
  uint32_t* make_word(vd_context* ctx) {
    const uint32_t closed = 0;
    vd_buffer_desc desc = VD_BUFFER_DESC_INIT;
    desc.flags = VD_BUFFER_HOST;
    desc.size = sizeof(closed);
    desc.data = &closed;
    EXPECT_OK(vd_buffer_create(ctx, &desc, buffer_.out()));
    uint64_t address = 0, offset = 0;
    EXPECT_OK(vd_buffer_get_native(buffer_, "address", 0, &address, &offset));
    EXPECT_OK(vd_context_wait_idle(ctx, VD_QUEUE_ALL, VD_WAIT_FOREVER));
    return reinterpret_cast<uint32_t*>(address);
  }

  void close_cuda(vd_context* ctx) {
    uint64_t context = 0, stream = 0;
    ASSERT_OK(vd_context_get_native(ctx, 0, "CUcontext", &context));
    ASSERT_OK(vd_context_get_queue_native(ctx, 0, "CUstream", &stream));
    uint32_t* const word = make_word(ctx);
    ASSERT_NE(word, nullptr);
    void* library = dlopen("libcuda.so.1", RTLD_NOW);
    ASSERT_NE(library, nullptr);
    using vd::cuda::CUctx_st;
    using vd::cuda::CUresult;
    using vd::cuda::CUstream_st;
    const auto push = symbol<CUresult (*)(CUctx_st*)>(library, "cuCtxPushCurrent_v2");
    const auto pop = symbol<CUresult (*)(CUctx_st**)>(library, "cuCtxPopCurrent_v2");
    const auto wait =
        symbol<CUresult (*)(CUstream_st*, unsigned long long, uint32_t, unsigned)>(library, "cuStreamWaitValue32_v2");
    constexpr CUresult kSuccess{0};
    ASSERT_EQ(push(reinterpret_cast<CUctx_st*>(context)), kSuccess);
    constexpr unsigned kAtLeast = 0;
    const CUresult result = wait(reinterpret_cast<CUstream_st*>(stream), reinterpret_cast<uint64_t>(word), 1, kAtLeast);
    CUctx_st* popped = nullptr;
    EXPECT_EQ(pop(&popped), kSuccess);
    ASSERT_EQ(result, kSuccess);
    word_ = word;
  }

  void close_opencl(vd_context* ctx) {
    uint64_t context = 0, queue = 0;
    ASSERT_OK(vd_context_get_native(ctx, 0, "cl_context", &context));
    ASSERT_OK(vd_context_get_queue_native(ctx, 0, "cl_command_queue", &queue));
    void* library = dlopen("libOpenCL.so.1", RTLD_NOW);
    ASSERT_NE(library, nullptr);
    const auto create = symbol<Event (*)(void*, int*)>(library, "clCreateUserEvent");
    const auto barrier =
        symbol<int (*)(void*, unsigned, const Event*, Event*)>(library, "clEnqueueBarrierWithWaitList");
    complete_ = symbol<int (*)(Event, int)>(library, "clSetUserEventStatus");
    release_ = symbol<int (*)(Event)>(library, "clReleaseEvent");
    int result = 0;
    const Event event = create(reinterpret_cast<void*>(context), &result);
    ASSERT_EQ(result, 0);
    ASSERT_EQ(barrier(reinterpret_cast<void*>(queue), 1, &event, nullptr), 0);
    event_ = event;
  }

  template <class F>
  static F symbol(void* library, const char* name) {
    void* found = dlsym(library, name);
    EXPECT_NE(found, nullptr) << name;
    F function;
    std::memcpy(&function, &found, sizeof(function));
    return function;
  }

  Plan plan_;
  Buffer buffer_;
  uint32_t* word_ = nullptr;
  Event event_ = nullptr;
  int (*complete_)(Event, int) = nullptr;
  int (*release_)(Event) = nullptr;
  std::atomic<bool> opened_{false};
};

// Opens a gate when the test has been held up by it for so long, and says so.
class Watchdog {
 public:
  explicit Watchdog(Gate& gate)
      : thread_([this, &gate] {
          std::unique_lock lock(mutex_);
          if (over_.wait_for(lock, std::chrono::seconds(20), [this] { return stop_; })) return;
          barked_ = true;
          gate.open();
        }) {}
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
  ~Watchdog() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    over_.notify_one();
    thread_.join();
  }
  bool barked() {
    const std::lock_guard lock(mutex_);
    return barked_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable over_;
  bool stop_ = false, barked_ = false;
  std::thread thread_;
};

// Counts calls, with what they brought. Outlives them.
class Calls {
 public:
  struct Call {
    vd_status status;
    std::string message;
    std::thread::id thread;
  };
  static void receive(vd_status status, const char* message, void* user) {
    auto& self = *static_cast<Calls*>(user);
    const std::lock_guard lock(self.mutex_);
    self.calls_.push_back({status, message, std::this_thread::get_id()});
    self.changed_.notify_all();
  }
  // All calls so far, as soon as there are `count`; in place of those that do not come, VD_TIMEOUT.
  std::vector<Call> wait(size_t count) {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, std::chrono::seconds(60), [&] { return calls_.size() >= count; }))
        << calls_.size() << " of " << count << " calls have come";
    std::vector<Call> calls = calls_;
    calls.resize(std::max(count, calls.size()), {VD_TIMEOUT, "did not come", {}});
    return calls;
  }
  size_t count() {
    const std::lock_guard lock(mutex_);
    return calls_.size();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Call> calls_;
};

}  // namespace api
