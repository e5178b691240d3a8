// OpenCL C made into a program by the driver's compiler, or taken from the disk cache as a binary of that driver.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "backends/backend.h"
#include "backends/opencl/context.h"
#include "core/disk_cache.h"
#include "core/weak_table.h"

namespace vd::opencl {

// Puts the place in the user's program behind a line number of printed source: " (kernel.py:12)", or "".
using PlaceOfLine = std::function<std::string(uint32_t line)>;

struct Program {
  ProgramHandle handle;
  bool from_cache = false;
};

// Options of the driver's compiler.
struct Wishes {
  bool precise = false;    // exact division
  bool arguments = false;  // clGetKernelArgInfo() answers, unless the program comes from the disk cache
};

// Makes programs, on any thread. Looked up in memory, then on disk, by the hash of source, options, device and driver:
// neither kernels that print alike nor a second process compile twice.
class Programs {
 public:
  Programs(std::shared_ptr<const Context> context, const std::string& cache_dir);

  // Throws VD_ERR_COMPILE with the driver's words; `label` is used in the message.
  std::shared_ptr<const Program> make(const std::string& source, const Wishes& wishes, const std::string& label,
                                      const PlaceOfLine& place);
  backends::CompileCounts counts() const noexcept {
    return {compiled_.load(std::memory_order_relaxed), cached_.load(std::memory_order_relaxed)};
  }
  // All compile options of a program: the language's version, the options above, and VKDISPATCH_OPENCL_OPTIONS.
  std::string options(const Wishes& wishes) const;

 private:
  ProgramHandle from_binary(const std::vector<std::byte>& binary, const std::string& options);
  ProgramHandle from_source(const std::string& source, const std::string& options, const std::string& label,
                            const PlaceOfLine& place);
  void keep(const DiskCache::Key& key, const Program& program) noexcept;

  std::shared_ptr<const Context> context_;
  DiskCache disk_;
  std::string user_options_;
  std::atomic<uint64_t> compiled_{0};
  std::atomic<uint64_t> cached_{0};
  WeakTable<const Program> programs_;
};

// The driver's build log with the user's places behind the lines that it names, cut to a readable length.
std::string annotate_log(const std::string& log, const PlaceOfLine& place);

}  // namespace vd::opencl
