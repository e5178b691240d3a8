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
// values, then a sampler without a filter and each image with its sampler.
struct Signature {
  // The copy of a buffer's texels, or what stands for it.
  struct Image {
    uint32_t buffer = 0;
    cl_mem stand_in = nullptr;
  };
  uint32_t buffer_count = 0;
  std::vector<bool> writes;  // by buffer
  std::vector<Image> images;
  cl_sampler exact_sampler = nullptr;
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
  // Before the launch is issued to `queue`: brings the copies that it samples up to date, makes those stale whose buffers it
  // writes, and moves host memory to the device.
  void prepare(cl_command_queue queue) const;
  // Whether prepare() has something to do.
  bool has_copies() const noexcept { return !sampled_.empty() || !written_.empty() || !hosts_.empty(); }
  // Releases objects that were made for this launch alone; it has been issued.
  void forget();

 private:
  struct Buffer {
    uint64_t serial = 0, offset = 0;  // of memory; serial 0: nothing was said yet
  };

  void set_buffers(const backends::Command& command, const CommandView& view);
  void set_values(const std::byte* values);
  void set_images(const backends::Command& command, const CommandView& view);
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
  struct Image {
    uint64_t memory = 0, sampler = 0;  // serials; 0: nothing was said yet
  };
  std::vector<Image> images_;
  std::vector<const Memory*> sampled_, written_, hosts_;
};

}  // namespace vd::opencl
