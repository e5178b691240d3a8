// Every entry point of NVRTC may fail, and so may the driver's that only some programs call, or only the first call of
// a process: the error says which, with its code and what was asked. On the emulated driver and compiler.
#include <dlfcn.h>

#include <cstdlib>
#include <iostream>

#include "backends/cuda/driver.h"
#include "unit/cuda/fixture.h"

namespace vd::cuda {

backends::Backend& backend();  // backend.cpp

namespace {

constexpr int kNvrtcOutOfMemory = 1, kInvalidOption = 5, kInternalError = 11;

class CudaCompilerCalls : public CudaFailure {
 protected:
  void SetUp() override {
    CudaFailure::SetUp();
    if (IsSkipped()) return;
    // The backend has it open already, by this name.
    void* library = dlopen(VD_EMULATED_DIR "/libnvrtc.so", RTLD_NOW | RTLD_NOLOAD);
    ASSERT_NE(library, nullptr) << dlerror();
    nvrtc_fail_ = reinterpret_cast<decltype(nvrtc_fail_)>(dlsym(library, "vd_emulated_nvrtc_fail"));
    dlclose(library);
    ASSERT_NE(nvrtc_fail_, nullptr);
  }
  void TearDown() override {
    if (nvrtc_fail_ != nullptr) nvrtc_fail_(nullptr, 0);
    CudaFailure::TearDown();
  }

