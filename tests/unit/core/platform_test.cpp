#include "core/platform.h"

#include <gtest/gtest.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace {

TEST(Platform, EmptyEnvironmentIsNotSet) {
  setenv("VD_TEST_VARIABLE", "", 1);
  EXPECT_FALSE(vd::platform::environment("VD_TEST_VARIABLE"));
  setenv("VD_TEST_VARIABLE", "x", 1);
  EXPECT_EQ(vd::platform::environment("VD_TEST_VARIABLE"), "x");
  unsetenv("VD_TEST_VARIABLE");
  EXPECT_FALSE(vd::platform::environment("VD_TEST_VARIABLE"));
}

// The parent of AProgramWithMoreRights runs this, in a process that the system calls secure.
TEST(Platform, DISABLED_SecureChild) {
  ASSERT_NE(getauxval(AT_SECURE), 0u);
  ASSERT_STREQ(std::getenv("VKDISPATCH_CACHE_DIR"), "/tmp/stranger");
  EXPECT_FALSE(vd::platform::environment("VKDISPATCH_CACHE_DIR"));
  EXPECT_FALSE(vd::platform::environment("VKDISPATCH_NVRTC"));
  EXPECT_TRUE(vd::platform::user_cache_directory().empty());
}

TEST(Platform, AProgramWithMoreRightsThanItsCallerHasNoEnvironment) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can make a set-uid program and call it as another user";
  std::string folder = testing::TempDir() + "vd_secure_XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  const std::string program = folder + "/program";
  std::filesystem::copy_file("/proc/self/exe", program);
  chmod(folder.c_str(), 0755);
  chmod(program.c_str(), 04755);
  const pid_t child = fork();
  if (child == 0) {
    setenv("VKDISPATCH_CACHE_DIR", "/tmp/stranger", 1);
    setenv("VKDISPATCH_NVRTC", "/tmp/stranger.so", 1);
    if (setgid(54321) != 0 || setuid(54321) != 0) _exit(100);
    if (access(program.c_str(), X_OK) != 0) _exit(101);
    execl(program.c_str(), "program", "--gtest_also_run_disabled_tests", "--gtest_filter=*SecureChild", nullptr);
    _exit(102);
  }
  int status = 0;
  waitpid(child, &status, 0);
  std::filesystem::remove_all(folder);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 101) GTEST_SKIP() << "another user cannot reach the folder of tests";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(Platform, MissingLibraryGivesReasons) {
  std::string why;
  EXPECT_FALSE(vd::platform::Library::open({"libvd-none-a.so", "libvd-none-b.so"}, &why));
  EXPECT_NE(why.find("libvd-none-a.so"), std::string::npos);
  EXPECT_NE(why.find("libvd-none-b.so"), std::string::npos);
}

TEST(Platform, LibraryHasSymbols) {
  auto library = vd::platform::Library::open("libm.so.6");
  ASSERT_TRUE(library);
  double (*cosine)(double) = nullptr;
  ASSERT_TRUE(library.get(cosine, "cos"));
  EXPECT_EQ(cosine(0.0), 1.0);
  EXPECT_FALSE(library.get(cosine, "no such thing"));
}

// A folder in the place of "/" with these files.
struct FakeRoot {
  std::filesystem::path path;
  FakeRoot() {
    std::string folder = testing::TempDir() + "vd_root_XXXXXX";
    path = mkdtemp(folder.data());
  }
  ~FakeRoot() { std::filesystem::remove_all(path); }
  void put(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((path / name).parent_path());
    std::ofstream(path / name) << text;
  }
};

TEST(Platform, MemoryIsWhatTheControlGroupsLeave) {
  const uint64_t physical = vd::platform::memory_size("/nowhere");
  ASSERT_GT(physical, 1u << 20);
  const FakeRoot root;
  EXPECT_EQ(vd::platform::memory_size(root.path), physical);
  root.put("proc/self/cgroup", "0::/user/job\n");
  root.put("sys/fs/cgroup/user/job/memory.max", "max\n");
  EXPECT_EQ(vd::platform::memory_size(root.path), physical);
  root.put("sys/fs/cgroup/user/memory.max", "900000\n");
  EXPECT_EQ(vd::platform::memory_size(root.path), 900000u);
  root.put("sys/fs/cgroup/user/job/memory.max", "700000\n");
  EXPECT_EQ(vd::platform::memory_size(root.path), 700000u);
  // A container's own group is its root.
  root.put("sys/fs/cgroup/memory.max", "600000\n");
  EXPECT_EQ(vd::platform::memory_size(root.path), 600000u);
  // Version 1, alone and beside version 2.
  root.put("proc/self/cgroup", "9:name=systemd:/\n4:cpu,memory:/job\n0::/user/job\nnonsense\n");
  root.put("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  root.put("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "500000\n");
  EXPECT_EQ(vd::platform::memory_size(root.path), 500000u);
}

TEST(Platform, ThereIsAProcessor) { EXPECT_GE(vd::platform::processor_count(), 1u); }

}  // namespace
