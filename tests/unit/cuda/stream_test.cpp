// Streams and memory of the program's: work of ours among theirs, graphs that they capture, and buffers over their memory.
#include <dlfcn.h>

#include <atomic>
#include <chrono>
#include <future>
#include <thread>

#include "unit/cuda/fixture.h"

namespace vd::cuda {
namespace {

// The driver's entry points that only programs use.
struct Theirs {
  CUresult (*launch_host)(CUstream stream, void (*work)(void*), void* user) = nullptr;
  CUresult (*begin_capture)(CUstream stream, CUstreamCaptureMode mode) = nullptr;
  CUresult (*end_capture)(CUstream stream, CUgraph* graph) = nullptr;
};

Theirs load_theirs() {
  Theirs theirs;
  control();  // which opens the emulated driver
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  const auto get = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    EXPECT_NE(function, nullptr) << name;
  };
  if (library == nullptr) {
    ADD_FAILURE() << dlerror();
    return theirs;
  }
  get(theirs.launch_host, "cuLaunchHostFunc");
  get(theirs.begin_capture, "cuStreamBeginCapture_v2");
  get(theirs.end_capture, "cuStreamEndCapture");
  return theirs;
}

// Work that ends when it is told to.
class Gate {
 public:
  static void wait(void* gate) { static_cast<Gate*>(gate)->opened_.get_future().wait(); }
  void open() { opened_.set_value(); }

