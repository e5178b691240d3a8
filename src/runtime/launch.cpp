#include "runtime/launch.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <span>

#include "core/error.h"

namespace vd::runtime {

namespace {

// The shape as a kernel sees it: three dimensions, padded with 1, and their product. A slice of a buffer has one
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

// The extent of the bound level, and the number of levels.
void write_image_size(const Bound& bound, std::byte* out) {
  const auto size = bound.image->storage_block(bound.level).size;
  std::memcpy(out, size.data(), sizeof(size));
}

void write_image(const vd_plan::Binding& binding, const Bound& bound, std::byte* out) {
  if (!bound.image->in_buffer()) {
    const ir::SampleBlock block = bound.image->sample_block(bound.sampler);
    std::memcpy(out, &block, sizeof(block));
  } else if (binding.image.is_sampled()) {
    const ir::SampledImageBlock block = bound.image->sampled_block(bound.sampler);
    std::memcpy(out, &block, sizeof(block));
  } else {
    const ir::StorageImageBlock block = bound.image->storage_block(bound.level);
    std::memcpy(out, &block, sizeof(block));
  }
}

}  // namespace

bool has_use(const vd_plan::Binding& binding, const Bound& bound) {
  return binding.sampler || (bound.image != nullptr && (binding.by_unit || !bound.image->in_buffer()));
}

backends::ImageUse use_of(const vd_plan& plan, const vd_plan::Binding& binding, const Bound& bound) {
  if (binding.texture) return {};
  if (binding.sampler) return {&bound.sampler->on(plan.device()), 0};
  if (!binding.image.is_sampled()) return {nullptr, bound.level};
  if (bound.sampler == nullptr) return {&plan.context().default_sampler(plan.device()), 0};
  // A kernel with the image's block finds the level of detail itself.
  const bool finds_level = binding.image_offset != ir::kNoOffset && !bound.image->in_buffer();
  const vd_sampler& sampler = finds_level ? bound.sampler->without_levels() : *bound.sampler;
  return {&sampler.on(plan.device()), 0};
}

std::vector<Bound> step_bounds(const vd_plan& plan, const vd_plan::Step& step, const Bound* bounds,
                               const MemoryOf& memory_of) {
  std::vector<Bound> all(bounds, bounds + plan.bindings().size());
  for (const vd_plan::Step::Hidden& hidden : step.hidden)
    all.push_back({hidden.workspace ? &memory_of(*hidden.workspace) : hidden.buffer.get(), 0, hidden.size()});
  if (step.arguments.empty()) return all;
  std::vector<Bound> parts;
  for (const vd_plan::Step::Argument& argument : step.arguments) {
    const Bound& whole = all.at(argument.index);
    if (whole.image != nullptr || whole.sampler != nullptr) {
      parts.push_back(whole);
      continue;
    }
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
    if (binding.shape_offset != ir::kNoOffset) {
      std::byte* out_shape = block + binding.shape_offset;
      binding.image.none() ? write_shape(binding, bounds[i], out_shape) : write_image_size(bounds[i], out_shape);
    }
    if (binding.image_offset != ir::kNoOffset) write_image(binding, bounds[i], block + binding.image_offset);
  }
}

namespace {

// One kernel of a launch.
struct Part {
  const vd_plan* plan;
  Extent extent;
  const Bound* bounds;
  const void* values;
  bool counts = false;  // behind its bounds, for the device to read
};

// All parts are submitted to the queue at once, each after the one before: they share hidden memory of the plan, and
// another launch of it must not come between. `accesses` has room for all their bindings.
std::optional<vd_ticket> launch_parts(vd_context& ctx, Queue& queue, std::span<const Part> parts, Work work,
                                      const std::string& label, Access* accesses) {
  size_t count = 0;
  for (const Part& part : parts) {
    const auto& bindings = part.plan->bindings();
    for (size_t i = 0; i < bindings.size(); ++i) {
      const Bound& bound = part.bounds[i];
      accesses[count++] = {&bound.buffer->block(queue),
                           bound.buffer->span(bound.offset + bound.lead, bound.size - bound.lead), bindings[i].write,
                           bound.lead};
    }
    if (part.counts) {
      const Bound& counts = part.bounds[bindings.size()];
      accesses[count++] = {&counts.buffer->block(queue), counts.buffer->span(counts.offset, counts.size), false};
    }
  }
  // An argument that is neither read nor written orders nothing, but it is bound, so its memory must be kept.
  work.accesses = {accesses, count};
  return submit(ctx, queue, work, [&](bool needs_barrier) {
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
      command.counts = part.counts;
      command.first_binding = static_cast<uint32_t>(list.ranges.size());
      command.binding_count = static_cast<uint32_t>(bound_count);
      command.first_value = static_cast<uint32_t>(list.values.size());
      command.values_size = part.plan->block_size();
      command.first_image = static_cast<uint32_t>(list.images.size());
      list.commands.push_back(command);
      for (size_t i = 0; i < bound_count; ++i, ++access) {
        list.ranges.push_back(
            {&access->block->memory()->get(), access->span.begin - access->lead, part.bounds[i].size});
        const vd_plan::Binding& binding = part.plan->bindings()[i];
        if (has_use(binding, part.bounds[i])) list.images.push_back(use_of(*part.plan, binding, part.bounds[i]));
      }
      if (part.counts) {
        list.ranges.push_back({&access->block->memory()->get(), access->span.begin, kCountsSize});
        ++access;
      }
      append_values(*part.plan, part.extent, part.values, part.bounds, list.values);
    }
    list.wait_before = needs_barrier;
    const uint64_t value = give(ctx.profiler(), queue, list, [&](size_t i) {
      return SpanName{VD_SPAN_LAUNCH, parts[i].plan->name(), label};
    });
    for (const Part& part : parts) part.plan->compiled().last_use[queue.index] = value;
    return Submitted{value, needs_barrier};
  });
}

std::optional<vd_ticket> launch_steps(const vd_plan& plan, Queue& queue, const Bound* bounds, const void* values,
                                      const Work& work, const std::string& label) {
  const size_t count = plan.steps().size();
  std::vector<std::vector<Bound>> all_bounds(count);
  std::vector<std::vector<std::byte>> all_values(count);
  std::vector<Part> parts(count);
  size_t accesses = 0;
  // A captured graph runs whenever the program launches it, in no order that is known.
  const bool captured = work.stream != 0 && queue.backend.is_capturing(work.stream);
  std::vector<Ref<vd_buffer>> held;
  const auto memory_of = [&](Workspace& workspace) -> vd_buffer& {
    held.push_back(captured ? workspace.own() : workspace.on(queue.index));
    return *held.back();
  };
  for (size_t i = 0; i < count; ++i) {
    const vd_plan::Step& step = plan.steps()[i];
    all_bounds[i] = step_bounds(plan, step, bounds, memory_of);
    const void* block = step_values(plan, step, values, all_values[i]);
    parts[i] = {
        &step.plan->for_levels(all_bounds[i].data()), {step.workgroups, step.invocations}, all_bounds[i].data(), block};
    accesses += all_bounds[i].size();
  }
  return launch_parts(plan.context(), queue, parts, work, label, std::vector<Access>(accesses).data());
}

std::optional<vd_ticket> launch_counted(vd_plan& plan, const Arguments& arguments, Queue& queue, const Work& work,
                                        const std::string& label) {
  const vd_plan& runs = plan.counted();
  const std::vector<Bound> bounds = with_counts(arguments);
  const Part part{&runs, arguments.extent(), bounds.data(), arguments.values(), &runs == &plan};
  return launch_parts(plan.context(), queue, {&part, 1}, work, label, std::vector<Access>(bounds.size()).data());
}

}  // namespace

