// Messages if something is missing: no driver, no device, no NVRTC, half of one, one that is too new; and those of a
// real driver about a failing kernel. Each test runs in a process of its own, since the library keeps its findings.
#include <cstdlib>
#include <iostream>

#include "backends/cuda/driver.h"
#include "core/platform.h"
#include "support/scratch_folder.h"
#include "unit/cuda/fixture.h"

namespace vd::cuda {

backends::Backend& backend();  // backend.cpp

namespace {

using testing::ExitedWithCode;

class CudaAbsent : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
  static bool real() { return std::getenv("VD_TEST_REAL_CUDA") != nullptr; }
};

// Asked for on the emulated driver.
class CudaEmulatedAbsent : public CudaAbsent {
 protected:
  void SetUp() override {
    CudaAbsent::SetUp();
    if (real()) GTEST_SKIP() << "a real driver lacks nothing on demand";
  }
};

// The devices that the backend lists.
const std::vector<vd_device_info>& listed() {
  control();
  return backend().devices();
}

constexpr const char* kKernel = "extern \"C\" __global__ void vkdispatch_main(unsigned* x) { x[threadIdx.x] += 1u; }\n";

std::shared_ptr<backends::Module> compile(Device& device, const char* text) {
  backends::SourceText source;
  source.language = VD_LANGUAGE_CUDA;
  source.text = text;
  source.bindings = {1};
  backends::ModuleDesc desc;
  desc.source = &source;
  desc.workgroup_size = {1, 1, 1};
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

TEST_F(CudaEmulatedAbsent, EveryDeviceIsHidden) {
  EXPECT_EXIT(ask([] {
                setenv("CUDA_VISIBLE_DEVICES", "", 1);
                listed();
              }),
              ExitedWithCode(0),
              "unavailable: cuInit failed: CUDA_ERROR_NO_DEVICE \\(100.*; is a GPU plugged in, and does "
              "CUDA_VISIBLE_DEVICES hide it\\?");
}

TEST_F(CudaEmulatedAbsent, NoDevice) {
  EXPECT_EXIT(ask([] {
                setenv("VD_EMULATED_DEVICES", "0", 1);
                listed();
              }),
              ExitedWithCode(0),
              "unavailable: the NVIDIA driver finds no device \\(cuDeviceGetCount gave 0\\); is a GPU plugged in");
  EXPECT_EXIT(
      ask([] {
        control().fail("cuDeviceGetCount", 1, 999);
        listed();
      }),
      ExitedWithCode(0),
      "unavailable: cuDeviceGetCount failed: CUDA_ERROR_UNKNOWN \\(999, unknown error\\): the number of devices");
}

TEST_F(CudaEmulatedAbsent, ADriverThatIsTooOldIsNamedWithBothNumbers) {
  EXPECT_EXIT(ask([] {
                setenv("VD_EMULATED_DRIVER", "11080", 1);
                listed();
              }),
              ExitedWithCode(0),
              "unavailable: the NVIDIA driver runs CUDA 11.8 at most, and 12.0 is needed: install driver 525 or later");
}

TEST_F(CudaEmulatedAbsent, ADriverThatLacksAnEntryPoint) {
  EXPECT_EXIT(
      ask([] {
        // Whoever opens libcuda.so.1 from now on gets this one.
        const auto library = platform::Library::open({VD_EMULATED_DIR "/incomplete/libcuda.so.1"});
        if (library) Driver::get();
      }),
      ExitedWithCode(0),
      "unavailable: libcuda.so.1 has no cuInit, which every NVIDIA driver for CUDA 12.0 has: reinstall the driver");
}

TEST_F(CudaEmulatedAbsent, TheToolkitsStandInForTheDriver) {
  EXPECT_EXIT(ask([] {
                control().fail("cuDriverGetVersion", 1, 34);
                listed();
              }),
              ExitedWithCode(0),
              "unavailable: cuDriverGetVersion failed: CUDA_ERROR_STUB_LIBRARY \\(34.*install the NVIDIA driver, and "
              "take the folder .* out of LD_LIBRARY_PATH");
}

// The others are listed, under numbers without gaps, and each opens as itself.
TEST_F(CudaEmulatedAbsent, ADeviceThatCannotBeAskedHidesNoOther) {
  for (const char* call : {"cuDeviceGet", "cuDeviceGetName", "cuDeviceGetAttribute", "cuDeviceTotalMem"}) {
    EXPECT_EXIT(ask([&] {
                  control().fail(call, 1, 999);
                  const auto& devices = listed();
                  const auto device = backend().make_device(0, {});
                  std::cerr << devices.size() << " device, " << device->info().index << ": " << device->info().name;
                  backend().make_device(1, {});
                }),
                ExitedWithCode(0),
                std::string("CUDA device 0 is left out: ") + call +
                    " failed: CUDA_ERROR_UNKNOWN \\(999, unknown error\\): .*device 0"
                    "(.|\n)*1 device, 0: emulated CUDA device 1"
                    "other: CUDA device index \\(1\\) is not below the devices \\(1\\)");
  }
  EXPECT_EXIT(ask([] {
                setenv("VD_EMULATED_DEVICES", "1", 1);
                control().fail("cuDeviceGetName", 1, 999);
                listed();
              }),
              ExitedWithCode(0), "unavailable: cuDeviceGetName failed: CUDA_ERROR_UNKNOWN \\(999");
}

TEST_F(CudaEmulatedAbsent, NoNvrtc) {
  const test::ScratchFolder empty;
  EXPECT_EXIT(
      ask([&] {
        control();  // it names the emulated one
        setenv("VKDISPATCH_NVRTC", empty.path("libnvrtc.so").c_str(), 1);
        std::cerr << listed().size() << " devices, " << backend().missing() << "; ";
        compile(*open_fresh(), kKernel);
      }),
      ExitedWithCode(0),
      "2 devices, no NVRTC was found; .*unavailable: no NVRTC was found; install CUDA.s NVRTC: the Python wheel "
      "nvidia-cuda-nvrtc .*\\(tried: .*/vd-test-.*/libnvrtc.so");
}

TEST_F(CudaEmulatedAbsent, AFolderWithoutNvrtc) {
  EXPECT_EXIT(ask([] {
                control();
                setenv("VKDISPATCH_NVRTC", "/proc/self", 1);
                open_fresh();
              }),
              ExitedWithCode(0), "unavailable: no NVRTC was found; .*\\(tried: /proc/self has no libnvrtc.so\\*\\)");
}

TEST_F(CudaEmulatedAbsent, NvrtcWithoutItsOtherHalf) {
  EXPECT_EXIT(ask([] {
                setenv("VD_EMULATED_BUILTINS", "0", 1);
                compile(*open_fresh(), kKernel);
              }),
              ExitedWithCode(0),
              "unavailable: nvrtcCompileProgram failed: NVRTC_ERROR_BUILTIN_OPERATION_FAILURE \\(7\\): kernel \"test "
              "kernel\": nvrtc: error: failed to open libnvrtc-builtins.so.13.77(.|\n)*NVRTC 13.77 "
              "\\(.*libnvrtc.so\\) does not find libnvrtc-builtins.*; install CUDA.s NVRTC: the Python wheel");
}

TEST_F(CudaEmulatedAbsent, AnNvrtcThatIsTooNewIsNamedWithBothNumbers) {
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
              ExitedWithCode(0), "first .*CUDA_ERROR_ILLEGAL_ADDRESS \\(700.*; then lost: .*can no longer be used");
}

}  // namespace
}  // namespace vd::cuda
