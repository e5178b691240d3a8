#include "runtime/launch.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <span>

#include "core/error.h"

namespace vd::runtime {

Extent extent_of(const vd_plan& plan, const uint32_t invocations[3], const uint32_t workgroups[3]) {
  const bool by_invocations = invocations[0] != 0 || invocations[1] != 0 || invocations[2] != 0;
  const bool by_workgroups = workgroups[0] != 0 || workgroups[1] != 0 || workgroups[2] != 0;
  if (by_invocations && by_workgroups) {
    fail(VD_ERR_INVALID, "both invocations ({}, {}, {}) and workgroups ({}, {}, {}) are given", invocations[0],
         invocations[1], invocations[2], workgroups[0], workgroups[1], workgroups[2]);
  }
  if (!plan.steps().empty()) {
    if (!by_invocations && !by_workgroups) return {};
    fail(VD_ERR_INVALID, "a size is given, and \"{}\" knows its own: invocations and workgroups are zero", plan.name());
  }
  const uint32_t* given = by_workgroups ? workgroups : invocations;
  if (given[0] == 0) {
    fail(VD_ERR_INVALID, "{} ({}, {}, {}) is zero on the first axis", by_workgroups ? "workgroups" : "invocations",
         given[0], given[1], given[2]);
  }
  const vd_device_info& device = plan.device_info();
  Extent extent;
  for (int axis = 0; axis < 3; ++axis) {
    const uint32_t n = std::max(given[axis], 1u);
    const uint32_t local = plan.workgroup_size()[axis];
    extent.workgroups[axis] = by_workgroups ? n : static_cast<uint32_t>((uint64_t{n} + local - 1) / local);
    const uint64_t all = by_workgroups ? uint64_t{n} * local : n;
    if (all > std::numeric_limits<uint32_t>::max()) {
      fail(VD_ERR_INVALID, "workgroups[{}] ({}) * local size ({}) is more than 32 bits number", axis, n, local);
    }
    // Past the end, ids would begin anew, and run what has run already.
    if (uint64_t{extent.workgroups[axis]} * local > uint64_t{1} << 32) {
      fail(VD_ERR_INVALID, "invocations[{}] ({}) in workgroups of {} are more than 32 bits number", axis, n, local);
    }
    extent.invocations[axis] = static_cast<uint32_t>(all);
    if (extent.workgroups[axis] > device.max_workgroup_count[axis]) {
      if (by_workgroups) {
        fail(VD_ERR_INVALID, "workgroups[{}] ({}) is more than device \"{}\" takes ({})", axis, n, device.name,
             device.max_workgroup_count[axis]);
      }
      fail(VD_ERR_INVALID, "invocations[{}] ({}) makes {} workgroups of {}, device \"{}\" takes {}", axis, n,
           extent.workgroups[axis], local, device.name, device.max_workgroup_count[axis]);
    }
  }
  return extent;
}

void check_counts(const vd_plan& plan, uint32_t binding_count, uint32_t values_size) {
  if (binding_count != plan.bindings().size()) {
    fail(VD_ERR_INVALID, "binding_count ({}) is not the number of buffer arguments of \"{}\" ({})", binding_count,
         plan.name(), plan.bindings().size());
  }
  if (values_size != plan.values_size()) {
    fail(VD_ERR_INVALID, "values_size ({}) is not the size of the values of \"{}\" ({})", values_size, plan.name(),
         plan.values_size());
  }
}

void check_binding(const vd_plan& plan, uint32_t index, Bound& bound) {
  const vd_plan::Binding& binding = plan.bindings()[index];
  if (bound.buffer == nullptr) {
    fail(VD_ERR_INVALID, "argument {} (\"{}\") of \"{}\" has no buffer", index, binding.name, plan.name());
  }
  const vd_buffer& buffer = *bound.buffer;
  if (&buffer.context() != &plan.context()) {
    fail(VD_ERR_INVALID, "argument {} (\"{}\") of \"{}\": {} belongs to another context", index, binding.name,
         plan.name(), buffer.name());
  }
  if (buffer.discarded()) {
    fail(VD_ERR_STATE, "argument {} (\"{}\") of \"{}\": {} was discarded", index, binding.name, plan.name(),
         buffer.name());
  }
  if (bound.offset % binding.align != 0) {
    fail(VD_ERR_INVALID, "argument {} (\"{}\") of \"{}\": offset ({}) is not a multiple of {}", index, binding.name,
         plan.name(), bound.offset, binding.align);
  }
  const bool whole = bound.size == VD_WHOLE_SIZE && bound.offset <= buffer.size();
  if (whole) bound.size = buffer.size() - bound.offset;
  if (bound.offset > buffer.size() || bound.size > buffer.size() - bound.offset) {
    fail(VD_ERR_INVALID, "argument {} (\"{}\") of \"{}\": offset ({}) + size ({}) is past the end of {} ({})", index,
         binding.name, plan.name(), bound.offset, bound.size, buffer.name(), buffer.size());
  }
  if (bound.size == 0) {
    if (whole) {
      fail(VD_ERR_INVALID, "argument {} (\"{}\") of \"{}\": offset ({}) is the end of {}", index, binding.name,
           plan.name(), bound.offset, buffer.name());
    }
    fail(VD_ERR_INVALID, "argument {} (\"{}\") of \"{}\": size (0) is empty; VD_WHOLE_SIZE is to the end of {}", index,
         binding.name, plan.name(), buffer.name());
  }
  if (bound.size < binding.least_size) {
    if (const ir::FixedIndex& fixed = binding.fixed_index; fixed.element_size != 0) {
      fail(VD_ERR_INVALID, "argument {} (\"{}\") of \"{}\": index ({}) is past the end of {} ({} elements)", index,
           binding.name, plan.name(), fixed.index, buffer.name(), bound.size / fixed.element_size);
    }
    fail(VD_ERR_INVALID, "argument {} (\"{}\") of \"{}\" takes {} bytes, and {} has {} from offset {}", index,
         binding.name, plan.name(), binding.least_size, buffer.name(), bound.size, bound.offset);
  }
  const vd_device_info& device = plan.device_info();
  if (bound.size > device.max_storage_buffer_range) {
    fail(VD_ERR_INVALID, "argument {} (\"{}\") of \"{}\": size ({}) is more than device \"{}\" binds ({})", index,
         binding.name, plan.name(), bound.size, device.name, device.max_storage_buffer_range);
  }
}

void check_apart(const vd_plan& plan, const Bound* bounds) {
  for (const vd_plan::NoOverlap& rule : plan.no_overlaps()) {
    const Bound& to = bounds[rule.written.binding];
    const Bound& from = bounds[rule.read.binding];
    if (!to.buffer->same_memory(*from.buffer)) continue;
    const auto span_of = [](const Bound& bound, const vd_plan::NoOverlap::Part& part) {
      return bound.buffer->span(bound.offset + part.begin, part.end - part.begin);
    };
    const Span written = span_of(to, rule.written), read = span_of(from, rule.read);
    if (!written.overlaps(read)) continue;
    const bool gaps = rule.written.element != 0 && rule.read.element != 0;
    if (gaps) {
      if (rule.same && written.begin - rule.written.lead == read.begin - rule.read.lead) continue;
      if (!share_bytes({written.begin, rule.written.element, rule.written.dims},
                       {read.begin, rule.read.element, rule.read.dims}))
        continue;
    } else if (rule.same && written == read) {
      continue;
    }
    fail(VD_ERR_INVALID,
         "arguments {} (\"{}\") and {} (\"{}\") of \"{}\" share bytes of {}: {} to {} are written, {} to {} read",
         rule.written.binding, plan.bindings()[rule.written.binding].name, rule.read.binding,
         plan.bindings()[rule.read.binding].name, plan.name(), to.buffer->name(), written.begin, written.end,
         read.begin, read.end);
  }
}

namespace {

// What a kernel sees as the shape: three dimensions, padded with 1, and their product. A part of a buffer has one
// dimension.
void write_shape(const vd_plan::Binding& binding, const Bound& bound, std::byte* out) {
  const auto& given = bound.buffer->shape();
  const bool whole = bound.offset == 0 && bound.size == bound.buffer->size();
  uint64_t shape[4] = {1, 1, 1, 1};
  if (whole && given[0] != 0) {
    for (int i = 0; i < VD_MAX_DIMS && given[i] != 0; ++i) {
      if (i < 3) shape[i] = given[i];
      shape[3] *= given[i];
    }
  } else {
    shape[0] = shape[3] = bound.size / binding.element_size;
  }
  int32_t words[4];
  for (int i = 0; i < 4; ++i) {
    words[i] = static_cast<int32_t>(std::min<uint64_t>(shape[i], std::numeric_limits<int32_t>::max()));
  }
  std::memcpy(out, words, sizeof(words));
}

}  // namespace

std::vector<Bound> step_bounds(const vd_plan& plan, const vd_plan::Step& step, const Bound* bounds) {
  std::vector<Bound> all(bounds, bounds + plan.bindings().size());
  for (const auto& buffer : step.hidden) all.push_back({buffer.get(), 0, buffer->size()});
  if (step.arguments.empty()) return all;
  std::vector<Bound> parts;
  for (const vd_plan::Step::Argument& argument : step.arguments) {
    const Bound& whole = all.at(argument.index);
    const uint64_t size = argument.size != 0 ? argument.size : whole.size - argument.offset;
    parts.push_back({whole.buffer, whole.offset + argument.offset, size});
  }
  return parts;
}

const void* step_values(const vd_plan& plan, const vd_plan::Step& step, const void* values,
                        std::vector<std::byte>& all) {
  if (step.values.empty()) return values;
  all.assign(step.plan->values_size(), std::byte{});
  if (plan.values_size() != 0) std::memcpy(all.data(), values, plan.values_size());
  std::ranges::copy(step.values, all.end() - static_cast<std::ptrdiff_t>(step.values.size()));
  return all.data();
}

void append_values(const vd_plan& plan, const Extent& extent, const void* values, const Bound* bounds,
                   std::vector<std::byte>& out) {
  if (plan.block_size() == 0) return;
  const size_t first = out.size();
  out.resize(first + plan.block_size());
  std::byte* block = out.data() + first;
  if (plan.values_size() != 0) std::memcpy(block, values, plan.values_size());
  if (plan.exec_size_offset() != ir::kNoOffset) {
    std::memcpy(block + plan.exec_size_offset(), extent.invocations.data(), sizeof(extent.invocations));
  }
  for (size_t i = 0; i < plan.bindings().size(); ++i) {
    const vd_plan::Binding& binding = plan.bindings()[i];
    if (binding.shape_offset != ir::kNoOffset) write_shape(binding, bounds[i], block + binding.shape_offset);
  }
}

namespace {

// One kernel of a launch.
struct Part {
  const vd_plan* plan;
  Extent extent;
  const Bound* bounds;
  const void* values;
};

// All parts go to the queue in one piece, each after the one before: what they share behind the caller's back is the
// plan's, and another launch of it must not come between. `accesses` has room for all their bindings.
bool launch_parts(vd_context& ctx, Queue& queue, std::span<const Part> parts, Work work, Access* accesses,
                  vd_ticket& out_ticket) {
  size_t count = 0;
  for (const Part& part : parts) {
    const auto& bindings = part.plan->bindings();
    for (size_t i = 0; i < bindings.size(); ++i) {
      const Bound& bound = part.bounds[i];
      accesses[count++] = {&bound.buffer->block(queue), bound.buffer->span(bound.offset, bound.size),
                           bindings[i].write};
    }
  }
  // What an argument neither reads nor writes orders nothing, but it is bound, so its memory must stay.
  work.accesses = {accesses, count};
  const auto ticket = submit(ctx, queue, work, [&](bool needs_barrier) {
    backends::CommandList& list = queue.scratch;
    list.clear();
    const Access* access = accesses;
    for (const Part& part : parts) {
      const size_t bound_count = part.plan->bindings().size();
      list.values.resize((list.values.size() + 7) / 8 * 8);
      backends::Command command;
      command.kind = backends::Command::Kind::Dispatch;
      command.level = static_cast<uint32_t>(list.commands.size());
      command.module = &part.plan->compiled().module();
      command.workgroups = part.extent.workgroups;
      command.first_binding = static_cast<uint32_t>(list.ranges.size());
      command.binding_count = static_cast<uint32_t>(bound_count);
      command.first_value = static_cast<uint32_t>(list.values.size());
      command.values_size = part.plan->block_size();
      list.commands.push_back(command);
      for (size_t i = 0; i < bound_count; ++i, ++access) {
        list.ranges.push_back({&access->block->memory()->get(), access->span.begin, part.bounds[i].size});
      }
      append_values(*part.plan, part.extent, part.values, part.bounds, list.values);
    }
    list.wait_before = needs_barrier;
    const uint64_t value = queue.backend.submit(list);
    for (const Part& part : parts) part.plan->compiled().last_use[queue.index] = value;
    return Submitted{value, needs_barrier};
  });
  if (!ticket) return false;
  out_ticket = *ticket;
  return true;
}

bool launch_steps(const vd_plan& plan, Queue& queue, const Bound* bounds, const void* values, const Work& work,
                  vd_ticket& out_ticket) {
  const size_t count = plan.steps().size();
  std::vector<std::vector<Bound>> all_bounds(count);
  std::vector<std::vector<std::byte>> all_values(count);
  std::vector<Part> parts(count);
  size_t accesses = 0;
  for (size_t i = 0; i < count; ++i) {
    const vd_plan::Step& step = plan.steps()[i];
    all_bounds[i] = step_bounds(plan, step, bounds);
    const void* block = step_values(plan, step, values, all_values[i]);
    parts[i] = {step.plan.get(), {step.workgroups, {}}, all_bounds[i].data(), block};
    accesses += all_bounds[i].size();
  }
  return launch_parts(plan.context(), queue, parts, work, std::vector<Access>(accesses).data(), out_ticket);
}

}  // namespace

bool launch(vd_plan& plan, uint32_t queue_index, const Extent& extent, const Bound* bounds, const void* values,
            std::span<const vd_ticket> waits, bool patient, vd_ticket& out_ticket) {
  vd_context& ctx = plan.context();
  if (!ctx.runs_kernels()) {
    fail(VD_ERR_UNSUPPORTED, "the {} backend shows code and runs none", backends::backend_name(ctx.backend()));
  }
  Queue& queue = ctx.queue(queue_index);
  if (queue.device != plan.device()) {
    fail(VD_ERR_INVALID, "\"{}\" was made for device {}, queue {} is on device {}", plan.name(), plan.device(),
         queue_index, queue.device);
  }
  const Waits after = read_waits(ctx, queue, waits);
  const Work work{.accesses = {}, .after = after.queues, .after_devices = after.devices, .patient = patient};
  if (!plan.steps().empty()) return launch_steps(plan, queue, bounds, values, work, out_ticket);
  const Part part{&plan, extent, bounds, values};
  const size_t count = plan.bindings().size();
  if (count <= kFewBindings) {
    Access accesses[kFewBindings];
    return launch_parts(ctx, queue, {&part, 1}, work, accesses, out_ticket);
  }
  return launch_parts(ctx, queue, {&part, 1}, work, std::vector<Access>(count).data(), out_ticket);
}

}  // namespace vd::runtime
