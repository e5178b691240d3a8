// A kernel object and the arguments of its next launch. The object keeps its arguments, so only changed ones are set
// again. One thread at a time.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backends/backend.h"
#include "backends/checks.h"
#include "backends/opencl/memory.h"

namespace vd::opencl {

// The order of a kernel's arguments: each buffer, followed by its offset in bytes if the kernel takes offsets, then the
// values.
struct Signature {
  uint32_t buffer_count = 0;
  bool offsets = true;
  bool values_by_pointer = false;  // to constant memory, else as one parameter
  uint32_t values_size = 0;        // bytes that a launch must have
  uint32_t parameter_size = 0;     // with the padding that C has at their end
};

using backends::CommandView;

class Arguments {
 public:
  Arguments(std::shared_ptr<const Context> context, KernelHandle kernel, const Signature& signature, std::string label);

  cl_kernel kernel() const noexcept { return kernel_.get(); }
  // Takes a dispatch's ranges and values; checked before (encoder.h).
  void set(const backends::Command& command, const CommandView& view);
  // Releases objects that were made for this launch alone; it has been issued.
  void forget();

 private:
  struct Buffer {
    uint64_t serial = 0, offset = 0;  // of memory; serial 0: nothing was said yet
  };

  void set_buffers(const backends::Command& command, const CommandView& view);
  void set_values(const std::byte* values);
  void say(cl_uint index, size_t size, const void* value);

  std::shared_ptr<const Context> context_;
  KernelHandle kernel_;
  Signature signature_;
  std::string label_;
  std::vector<Buffer> buffers_;
  std::vector<std::byte> values_;  // parameter_size bytes
  bool has_values_ = false;
  std::vector<MemHandle> parts_;  // sub-buffers
  MemHandle constants_;           // the values' memory
};

}  // namespace vd::opencl