namespace {

// The error of work that conflicts with a mapping, with the argument that does.
[[noreturn]] void refuse_argument(const MappedError& error, const vd_plan& plan, const Bound* bounds, Queue& queue) {
  const Access& access = error.access();
  for (size_t i = 0; i < plan.bindings().size(); ++i) {
    const Bound& bound = bounds[i];
    if (&bound.buffer->block(queue) != access.block || plan.bindings()[i].write != access.write ||
        !bound.buffer->span(bound.offset, bound.size).overlaps(access.span))
      continue;
    fail(error.status(), "argument {} (\"{}\") of \"{}\": {}", i, plan.bindings()[i].name, plan.name(), error.what());
  }
  throw error;
}

std::optional<vd_ticket> launch_on(Queue& queue, const Arguments& arguments, const Work& work,
                                   const std::string& label) {
  const vd_plan& plan = arguments.plan();
  if (!plan.steps().empty()) return launch_steps(plan, queue, arguments.bounds(), arguments.values(), work, label);
  if (arguments.has_counts()) [[unlikely]]
    return launch_counted(arguments.plan().for_levels(arguments.bounds()), arguments, queue, work, label);
  const vd_plan& runs = arguments.plan().for_images(arguments.bounds());
  const Part part{&runs, arguments.extent(), arguments.bounds(), arguments.values()};
  const size_t count = plan.bindings().size();
  if (count <= kFewBindings) {
    Access accesses[kFewBindings];
    return launch_parts(plan.context(), queue, {&part, 1}, work, label, accesses);
  }
  return launch_parts(plan.context(), queue, {&part, 1}, work, label, std::vector<Access>(count).data());
}

}  // namespace

std::vector<Bound> with_counts(const Arguments& arguments) {
  std::vector<Bound> bounds(arguments.bounds(), arguments.bounds() + arguments.plan().bindings().size());
  bounds.push_back(arguments.counts());
  return bounds;
}

std::optional<vd_ticket> launch(const Arguments& arguments, uint32_t queue_index, const Waits& waits, bool patient) {
  const vd_plan& plan = arguments.plan();
  vd_context& ctx = plan.context();
  if (!ctx.runs_kernels()) {
    fail(VD_ERR_UNSUPPORTED, "the {} backend shows code and runs no kernels", backends::backend_name(ctx.backend()));
  }
  Queue& queue = ctx.queue(queue_index);
  if (queue.device != plan.device()) {
    fail(VD_ERR_INVALID, "\"{}\" was made for device {}, and queue {} is on device {}", plan.name(), plan.device(),
         queue_index, queue.device);
  }
  const Work work{.accesses = {},
                  .after = waits.queues,
                  .after_devices = waits.devices,
                  .stream = waits.stream,
                  .semaphores = waits.semaphores.get(),
                  .patient = patient};
  try {
    return launch_on(queue, arguments, work, waits.label);
  } catch (const MappedError& error) {
    refuse_argument(error, plan, arguments.bounds(), queue);
  }
}

}  // namespace vd::runtime
