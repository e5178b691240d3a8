#include "backends/cuda/nvrtc.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "support/scratch_folder.h"

namespace vd::cuda {
namespace {

TEST(CudaNvrtc, TheNewestThatIsNotNewerThanTheDriverIsTheBest) {
  const std::vector<NvrtcCandidate> found{
      {"a", 12040, ""}, {"b", 13050, ""}, {"c", 13000, ""}, {"d", 0, "cannot be loaded"}, {"e", 12090, ""}};
  EXPECT_EQ(choose_nvrtc(found, 13000), 2u);
  EXPECT_EQ(choose_nvrtc(found, 13100), 1u);
  EXPECT_EQ(choose_nvrtc(found, 12060), 0u);
  EXPECT_EQ(choose_nvrtc({{"a", 12090, ""}, {"b", 12080, ""}}, 12020), 0u) << "one major version runs its own";
  EXPECT_EQ(choose_nvrtc(found, 11080), found.size()) << "all are too new";
  EXPECT_EQ(choose_nvrtc({}, 13000), 0u);
}

TEST(CudaNvrtc, LooksWhereItIsTold) {
  namespace fs = std::filesystem;
  const test::ScratchFolder scratch;
  const fs::path root = scratch.path();
  const fs::path folder = root / "lib" / "python3.11" / "site-packages" / "nvidia" / "cu13" / "lib";
  fs::create_directories(folder);
  const fs::path file = folder / "libnvrtc.so.13";
  std::ofstream(file) << "no library";
  std::ofstream(folder / "libnvrtc-builtins.so.13.0") << "not it";
  fs::create_symlink(file, folder / "libnvrtc.so");
  const char* only = std::getenv("VKDISPATCH_NVRTC");
  const std::string kept = only != nullptr ? only : "";

  setenv("VKDISPATCH_NVRTC", "some/file.so", 1);
  EXPECT_EQ(nvrtc_paths(), std::vector<std::string>{"some/file.so"});
  setenv("VKDISPATCH_NVRTC", folder.c_str(), 1);
  EXPECT_EQ(nvrtc_paths(), std::vector<std::string>{file.string()}) << "two names of one file";
  unsetenv("VKDISPATCH_NVRTC");
  setenv("VKDISPATCH_NVRTC_PATH", ("nowhere:" + folder.string()).c_str(), 1);
  EXPECT_EQ(nvrtc_paths().front(), file.string());
  unsetenv("VKDISPATCH_NVRTC_PATH");
  const char* environment = std::getenv("VIRTUAL_ENV");
  const std::string virtual_env = environment != nullptr ? environment : "";
  setenv("VIRTUAL_ENV", root.c_str(), 1);
  EXPECT_EQ(nvrtc_paths().front(), file.string());

  if (!kept.empty()) setenv("VKDISPATCH_NVRTC", kept.c_str(), 1);
  if (virtual_env.empty())
    unsetenv("VIRTUAL_ENV");
  else
    setenv("VIRTUAL_ENV", virtual_env.c_str(), 1);
}

}  // namespace
}  // namespace vd::cuda
