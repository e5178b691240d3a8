// A test's own folder, empty when it is made and removed with the test. No other test uses its names: a file that must
// not exist does not exist.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace vd::test {

// The folder of all of them, gone with the process that made it: those that it starts, as EXPECT_EXIT does, use the
// same, since they may end without destructors.
class ScratchRoot {
 public:
  static const std::string& path() {
    static const ScratchRoot root;
    return root.path_;
  }
  // A fresh folder.
  static std::string make(const std::string& parent) {
    std::string path = parent + "/vd-test-XXXXXX";
    if (mkdtemp(path.data()) == nullptr) throw std::runtime_error("no folder can be made in " + parent);
    return path;
  }
  ScratchRoot(const ScratchRoot&) = delete;
  ScratchRoot& operator=(const ScratchRoot&) = delete;

 private:
  static constexpr const char* kVariable = "VD_TEST_SCRATCH";

  ScratchRoot() {
    const char* given = getenv(kVariable);
    mine_ = given == nullptr;
    path_ = mine_ ? make(std::filesystem::temp_directory_path().string()) : given;
    if (mine_) setenv(kVariable, path_.c_str(), 1);
  }
  ~ScratchRoot() {
    std::error_code ignored;
    if (mine_) std::filesystem::remove_all(path_, ignored);
  }

  std::string path_;
  bool mine_ = false;
};

class ScratchFolder {
 public:
  ScratchFolder() : path_(ScratchRoot::make(ScratchRoot::path())) {}
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::string& path() const { return path_; }
  // The path of a file or folder in it, existing or not.
  std::string path(const std::string& name) const { return path_ + "/" + name; }
  // Every file below it.
  std::vector<std::filesystem::path> files() const {
    std::vector<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path_))
      if (entry.is_regular_file()) found.push_back(entry.path());
    return found;
  }

 private:
  std::string path_;
};

}  // namespace vd::test
