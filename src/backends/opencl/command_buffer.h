// cl_khr_command_buffer: launches recorded once and enqueued as one. The extension is provisional and its transfers
// have changed their parameters from one version to the next, so only launches are recorded.
#pragma once

#include <memory>

#include "backends/opencl/module.h"

namespace vd::opencl {

class CommandBuffer {
 public:
  // For runs on `queue`. Throws if the driver refuses; the caller then goes without.
  CommandBuffer(std::shared_ptr<const Context> context, cl_command_queue queue);
  CommandBuffer(const CommandBuffer&) = delete;
  CommandBuffer& operator=(const CommandBuffer&) = delete;
  ~CommandBuffer();

  void dispatch(const Module& module, cl_kernel kernel, const std::array<uint32_t, 3>& workgroups);
  void finish();
  void enqueue() const;
  cl_command_queue queue() const noexcept { return queue_; }

 private:
  std::shared_ptr<const Context> context_;
  cl_command_queue queue_;
  cl_command_buffer_khr handle_ = nullptr;
};

}  // namespace vd::opencl
