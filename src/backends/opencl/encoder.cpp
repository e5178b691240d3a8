#include "backends/opencl/encoder.h"

#include "core/steady_time.h"

namespace vd::opencl {
namespace {

using backends::Command;
using backends::Range;

const Memory& memory_of(const Range& range) { return static_cast<const Memory&>(*range.memory); }

void check_dispatch(const Context& context, const Command& command, const CommandView& view) {
  const auto& module = static_cast<const Module&>(*command.module);
  const Signature& signature = module.signature();
  backends::check_arguments(command, view, module.label(), signature.buffer_count, signature.values_size);
  for (size_t i = 0; i < signature.images.size(); ++i)
    if (command.first_image + i >= view.images.size() || view.images[command.first_image + i].sampler == nullptr)
      fail(VD_ERR_INVALID, "image {} of kernel \"{}\" has no sampler.", i, module.label());
  const uint32_t alignment = context.physical.sub_buffer_alignment;
  for (uint32_t i = 0; i < command.binding_count; ++i) {
    const Range& range = view.ranges[command.first_binding + i];
    if (!signature.offsets && range.offset % alignment != 0)
      fail(VD_ERR_UNSUPPORTED,
           "the offset ({}) of buffer {} of kernel \"{}\" is not a multiple of {}, as OpenCL device \"{}\" needs for a "
           "kernel that takes no offsets.",
           range.offset, i, module.label(), alignment, context.info().name);
  }
}

}  // namespace

void check_commands(const Context& context, const CommandView& view) {
  for (const Command& command : view.commands)
    if (command.kind == Command::Kind::Dispatch) check_dispatch(context, command, view);
}

void issue_dispatch(const Context& context, cl_command_queue queue, const Module& module, const Arguments& arguments,
                    const std::array<uint32_t, 3>& workgroups, cl_event* event) {
  if (workgroups[0] == 0 || workgroups[1] == 0 || workgroups[2] == 0) return;
  const size_t* local = module.workgroup_size();
  const size_t global[3] = {workgroups[0] * local[0], workgroups[1] * local[1], workgroups[2] * local[2]};
  arguments.prepare(queue);
  const cl_int result =
      context.cl.EnqueueNDRangeKernel(queue, arguments.kernel(), 3, nullptr, global, local, 0, nullptr, event);
  context.check(result, "clEnqueueNDRangeKernel", "kernel \"{}\" ({} x {} x {} workgroups of {} x {} x {})",
                module.label(), workgroups[0], workgroups[1], workgroups[2], local[0], local[1], local[2]);
}

namespace {

// A copy from or to bytes that are the host's, or between buffers.
void issue_copy(const Context& context, cl_command_queue queue, const Range& from, const Range& to, cl_event* event) {
  if (std::byte* bytes = memory_of(to).host_bytes(); bytes != nullptr) {
    memory_of(from).use_on(queue);
    const cl_int result = context.cl.EnqueueReadBuffer(queue, memory_of(from).handle(), CL_FALSE, from.offset, to.size,
                                                       bytes + to.offset, 0, nullptr, event);
    context.check(result, "clEnqueueReadBuffer", "{} bytes at {}", to.size, from.offset);
    return;
  }
  memory_of(to).use_on(queue);
  if (const std::byte* bytes = memory_of(from).host_bytes(); bytes != nullptr) {
    const cl_int result = context.cl.EnqueueWriteBuffer(queue, memory_of(to).handle(), CL_FALSE, to.offset, to.size,
                                                        bytes + from.offset, 0, nullptr, event);
    context.check(result, "clEnqueueWriteBuffer", "{} bytes at {}", to.size, to.offset);
    return;
  }
  memory_of(from).use_on(queue);
  const cl_int result = context.cl.EnqueueCopyBuffer(queue, memory_of(from).handle(), memory_of(to).handle(),
                                                     from.offset, to.offset, to.size, 0, nullptr, event);
  context.check(result, "clEnqueueCopyBuffer", "{} bytes from {} to {}", to.size, from.offset, to.offset);
}

}  // namespace

void issue_transfer(const Context& context, cl_command_queue queue, const Command& command, cl_event* event) {
  const Range& to = command.destination;
  if (to.size == 0) return;
  memory_of(to).note_write();
  if (command.kind != Command::Kind::Fill) return issue_copy(context, queue, command.source, to, event);
  memory_of(to).use_on(queue);
  const cl_int result = context.cl.EnqueueFillBuffer(queue, memory_of(to).handle(), &command.pattern,
                                                     sizeof(command.pattern), to.offset, to.size, 0, nullptr, event);
  context.check(result, "clEnqueueFillBuffer", "{} bytes at {}", to.size, to.offset);
}

namespace {

void issue(const Context& context, cl_command_queue queue, const Command& command, const CommandView& view,
           cl_event* event) {
  if (command.kind != Command::Kind::Dispatch) return issue_transfer(context, queue, command, event);
  const auto& module = static_cast<const Module&>(*command.module);
  Module::Shared& shared = module.shared();
  // A kernel object has one set of arguments, and other queues may launch it too.
  const std::lock_guard lock(shared.mutex);
  shared.arguments->set(command, view);
  issue_dispatch(context, queue, module, *shared.arguments, command.workgroups, event);
  shared.arguments->forget();
}

}  // namespace

void issue_list(const Context& context, cl_command_queue queue, const CommandView& view, size_t& issued,
                cl_event* event) {
  for (const Command& command : view.commands) {
    const bool marks = &command == &view.commands.back() && command.kind == Command::Kind::Dispatch;
    issue(context, queue, command, view, marks ? event : nullptr);
    ++issued;
  }
}

void issue_timed_list(const Context& context, cl_command_queue queue, const CommandView& view, size_t& issued,
                      Timing& timing) {
  for (const Command& command : view.commands) {
    const uint64_t before = steady_time();
    cl_event event = nullptr;
    issue(context, queue, command, view, &event);
    timing.add(event, {before, steady_time()});
    ++issued;
  }
}

}  // namespace vd::opencl