 private:
  std::promise<void> opened_;
};

class CudaStream : public CudaTest {
 protected:
  void SetUp() override {
    device_ = open_fresh({}, "", 2);
    current_.emplace(device().gpu());
    ASSERT_EQ(cu().cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    handle_ = reinterpret_cast<uint64_t>(stream_);
    queue().check_stream(handle_, "stream");
  }
  void TearDown() override {
    if (stream_ != nullptr) {
      cu().cuStreamSynchronize(stream_);
      cu().cuStreamDestroy(stream_);
    }
    for (CUdeviceptr memory : memories_) cu().cuMemFree(memory);
    current_.reset();
    CudaTest::TearDown();
  }

  static const Driver& cu() { return Driver::get(); }
  static const Theirs& theirs() {
    static const Theirs loaded = load_theirs();
    return loaded;
  }

  CUdeviceptr allocate(uint64_t size) {
    CUdeviceptr memory = 0;
    EXPECT_EQ(cu().cuMemAlloc(&memory, size), CUDA_SUCCESS);
    memories_.push_back(memory);
    return memory;
  }
  std::unique_ptr<backends::Memory> import(CUdeviceptr address, uint64_t size) {
    return device().import_memory({VD_MEMORY_KIND_CUDA, address, size, "theirs"});
  }

  // x = x * 3 + 1, given to `where`: the program's stream, or 0 for the queue's own.
  uint64_t step(backends::Queue& queue, backends::Memory& x, uint64_t where) {
    ListBuilder work;
    work.dispatch(*module_, 1, {whole(x)}, {1, 3, 1});
    queue.use_stream(where);
    const uint64_t value = queue.submit(work.list);
    queue.use_stream(0);
    return value;
  }

  // The program sets x to 5 behind a gate, has us compute x * 3 + 1, and copies the result, all on `where`.
  uint32_t among_theirs(uint64_t where) {
    const CUdeviceptr x = allocate(4), result = allocate(4);
    const auto buffer = import(x, 4);
    EXPECT_EQ(cu().cuMemsetD32Async(x, 100, 1, stream_), CUDA_SUCCESS);
    EXPECT_EQ(cu().cuStreamSynchronize(stream_), CUDA_SUCCESS);
    Gate gate;
    EXPECT_EQ(theirs().launch_host(stream_, Gate::wait, &gate), CUDA_SUCCESS);
    EXPECT_EQ(cu().cuMemsetD32Async(x, 5, 1, stream_), CUDA_SUCCESS);
    const uint64_t value = step(queue(), *buffer, where);
    EXPECT_EQ(cu().cuMemcpyAsync(result, x, 4, stream_), CUDA_SUCCESS);
    if (where == 0) queue().wait(value, VD_WAIT_FOREVER);  // nothing held it back
    gate.open();
    EXPECT_EQ(cu().cuStreamSynchronize(stream_), CUDA_SUCCESS);
    const auto copied = import(result, 4);
    return read_words(*copied).at(0);
  }

  std::shared_ptr<backends::Module> module_ = nullptr;
  std::optional<Current> current_;
  CUstream stream_ = nullptr;
  uint64_t handle_ = 0;
  std::vector<CUdeviceptr> memories_;
};

TEST_F(CudaStream, WorkRunsInTheOrderOfTheStream) {
  module_ = affine();
  EXPECT_EQ(among_theirs(handle_), 16u);
  // The control: in the queue's own order the result is another.
  EXPECT_EQ(among_theirs(0), 5u);
}

TEST_F(CudaStream, TheQueuesOwnWorkComesFirstAndLast) {
  module_ = affine();
  const auto buffer = words({1});
  Gate gate;
  ASSERT_EQ(theirs().launch_host(static_cast<Queue&>(queue()).stream(), Gate::wait, &gate), CUDA_SUCCESS);
  step(queue(), *buffer, 0);
  step(queue(), *buffer, handle_);
  const uint64_t last = step(queue(), *buffer, 0);
  EXPECT_FALSE(queue().wait(last, 0));
  gate.open();
  EXPECT_EQ(read_words(*buffer).at(0), ((1u * 3 + 1) * 3 + 1) * 3 + 1);
}

TEST_F(CudaStream, AQueueWaitsForAStreamAndAStreamForAQueue) {
  module_ = affine();
  const CUdeviceptr x = allocate(4), result = allocate(4);
  const auto buffer = import(x, 4);
  Gate gate;
  ASSERT_EQ(theirs().launch_host(stream_, Gate::wait, &gate), CUDA_SUCCESS);
  ASSERT_EQ(cu().cuMemsetD32Async(x, 7, 1, stream_), CUDA_SUCCESS);
  const uint64_t waited = queue().wait_stream(handle_);
  EXPECT_FALSE(queue().wait(waited, 0));
  step(queue(), *buffer, 0);
  queue().signal_stream(handle_);
  ASSERT_EQ(cu().cuMemcpyAsync(result, x, 4, stream_), CUDA_SUCCESS);
  gate.open();
  ASSERT_EQ(cu().cuStreamSynchronize(stream_), CUDA_SUCCESS);
  EXPECT_EQ(read_words(*import(result, 4)).at(0), 22u);
}

// A call that a graph makes keeps the place in the stream that the graph has.
TEST_F(CudaStream, CallsAreInTheOrderOfTheStream) {
  struct Steps {
    std::atomic<bool> before{false}, called{false};
    bool call_was_late = false, after_was_late = false;
  } steps;
  const auto pause = [] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); };
  ASSERT_EQ(theirs().launch_host(
                stream_,
                [](void* user) {
                  std::this_thread::sleep_for(std::chrono::milliseconds(20));
                  static_cast<Steps*>(user)->before = true;
                },
                &steps),
            CUDA_SUCCESS);
  queue().use_stream(handle_);
  const auto value = queue().call([&] {
    steps.call_was_late = steps.before;
    pause();
    steps.called = true;
  });
  queue().use_stream(0);
  ASSERT_TRUE(value.has_value());
  ASSERT_EQ(theirs().launch_host(
                stream_,
                [](void* user) {
                  auto& all = *static_cast<Steps*>(user);
                  all.after_was_late = all.called;
                },
                &steps),
            CUDA_SUCCESS);
  queue().wait(*value, VD_WAIT_FOREVER);
  EXPECT_TRUE(steps.called) << "the queue's later work comes after it, too";
  ASSERT_EQ(cu().cuStreamSynchronize(stream_), CUDA_SUCCESS);
  EXPECT_TRUE(steps.call_was_late) << "work that the stream was given before comes first";
  EXPECT_TRUE(steps.after_was_late) << "work that the stream was given later waits for it";
}

