// Messages when there is no loader, no driver, a broken one or one without devices. The loader reads its folder once in
// a process, so each test runs in a process of its own.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iostream>

#include "backends/opencl/api.h"
#include "core/platform.h"
#include "unit/opencl/fixture.h"

namespace vd::opencl {
backends::Backend& backend();

namespace {

using testing::ExitedWithCode;

class OpenClDrivers : public testing::Test {
 protected:
  void SetUp() override {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    if (!platform::Library::open({"libOpenCL.so.1"})) GTEST_SKIP() << "no OpenCL loader";
  }
  // The folder of ICD files, with one more that names `library`.
  std::string folder(const std::string& library) {
    std::ofstream(folder_.path() + "/test.icd") << library << "\n";
    return folder_.path();
  }

  ScratchFolder folder_;
};

// Loaders that look where OCL_ICD_VENDORS says. Khronos' own does not, for a program that root runs.
class OpenClVendors : public OpenClDrivers {
 protected:
  void SetUp() override {
    OpenClDrivers::SetUp();
    if (IsSkipped()) return;
    static const bool followed = follows(folder_.path());
    if (!followed) GTEST_SKIP() << "this OpenCL loader finds drivers although OCL_ICD_VENDORS names an empty folder";
  }

 private:
  // In a process of its own, for the loader looks once.
  static bool follows(const std::string& empty) {
    const pid_t child = fork();
    if (child == 0) {
      setenv("OCL_ICD_VENDORS", empty.c_str(), 1);
      cl_uint count = 0;
      const cl_int found = Api::get().GetPlatformIDs(0, nullptr, &count);
      _exit(found == CL_SUCCESS && count != 0 ? 1 : 0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }
};

// Says what asking for devices gives, and ends the process.
[[noreturn]] void ask(const char* variable, const std::string& value) {
  setenv(variable, value.c_str(), 1);
  try {
    std::cerr << backend().devices().size() << " devices";
  } catch (const Error& error) {
    std::cerr << (error.status() == VD_ERR_UNAVAILABLE ? "unavailable: " : "other: ") << error.what();
  }
  std::cerr << std::endl;
  std::_Exit(0);
}

TEST_F(OpenClDrivers, NoLoader) {
  EXPECT_EXIT(ask("VKDISPATCH_OPENCL_LIBRARY", "libno_such_loader.so"), ExitedWithCode(0),
              "unavailable: the OpenCL loader that VKDISPATCH_OPENCL_LIBRARY names cannot be opened: "
              "libno_such_loader.so");
}

TEST_F(OpenClDrivers, ALibraryThatIsNoLoader) {
  EXPECT_EXIT(ask("VKDISPATCH_OPENCL_LIBRARY", "libm.so.6"), ExitedWithCode(0),
              "unavailable: the OpenCL loader that VKDISPATCH_OPENCL_LIBRARY names \\(libm.so.6\\) has no "
              "clGetPlatformIDs");
}

TEST_F(OpenClVendors, NoDriver) {
  EXPECT_EXIT(ask("OCL_ICD_VENDORS", folder_.path()), ExitedWithCode(0),
              "unavailable: the OpenCL loader found no driver: .* has no .icd file of a driver; install your "
              "GPU's OpenCL driver");
}

TEST_F(OpenClVendors, AnIcdFileThatNamesWhatIsNotThere) {
  EXPECT_EXIT(ask("OCL_ICD_VENDORS", folder("libno_such_driver.so")), ExitedWithCode(0),
              "test.icd names \"libno_such_driver.so\", which cannot be loaded \\(.*\\); install that driver again, or "
              "remove the file");
}

TEST_F(OpenClVendors, AnIcdFileThatNamesNoDriver) {
  EXPECT_EXIT(ask("OCL_ICD_VENDORS", folder("libm.so.6")), ExitedWithCode(0),
              "test.icd names \"libm.so.6\", which is not an OpenCL driver");
}

TEST_F(OpenClVendors, AnEmptyIcdFile) {
  EXPECT_EXIT(ask("OCL_ICD_VENDORS", folder("")), ExitedWithCode(0), "test.icd names no library");
}

TEST_F(OpenClVendors, OfAnIcdFileThatIsNoTextNothingIsShownThatCannotBe) {
  std::string bytes = "libgarbage";
  for (int i = 0; i < 290; ++i) bytes += static_cast<char>(i % 2 == 0 ? 1 + i % 9 : 128 + i % 120);
  EXPECT_EXIT(
      ask("OCL_ICD_VENDORS", folder(bytes)), ExitedWithCode(0),
      "test.icd names \"libgarbage\\.\\.\\.\", which cannot be loaded \\([ -~]*\\); install that driver again, or "
      "remove the file\n");
}

TEST_F(OpenClVendors, AnIcdFileThatIsNoText) {
  EXPECT_EXIT(ask("OCL_ICD_VENDORS", folder("\x7f"
                                            "ELF")),
              ExitedWithCode(0), "test.icd is not a text file; ");
}

TEST_F(OpenClVendors, OfAnEndlessNameTheBeginningIsShown) {
  EXPECT_EXIT(ask("OCL_ICD_VENDORS", folder(std::string(10'000, 'a'))), ExitedWithCode(0),
              "test.icd names \"a{80}\\.\\.\\.\", which cannot be loaded \\([ -~]{1,210}\\); install");
}

// The loader skips it without a message, and its user gets another device than intended.
TEST_F(OpenClVendors, ABrokenIcdFileBesideAGoodOneIsTold) {
  const char* named = std::getenv("OCL_ICD_VENDORS");
  const std::filesystem::path good = named != nullptr ? named : "/etc/OpenCL/vendors";
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(good, error))
    if (entry.path().extension() == ".icd") std::filesystem::copy(entry.path(), folder_.path());
  if (folder_.files().empty()) GTEST_SKIP() << "no driver in " << good;
  EXPECT_EXIT(ask("OCL_ICD_VENDORS", folder("libno_such_driver.so")), ExitedWithCode(0),
              "OpenCL: .*test.icd names \"libno_such_driver.so\", which cannot be loaded \\(.*\\); install that driver "
              "again, or remove the file.*[1-9] devices");
}

#ifdef VD_EMPTY_OPENCL_DRIVER
TEST_F(OpenClVendors, ADriverWithoutDevices) {
  if (!platform::Library::open({VD_EMPTY_OPENCL_DRIVER})) GTEST_SKIP() << "the driver was left where this was built";
  EXPECT_EXIT(ask("OCL_ICD_VENDORS", folder(VD_EMPTY_OPENCL_DRIVER)), ExitedWithCode(0),
              "unavailable: the OpenCL driver \"Empty platform\" has no devices; is its GPU plugged in");
}

TEST_F(OpenClVendors, ADriverWithoutDevicesBesideABrokenOne) {
  if (!platform::Library::open({VD_EMPTY_OPENCL_DRIVER})) GTEST_SKIP() << "the driver was left where this was built";
  std::ofstream(folder_.path() + "/broken.icd") << "libno_such_driver.so\n";
  EXPECT_EXIT(ask("OCL_ICD_VENDORS", folder(VD_EMPTY_OPENCL_DRIVER)), ExitedWithCode(0),
              "unavailable: the OpenCL driver \"Empty platform\" has no devices; .*broken.icd names "
              "\"libno_such_driver.so\"");
}
#endif

}  // namespace
}  // namespace vd::opencl
