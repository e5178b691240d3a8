// Cubins on disk belong to an architecture and an NVRTC, not to the machine that made them: those that were made
// without a GPU, or beside another driver, are hits on a machine with one.
#include <cstdlib>
#include <iostream>

#include "support/scratch_folder.h"
#include "unit/cuda/fixture.h"

namespace vd::cuda {
namespace {

class CudaCubins : public CudaTest {
 protected:
  void SetUp() override {
    if (std::getenv("VD_TEST_REAL_CUDA") != nullptr) GTEST_SKIP() << "a real driver is what it is";
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    // The process that EXPECT_EXIT starts comes by here, too, with the folder that the first one filled.
    if (const char* given = std::getenv(kFolder)) {
      folder_ = given;
      return;
    }
    mine_ = std::make_unique<test::ScratchFolder>();
    folder_ = mine_->path();
    setenv(kFolder, folder_.c_str(), 1);
    EXPECT_EQ(compiled(), "4 compiled, 0 from the disk, on emulated CUDA device 0 with 2 multiprocessors");
    device_.reset();
  }
  void TearDown() override {
    device_.reset();
    if (!mine_) return;
    unsetenv(kFolder);
    mine_.reset();
  }

  // Kernels of each kind on a device of that folder, and what they took.
  std::string compiled() {
    device_ = open_fresh({}, folder_);
    affine();
    accumulate();
    many_values();
    cuda("extern \"C\" __global__ void vkdispatch_main(unsigned* x) { x[threadIdx.x] += 1u; }\n", 1);
    const auto counts = device().compile_counts();
    return fmt::format("{} compiled, {} from the disk, on {} with {} multiprocessors", counts.compiled, counts.cached,
                       device().info().name, device().info().multiprocessor_count);
  }
  // The same on another machine, and the end of this process.
  [[noreturn]] void on(const std::vector<std::pair<const char*, const char*>>& machine) {
    for (const auto& [variable, value] : machine) setenv(variable, value, 1);
    try {
      std::cerr << compiled() << std::endl;
    } catch (const Error& error) {
      std::cerr << error.what() << std::endl;
    }
    std::_Exit(0);
  }

  static constexpr const char* kFolder = "VD_TEST_CUBINS";
  std::string folder_;
  std::unique_ptr<test::ScratchFolder> mine_;
};

TEST_F(CudaCubins, AreHitsOnAnotherMachineOfTheSameArchitecture) {
  EXPECT_EXIT(on({{"VD_EMULATED_DRIVER", "13990"}}), testing::ExitedWithCode(0), "^0 compiled, 4 from the disk, on ");
  EXPECT_EXIT(on({{"VD_EMULATED_DRIVER", "13780"},
                  {"VD_EMULATED_NAME", "another name"},
                  {"VD_EMULATED_MULTIPROCESSORS", "132"}}),
              testing::ExitedWithCode(0), "^0 compiled, 4 from the disk, on another name 0 with 132 multiprocessors");
}

TEST_F(CudaCubins, AreNoneOfAnotherArchitecture) {
  EXPECT_EXIT(on({{"VD_EMULATED_ARCHITECTURE", "89"}}), testing::ExitedWithCode(0),
              "^4 compiled, 0 from the disk, on ");
}

// One that does not know "--minimal" is not given it.
TEST_F(CudaCubins, AreNoneOfAnotherCompiler) {
  for (const char* version : {"12.3", "12.4"})
    EXPECT_EXIT(on({{"VD_EMULATED_NVRTC", version}}), testing::ExitedWithCode(0), "^4 compiled, 0 from the disk, on ");
}

}  // namespace
}  // namespace vd::cuda