TEST_F(CudaStream, GraphsAndDefaultStreams) {
  module_ = affine();
  const auto buffer = words({1});
  ListBuilder work;
  work.dispatch(*module_, 1, {whole(*buffer)}, {1, 3, 1});
  const auto graph = device().make_executable(work.list);
  uint32_t expected = 1;
  for (const uint64_t where : {handle_, uint64_t{1}, uint64_t{2}}) {
    queue().check_stream(where, "stream");
    queue().use_stream(where);
    queue().submit(*graph, 2);
    queue().use_stream(0);
    expected = (expected * 3 + 1) * 3 + 1;
    EXPECT_EQ(read_words(*buffer).at(0), expected) << "stream " << where;
  }
}

// The emulated driver takes the last of the nodes that may run: each set of edges leaves a result of its own.
TEST_F(CudaStream, AWideGraphIsNarrowWhileItsInstanceWouldWait) {
  if (control().fail == nullptr) GTEST_SKIP() << "a real driver has an order of its own";
  module_ = affine();
  const auto buffer = words({1});
  ListBuilder work;
  for (uint32_t i = 0; i < 9; ++i) work.dispatch(*module_, 1, {whole(*buffer)}, {1, i + 2, i});
  const auto graph = device().make_executable(work.list);
  const auto after = [](uint32_t x, std::initializer_list<uint32_t> order) {
    for (const uint32_t i : order) x = x * (i + 2) + i;
    return x;
  };
  uint32_t x = 1;
  const auto submit = [&] { return queue().submit(*graph, 1); };
  Gate gate;
  ASSERT_EQ(theirs().launch_host(static_cast<Queue&>(queue()).stream(), Gate::wait, &gate), CUDA_SUCCESS);
  submit();  // returns, though the queue is held
  gate.open();
  x = after(x, {7, 6, 5, 4, 3, 2, 1, 0, 8});  // 8 behind 0
  ASSERT_EQ(read_words(*buffer).at(0), x);
  for (int turn = 0; turn < 2; ++turn) {
    submit();
    x = after(x, {8, 7, 6, 5, 4, 3, 2, 1, 0});
    EXPECT_EQ(read_words(*buffer).at(0), x);
  }
}

// A driver that loads a kernel waits for the context's work, and all other calls wait with it.
TEST_F(CudaStream, ALoadKeepsNoOtherCallWaiting) {
  module_ = affine();
  const auto buffer = words({1});
  Gate gate;
  ASSERT_EQ(theirs().launch_host(static_cast<Queue&>(queue()).stream(), Gate::wait, &gate), CUDA_SUCCESS);
  std::promise<void> begins;
  auto loaded = std::async(std::launch::async, [&] {
    begins.set_value();
    return accumulate();
  });
  begins.get_future().wait();
  for (int i = 0; i < 50; ++i) step(queue(), *buffer, 0);
  gate.open();
  EXPECT_NE(loaded.get(), nullptr);
}

TEST_F(CudaStream, StreamsOfOthersAreRefused) {
  if (control().fail != nullptr) {  // a real driver may look there
    expect_error([&] { queue().check_stream(0x1234560, "order->stream"); }, VD_ERR_INVALID,
                 "order->stream (0x1234560) is no CUDA stream");
  }
  if (device_count(cu()) < 2) GTEST_SKIP() << "there is one device";
  const auto second = open_device({1, 1}, {});
  const auto other = reinterpret_cast<uint64_t>(static_cast<Queue&>(second->queue(0)).stream());
  expect_error([&] { queue().check_stream(other, "order->stream"); }, VD_ERR_INVALID,
               "belongs to another CUDA context");
}

TEST_F(CudaStream, AFailureLeavesQueueAndStreamUsable) {
  if (control().fail == nullptr) GTEST_SKIP() << "a real driver does not fail on demand";
  module_ = affine();
  const auto buffer = words({1});
  for (const char* call : {"cuEventRecord", "cuStreamWaitEvent", "cuLaunchKernel", "cuStreamIsCapturing"}) {
    control().fail(call, 1, kInvalidValue);
    EXPECT_THROW(step(queue(), *buffer, handle_), Error) << call;
    control().fail(call, 0, 0);
    queue().use_stream(0);
  }
  step(queue(), *buffer, handle_);
  EXPECT_EQ(read_words(*buffer).at(0), 4u);
}