  void (*nvrtc_fail_)(const char* call, int code) = nullptr;
};

TEST_F(CudaCompilerCalls, EachMayFail) {
  for (const char* call : {"nvrtcCreateProgram", "nvrtcCompileProgram", "nvrtcGetCUBINSize", "nvrtcGetCUBIN"}) {
    SCOPED_TRACE(call);
    nvrtc_fail_(call, kInternalError);
    expect_error([&] { affine(); }, VD_ERR_COMPILE,
                 fmt::format("{} failed: NVRTC_ERROR_INTERNAL_ERROR (11): kernel \"affine\"", call));
    nvrtc_fail_(call, kNvrtcOutOfMemory);
    EXPECT_THROW(affine(), Error);
    EXPECT_NO_THROW(affine()) << "it failed once";
    device_.reset();
    device_ = open_fresh();  // that does not know the kernel
  }
  nvrtc_fail_("nvrtcCreateProgram", kNvrtcOutOfMemory);
  expect_error([&] { affine(); }, VD_ERR_OUT_OF_MEMORY, "NVRTC_ERROR_OUT_OF_MEMORY (1): kernel \"affine\"");
}

// While a device opens.
TEST_F(CudaCompilerCalls, WhatItCompilesForCannotBeAsked) {
  device_.reset();
  nvrtc_fail_("nvrtcGetNumSupportedArchs", kInternalError);
  expect_error([&] { open_fresh(); }, VD_ERR_COMPILE,
               "nvrtcGetNumSupportedArchs failed: NVRTC_ERROR_INTERNAL_ERROR (11): the number of architectures");
  nvrtc_fail_("nvrtcGetSupportedArchs", kInternalError);
  expect_error([&] { open_fresh(); }, VD_ERR_COMPILE,
               "nvrtcGetSupportedArchs failed: NVRTC_ERROR_INTERNAL_ERROR (11): the architectures");
  EXPECT_EQ(control().live(), 0u);
  device_ = open_fresh();
}

// The log is said beside an error or a warning. Without it the kernel is as good, and the error is the same.
TEST_F(CudaCompilerCalls, TheLogMayBeMissing) {
  for (const char* call : {"nvrtcGetProgramLogSize", "nvrtcGetProgramLog"}) {
    nvrtc_fail_(call, kInternalError);
    expect_error([&] { cuda("nonsense\n", 0); }, VD_ERR_COMPILE,
                 "nvrtcCompileProgram failed: NVRTC_ERROR_COMPILATION (6): kernel \"test kernel\"");
  }
  nvrtc_fail_("nvrtcDestroyProgram", kInternalError);
  EXPECT_NO_THROW(affine());
}

TEST_F(CudaCompilerCalls, AnOptionThatItDoesNotKnowIsShown) {
  nvrtc_fail_("nvrtcCompileProgram", kInvalidOption);
  expect_error([&] { affine(); }, VD_ERR_COMPILE, "NVRTC_ERROR_INVALID_OPTION (5): kernel \"affine\" (--gpu-arch");
}

// Others may use what "--minimal" leaves out.
TEST_F(CudaCompilerCalls, OnlyPrintedKernelsWithoutImagesAreMinimal) {
  const auto minimal = [&](const auto& make) {
    nvrtc_fail_("nvrtcCompileProgram", kInvalidOption);
    std::string what;
    try {
      make();
    } catch (const Error& error) {
      what = error.what();
    }
    EXPECT_NE(what.find("NVRTC_ERROR_INVALID_OPTION (5)"), std::string::npos) << what;
    return what.find(" --minimal)") != std::string::npos;
  };
  EXPECT_TRUE(minimal([&] { affine(); }));
  EXPECT_FALSE(minimal([&] { doubler(); }));
  EXPECT_FALSE(minimal([&] { cuda("extern \"C\" __global__ void vkdispatch_main() {}\n", 0); }));
}

TEST_F(CudaCompilerCalls, AKernelsAttributeMayNotBeSet) {
  const auto text = [](uint32_t words) {
    return fmt::format(R"(kernel "big_shared" no_exec_bounds
argument 0 buffer u32 "x"
shared 0 u32 x {} "tile"
{{
  %0: u32 = index local_id, u32 0
  %1: shared u32 = index #0, %0
  store %1, %0
  barrier
  %2: u32 = load %1
  %3: storage u32 = index @0, %0
  store %3, %2
}}
)",
                       words);
  };
  control().fail("cuFuncSetAttribute", 1, kInvalidValue);
  expect_error([&] { kernel(text(20 * 1024)); }, VD_ERR_INTERNAL,
               "cuFuncSetAttribute failed: CUDA_ERROR_INVALID_VALUE (1, invalid argument): dynamic shared memory "
               "(81920) of kernel \"big_shared\"");
  EXPECT_NO_THROW(kernel(text(20 * 1024)));
}

// Calls that a process makes once are tested in a process of their own.
class CudaStart : public testing::Test {
 protected:
  void SetUp() override {
    if (std::getenv("VD_TEST_REAL_CUDA") != nullptr) GTEST_SKIP() << "a real driver does not fail on demand";
    GTEST_FLAG_SET(death_test_style, "threadsafe");
  }
  template <class F>
  [[noreturn]] static void ask(F&& body) {
    control();
    try {
      body();
      std::cerr << "nothing failed" << std::endl;
    } catch (const Error& error) {
      std::cerr << (error.status() == VD_ERR_UNAVAILABLE ? "unavailable: " : "other: ") << error.what() << std::endl;
    }
    std::_Exit(0);
  }
};

TEST_F(CudaStart, TheDriverMayNotStart) {
  EXPECT_EXIT(
      ask([] {
        control().fail("cuInit", 1, 999);
        backend().devices();
      }),
      testing::ExitedWithCode(0),
      "unavailable: cuInit failed: CUDA_ERROR_UNKNOWN \\(999, unknown error\\): to start the NVIDIA driver; does "
      "nvidia-smi see the GPU");
  EXPECT_EXIT(ask([] {
                control().fail("cuDriverGetVersion", 1, 999);
                backend().devices();
              }),
              testing::ExitedWithCode(0),
              "unavailable: cuDriverGetVersion failed: CUDA_ERROR_UNKNOWN \\(999, unknown error\\): its version; does "
              "nvidia-smi see the GPU");
}

TEST_F(CudaStart, NvrtcMayNotSayItsVersion) {
  EXPECT_EXIT(ask([] {
                setenv("VD_EMULATED_NVRTC_FAIL", "nvrtcVersion:11", 1);
                open_fresh();
              }),
              testing::ExitedWithCode(0),
              "unavailable: no NVRTC was found; .*nvrtcVersion of .*libnvrtc.so failed: NVRTC_ERROR_INTERNAL_ERROR "
              "\\(11\\)");
}

}  // namespace
}  // namespace vd::cuda
