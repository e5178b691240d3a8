// Beside torch, CuPy or the caller's own CUDA: no call of ours changes the current context of a thread.
#include "unit/cuda/fixture.h"

namespace vd::cuda {
namespace {

enum class Whose : uint8_t { Nobodys, OurDevices, AnotherDevices };

class CudaForeignContext : public CudaTest, public testing::WithParamInterface<Whose> {
 protected:
  void SetUp() override {
    device_ = open_fresh({}, "", 2);  // for itself, which closes it in between
    if (GetParam() == Whose::Nobodys) return;
    const Driver& cu = Driver::get();
    owner_ = GetParam() == Whose::OurDevices ? 0 : 1;
    if (owner_ >= device_count(cu)) GTEST_SKIP() << "there is one device";
    ASSERT_EQ(cu.cuDevicePrimaryCtxRetain(&theirs_, owner_), CUDA_SUCCESS);
    ASSERT_EQ(cu.cuCtxPushCurrent(theirs_), CUDA_SUCCESS);
  }
  void TearDown() override {
    device_.reset();
    if (theirs_ == nullptr) return;
    const Driver& cu = Driver::get();
    CUcontext popped = nullptr;
    EXPECT_EQ(cu.cuCtxPopCurrent(&popped), CUDA_SUCCESS);
    EXPECT_EQ(popped, theirs_);
    // There was one entry, not several of the same.
    EXPECT_EQ(cu.cuCtxGetCurrent(&popped), CUDA_SUCCESS);
    EXPECT_EQ(popped, nullptr);
    EXPECT_EQ(cu.cuDevicePrimaryCtxRelease(owner_), CUDA_SUCCESS);
  }

  // Once the kind of call was made, the thread's context is the one that it was.
  template <class F>
  void leaves(const char* what, F&& call) {
    call();
    CUcontext now = nullptr;
    EXPECT_EQ(Driver::get().cuCtxGetCurrent(&now), CUDA_SUCCESS) << what;
    EXPECT_EQ(now, theirs_) << what;
  }

  CUcontext theirs_ = nullptr;
  int owner_ = 0;
};

TEST_P(CudaForeignContext, IsTheThreadsAfterEachCall) {
  std::shared_ptr<backends::Module> module, many;
  std::unique_ptr<backends::Memory> buffer, other, pinned;
  std::unique_ptr<backends::Executable> graph;
  std::vector<uint32_t> got(4);
  uint64_t value = 0;
  leaves("opening", [&] { device_ = open_fresh({}, "", 2); });
  leaves("a kernel", [&] { module = affine(); });
  leaves("a kernel of many values", [&] { many = many_values(); });
  leaves("a kernel that does not compile", [&] { EXPECT_THROW(cuda("nonsense", 0), Error); });
  leaves("memory", [&] { buffer = memory(16); });
  leaves("more memory", [&] { other = memory(16); });
  leaves("pinned memory", [&] { pinned = memory(16, true); });
  const std::vector<uint32_t> values{1, 2, 3, 4};
  leaves("writing", [&] { test::write(queue(), whole(*buffer), values.data()); });
  leaves("writing pinned memory", [&] { test::write(queue(), whole(*pinned), values.data()); });
  ListBuilder work;
  work.level(0).dispatch(*module, 1, {whole(*buffer)}, {4, 10, 0});
  work.level(1).copy(whole(*buffer), whole(*other));
  work.level(2).fill({other.get(), 0, 8}, 5);
  leaves("launching, copying, filling", [&] { queue().submit(work.list); });
  ListBuilder large;
  large.dispatch(*many, 1, {whole(*buffer)}, std::vector<uint32_t>(kManyValues, 1));
  leaves("launching with many values", [&] { queue().submit(large.list); });
  leaves("a graph", [&] { graph = device().make_executable(work.list); });
  leaves("launching it", [&] { value = queue().submit(*graph, 2); });
  ListBuilder again;
  again.level(0).dispatch(*module, 1, {whole(*other)}, {4, 11, 0});
  again.level(1).copy(whole(*other), whole(*buffer));
  again.level(2).fill({buffer.get(), 0, 8}, 6);
  leaves("changing it", [&] { EXPECT_TRUE(graph->update(again.list)); });
  leaves("launching it changed", [&] { value = queue().submit(*graph, 1); });
  leaves("waiting for another queue", [&] { device().queue(1).wait_for(queue(), value); });
  leaves("launching there", [&] { value = device().queue(1).submit(work.list); });
  leaves("flushing", [&] { device().queue(1).flush(); });
  leaves("asking", [&] { device().queue(1).completed(); });
  leaves("waiting", [&] { EXPECT_TRUE(device().queue(1).wait(value, VD_WAIT_FOREVER)); });
  leaves("reading", [&] { queue().read(whole(*buffer), got.data()); });
  leaves("reading pinned memory", [&] { queue().read(whole(*pinned), got.data()); });
  EXPECT_EQ(got, values);
  leaves("destroying a graph", [&] { graph.reset(); });
  leaves("destroying memory", [&] {
    buffer.reset();
    pinned.reset();
  });
  leaves("destroying kernels", [&] {
    module.reset();
    many.reset();
  });
  other.reset();
  leaves("closing", [&] { device_.reset(); });
}

// A call that fails half-way has made our context the thread's own.
TEST_P(CudaForeignContext, IsTheThreadsAfterCallsThatFail) {
  if (control().fail == nullptr) GTEST_SKIP() << "a real driver does not fail on demand";
  const auto module = affine();
  const auto buffer = words({1});
  ListBuilder work;
  work.dispatch(*module, 1, {whole(*buffer)}, {1, 3, 0});
  const auto fails = [&](const char* call, const std::function<void()>& body) {
    control().fail(call, 1, kInvalidValue);
    leaves(call, [&] { EXPECT_THROW(body(), Error) << call; });
    control().fail(call, 0, 0);
  };
  fails("cuMemAllocFromPoolAsync", [&] { memory(16); });
  fails("cuMemHostAlloc", [&] { memory(16, true); });
  fails("cuModuleLoadDataEx", [&] { many_values(); });
  fails("cuLaunchKernel", [&] { queue().submit(work.list); });
  const auto graph = device().make_executable(work.list);
  fails("cuGraphInstantiate", [&] { queue().submit(*graph, 1); });
  fails("cuMemcpyDtoHAsync", [&] { read_words(*buffer); });
  fails("cuStreamCreate", [&] { open_fresh(); });
  fails("cuMemPoolCreate", [&] { open_fresh(); });
  EXPECT_TRUE(queue().wait(queue().submit(backends::CommandList{}), VD_WAIT_FOREVER));
}

INSTANTIATE_TEST_SUITE_P(Contexts, CudaForeignContext,
                         testing::Values(Whose::Nobodys, Whose::OurDevices, Whose::AnotherDevices),
                         [](const auto& made) {
                           return std::string(made.param == Whose::Nobodys      ? "Nobodys"
                                              : made.param == Whose::OurDevices ? "OurDevices"
                                                                                : "AnotherDevices");
                         });

}  // namespace
}  // namespace vd::cuda
