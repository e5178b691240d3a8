#include <cstdio>
#include <fstream>

#include "support/scratch_folder.h"
#include "unit/cuda/fixture.h"

namespace vd::cuda {
namespace {

constexpr const char* kDouble = R"(extern "C" __global__ void __launch_bounds__(64) vkdispatch_main(unsigned* x) {
  x[blockIdx.x * blockDim.x + threadIdx.x] *= 2u;
}
)";

using CudaModule = CudaTest;

TEST_F(CudaModule, RunsSourceText) {
  const auto module = cuda(kDouble, 1);
  EXPECT_EQ(module->source(), kDouble);
  EXPECT_GT(module->statistics(false).registers.value_or(0), 0u);
  EXPECT_EQ(module->statistics(false).spilled, 0u);
  const auto buffer = words(std::vector<uint32_t>(64, 3));
  ListBuilder work;
  work.dispatch(*module, 1, {whole(*buffer)}, {});
  queue().submit(work.list);
  EXPECT_EQ(read_words(*buffer), std::vector<uint32_t>(64, 6));
}

TEST_F(CudaModule, GivesTheCompilersLog) {
  const char* wrong = "extern \"C\" __global__ void vkdispatch_main() { nonsense; }\n";
  expect_error([&] { cuda(wrong, 0); }, VD_ERR_COMPILE, "nonsense");
  expect_error([&] { cuda(wrong, 0); }, VD_ERR_COMPILE, "test kernel");
}

TEST_F(CudaModule, NamesAMissingKernel) {
  expect_error([&] { cuda("extern \"C\" __global__ void other() {}\n", 0); }, VD_ERR_COMPILE,
               "no kernel of the name \"vkdispatch_main\"");
}

TEST_F(CudaModule, RefusesOtherLanguages) {
  backends::SourceText source;
  source.language = VD_LANGUAGE_GLSL;
  backends::ModuleDesc desc;
  desc.source = &source;
  expect_error([&] { device().make_module(desc); }, VD_ERR_UNSUPPORTED,
               "CUDA takes CUDA C++; plan \"kernel\" is in GLSL.");
}

TEST_F(CudaModule, AFeatureThatTheDeviceLacks) {
  ir::Kernel kernel;
  kernel.name = "wide";
  kernel.requirements = VD_FEATURE_QUAD_ALL_STAGES;  // no CUDA device reports it
  backends::ModuleDesc desc;
  desc.kernel = &kernel;
  desc.workgroup_size = {1, 1, 1};
  expect_error([&] { device().make_module(desc); }, VD_ERR_UNSUPPORTED,
               "kernel \"wide\" needs quad operations, which CUDA device");
  expect_error([&] { device().make_module(desc); }, VD_ERR_UNSUPPORTED, "lacks; do without, or take another device");
}

// Output goes to standard output, at the latest when a thread waits.
TEST_F(CudaModule, PrintsAndAssertions) {
  const auto module = kernel(R"(kernel "talks" no_exec_bounds
argument 0 buffer u32 "x"
{
  %0: u32 = index global_id, u32 0
  %1: storage u32 = index @0, %0
  %2: u32 = load %1
  printf $"word %u is %u\n", %0, %2
}
)",
                             {2, 1, 1});
  const auto buffer = words({5, 6});
  ListBuilder work;
  work.dispatch(*module, 1, {whole(*buffer)}, {});
  const auto graph = device().make_executable(work.list);
  for (const bool by_graph : {false, true}) {
    const uint64_t waits = control().calls != nullptr ? control().calls("cuStreamSynchronize") : 0;
    testing::internal::CaptureStdout();
    queue().wait(by_graph ? queue().submit(*graph, 1) : queue().submit(work.list), VD_WAIT_FOREVER);
    std::fflush(stdout);
    const std::string text = testing::internal::GetCapturedStdout();
    EXPECT_NE(text.find("word 0 is 5\n"), std::string::npos) << text;
    EXPECT_NE(text.find("word 1 is 6\n"), std::string::npos) << text;
    if (control().calls != nullptr) {
      EXPECT_EQ(control().calls("cuStreamSynchronize"), waits + 1);
    }
  }
}

