// Failures of the driver: a table of entry points in which some fail.
#include <atomic>
#include <cstring>

#include "unit/opencl/fixture.h"

namespace vd::opencl {
namespace {

std::atomic<cl_int> injected{CL_SUCCESS};

cl_mem CL_API_CALL failing_create(cl_context, cl_mem_flags, size_t, void*, cl_int* result) {
  *result = injected;
  return nullptr;
}
cl_int CL_API_CALL failing_launch(cl_command_queue, cl_kernel, cl_uint, const size_t*, const size_t*, const size_t*,
                                  cl_uint, const cl_event*, cl_event*) {
  return injected;
}
cl_int CL_API_CALL failing_fill(cl_command_queue, cl_mem, const void*, size_t, size_t, size_t, cl_uint, const cl_event*,
                                cl_event*) {
  return injected;
}
// Every event says that its work failed.
cl_int CL_API_CALL failing_event(cl_event, cl_event_info, size_t, void* value, size_t*) {
  const cl_int status = injected;
  std::memcpy(value, &status, sizeof status);
  return CL_SUCCESS;
}
cl_int CL_API_CALL failing_finish(cl_command_queue queue) {
  real->Finish(queue);
  return injected;
}
std::atomic<int> finishes{0};
cl_int CL_API_CALL counted_finish(cl_command_queue queue) {
  ++finishes;
  return real->Finish(queue);
}
cl_int CL_API_CALL failing_call(cl_event, cl_event_info, size_t, void*, size_t*) { return injected; }
cl_int CL_API_CALL failing_marker(cl_command_queue, cl_uint, const cl_event*, cl_event*) { return injected; }
cl_int CL_API_CALL endless_event(cl_event, cl_event_info, size_t, void* value, size_t*) {
  const cl_int status = CL_SUBMITTED;
  std::memcpy(value, &status, sizeof status);
  return CL_SUCCESS;
}

cl_int CL_API_CALL few_invocations(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info what, size_t size,
                                   void* value, size_t* size_ret) {
  if (what != CL_KERNEL_WORK_GROUP_SIZE)
    return real->GetKernelWorkGroupInfo(kernel, device, what, size, value, size_ret);
  const size_t few = 32;
  std::memcpy(value, &few, sizeof few);
  return CL_SUCCESS;
}
cl_int CL_API_CALL much_shared(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info what, size_t size,
                               void* value, size_t* size_ret) {
  if (what != CL_KERNEL_LOCAL_MEM_SIZE)
    return real->GetKernelWorkGroupInfo(kernel, device, what, size, value, size_ret);
  const cl_ulong much = cl_ulong{1} << 40;
  std::memcpy(value, &much, sizeof much);
  return CL_SUCCESS;
}
cl_int CL_API_CALL no_argument_info(cl_kernel, cl_uint, cl_kernel_arg_info, size_t, void*, size_t*) {
  return CL_KERNEL_ARG_INFO_NOT_AVAILABLE;
}
cl_int CL_API_CALL no_extensions(cl_device_id device, cl_device_info what, size_t size, void* value, size_t* size_ret) {
  if (what == CL_DEVICE_DOUBLE_FP_CONFIG && value != nullptr) {
    std::memset(value, 0, size);
    return CL_SUCCESS;
  }
  if (what != CL_DEVICE_EXTENSIONS) return real->GetDeviceInfo(device, what, size, value, size_ret);
  if (value != nullptr) std::memcpy(value, "", 1);
  if (size_ret != nullptr) *size_ret = 1;
  return CL_SUCCESS;
}
cl_int CL_API_CALL old_version(cl_device_id device, cl_device_info what, size_t size, void* value, size_t* size_ret) {
  static const char text[] = "OpenCL C 1.1 old";
  if (what != CL_DEVICE_OPENCL_C_VERSION) return real->GetDeviceInfo(device, what, size, value, size_ret);
  if (value != nullptr) std::memcpy(value, text, sizeof text);
  if (size_ret != nullptr) *size_ret = sizeof text;
  return CL_SUCCESS;
}

std::atomic<int> events_asked{0}, markers{0}, launches{0};
cl_int CL_API_CALL counted_marker(cl_command_queue queue, cl_uint count, const cl_event* list, cl_event* event) {
  events_asked += event != nullptr;
  ++markers;
  return real->EnqueueMarkerWithWaitList(queue, count, list, event);
}
cl_int CL_API_CALL counted_launch(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t* offset,
                                  const size_t* global, const size_t* local, cl_uint count, const cl_event* list,
                                  cl_event* event) {
  events_asked += event != nullptr;
  ++launches;
  return real->EnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, count, list, event);
}

class OpenClFailure : public OpenClTest {
 protected:
  void SetUp() override {
    OpenClTest::SetUp();
    if (!device_) return;
    real = &Api::get();
    api_ = *real;
    std::string reason;
    Overrides wishes;
    wishes.api = &api_;
    device_ = open_fresh(wishes, "", reason);  // of our own: it will be of no further use
  }
  void TearDown() override { device_.reset(); }

