// What is said where something is missing: no driver, no device, no NVRTC, one that is too new; and what a real driver
// says of a kernel that goes wrong. Each is asked in a process of its own, since what was found is kept.
#include <cstdlib>
#include <iostream>

#include "backends/cuda/driver.h"
#include "core/platform.h"
#include "unit/cuda/fixture.h"

namespace vd::cuda {
namespace {

using testing::ExitedWithCode;

class CudaAbsent : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
  static bool real() { return std::getenv("VD_TEST_REAL_CUDA") != nullptr; }
};

constexpr const char* kKernel = "extern \"C\" __global__ void vkdispatch_main(unsigned* x) { x[threadIdx.x] += 1u; }\n";

std::shared_ptr<backends::Module> compile(Device& device, const char* text) {
  backends::SourceText source;
  source.language = VD_LANGUAGE_CUDA;
  source.text = text;
  source.bindings = {1};
  backends::ModuleDesc desc;
  desc.source = &source;
  desc.local_size = {1, 1, 1};
  desc.label = "test kernel";
  return device.make_module(desc);
}

// Says what `body` gives, and ends the process.
template <class F>
[[noreturn]] void ask(F&& body) {
  try {
    body();
    std::cerr << "nothing failed";
  } catch (const Error& error) {
    std::cerr << (error.status() == VD_ERR_UNAVAILABLE   ? "unavailable: "
                  : error.status() == VD_ERR_DEVICE_LOST ? "lost: "
                                                         : "other: ")
              << error.what();
  }
  std::cerr << std::endl;
  std::_Exit(0);
}

TEST_F(CudaAbsent, NoDriver) {
  EXPECT_EXIT(ask([] {
                if (platform::Library::open({"libcuda.so.1"})) fail(VD_ERR_STATE, "there is a driver here");
                Driver::get();
              }),
              ExitedWithCode(0),
              "unavailable: no libcuda.so.1 was found; install the NVIDIA driver|there is a driver here");
}

TEST_F(CudaAbsent, NoDevice) {
  if (real()) GTEST_SKIP() << "there is a device";
  EXPECT_EXIT(ask([] {
                control().fail("cuInit", 1, 100);
                open_fresh();
              }),
              ExitedWithCode(0),
              "unavailable: cuInit failed: CUDA_ERROR_NO_DEVICE \\(100.*; is a GPU plugged in, and does "
              "CUDA_VISIBLE_DEVICES hide it\\?");
}

TEST_F(CudaAbsent, NoNvrtc) {
  if (real()) GTEST_SKIP() << "it is asked for on the emulated driver";
  EXPECT_EXIT(ask([] {
                control();  // it names the emulated one
                setenv("VKDISPATCH_NVRTC", "/nowhere/libnvrtc.so", 1);
                compile(*open_fresh(), kKernel);
              }),
              ExitedWithCode(0),
              "unavailable: no NVRTC was found; install CUDA.s NVRTC: the Python wheel nvidia-cuda-nvrtc .*\\(tried: "
              ".*/nowhere/libnvrtc.so");
}

TEST_F(CudaAbsent, AnNvrtcThatIsTooNewIsNamedWithBothNumbers) {
  if (real()) GTEST_SKIP() << "it is asked for on the emulated driver";
  EXPECT_EXIT(ask([] {
                setenv("VD_EMULATED_NVRTC", "14", 1);
                compile(*open_fresh(), kKernel);
              }),
              ExitedWithCode(0),
              "unavailable: NVRTC is newer than the NVIDIA driver, which runs CUDA 13.77: .*libnvrtc.so \\(14.77\\); ");
}

// The emulated driver's kernels are the host's code, so only a real one takes this well.
TEST_F(CudaAbsent, ARealIllegalAddressIsLastingAndTheProcessLivesOn) {
  if (!real()) GTEST_SKIP() << "not on a real driver";
  EXPECT_EXIT(ask([] {
                const auto device = open_fresh();
                const auto module = compile(
                    *device, "extern \"C\" __global__ void vkdispatch_main(unsigned* x) { x[1ull << 40] = 1u; }");
                const auto memory = device->make_memory(64, false, "small");
                ListBuilder work;
                work.dispatch(*module, 1, {whole(*memory)}, {});
                try {
                  device->queue(0).wait(device->queue(0).submit(work.list), VD_WAIT_FOREVER);
                } catch (const Error& error) {
                  std::cerr << "first " << error.what() << "; then ";
                }
                device->queue(0).submit(work.list);
              }),
              ExitedWithCode(0), "first .*CUDA_ERROR_ILLEGAL_ADDRESS \\(700.*; then lost: .*is of no further use");
}

}  // namespace
}  // namespace vd::cuda