TEST_F(CudaModule, TooManyRegistersForTheLocalSize) {
  if (control().fail == nullptr) GTEST_SKIP() << "the emulated compiler is told how many registers there are";
  const std::string text = R"(// emulated registers: 128
extern "C" __global__ void vkdispatch_main(unsigned* x) { x[threadIdx.x] = 1u; }
)";
  EXPECT_NO_THROW(cuda(text, 1, 0, {512, 1, 1}));
  expect_error(
      [&] {
        cuda(text, 1, 0, {1024, 1, 1});
      },
      VD_ERR_UNSUPPORTED,
      "uses 128 registers an invocation, so that a workgroup has at most 512 invocations; it has 1024");
}

TEST_F(CudaModule, SharedMemoryUpToTheOptInLimit) {
  const auto text = [](uint32_t count) {
    return fmt::format(R"(kernel "big_shared" no_exec_bounds
argument 0 buffer u32 "x"
shared 0 u32 x {} "tile"
{{
  %0: u32 = index local_id, u32 0
  %1: u32 = sub u32 {}, %0
  %2: shared u32 = index #0, %1
  store %2, %0
  barrier
  %3: shared u32 = index #0, u32 {}
  %4: u32 = load %3
  %5: storage u32 = index @0, %0
  store %5, %4
}}
)",
                       count, count - 1, count - 6);
  };
  const auto module = kernel(text(50 * 1024));
  const auto buffer = words(std::vector<uint32_t>(64, 3));
  ListBuilder work;
  work.dispatch(*module, 1, {whole(*buffer)}, {});
  queue().submit(work.list);
  EXPECT_EQ(read_words(*buffer), std::vector<uint32_t>(64, 5));
  expect_error([&] { kernel(text(58 * 1024)); }, VD_ERR_UNSUPPORTED, "237568 bytes of shared memory; a workgroup has");
  expect_error([&] { kernel(text(58 * 1024)); }, VD_ERR_UNSUPPORTED, "make its shared arrays smaller");
}

// Values that no longer fit a kernel's parameters are in device memory.
TEST_F(CudaModule, ManyValues) {
  const auto module = many_values();
  const auto buffer = words({0, 0});
  std::vector<uint32_t> values(kManyValues, 1);
  for (uint32_t turn = 0; turn < 20; ++turn) {
    values.front() = turn;
    values.back() = turn + 100;
    ListBuilder work;
    work.dispatch(*module, 1, {whole(*buffer)}, values);
    queue().submit(work.list);
  }
  EXPECT_EQ(read_words(*buffer), (std::vector<uint32_t>{119, 19}));
  ListBuilder first, second;
  values.front() = 5;
  first.dispatch(*module, 1, {whole(*buffer)}, values);
  values.front() = 6;
  first.level(1).dispatch(*module, 1, {whole(*buffer)}, values);
  const auto graph = device().make_executable(first.list);
  queue().submit(*graph, 2);
  EXPECT_EQ(read_words(*buffer), (std::vector<uint32_t>{119, 6}));
}

TEST_F(CudaModule, TheDiskCacheSparesTheCompiler) {
  const test::ScratchFolder folder;
  for (const bool first : {true, false}) {
    device_ = open_fresh({}, folder.path());
    const auto module = affine();
    EXPECT_EQ(module->from_cache(), !first);
    EXPECT_EQ(device().compile_counts().compiled, first ? 1u : 0u);
    EXPECT_EQ(device().compile_counts().cached, first ? 0u : 1u);
    const auto buffer = words({20});
    ListBuilder work;
    work.dispatch(*module, 1, {whole(*buffer)}, {1, 2, 2});
    queue().submit(work.list);
    EXPECT_EQ(read_words(*buffer)[0], 42u);
  }
}

}  // namespace
}  // namespace vd::cuda