// ---- Captures

TEST_F(CudaStream, WorkIsCaptured) {
  module_ = affine();
  const auto buffer = words({1});
  step(queue(), *buffer, 0);  // before the graph, whenever that runs
  ASSERT_EQ(theirs().begin_capture(stream_, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_SUCCESS);
  EXPECT_TRUE(queue().is_capturing(handle_));
  step(queue(), *buffer, handle_);
  // Other work runs now, and the capture lives on: memory, kernels, reads and questions.
  const auto other = memory(64);
  const auto more = accumulate();
  EXPECT_EQ(read_words(*buffer).at(0), 4u);
  queue().reached(queue().submit(backends::CommandList{}));
  step(queue(), *buffer, handle_);
  CUgraph graph = nullptr;
  ASSERT_EQ(theirs().end_capture(stream_, &graph), CUDA_SUCCESS);
  EXPECT_EQ(read_words(*buffer).at(0), 4u);
  CUgraphExec exec = nullptr;
  ASSERT_EQ(cu().cuGraphInstantiate(&exec, graph, 0), CUDA_SUCCESS);
  uint32_t expected = 4;
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(cu().cuGraphLaunch(exec, stream_), CUDA_SUCCESS);
    queue().wait_stream(handle_);
    expected = (expected * 3 + 1) * 3 + 1;
    EXPECT_EQ(read_words(*buffer).at(0), expected);
  }
  cu().cuGraphExecDestroy(exec);
  cu().cuGraphDestroy(graph);
}

