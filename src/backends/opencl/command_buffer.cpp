#include "backends/opencl/command_buffer.h"

namespace vd::opencl {

CommandBuffer::CommandBuffer(std::shared_ptr<const Context> context, cl_command_queue queue)
    : context_(std::move(context)), queue_(queue) {
  const cl_command_buffer_properties_khr properties[] = {CL_COMMAND_BUFFER_FLAGS_KHR,
                                                         CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR, 0};
  cl_int result = CL_SUCCESS;
  handle_ = context_->command_buffers.Create(1, &queue_, properties, &result);
  context_->check(result, "clCreateCommandBufferKHR", "a graph");
}

CommandBuffer::~CommandBuffer() {
  if (handle_ != nullptr) context_->command_buffers.Release(handle_);
}

void CommandBuffer::dispatch(const Module& module, cl_kernel kernel, const std::array<uint32_t, 3>& workgroups) {
  if (workgroups[0] == 0 || workgroups[1] == 0 || workgroups[2] == 0) return;
  const size_t* local = module.workgroup_size();
  const size_t global[3] = {workgroups[0] * local[0], workgroups[1] * local[1], workgroups[2] * local[2]};
  const cl_int result = context_->command_buffers.NDRangeKernel(handle_, nullptr, nullptr, kernel, 3, nullptr, global,
                                                                local, 0, nullptr, nullptr, nullptr);
  context_->check(result, "clCommandNDRangeKernelKHR", "kernel \"{}\"", module.label());
}

void CommandBuffer::finish() {
  context_->check(context_->command_buffers.Finalize(handle_), "clFinalizeCommandBufferKHR", "a graph");
}

void CommandBuffer::enqueue() const {
  const cl_int result = context_->command_buffers.Enqueue(0, nullptr, handle_, 0, nullptr, nullptr);
  context_->check(result, "clEnqueueCommandBufferKHR", "a graph");
}

}  // namespace vd::opencl
