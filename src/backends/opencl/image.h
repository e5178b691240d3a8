// Copies of level 0 of images whose texels lie in buffers, as images of the device's own, which its units sample.
//
// A write of the buffer makes the copy stale, and a launch that samples it brings it up to date first. The runtime orders
// both as accesses to the buffer, so no write is on its way then, and no launch that samples the copy as it was.
#pragma once

#include <cstdint>
#include <mutex>

#include "backends/backend.h"
#include "backends/opencl/context.h"

namespace vd::opencl {

// Whether the device has images of that shape.
bool has_image(const Context& context, const backends::ImageShape& shape);

// One texel that stands for an image which has no copy, in the arguments of a kernel.
MemHandle make_stand_in(const std::shared_ptr<const Context>& context, uint32_t dimensions, bool layered);

// The address mode, and the filter: linear, unless a kernel asks for one texel.
class Sampler final : public backends::Sampler {
 public:
  Sampler(const std::shared_ptr<const Context>& context, const vd_sampler_desc& desc,
          cl_filter_mode filter = CL_FILTER_LINEAR);
  cl_sampler handle() const noexcept { return handle_.get(); }
  // Never used again, as an address may be.
  uint64_t serial() const noexcept { return serial_; }

 private:
  SamplerHandle handle_;
  uint64_t serial_;
};

class SampledCopy {
 public:
  SampledCopy(std::shared_ptr<const Context> context, backends::ImageShape shape);

  // Makes the copy when it is first asked. Throws VD_ERR_OUT_OF_MEMORY with the size.
  cl_mem image();
  // Before a command that writes the buffer.
  void make_stale() noexcept;
  // The program has the buffer's handle, and may write it at any time.
  void expect_writes() noexcept;
  // Before a launch on `queue` that samples it.
  void bring_up_to_date(cl_command_queue queue, cl_mem buffer);

 private:
  void wait_for_copy(cl_command_queue queue);

  const std::shared_ptr<const Context> context_;
  const backends::ImageShape shape_;
  std::mutex mutex_;
  MemHandle image_;
  bool stale_ = true, watched_ = true;
  // The last copy, for launches on other queues, as long as it may not be over.
  EventHandle copied_;
  cl_command_queue copied_on_ = nullptr;
};

}  // namespace vd::opencl