TEST_F(CudaStream, WhatCannotBeCapturedSaysSo) {
  module_ = affine();
  const auto many = many_values();
  const auto buffer = words({1, 2});
  ASSERT_EQ(theirs().begin_capture(stream_, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_SUCCESS);
  expect_error([&] { queue().wait_stream(handle_); }, VD_ERR_STATE, "is capturing");
  expect_error([&] { queue().signal_stream(handle_); }, VD_ERR_STATE, "is capturing");
  ListBuilder large;
  large.dispatch(*many, 1, {whole(*buffer)}, std::vector<uint32_t>(kManyValues, 1));
  queue().use_stream(handle_);
  expect_error([&] { queue().submit(large.list); }, VD_ERR_UNSUPPORTED, "cannot be captured");
  queue().use_stream(0);
  CUgraph graph = nullptr;
  EXPECT_EQ(theirs().end_capture(stream_, &graph), CUDA_SUCCESS);
  cu().cuGraphDestroy(graph);
}

TEST_F(CudaStream, AnAbortedCaptureEndsInAStatus) {
  module_ = affine();
  const auto buffer = words({1});
  ASSERT_EQ(theirs().begin_capture(stream_, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_SUCCESS);
  step(queue(), *buffer, handle_);
  EXPECT_NE(cu().cuStreamSynchronize(stream_), CUDA_SUCCESS);  // the program's mistake
  expect_error([&] { step(queue(), *buffer, handle_); }, VD_ERR_STATE, "was aborted");
  queue().use_stream(0);
  CUgraph graph = nullptr;
  EXPECT_NE(theirs().end_capture(stream_, &graph), CUDA_SUCCESS);
  step(queue(), *buffer, handle_);
  EXPECT_EQ(read_words(*buffer).at(0), 4u);
}

// ---- Memory

TEST_F(CudaStream, MemoryOfTheirs) {
  module_ = affine();
  const CUdeviceptr block = allocate(1024);
  const auto part = import(block + 512, 8);
  const uint32_t values[2] = {6, 9};
  test::write(queue(), whole(*part), values);
  step(queue(), *part, 0);
  EXPECT_EQ(read_words(*part), (std::vector<uint32_t>{19, 9}));
  expect_error([&] { import(block + 1000, 64); }, VD_ERR_INVALID, "desc->size (64) is past the end of the memory");
  expect_error([&] { import(reinterpret_cast<CUdeviceptr>(values), 8); }, VD_ERR_INVALID,
               "is no memory that CUDA knows");
  expect_error(
      [&] {
        device().import_memory({VD_MEMORY_KIND_NONE, block, 8, ""});
      },
      VD_ERR_UNSUPPORTED, "desc->kind (0)");
  if (device_count(cu()) < 2) return;
  const auto second = open_device({1, 1}, {});
  expect_error(
      [&] {
        second->import_memory({VD_MEMORY_KIND_CUDA, block, 8, ""});
      },
      VD_ERR_INVALID, "is memory of CUDA device 0, and the context's device is CUDA device 1");
}

// A read never uses a stream of the program's, which another thread may have set for its own work and destroy at any time.
TEST_F(CudaStream, AReadThatFailsLooksAtTheQueuesOwnStreamAlone) {
  if (control().fail == nullptr) GTEST_SKIP() << "a real driver does not fail on demand";
  const auto buffer = memory(16);
  uint32_t words[4] = {};
  queue().use_stream(handle_);
  const uint64_t before = control().calls("cuStreamSynchronize");
  control().fail("cuMemcpyDtoHAsync", 1, kInvalidValue);
  EXPECT_THROW(queue().read(whole(*buffer), words), Error);
  control().fail("cuMemcpyDtoHAsync", 0, 0);
  queue().use_stream(0);
  EXPECT_EQ(control().calls("cuStreamSynchronize"), before + 1);
}

TEST_F(CudaStream, HostMemoryIsPinnedMeanwhile) {
  module_ = affine();
  alignas(4096) static uint32_t words_of_ours[1024];
  words_of_ours[0] = 2;
  const backends::ExternalMemory host{VD_MEMORY_KIND_HOST, reinterpret_cast<uint64_t>(words_of_ours), 4096, ""};
  {
    const auto buffer = device().import_memory(host);
    const auto again = device().import_memory(host);  // pinned already
    queue().wait(step(queue(), *buffer, 0), VD_WAIT_FOREVER);
    EXPECT_EQ(words_of_ours[0], 7u);
  }
  const auto later = device().import_memory(host);  // it was unpinned
  queue().wait(step(queue(), *later, 0), VD_WAIT_FOREVER);
  EXPECT_EQ(words_of_ours[0], 22u);
}

// Whichever device pinned it, it is pinned until the last import has gone.
TEST_F(CudaStream, HostMemoryIsPinnedForSeveralDevices) {
  alignas(4096) static uint32_t words_of_ours[1024];
  const backends::ExternalMemory host{VD_MEMORY_KIND_HOST, reinterpret_cast<uint64_t>(words_of_ours), 4096, ""};
  const auto pinned = [&] {
    const Current current(device().gpu());
    CUmemorytype type{};
    return Driver::get().cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, host.handle) == CUDA_SUCCESS;
  };
  auto first = open_fresh();
  auto earlier = first->import_memory(host);
  const auto later = device().import_memory(host);
  earlier.reset();
  first.reset();
  EXPECT_TRUE(pinned());
  ListBuilder work;
  work.fill(whole(*later), 9);
  ASSERT_TRUE(queue().wait(queue().submit(work.list), VD_WAIT_FOREVER));
  EXPECT_EQ(words_of_ours[1023], 9u);
}

TEST_F(CudaStream, HostMemoryThatCudaAllocatedIsPinnedAlready) {
  module_ = affine();
  void* memory = nullptr;
  ASSERT_EQ(cu().cuMemHostAlloc(&memory, 1 << 16, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP), CUDA_SUCCESS);
  auto* words = static_cast<uint32_t*>(memory);
  words[0] = 2;
  {
    const auto buffer = device().import_memory({VD_MEMORY_KIND_HOST, reinterpret_cast<uint64_t>(memory), 1 << 16, ""});
    queue().wait(step(queue(), *buffer, 0), VD_WAIT_FOREVER);
    EXPECT_EQ(words[0], 7u);
  }
  EXPECT_EQ(cu().cuMemFreeHost(memory), CUDA_SUCCESS);
}

TEST_F(CudaStream, NoRobustAccess) {
  backends::DeviceOptions options;
  options.flags = VD_CONTEXT_ROBUST;
  expect_error([&] { open_device({0, 0}, options); }, VD_ERR_UNSUPPORTED, "CUDA has no robust access");
}

}  // namespace
}  // namespace vd::cuda
