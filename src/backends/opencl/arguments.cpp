#include "backends/opencl/arguments.h"

#include <cstring>

namespace vd::opencl {

Arguments::Arguments(std::shared_ptr<const Context> context, KernelHandle kernel, const Signature& signature,
                     std::string label)
    : context_(std::move(context)),
      kernel_(std::move(kernel)),
      signature_(signature),
      label_(std::move(label)),
      buffers_(signature.buffer_count),
      values_(signature.parameter_size),
      images_(signature.images.size()) {}

void Arguments::say(cl_uint index, size_t size, const void* value) {
  context_->check(context_->cl.SetKernelArg(kernel_.get(), index, size, value), "clSetKernelArg",
                  "argument {} of kernel \"{}\" ({} bytes)", index, label_, size);
}

void Arguments::set(const backends::Command& command, const CommandView& view) {
  set_buffers(command, view);
  if (signature_.values_size != 0) set_values(view.values.data() + command.first_value);
  set_images(command, view);
}

void Arguments::set_images(const backends::Command& command, const CommandView& view) {
  sampled_.clear();
  written_.clear();
  const auto memory_of = [&](uint32_t buffer) {
    return static_cast<const Memory*>(view.ranges[command.first_binding + buffer].memory);
  };
  for (uint32_t i = 0; i < signature_.buffer_count; ++i)
    if (memory_of(i)->copy() != nullptr && signature_.writes[i]) written_.push_back(memory_of(i));
  cl_uint index = signature_.buffer_count * (signature_.offsets ? 2 : 1) + (signature_.values_size != 0 ? 1 : 0);
  if (images_.empty()) return;
  if (images_[0].sampler == 0) say(index, sizeof(cl_sampler), &signature_.exact_sampler);
  ++index;
  for (size_t i = 0; i < images_.size(); ++i, index += 2) {
    const Memory* const memory = memory_of(signature_.images[i].buffer);
    if (memory->copy() != nullptr) sampled_.push_back(memory);
    Image& said = images_[i];
    if (said.memory != memory->serial()) {
      said.memory = 0;  // in case that the call fails
      const cl_mem handle = memory->copy() != nullptr ? memory->copy()->image() : signature_.images[i].stand_in;
      say(index, sizeof(handle), &handle);
      said.memory = memory->serial();
    }
    const auto& sampler = static_cast<const Sampler&>(*view.images[command.first_image + i].sampler);
    if (said.sampler == sampler.serial()) continue;
    said.sampler = 0;
    const cl_sampler handle = sampler.handle();
    say(index + 1, sizeof(handle), &handle);
    said.sampler = sampler.serial();
  }
}

void Arguments::prepare(cl_command_queue queue) const {
  for (const Memory* memory : hosts_) memory->use_on(queue);
  for (const Memory* memory : sampled_) memory->copy()->bring_up_to_date(queue, memory->handle());
  for (const Memory* memory : written_) memory->note_write();
}

void Arguments::set_buffers(const backends::Command& command, const CommandView& view) {
  hosts_.clear();
  for (uint32_t i = 0; i < signature_.buffer_count; ++i) {
    const backends::Range& range = view.ranges[command.first_binding + i];
    const auto& memory = static_cast<const Memory&>(*range.memory);
    if (memory.has_host_side()) hosts_.push_back(&memory);
    Buffer& said = buffers_[i];
    const bool same = said.serial == memory.serial();
    if (same && said.offset == range.offset) continue;
    said.serial = 0;  // in case that the call fails
    cl_mem handle = memory.handle();
    if (!signature_.offsets && range.offset != 0) {
      const cl_buffer_region region{range.offset, range.size};
      cl_int result = CL_SUCCESS;
      handle = context_->cl.CreateSubBuffer(handle, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &result);
      context_->check(result, "clCreateSubBuffer", "buffer {} of kernel \"{}\" ({} bytes at {})", i, label_, range.size,
                      range.offset);
      parts_.emplace_back(context_, handle);
    }
    const cl_ulong offset = range.offset;
    const cl_uint index = signature_.offsets ? 2 * i : i;
    if (!same || !signature_.offsets) say(index, sizeof(handle), &handle);
    if (signature_.offsets) say(index + 1, sizeof(offset), &offset);
    said = {memory.serial(), range.offset};
  }
}

void Arguments::set_values(const std::byte* values) {
  if (has_values_ && std::memcmp(values_.data(), values, signature_.values_size) == 0) return;
  has_values_ = false;
  std::memcpy(values_.data(), values, signature_.values_size);
  const cl_uint index = signature_.buffer_count * (signature_.offsets ? 2 : 1);
  if (signature_.values_by_pointer) {
    cl_int result = CL_SUCCESS;
    const cl_mem handle = context_->cl.CreateBuffer(context_->handle(), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                                    values_.size(), values_.data(), &result);
    context_->check(result, "clCreateBuffer", "{} bytes of values of kernel \"{}\"", values_.size(), label_);
    constants_ = MemHandle(context_, handle);  // launches in flight hold the last one
    say(index, sizeof(handle), &handle);
  } else {
    say(index, values_.size(), values_.data());
  }
  has_values_ = true;
}

void Arguments::forget() {
  if (parts_.empty()) return;
  parts_.clear();
  for (Buffer& said : buffers_) said.serial = 0;
}

}  // namespace vd::opencl
