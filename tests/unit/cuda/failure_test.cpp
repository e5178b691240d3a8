// Every call of the driver may fail. Then an error says which, with its code and what was asked; what was made half-way
// is given back; and the device goes on, unless the failure ended its context.
#include <set>
#include <thread>

#include "support/samples.h"
#include "unit/cuda/fixture.h"

namespace vd::cuda {
namespace {

constexpr int kOutOfMemory = 2;

constexpr backends::Box kFourTexels{0, {}, {4, 1, 1}};

// The runtime's part: memory and modules stay until the work that was given is done.
struct Settled {
  Device& device;
  ~Settled() {
    for (uint32_t i = 0; i < device.queue_count(); ++i)
      while (!settles(device.queue(i))) {
      }
  }
  // The call that fails, once, may be one of these.
  static bool settles(backends::Queue& queue) {
    try {
      return queue.wait(queue.submit(backends::CommandList{}), VD_WAIT_FOREVER);
    } catch (const Error& error) {
      return error.status() == VD_ERR_DEVICE_LOST;
    }
  }
};

// On a device with all that we use, without pools, and without words that the stream writes.
enum class Lacks : uint8_t { Nothing, Pools, WrittenValues };

class CudaCalls : public CudaFailure, public testing::WithParamInterface<Lacks> {
 protected:
  // All that a program does with a device, from opening to closing.
  void everything(const Overrides& overrides) {
    device_ = open_fresh(overrides, "", 2);
    const auto many = many_values();
    const auto module = affine();
    const auto source =
        cuda("extern \"C\" __global__ void vkdispatch_main(unsigned* x) { x[threadIdx.x] += 1u; }\n", 1, 0, {4, 1, 1});
    const auto buffer = memory(16);
    const auto other = memory(16);
    const auto host = memory(16, true);
    const auto fetched = device().make_readback(16);
    const auto sampled = line(4), stored = line(4);
    const auto doubles = doubler();
    std::unique_ptr<backends::Executable> graph, large_graph, image_graph;
    const Settled settled{*device_};
    const std::vector<uint32_t> values{1, 2, 3, 4};
    test::write(queue(), whole(*buffer), values.data());
    test::write(queue(), whole(*other), values.data());
    ListBuilder work;
    work.level(0).dispatch(*module, 1, {whole(*buffer)}, {4, 10, 0});
    work.level(1).copy(whole(*buffer), whole(*other));
    work.level(2).fill({buffer.get(), 0, 8}, 5);
    work.level(2).dispatch(*source, 1, {whole(*other)}, {});
    queue().submit(work.list);
    ListBuilder large;
    large.dispatch(*many, 1, {whole(*buffer)}, std::vector<uint32_t>(kManyValues, 1));
    queue().submit(large.list);
    large_graph = device().make_executable(large.list);
    queue().submit(*large_graph, 1);
    graph = device().make_executable(work.list);
    uint64_t value = queue().submit(*graph, 2);
    ListBuilder again;
    again.level(0).dispatch(*module, 1, {whole(*other)}, {4, 11, 0});
    again.level(1).copy(whole(*other), whole(*buffer));
    again.level(2).fill({other.get(), 0, 8}, 6);
    again.level(2).dispatch(*source, 1, {whole(*buffer)}, {});
    EXPECT_TRUE(graph->update(again.list));
    value = queue().submit(*graph, 1);
    device().queue(1).wait_for(queue(), value);
    value = device().queue(1).submit(*graph, 1);  // an instance of what the nodes are now
    queue().wait_for(device().queue(1), value);
    std::atomic<bool> called{false};
    value = queue().call([&called] { called = true; }).value();
    while (!called) std::this_thread::yield();
    ListBuilder images;
    using Kind = backends::Command::Kind;
    copy_boxes(images.level(0), Kind::CopyToImage, *buffer, *sampled, {kFourTexels});
    launch_doubler(images.level(1), *doubles, *sampled, *stored, 4);
    copy_boxes(images.level(2), Kind::CopyFromImage, *stored, *other, {kFourTexels});
    queue().submit(images.list);
    image_graph = device().make_executable(images.list);
    value = queue().submit(*image_graph, 1);
    device().queue(1).wait_for(queue(), value);
    EXPECT_GT(device().queue(1).submit(work.list), 0u);
    test::write(queue(), whole(*host), values.data());
    std::vector<uint32_t> got(4);
    queue().read(whole(*host), got.data());
    device().queue(1).read(whole(*other), got.data());
    ListBuilder fetch;
    fetch.copy(whole(*other), whole(*fetched));
    value = queue().submit(fetch.list);
    while (!queue().reached(value)) std::this_thread::yield();
    queue().wait(value, VD_WAIT_FOREVER);
    prepare_timing();
    std::unique_ptr<backends::Timing> timing;
    value = queue().submit_timed(work.list, timing);
    queue().wait(value, VD_WAIT_FOREVER);
    std::vector<backends::Interval> times(work.list.commands.size());
    timing->read(times);
    value = queue().submit_timed_executable(*graph, timing);
    EXPECT_TRUE(graph->update(work.list));
    std::unique_ptr<backends::Timing> unread;
    value = queue().submit_timed_executable(*graph, unread);
    queue().wait(value, VD_WAIT_FOREVER);
    timing->read(times);
    EXPECT_TRUE(device().queue(1).wait_for_device(queue(), value));
    queue().completed();
  }
};

TEST_P(CudaCalls, EachMayFail) {
  constexpr const char* kCalls[] = {
      "cuDeviceGet",
      "cuDeviceGetName",
      "cuDeviceTotalMem",
      "cuDeviceGetAttribute",
      "cuCtxPushCurrent",
      "cuDevicePrimaryCtxRetain",
      "cuMemHostAlloc",
      "cuMemPoolCreate",
      "cuMemAlloc",
      "cuStreamCreate",
      "cuStreamCreateWithPriority",
      "cuMemPoolSetAttribute",
      "cuMemHostGetDevicePointer",
      "cuMemcpyAsync",
      "cuMemcpyHtoDAsync",
      "cuMemAllocFromPoolAsync",
      "cuMemcpyDtoHAsync",
      "cuMemsetD32Async",
      "cuMemcpy3DAsync",
      "cuMipmappedArrayCreate",
      "cuMipmappedArrayGetLevel",
      "cuTexObjectCreate",
      "cuSurfObjectCreate",
      "cuStreamWaitEvent",
      "cuStreamWriteValue64",
      "cuEventCreate",
      "cuEventRecord",
      "cuStreamQuery",
      "cuEventQuery",
      "cuStreamSynchronize",
      "cuModuleLoadDataEx",
      "cuModuleGetFunction",
      "cuFuncGetAttribute",
      "cuLaunchKernel",
      "cuLaunchHostFunc",
      "cuGraphCreate",
      "cuGraphAddKernelNode",
      "cuGraphAddMemcpyNode",
      "cuGraphAddMemsetNode",
      "cuGraphInstantiate",
      "cuGraphKernelNodeSetParams",
      "cuGraphMemcpyNodeSetParams",
      "cuGraphMemsetNodeSetParams",
      "cuGraphExecKernelNodeSetParams",
      "cuGraphExecMemcpyNodeSetParams",
      "cuGraphExecMemsetNodeSetParams",
      "cuGraphUpload",
      "cuGraphLaunch",
  };
  // A call made for another reason than its answer, or not on every device, may fail without a message; so may the
  // first attribute, which a driver may not know, the first event, by which memory that goes may learn of work, and a
  // wait before a stream goes.
  const std::set<std::string> quiet{"cuDeviceGetAttribute", "cuStreamQuery", "cuEventQuery", "cuEventRecord",
                                    "cuStreamSynchronize"};
  // Changes of an instance: if a driver refuses one as invalid, another instance is made.
  const std::set<std::string> replaced{"cuGraphExecMemcpyNodeSetParams", "cuGraphExecMemsetNodeSetParams"};
  // Each of these runs opens a device anew.
  const uint64_t turns = test::full_form() ? 10 : 3;
  Overrides overrides;
  overrides.memory_pools = GetParam() != Lacks::Pools;
  overrides.write_values = GetParam() != Lacks::WrittenValues;
  everything(overrides);
  device_.reset();
  ASSERT_EQ(control().live(), 0u);
  for (const char* call : kCalls) {
    const uint64_t before = control().calls(call);
    everything(overrides);
    device_.reset();
    const auto most = static_cast<unsigned>(std::min(control().calls(call) - before, turns));
    for (unsigned nth = 1; nth <= most; ++nth) {
      SCOPED_TRACE(testing::Message() << "call " << nth << " of " << call);
      const uint64_t earlier = control().calls(call);
      const bool refused = replaced.contains(call);
      control().fail(call, nth, refused ? kOutOfMemory : kInvalidValue);
      bool failed = false;
      try {
        everything(overrides);
      } catch (const Error& error) {
        failed = true;
        const std::string text = error.what();
        EXPECT_NE(text.find(call), std::string::npos) << text;
        EXPECT_NE(text.find(refused ? "CUDA_ERROR_OUT_OF_MEMORY (2" : "CUDA_ERROR_INVALID_VALUE (1"), std::string::npos)
            << text;
      }
      control().fail(call, 0, 0);
      // Work that is done already needs no waiting for.
      if (nth == 1 && control().calls(call) > earlier && !quiet.contains(call)) {
        EXPECT_TRUE(failed);
      }
      device_.reset();
      ASSERT_EQ(control().live(), 0u) << "handles that nobody gave back";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, CudaCalls, testing::Values(Lacks::Nothing, Lacks::Pools, Lacks::WrittenValues),
                         [](const auto& made) {
                           return std::string(made.param == Lacks::Nothing ? "Whole"
                                              : made.param == Lacks::Pools ? "NoPools"
                                                                           : "NoWrittenValues");
                         });

// Its instance has few branches while the queue has work, and all of them later, whichever call fails in between.
TEST_F(CudaFailure, AWideGraphIsRightAfterwards) {
  const auto module = affine();
  constexpr uint32_t kBranches = 9;
  ListBuilder work;
  const auto buffer = words({1});
  for (uint32_t i = 0; i < kBranches; ++i) work.dispatch(*module, 1, {whole(*buffer)}, {1, i + 2, i});
  // The emulated driver runs the last of the nodes that may run.
  const auto add = [](uint32_t& x, uint32_t i) { x = x * (i + 2) + i; };
  const auto run_wide = [&](uint32_t& x) {
    for (uint32_t i = kBranches; i-- > 0;) add(x, i);
  };
  const auto run_narrow = [&](uint32_t& x) {
    for (uint32_t i = kBranches - 1; i-- > 0;) add(x, i);
    add(x, kBranches - 1);
  };
  const auto fails = [&](backends::Executable& graph) {
    try {
      queue().submit(graph, 1);
      return false;
    } catch (const Error&) {
      return true;
    }
  };
  for (const char* call : {"cuGraphAddDependencies", "cuGraphRemoveDependencies", "cuGraphInstantiate", "cuGraphUpload",
                           "cuGraphLaunch", "cuStreamQuery"}) {
    for (unsigned nth = 1; nth <= 3; ++nth) {
      SCOPED_TRACE(testing::Message() << "call " << nth << " of " << call);
      uint32_t x = read_words(*buffer)[0];
      const auto graph = device().make_executable(work.list);
      std::atomic<bool> given{false};
      // A submission that fails waits for the queue.
      const uint64_t waits = control().calls("cuStreamSynchronize");
      queue().call([&] {
        while (!given && control().calls("cuStreamSynchronize") == waits) std::this_thread::yield();
      });
      control().fail(call, nth, kInvalidValue);
      const bool failed = fails(*graph);
      // Waits ask for the stream's state, too.
      if (call == std::string_view("cuStreamQuery")) control().fail(call, 0, 0);
      given = true;
      queue().wait(queue().submit(backends::CommandList{}), VD_WAIT_FOREVER);
      if (!failed) run_narrow(x);
      EXPECT_EQ(read_words(*buffer)[0], x);
      if (!fails(*graph)) run_wide(x);
      EXPECT_EQ(read_words(*buffer)[0], x);
      control().fail(call, 0, 0);
      for (int turn = 0; turn < 2; ++turn) {
        queue().submit(*graph, 1);
        run_wide(x);
        EXPECT_EQ(read_words(*buffer)[0], x);
      }
    }
  }
}

// It has no instance then that another list could be set in.
TEST_F(CudaFailure, AGraphWithoutItsFirstInstanceIsUpdated) {
  const auto module = affine();
  const auto buffer = words({1}), other = words({1});
  ListBuilder work, again;
  work.dispatch(*module, 1, {whole(*buffer)}, {1, 2, 3});
  again.dispatch(*module, 1, {whole(*other)}, {1, 4, 5});
  const auto graph = device().make_executable(work.list);
  control().fail("cuGraphInstantiate", 1, kOutOfMemory);
  expect_error([&] { queue().submit(*graph, 1); }, VD_ERR_OUT_OF_MEMORY, "a graph of 1 nodes");
  ASSERT_TRUE(graph->update(again.list));
  queue().submit(*graph, 1);
  EXPECT_EQ(read_words(*other)[0], 9u);
  EXPECT_EQ(read_words(*buffer)[0], 1u);
}

// Memory for every stream is waited for in the allocator's.
TEST_F(CudaFailure, WaitingForTheAllocatorsStreamMayFail) {
  control().fail("cuStreamSynchronize", 1, kInvalidValue);
  expect_error([&] { memory(8); }, VD_ERR_INTERNAL,
               "cuStreamSynchronize failed: CUDA_ERROR_INVALID_VALUE (1, invalid argument): ");
  memory(8);
}

// A graph's values have memory of the stream that it is launched in: other memory would be waited for, behind kernels.
TEST_F(CudaFailure, AGraphWithManyValuesWaitsForNoStream) {
  const auto many = many_values();
  const auto buffer = memory(8);
  ListBuilder large;
  large.dispatch(*many, 1, {whole(*buffer)}, std::vector<uint32_t>(kManyValues, 1));
  const auto graph = device().make_executable(large.list);
  control().fail("cuStreamSynchronize", 1, kInvalidValue);
  queue().submit(*graph, 1);
  control().fail("cuStreamSynchronize", 0, kInvalidValue);
  EXPECT_EQ(read_words(*buffer)[0], 1u);
}

// completed() says that work is done, or that the context is lost; that it could not ask is neither. The runtime would
// free what runs.
TEST_F(CudaFailure, AskingInVainIsNoFailureOfTheQueue) {
  for (const bool events : {false, true}) {
    Overrides overrides;
    overrides.write_values = !events;
    device_ = open_fresh(overrides);
    const auto module = affine();
    const auto buffer = words({1});
    ListBuilder work;
    work.dispatch(*module, 1, {whole(*buffer)}, {1, 1, 1});
    for (int turn = 0; turn < 20; ++turn) {
      queue().submit(work.list);
      queue().submit(work.list);
      const uint64_t value = queue().submit(work.list);
      control().fail(events ? "cuEventQuery" : "cuStreamWriteValue64", 1, kInvalidValue);
      EXPECT_NO_THROW({
        while (queue().completed() < value) {
        }
      });
      control().fail(events ? "cuEventQuery" : "cuStreamWriteValue64", 0, 0);
    }
    EXPECT_EQ(read_words(*buffer)[0], 61u);
  }
}

TEST_F(CudaFailure, ADeviceThatAnotherProgramHasToItself) {
  control().fail("cuDevicePrimaryCtxRetain", 1, 46);
  expect_error(
      [&] { open_fresh(); }, VD_ERR_UNAVAILABLE,
      "cuDevicePrimaryCtxRetain failed: CUDA_ERROR_DEVICE_UNAVAILABLE (46, CUDA-capable device(s) is/are busy or "
      "unavailable): device 0, \"emulated CUDA device 0\"; another program may use it exclusively");
}

TEST_F(CudaFailure, AFailedLaunchLeavesTheQueueUsable) {
  const auto module = affine();
  const auto buffer = words({1});
  ListBuilder work;
  work.level(0).dispatch(*module, 1, {whole(*buffer)}, {1, 3, 0});
  work.level(1).dispatch(*module, 1, {whole(*buffer)}, {1, 5, 0});
  control().fail("cuLaunchKernel", 2, 701);
  expect_error([&] { queue().submit(work.list); }, VD_ERR_UNSUPPORTED,
               "cuLaunchKernel failed: CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES (701, too many resources requested for "
               "launch): kernel \"affine\" in 1 x 1 x 1 workgroups of 64 x 1 x 1");
  queue().submit(work.list);
  EXPECT_EQ(read_words(*buffer)[0], 45u);
}

TEST_F(CudaFailure, OutOfMemoryIsSaidWithTheSize) {
  control().memory(1 << 20);
  device_ = open_fresh();
  const auto most = memory(900 << 10);
  expect_error([&] { memory(200 << 10); }, VD_ERR_OUT_OF_MEMORY, "204800 bytes of device memory for \"test\"");
  expect_error([&] { memory(2 << 20); }, VD_ERR_OUT_OF_MEMORY, "2097152 bytes for \"test\" are more than");
  expect_error([&] { line(64 << 10); }, VD_ERR_INTERNAL, "CUDA_ERROR_INVALID_VALUE");  // too wide for any array
  expect_error([&] { line(32 << 10, 16); }, VD_ERR_OUT_OF_MEMORY,
               "cuMipmappedArrayCreate failed: CUDA_ERROR_OUT_OF_MEMORY (2, out of memory): an image of 32768 x 1 x 1 "
               "texels of r32_f32, 0 layers and 16 levels for \"line\" on \"emulated CUDA device 0\"");
  control().memory(uint64_t{1} << 32);
  EXPECT_NO_THROW(memory(64));
  EXPECT_NO_THROW(line(32 << 10, 16));
  control().fail("cuMemHostAlloc", 1, kOutOfMemory);
  expect_error([&] { memory(64, true); }, VD_ERR_OUT_OF_MEMORY, "64 bytes of pinned host memory for \"test\"");
}

// The pool may hold what another size needs.
TEST_F(CudaFailure, AFullPoolIsTrimmedBeforeItIsOutOfMemory) {
  control().fail("cuMemAllocFromPoolAsync", 1, kOutOfMemory);
  const uint64_t trims = control().calls("cuMemPoolTrimTo");
  EXPECT_NO_THROW(memory(64));
  EXPECT_EQ(control().calls("cuMemPoolTrimTo"), trims + 1);
}

// An error in a kernel ends the context for good, says so to everybody, and leaves the process alone.
TEST_F(CudaFailure, AnIllegalAddressIsLastingAndClear) {
  auto module = affine();
  auto buffer = words({1, 2});
  ListBuilder work;
  work.dispatch(*module, 1, {whole(*buffer)}, {2, 3, 0});
  auto graph = device().make_executable(work.list);
  control().break_next_kernel(kIllegalAddress);
  // On a busy machine the kernel may have ended before the call that gave it.
  expect_error([&] { queue().wait(queue().submit(work.list), VD_WAIT_FOREVER); }, VD_ERR_DEVICE_LOST,
               "CUDA_ERROR_ILLEGAL_ADDRESS (700");
  const std::string part = "can no longer be used";
  expect_error([&] { queue().completed(); }, VD_ERR_DEVICE_LOST, part);
  expect_error([&] { queue().submit(work.list); }, VD_ERR_DEVICE_LOST, part);
  expect_error([&] { queue().submit(*graph, 1); }, VD_ERR_DEVICE_LOST, part);
  expect_error([&] { read_words(*buffer); }, VD_ERR_DEVICE_LOST, part);
  expect_error([&] { memory(4); }, VD_ERR_DEVICE_LOST, part);
  expect_error([&] { affine(); }, VD_ERR_DEVICE_LOST, part);
  EXPECT_FALSE(queue().would_block());
  // Once nothing of it is left, the device has a new context.
  graph.reset();
  buffer.reset();
  module.reset();
  device_.reset();
  device_ = open_fresh();
  EXPECT_EQ(read_words(*words({1, 2})), (std::vector<uint32_t>{1, 2}));
}

// Reading waits, so it is where a program most likely learns of it; nothing may hang.
TEST_F(CudaFailure, AReadMeetsTheError) {
  const auto module = affine();
  const auto buffer = words(std::vector<uint32_t>(1000, 1));
  ListBuilder work;
  work.dispatch(*module, 1, {whole(*buffer)}, {2, 3, 0});
  control().break_next_kernel(kIllegalAddress);
  expect_error(
      [&] {
        queue().submit(work.list);
        read_words(*buffer);
      },
      VD_ERR_DEVICE_LOST, "an illegal memory access was encountered");
}

// Whoever sees the error gives memory back, so what was given behind it must not run any more.
TEST_F(CudaFailure, WorkBehindTheErrorNeverRuns) {
  const auto gate =
      cuda("extern \"C\" __global__ void vkdispatch_main(volatile unsigned* x) { x[1] = 1u; while (x[0] == 0u) {} }\n",
           1, 0, {1, 1, 1});
  const auto module = affine();
  const auto buffer = words({1, 2});
  const auto shared = memory(16, true);
  auto* seen = static_cast<uint32_t*>(static_cast<Memory&>(*shared).host_pointer());
  for (int i = 0; i < 4; ++i) __atomic_store_n(seen + i, 0, __ATOMIC_RELEASE);
  ListBuilder work;
  work.level(0).dispatch(*gate, 1, {whole(*shared)}, {});
  work.level(1).dispatch(*module, 1, {whole(*buffer)}, {2, 3, 0});
  work.level(2).fill({shared.get(), 8, 8}, 7);
  const uint64_t value = queue().submit(work.list);
  while (__atomic_load_n(seen + 1, __ATOMIC_ACQUIRE) == 0) std::this_thread::yield();
  control().break_next_kernel(kIllegalAddress);
  __atomic_store_n(seen, 1, __ATOMIC_RELEASE);
  expect_error([&] { queue().wait(value, VD_WAIT_FOREVER); }, VD_ERR_DEVICE_LOST, "CUDA_ERROR_ILLEGAL_ADDRESS (700");
  device_.reset();  // with its streams, once they are empty
  EXPECT_EQ(std::vector<uint32_t>(seen + 2, seen + 4), (std::vector<uint32_t>{0, 0}));
}

TEST_F(CudaFailure, ADeviceOpenedAfterwardsWorks) {
  {
    const auto module = affine();
    const auto buffer = words({1});
    ListBuilder work;
    work.dispatch(*module, 1, {whole(*buffer)}, {1, 3, 0});
    control().break_next_kernel(719);
    expect_error([&] { queue().wait(queue().submit(work.list), VD_WAIT_FOREVER); }, VD_ERR_DEVICE_LOST,
                 "CUDA_ERROR_LAUNCH_FAILED (719");
  }
  device_.reset();  // no other object holds the context, so that the driver makes it anew
  device_ = open_fresh();
  EXPECT_EQ(read_words(*words({7}))[0], 7u);
}

}  // namespace
}  // namespace vd::cuda