  Api api_;
};

TEST_F(OpenClFailure, MemoryThatCannotBeHad) {
  injected = CL_MEM_OBJECT_ALLOCATION_FAILURE;
  api_.CreateBuffer = failing_create;
  expect_error([&] { (void)memory(64, false, "weights"); }, VD_ERR_OUT_OF_MEMORY,
               "clCreateBuffer failed with CL_MEM_OBJECT_ALLOCATION_FAILURE for 64 bytes of device memory for "
               "\"weights\"");
  api_.CreateBuffer = real->CreateBuffer;
  expect_error([&] { (void)memory(~uint64_t{0}); }, VD_ERR_OUT_OF_MEMORY, "is larger than OpenCL device");
  EXPECT_NE(memory(64), nullptr) << "the device itself is all right";
}

TEST_F(OpenClFailure, ALaunchThatTheDriverRefusesIsNamed) {
  const auto module = affine();
  const auto buffer = words({1});
  injected = CL_INVALID_WORK_GROUP_SIZE;
  api_.EnqueueNDRangeKernel = failing_launch;
  ListBuilder work;
  work.dispatch(*module, 2, {whole(*buffer)}, {1, 1, 1});
  expect_error([&] { queue().submit(work.list); }, VD_ERR_UNSUPPORTED,
               "clEnqueueNDRangeKernel failed with CL_INVALID_WORK_GROUP_SIZE for kernel \"test kernel\" (2 x 1 x 1 "
               "workgroups of 64 x 1 x 1)");
  api_.EnqueueNDRangeKernel = real->EnqueueNDRangeKernel;
  queue().submit(work.list);
  EXPECT_EQ(read_words(*buffer)[0], 2u) << "nothing was begun, so the queue goes on";
}

// An event is dear: a thousand launches have few of them, and yet their end is seen.
TEST_F(OpenClFailure, LaunchesShareEvents) {
  const auto module = affine();
  const auto buffer = words({1});
  events_asked = 0;
  api_.EnqueueMarkerWithWaitList = counted_marker;
  api_.EnqueueNDRangeKernel = counted_launch;
  ListBuilder work;
  work.dispatch(*module, 1, {whole(*buffer)}, {1, 1, 1});
  uint64_t value = 0;
  for (int i = 0; i < 1000; ++i) value = queue().submit(work.list);
  EXPECT_LE(events_asked, 8);
  EXPECT_TRUE(queue().wait(value, VD_WAIT_FOREVER));
  EXPECT_GE(events_asked, 1);
  EXPECT_EQ(read_words(*buffer)[0], 1001u);
}

TEST_F(OpenClFailure, ALaunchThatIsWaitedForNeedsNoMarker) {
  const auto module = affine();
  const auto buffer = words({1});
  ListBuilder work;
  work.dispatch(*module, 1, {whole(*buffer)}, {1, 1, 1});
  EXPECT_TRUE(queue().wait(queue().submit(work.list), 50'000'000'000));
  markers = events_asked = 0;
  api_.EnqueueMarkerWithWaitList = counted_marker;
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(queue().wait(queue().submit(work.list), 50'000'000'000));
  EXPECT_EQ(markers, 0);
  // And no event where the wait may take as long as it likes.
  api_.EnqueueNDRangeKernel = counted_launch;
  EXPECT_TRUE(queue().wait(queue().submit(work.list), VD_WAIT_FOREVER));
  events_asked = 0;
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(queue().wait(queue().submit(work.list), VD_WAIT_FOREVER));
  EXPECT_EQ(events_asked, 0);
  EXPECT_EQ(read_words(*buffer)[0], 23u);
}

// Work that had begun is done when the error is reported, so that its memory may be freed; later work runs.
TEST_F(OpenClFailure, WorkThatStopsHalfWayLeavesTheQueueUsable) {
  const auto module = affine();
  const auto buffer = words({1});
  injected = CL_OUT_OF_RESOURCES;
  api_.EnqueueFillBuffer = failing_fill;
  ListBuilder work;
  work.level(0).dispatch(*module, 1, {whole(*buffer)}, {1, 1, 1});
  work.level(1).fill(whole(*buffer), 2);
  finishes = 0;
  api_.Finish = counted_finish;
  expect_error([&] { queue().submit(work.list); }, VD_ERR_OUT_OF_MEMORY, "clEnqueueFillBuffer");
  EXPECT_EQ(finishes, 1);
  api_.EnqueueFillBuffer = real->EnqueueFillBuffer;
  const uint64_t value = queue().submit(work.list);
  EXPECT_TRUE(queue().wait(value, VD_WAIT_FOREVER));
  EXPECT_GE(queue().completed(), value);
  EXPECT_EQ(read_words(*buffer)[0], 2u);
}

TEST_F(OpenClFailure, WorkThatStopsHalfWayAndDoesNotEndWellEndsTheQueue) {
  const auto module = affine();
  const auto buffer = words({1});
  injected = CL_OUT_OF_RESOURCES;
  api_.EnqueueFillBuffer = failing_fill;
  api_.Finish = failing_finish;
  ListBuilder work;
  work.level(0).dispatch(*module, 1, {whole(*buffer)}, {1, 1, 1});
  work.level(1).fill(whole(*buffer), 2);
  expect_error([&] { queue().submit(work.list); }, VD_ERR_OUT_OF_MEMORY, "clEnqueueFillBuffer");
  api_.EnqueueFillBuffer = real->EnqueueFillBuffer;
  api_.Finish = real->Finish;
  expect_error([&] { queue().completed(); }, VD_ERR_OUT_OF_MEMORY, "clEnqueueFillBuffer");
  uint32_t word = 0;
  expect_error([&] { queue().read(whole(*buffer), &word); }, VD_ERR_OUT_OF_MEMORY, "clEnqueueFillBuffer");
}

// The device may still write to the caller's memory when waiting for that fails.
TEST_F(OpenClFailure, AReadThatFailsLeavesTheCallersMemoryAlone) {
  if (!device().context().direct_transfers) GTEST_SKIP() << "this device reads by way of memory of ours";
  const auto buffer = words({1});
  finishes = 0;
  injected = CL_OUT_OF_RESOURCES;
  api_.Finish = counted_finish;
  api_.GetEventInfo = failing_call;
  uint32_t word = 0;
  expect_error([&] { queue().read(whole(*buffer), &word); }, VD_ERR_OUT_OF_MEMORY, "clGetEventInfo");
  EXPECT_EQ(finishes, 1);
}

// completed() says that work is done, or that the queue failed for good; that it could not ask is neither.
TEST_F(OpenClFailure, AskingInVainIsNoFailureOfTheQueue) {
  const auto module = affine();
  const auto buffer = words({1});
  ListBuilder work;
  work.dispatch(*module, 1, {whole(*buffer)}, {1, 1, 1});
  EXPECT_TRUE(queue().wait(queue().submit(work.list), VD_WAIT_FOREVER));
  const uint64_t value = queue().submit(work.list);  // without an event, since the last wait was patient
  injected = CL_OUT_OF_RESOURCES;
  api_.EnqueueMarkerWithWaitList = failing_marker;
  EXPECT_LT(queue().completed(), value);
  api_.EnqueueMarkerWithWaitList = real->EnqueueMarkerWithWaitList;
  EXPECT_TRUE(queue().wait(value, VD_WAIT_FOREVER));
  EXPECT_EQ(read_words(*buffer)[0], 3u);
}

// A caller that asks whether there is room, and submits no more than that, never waits for the device; so it may hold a
// lock meanwhile.
TEST_F(OpenClFailure, WorkForWhichThereIsRoomIsTakenAtOnce) {
  const auto module = affine();
  const auto buffer = words({0});
  ListBuilder once, many;
  once.dispatch(*module, 1, {whole(*buffer)}, {1, 1, 1});
  for (uint32_t i = 0; i < 200; ++i) many.level(i).dispatch(*module, 1, {whole(*buffer)}, {1, 1, 1});
  const auto graph = device().make_executable(once.list);
  const auto large = device().make_executable(many.list);
  EXPECT_GE(queue().repeats_at_once(*graph), 32u) << "each part costs a little";
  EXPECT_GE(queue().repeats_at_once(*large), 1u);
  api_.GetEventInfo = endless_event;  // nothing is ever seen to be done
  uint32_t expected = 0;
  for (uint32_t turn = 0; !queue().would_block(); ++turn) {
    ASSERT_LT(turn, 1000u) << "the queue is never full";
    const auto& executable = turn % 2 == 0 ? graph : large;
    const uint32_t repeats = queue().repeats_at_once(*executable);
    queue().submit(*executable, repeats);
    expected += repeats * (turn % 2 == 0 ? 1 : 200);
  }
  api_.GetEventInfo = real->GetEventInfo;
  queue().wait_for_room();
  EXPECT_FALSE(queue().would_block());
  EXPECT_EQ(read_words(*buffer)[0], expected);
}

// A graph of thousands is given in parts, each about as long as a burst.
TEST_F(OpenClFailure, ALongGraphIsGivenInParts) {
  std::string reason;
  Overrides wishes;
  wishes.api = &api_;
  wishes.command_buffers = false;  // such a graph is one command
  device_ = open_fresh(wishes, "", reason);
  const auto module = affine();
  const auto buffer = words({0});
  ListBuilder work;
  uint32_t expected = 0;
  for (uint32_t i = 0; i < 1200; ++i) {
    work.level(i).dispatch(*module, 1, {whole(*buffer)}, {1, 3, i});
    expected = expected * 3 + i;
  }
  const auto graph = device().make_executable(work.list);
  const uint32_t parts = queue().parts(*graph);
  ASSERT_EQ(parts, 3u);
  api_.EnqueueNDRangeKernel = counted_launch;
  uint64_t value = 0;
  for (uint32_t part = 0; part < parts; ++part) {
    launches = 0;
    value = queue().submit_part(*graph, part);
    EXPECT_EQ(launches, part < 2 ? 512 : 1200 - 2 * 512);
  }
  EXPECT_TRUE(queue().wait(value, VD_WAIT_FOREVER));
  EXPECT_EQ(read_words(*buffer)[0], expected);
  work.list.commands.resize(300);
  EXPECT_EQ(queue().parts(*device().make_executable(work.list)), 1u);
}

TEST_F(OpenClFailure, WorkThatFailsOnTheDeviceLosesIt) {
  const auto module = affine();
  const auto buffer = words({1});
  injected = -9999;  // NVIDIA's, for an address that is not the kernel's
  api_.GetEventInfo = failing_event;
  ListBuilder work;
  work.dispatch(*module, 1, {whole(*buffer)}, {1, 1, 1});
  const uint64_t value = queue().submit(work.list);
  expect_error([&] { queue().wait(value, 1'000'000'000); }, VD_ERR_DEVICE_LOST, "work on queue 0 of OpenCL device");
  api_.GetEventInfo = real->GetEventInfo;
  expect_error([&] { queue().wait(value, VD_WAIT_FOREVER); }, VD_ERR_DEVICE_LOST, "OpenCL code -9999");
  expect_error([&] { (void)memory(64); }, VD_ERR_DEVICE_LOST,
               "is lost: work on queue 0 failed with OpenCL code -9999 (NVIDIA's, for an address that is not the "
               "kernel's), as clGetEventInfo reports; make a new context");
  expect_error([&] { affine(); }, VD_ERR_DEVICE_LOST, "is lost");
}

// NVIDIA's driver gives it from any call, once a kernel has gone astray.
TEST_F(OpenClFailure, ACallThatSaysSoLosesTheDevice) {
  const auto buffer = words({1});
  injected = -9999;
  api_.EnqueueFillBuffer = failing_fill;
  ListBuilder work;
  work.fill(whole(*buffer), 2);
  expect_error([&] { queue().submit(work.list); }, VD_ERR_DEVICE_LOST,
               "clEnqueueFillBuffer failed with OpenCL code -9999 (NVIDIA's, for an address that is not the kernel's)");
  expect_error([&] { (void)memory(64); }, VD_ERR_DEVICE_LOST, "is lost: clEnqueueFillBuffer failed");
}

// A call that failed lost it, but what it was given may still go on, with memory that is freed next.
TEST_F(OpenClFailure, ALostDeviceIsWaitedForBeforeMemoryGoes) {
  auto buffer = words({1, 2, 3});
  injected = -9999;
  api_.GetEventInfo = failing_event;
  api_.Finish = counted_finish;
  finishes = 0;
  expect_error([&] { (void)read_words(*buffer); }, VD_ERR_DEVICE_LOST, "OpenCL code -9999");
  // Other devices write to staging memory of ours, which is waited for when it is freed.
  EXPECT_GE(finishes, device().context().direct_transfers ? 1 : 0) << "the caller has its memory back";
  api_.GetEventInfo = real->GetEventInfo;
  const int before = finishes;
  buffer.reset();
  device_.reset();
  EXPECT_GT(finishes, before) << "staging memory is freed";
}

TEST_F(OpenClFailure, WorkThatFailsWhileItIsWaitedForWithoutAnEvent) {
  const auto module = affine();
  const auto buffer = words({1});
  injected = CL_OUT_OF_RESOURCES;  // NVIDIA's clFinish(), for such an address
  ListBuilder work;
  work.dispatch(*module, 1, {whole(*buffer)}, {1, 1, 1});
  EXPECT_TRUE(queue().wait(queue().submit(work.list), VD_WAIT_FOREVER));
  api_.Finish = failing_finish;
  const uint64_t value = queue().submit(work.list);
  expect_error(
      [&] { queue().wait(value, VD_WAIT_FOREVER); }, VD_ERR_DEVICE_LOST,
      "failed with CL_OUT_OF_RESOURCES, as clFinish reports; a kernel may have used memory that is not its own");
  api_.Finish = real->Finish;
  expect_error([&] { queue().wait(value, VD_WAIT_FOREVER); }, VD_ERR_DEVICE_LOST, "CL_OUT_OF_RESOURCES");
}

TEST_F(OpenClFailure, AKernelWithTooManyRegisters) {
  if (device().info().vendor_id == 0x10de) GTEST_SKIP() << "NVIDIA's compiler keeps to the size that the source fixes";
  api_.GetKernelWorkGroupInfo = few_invocations;
  expect_error(
      [&] { affine(); }, VD_ERR_UNSUPPORTED,
      "runs it with at most 32 invocations in a workgroup, not 64 x 1 x 1; give its plan a smaller workgroup size");
}

TEST_F(OpenClFailure, AKernelWithTooMuchSharedMemory) {
  api_.GetKernelWorkGroupInfo = much_shared;
  expect_error([&] { affine(); }, VD_ERR_UNSUPPORTED,
               "kernel \"test kernel\" needs 1099511627776 bytes of shared memory; a workgroup has");
  expect_error([&] { affine(); }, VD_ERR_UNSUPPORTED, "make its shared arrays smaller");
}

// As of a program that comes from the disk cache.
TEST_F(OpenClFailure, ADriverThatDoesNotSayWhatParametersAre) {
  api_.GetKernelArgInfo = no_argument_info;
  EXPECT_NE(affine(), nullptr);
  expect_error([&] { source("__kernel void vkdispatch_main(__global uint* x, __local uint* y) { x[0] = 1; }", 2); },
               VD_ERR_INVALID,
               "argument 1 of kernel \"vkdispatch_main\" of plan \"test kernel\" cannot take buffer 1, which a launch "
               "gives: clSetKernelArg failed with CL_INVALID_ARG_VALUE");
}

TEST_F(OpenClFailure, ADeviceWithoutExtensions) {
  api_.GetDeviceInfo = no_extensions;
  std::string reason;
  Overrides wishes;
  wishes.api = &api_;
  device_ = open_fresh(wishes, "", reason);
  EXPECT_EQ(device().info().features & (VD_FEATURE_F64 | VD_FEATURE_F16), 0u);
  ir::Kernel kernel;
  kernel.name = "wide";
  kernel.requirements = VD_FEATURE_F64;
  backends::ModuleDesc desc;
  desc.kernel = &kernel;
  desc.workgroup_size = {1, 1, 1};
  expect_error([&] { device().make_module(desc); }, VD_ERR_UNSUPPORTED,
               "kernel \"wide\" needs 64-bit floats, which OpenCL device");
  expect_error([&] { device().make_module(desc); }, VD_ERR_UNSUPPORTED, "lacks; do without, or take another device");
}

TEST_F(OpenClFailure, ADeviceThatIsTooOld) {
  api_.GetDeviceInfo = old_version;
  std::string reason;
  Overrides wishes;
  wishes.api = &api_;
  expect_error([&] { open_fresh(wishes, "", reason); }, VD_ERR_UNSUPPORTED, "OpenCL C 1.1; 1.2 is needed");
}

}  // namespace
}  // namespace vd::opencl
