// NVRTC, the compiler of CUDA C++, found at run time: in the system, in a CUDA toolkit, or in the Python wheels
// nvidia-cuda-nvrtc and nvidia-cuda-nvrtc-cu12. The best one found is used: the newest that is not newer than the
// driver, else the newest of the driver's major version. A newer major version makes code that the driver refuses.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/platform.h"

namespace vd::cuda {

using NvrtcProgram = struct _nvrtcProgram*;

// A library that was looked at.
struct NvrtcCandidate {
  std::string path;
  int version = 0;  // as the driver's: 12040 is 12.4; 0 if it could not be loaded
  std::string why;  // then
};

class Nvrtc {
 public:
  // For a driver of this version (13000 is 13.0). Throws VD_ERR_UNAVAILABLE, naming what was found and what to install.
  static const Nvrtc& get(int driver_version);

  Nvrtc(const Nvrtc&) = delete;
  Nvrtc& operator=(const Nvrtc&) = delete;

  int version() const noexcept { return version_; }
  const std::string& path() const noexcept { return path_; }
  // Whether it can leave the declarations of textures, surfaces and CUDA's runtime out: "--minimal".
  bool knows_minimal() const noexcept { return version_ >= 12040; }
  // The newest architecture that it knows and that runs on a device of `architecture`; 0 if there is none.
  int best_architecture(int architecture) const;

  struct Output {
    std::vector<std::byte> code;
    std::string log;  // warnings
  };
  // A cubin for "sm_90", PTX for "compute_90". `name` is used in messages. Throws VD_ERR_COMPILE with the compiler's
  // log and the numbered source, VD_ERR_UNAVAILABLE where NVRTC is only half installed.
  Output compile(const std::string& source, const std::string& name, const std::vector<std::string>& options,
                 bool ptx) const;

 private:
  explicit Nvrtc(const std::string& path);
  void check(int result, const char* call, const std::string& what) const;

  platform::Library library_;
  std::string path_;
  int version_ = 0;
  int (*version_of_)(int* major, int* minor) = nullptr;
  int (*architecture_count_)(int* count) = nullptr;
  int (*architectures_)(int* list) = nullptr;
  int (*create_)(NvrtcProgram* program, const char* source, const char* name, int header_count,
                 const char* const* headers, const char* const* names) = nullptr;
  int (*destroy_)(NvrtcProgram* program) = nullptr;
  int (*compile_)(NvrtcProgram program, int count, const char* const* options) = nullptr;
  int (*cubin_size_)(NvrtcProgram program, size_t* size) = nullptr;
  int (*cubin_)(NvrtcProgram program, char* out) = nullptr;
  int (*ptx_size_)(NvrtcProgram program, size_t* size) = nullptr;
  int (*ptx_)(NvrtcProgram program, char* out) = nullptr;
  int (*log_size_)(NvrtcProgram program, size_t* size) = nullptr;
  int (*log_)(NvrtcProgram program, char* out) = nullptr;
  const char* (*error_string_)(int result) = nullptr;
};

// The index of the best of `found` for a driver, or found.size().
size_t choose_nvrtc(const std::vector<NvrtcCandidate>& found, int driver_version);
// Files and names to try, the most specific first. VKDISPATCH_NVRTC, a file or a folder, is the only one if it is set;
// VKDISPATCH_NVRTC_PATH lists more folders, as Python's package does with those of its wheels.
std::vector<std::string> nvrtc_paths();

}  // namespace vd::cuda
