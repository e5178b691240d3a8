#include "runtime/plan.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <set>

#include "core/count_of.h"
#include "core/error.h"
#include "core/traits.h"
#include "ir/hash.h"
#include "ir/invocation_index.h"
#include "ir/passes/lower_images.h"
#include "ir/passes/read_counts.h"
#include "runtime/arguments.h"
#include "runtime/image.h"
#include "runtime/kept_kernel.h"
#include "runtime/requirements.h"

using namespace vd;

namespace {

// Checked code is not shared between kernels that differ in their places only, since its messages name them.
Hash128 cache_key(const vd_context& context, const Hash128& kernel, uint32_t device,
                  const std::array<uint32_t, 3>& workgroup_size, const vd_plan::Desc& desc) {
  static std::atomic<uint64_t> unique{0};
  Hasher hasher;
  hasher.add(kernel).add(device).add(workgroup_size[0]).add(workgroup_size[1]).add(workgroup_size[2]);
  hasher.add(desc.units).add(desc.by_address).add(desc.plain_level);
  hasher.add((context.flags() & (VD_CONTEXT_CHECKED | VD_CONTEXT_ROBUST)) != 0 ? ++unique : 0);
  return hasher.finish();
}

// An image of source text that is not looked into.
ir::Type unknown_image(bool storage) {
  constexpr vd_argument_access kBoth = VD_ARGUMENT_ACCESS_READ | VD_ARGUMENT_ACCESS_WRITE;
  return ir::Type::image(ir::Scalar::None, 0, false, storage ? kBoth : 0);
}

Hash128 cache_key(const backends::SourceText& source, uint32_t device, const std::array<uint32_t, 3>& workgroup_size) {
  Hasher hasher;
  hasher.add("source").add(source.language).add(source.text).add(source.entry).add(source.values_size);
  hasher.add(std::as_bytes(std::span(source.bindings)));
  for (const vd_spec_constant& constant : source.spec_constants) hasher.add(constant.id).add(constant.bits);
  hasher.add(device).add(workgroup_size[0]).add(workgroup_size[1]).add(workgroup_size[2]);
  return hasher.finish();
}

// As words of an explanation, each after ", ".
std::string text_of(const backends::Statistics& statistics) {
  std::string text;
  if (statistics.registers) text += fmt::format(", {} per invocation", count_of(*statistics.registers, "register"));
  if (statistics.spilled) text += fmt::format(", {} spilled per invocation", count_of(*statistics.spilled, "byte"));
  return text;
}

}  // namespace

void vd_plan::read_kernel(const ir::Kernel& kernel, const ir::Kernel& written) {
  const ir::ValueLayout& layout = kernel.values;
  values_size_ = written.values.user_size;
  block_size_ = layout.total_size;
  exec_size_offset_ = layout.exec_size_offset;
  shared_size_ = kernel.shared_size;
  const std::vector<ir::FixedIndex> fixed = ir::fixed_indices(kernel);
  // Launches over ranges are for devices that bind less than they have, and have no addresses.
  const vd_device_info& info = device_info();
  std::vector<bool> by_invocation(kernel.arguments.size());
  if (most_bytes(info) < info.max_allocation_size) by_invocation = ir::indexed_by_invocation(kernel);
  // The next image's block. An image of the device's own has one only if it is sampled.
  size_t blocks = written.arguments.size();
  for (size_t i = 0; i < written.arguments.size(); ++i) {
    const ir::Argument& argument = kernel.arguments[i];
    if (argument.kind != VD_ARGUMENT_BUFFER && argument.kind != VD_ARGUMENT_IMAGE) continue;
    Binding binding;
    binding.name = argument.name;
    // An argument that is neither read nor written is bound all the same, and orders nothing.
    binding.read = (argument.use & (VD_ARGUMENT_ACCESS_READ | VD_ARGUMENT_ACCESS_ATOMIC)) != 0;
    binding.write = (argument.use & (VD_ARGUMENT_ACCESS_WRITE | VD_ARGUMENT_ACCESS_ATOMIC)) != 0;
    const uint64_t size = std::max<uint64_t>(kernel.types.size(argument.type), 1);
    binding.element_size = static_cast<uint32_t>(size);
    binding.align = ir::argument_align(size);
    binding.fixed_index = fixed[i];
    binding.least_size = fixed[i].end;
    if (i < layout.shape_offsets.size()) binding.shape_offset = layout.shape_offsets[i];
    binding.by_invocation = by_invocation[i] && binding.shape_offset == ir::kNoOffset;
    if (written.arguments[i].kind == VD_ARGUMENT_IMAGE) {
      binding.image = written.arguments[i].type;
      binding.read = true;  // a level that it does not write stays as it is
      const bool in_buffer = argument.kind == VD_ARGUMENT_BUFFER;
      if (in_buffer || (&kernel != &written && binding.image.is_sampled()))
        binding.image_offset = kernel.arguments[blocks++].offset;
    }
    if (bindings_.size() <= argument.binding) bindings_.resize(argument.binding + 1);
    bindings_[argument.binding] = std::move(binding);
  }
  for (const ir::Argument& argument : kernel.arguments)
    if (argument.texels != ir::kNoArgument) bindings_[kernel.arguments[argument.texels].binding].by_unit = true;
}

void vd_plan::take_kept(const runtime::KeptKernel& kept) {
  name_ = kept.name;
  workgroup_size_ = kept.workgroup_size;
  bindings_ = kept.bindings;
  values_size_ = kept.values_size;
  block_size_ = kept.block_size;
  exec_size_offset_ = kept.exec_size_offset;
  shared_size_ = kept.shared_size;
}

runtime::KeptKernel vd_plan::keep(const Hash128& hash, std::vector<std::byte> printed) const {
  return {hash,
          name_,
          workgroup_size_,
          bindings_,
          values_size_,
          block_size_,
          exec_size_offset_,
          shared_size_,
          std::move(printed)};
}

void vd_plan::read_source(const backends::SourceText& source) {
  values_size_ = block_size_ = source.values_size;
  const backends::Device& device = context_->device(device_);
  for (size_t i = 0; i < source.bindings.size(); ++i) {
    const uint32_t kind = source.bindings[i];
    const bool sampler = kind == VD_BINDING_SAMPLER, texture = kind == VD_BINDING_TEXTURE;
    const bool image = texture || kind == VD_BINDING_SAMPLED_IMAGE || kind == VD_BINDING_STORAGE_IMAGE;
    if ((image || sampler) && !device.has_images() && context_->runs_kernels()) {
      fail(VD_ERR_UNSUPPORTED,
           "desc->source->binding_kinds[{}] ({}) is {}, and images of device \"{}\" lie in buffers, which source "
           "text cannot read as images; write the kernel with vd_builder",
           i, kind, sampler ? "a sampler" : "an image", device.info().name);
    }
    Binding binding;
    binding.name = fmt::format("binding {}", i);
    binding.uniform = kind == VD_BINDING_UNIFORM_BUFFER;
    binding.texture = texture;
    binding.sampler = sampler;
    if (binding.uniform || texture || sampler || kind == VD_BINDING_SAMPLED_IMAGE) binding.write = false;
    if (image) binding.image = unknown_image(kind == VD_BINDING_STORAGE_IMAGE);
    bindings_.push_back(std::move(binding));
    if (sampler && !stand_in_) {
      vd_buffer::Desc none;
      none.size = 4;
      none.device = device_;
      none.label = "samplers";
      stand_in_ = vd_buffer::create(*context_, std::move(none));
    }
  }
}

// The compiled text shows more of its bindings than the caller says.
void vd_plan::read_source_bindings() {
  const backends::Module& module = compiled_->module();
  const auto& found = module.source_bindings();
  for (size_t i = 0; i < bindings_.size(); ++i) {
    Binding& binding = bindings_[i];
    binding.device_align = binding.uniform ? module.uniform_alignment() : module.offset_alignment();
    if (i >= found.size()) continue;
    binding.read = found[i].read;
    binding.write = found[i].write;
    binding.least_size = found[i].least_size;
    if (!found[i].image.none()) {
      binding.image = found[i].image;
      binding.read = true;  // a level that it does not write stays as it is
    }
  }
}

Ref<vd_plan> vd_plan::create(vd_context& context, const Desc& desc) {
  context.refuse_in_child();
  const vd_device_info& info = context.device(desc.device).info();
  Ref<vd_plan> plan = Ref<vd_plan>::adopt(new vd_plan(context, desc.device));
  plan->by_address_ = desc.by_address;
  plan->plain_level_ = desc.plain_level;
  backends::ModuleDesc module;
  std::optional<ir::Kernel> lowered;  // with its images in buffers, or with exact samples
  Hash128 key;
  if (desc.kernel != nullptr) {
    const ir::Kernel& kernel = desc.kernel->code;
    if (kernel.is_function())
      fail(VD_ERR_INVALID, "kernel \"{}\" is a function, which only a kernel can call", kernel.name);
    runtime::check_requirements(kernel, info);
    if (ir::has_images(kernel) && !context.device(desc.device).has_images()) {
      lowered = kernel;
      const bool has_units = context.device(desc.device).has_sampling_units();
      ir::lower_images(*lowered, has_units ? desc.units : ir::Units::None);
      plan->may_be_all_units_ = has_units && desc.units == ir::Units::Some && ir::may_be_all_units(kernel);
      runtime::check_requirements(*lowered, info);
    } else if (ir::has_samples(kernel)) {
      lowered = kernel;
      ir::exact_samples(*lowered, desc.plain_level);
      plan->samples_base_ = desc.plain_level == ir::PlainLevel::Base && ir::has_plain_samples(kernel);
    }
    const ir::Kernel& code = lowered ? *lowered : kernel;
    plan->name_ = desc.label.empty() ? kernel.name : desc.label;
    plan->workgroup_size_ = runtime::choose_workgroup_size(kernel, desc.workgroup_size, info);
    runtime::warn_of_divergence(kernel, plan->workgroup_size_);
    plan->read_kernel(code, kernel);
    module.kernel = &code;
    if (plan->samples_base_ || plan->may_be_all_units_ || !context.device(desc.device).reads_counts())
      plan->kernel_ = Ref<const vd_kernel>::retain(desc.kernel);
    key = cache_key(context, desc.kernel->hash, desc.device, plan->workgroup_size_, desc);
    if (desc.keep != nullptr) {
      *desc.keep = plan->keep(desc.kernel->hash, context.call([&] {
        return context.device(desc.device)
            .print({.kernel = &code, .workgroup_size = plan->workgroup_size_, .label = plan->name_});
      }));
      module.printed = desc.keep->printed;
    }
  } else if (desc.kept != nullptr) {
    plan->take_kept(*desc.kept);
    module.printed = desc.kept->printed;
    module.write = [write = desc.write] {
      const Ref<const vd_kernel> kernel = write();
      return std::shared_ptr<const ir::Kernel>(&kernel->code, [kernel](const ir::Kernel*) {});
    };
    key = cache_key(context, desc.kept->hash, desc.device, plan->workgroup_size_, desc);
  } else {
    plan->name_ = desc.label.empty() ? std::string("source") : desc.label;
    // The size is in the text, and the backend may find it there. If it does not, and none is given here, a thread of a
    // launch is a workgroup.
    plan->workgroup_size_ = desc.workgroup_size;
    for (uint32_t& n : plan->workgroup_size_) n = std::max(n, 1u);
    runtime::check_workgroup_size(plan->workgroup_size_, info, "desc->workgroup_size");
    plan->read_source(*desc.source);
    module.source = desc.source;
    key = cache_key(*desc.source, desc.device, plan->workgroup_size_);
  }
  module.workgroup_size = plan->workgroup_size_;
  module.label = plan->name_;
  module.by_address = desc.by_address;
  const auto compile = [&] {
    return std::make_shared<runtime::Compiled>(
        context, context.call([&] { return context.device(desc.device).make_module(module); }));
  };
  plan->compiled_ = context.modules().get(key, compile, desc.own);
  if (desc.source != nullptr) {
    plan->read_source_bindings();
    plan->take_fixed_size(desc.workgroup_size);
  } else {
    for (Binding& binding : plan->bindings_) binding.device_align = plan->compiled_->module().offset_alignment();
  }
  return plan;
}

Ref<vd_plan> vd_plan::again(const vd_kernel& kernel, ir::Units units, ir::PlainLevel level) const {
  return create(*context_, {.kernel = &kernel,
                            .workgroup_size = workgroup_size_,
                            .device = device_,
                            .label = name_,
                            .units = units,
                            .by_address = by_address_,
                            .plain_level = level});
}

vd_plan& vd_plan::counted() {
  if (context_->device(device_).reads_counts()) {
    context_->call([&] { compiled_->module().prepare_counts(); });
    return *this;
  }
  const std::lock_guard lock(others_mutex_);
  if (counted_) return *counted_;
  if (!kernel_)
    fail(VD_ERR_UNSUPPORTED,
         "\"{}\" is source text, and device \"{}\" takes the counts of a launch from the host alone; write the kernel "
         "with "
         "vd_builder, or launch the most workgroups and let the text look at the counts",
         name_, device_info().name);
  ir::Kernel code = kernel_->code;
  ir::read_counts(code);
  const Hash128 hash = ir::hash_kernel(code);
  const Ref<vd_kernel> kernel = make_ref<vd_kernel>(std::move(code), hash);
  counted_ = again(*kernel, ir::Units::Some, plain_level_);
  return *counted_;
}

vd_plan& vd_plan::for_levels(const runtime::Bound* bounds) {
  if (!samples_base_) return *this;
  bool finds = false;
  for (size_t i = 0; i < bindings_.size(); ++i)
    finds = finds || (bindings_[i].image_offset != ir::kNoOffset && bounds[i].sampler != nullptr &&
                      bounds[i].sampler->finds_level());
  if (!finds) return *this;
  const std::lock_guard lock(others_mutex_);
  if (!finds_level_) finds_level_ = again(*kernel_, ir::Units::Some, ir::PlainLevel::Found);
  // This plan was asked whether it binds such buffers, and has compiled code for them.
  for (uint32_t i = 0; i < bindings_.size(); ++i) {
    if (!bindings_[i].image.none()) continue;
    const uint64_t first = bounds[i].buffer->span(bounds[i].offset, 0).begin;
    if (first % bindings_[i].device_align != 0) (void)finds_level_->binds_at(i, first);
    if (bounds[i].size > device_info().max_storage_buffer_range) (void)finds_level_->binds_size(i, bounds[i].size);
  }
  return *finds_level_;
}

const vd_plan& vd_plan::for_images(const runtime::Bound* bounds) {
  if (!may_be_all_units_) return for_levels(bounds);
  std::optional<ir::Units> units;
  for (size_t i = 0; i < bindings_.size(); ++i) {
    if (!bindings_[i].by_unit) continue;
    const ir::Units needed = ir::units_for(bounds[i].image->sampled_block(bounds[i].sampler).texel[3]);
    units = ir::units_for(units.value_or(needed), needed);
  }
  if (units.value_or(ir::Units::Some) == ir::Units::Some) return *this;
  const std::lock_guard lock(others_mutex_);
  Ref<vd_plan>& plan = by_units_[*units];
  if (!plan) plan = again(*kernel_, *units, plain_level_);
  return *plan;
}

bool vd_plan::binds_at(uint32_t binding, uint64_t offset) const {
  if (offset % bindings_.at(binding).device_align == 0) return true;
  if (steps_.empty()) return context_->call([&] { return compiled_->module().binds_at(binding, offset); });
  const auto step_binds = [&](const Step& step) {
    if (step.arguments.empty()) return binding >= step.plan->bindings_.size() || step.plan->binds_at(binding, offset);
    for (uint32_t i = 0; i < step.arguments.size(); ++i) {
      const Step::Argument& argument = step.arguments[i];
      if (argument.index == binding && !step.plan->binds_at(i, offset + argument.offset)) return false;
    }
    return true;
  };
  return std::ranges::all_of(steps_, step_binds);
}

bool vd_plan::binds_size(uint32_t binding, uint64_t size) const {
  if (size <= device_info().max_storage_buffer_range) return true;
  if (steps_.empty()) return context_->call([&] { return compiled_->module().binds_any_size(); });
  const auto step_binds = [&](const Step& step) {
    if (step.arguments.empty()) return binding >= step.plan->bindings_.size() || step.plan->binds_size(binding, size);
    for (uint32_t i = 0; i < step.arguments.size(); ++i) {
      const Step::Argument& argument = step.arguments[i];
      const uint64_t part = argument.size != 0 ? argument.size : size - std::min(size, argument.offset);
      if (argument.index == binding && !step.plan->binds_size(i, part)) return false;
    }
    return true;
  };
  return std::ranges::all_of(steps_, step_binds);
}

// A launch counts groups by the size: with another one than the code's, too few or too many threads would run.
void vd_plan::take_fixed_size(const std::array<uint32_t, 3>& told) {
  const std::array<uint32_t, 3> fixed = compiled_->module().fixed_size();
  if (fixed[0] == 0) return;
  if (told != std::array<uint32_t, 3>{} && fixed != workgroup_size_) {
    fail(VD_ERR_INVALID, "desc->workgroup_size ({}, {}, {}) of plan \"{}\" is not what its source fixes ({}, {}, {})",
         workgroup_size_[0], workgroup_size_[1], workgroup_size_[2], name_, fixed[0], fixed[1], fixed[2]);
  }
  workgroup_size_ = fixed;
}

Ref<vd_plan> vd_plan::compose(vd_context& context, uint32_t device, std::string name, std::vector<Step> steps,
                              uint32_t binding_count, std::vector<Explanation> explanation, uint32_t values_size) {
  Ref<vd_plan> plan = Ref<vd_plan>::adopt(new vd_plan(context, device));
  plan->name_ = std::move(name);
  plan->explanation_ = std::move(explanation);
  const vd_plan& first = *steps.at(0).plan;
  plan->workgroup_size_ = first.workgroup_size_;
  plan->values_size_ = values_size == kAllValues ? first.values_size_ : values_size;
  plan->bindings_.resize(binding_count);
  std::vector<bool> known(binding_count);
  std::set<const vd_plan*> shown;
  for (const Step& step : steps) {
    const vd_plan& part = *step.plan;
    // A device that runs nothing has no hidden buffers.
    const size_t given = step.arguments.empty() ? binding_count + step.hidden.size() : step.arguments.size();
    const bool complete = part.bindings_.size() == given || !context.runs_kernels();
    if (part.values_size_ < plan->values_size_ + step.values.size() ||
        (step.values.empty() && part.values_size_ != plan->values_size_) || !complete) {
      fail(VD_ERR_INVALID, "the parts of plan \"{}\" take different arguments", plan->name_);
    }
    plan->join_bindings(step, known);
    for (size_t i = 0; i < step.hidden.size(); ++i) plan->require_hidden(step, i);
    plan->shared_size_ = std::max(plan->shared_size_, part.shared_size_);
    if (!shown.insert(&part).second) continue;
    if (!plan->source_.empty()) plan->source_ += '\n';
    plan->source_ += part.source();
  }
  plan->steps_ = std::move(steps);
  return plan;
}

// Launches check the caller's buffers alone.
void vd_plan::require_hidden(const Step& step, size_t number) const {
  const size_t index = bindings_.size() + number;
  const Step::Hidden& hidden = step.hidden[number];
  const uint64_t size = hidden.size();
  const auto require = [&](size_t binding, uint64_t part) {
    if (!step.plan->binds_size(static_cast<uint32_t>(binding), part))
      fail(VD_ERR_UNSUPPORTED, "{} of plan \"{}\" has {} bytes, more than device \"{}\" binds ({})",
           hidden.buffer ? hidden.buffer->name() : "the workspace", name_, part, device_info().name,
           device_info().max_storage_buffer_range);
  };
  if (step.arguments.empty()) return require(index, size);
  for (size_t i = 0; i < step.arguments.size(); ++i) {
    const Step::Argument& argument = step.arguments[i];
    if (argument.index == index) require(i, argument.size != 0 ? argument.size : size - argument.offset);
  }
}

// The caller's buffers are used as all steps together use them; `known`: those that a step before took.
void vd_plan::join_bindings(const Step& step, std::vector<bool>& known) {
  const vd_plan& part = *step.plan;
  const size_t count = step.arguments.empty() ? bindings_.size() : step.arguments.size();
  for (size_t i = 0; i < count; ++i) {
    const size_t index = step.arguments.empty() ? i : step.arguments[i].index;
    if (index >= bindings_.size()) continue;  // hidden
    const Binding& from = part.bindings_[i];
    Binding& to = bindings_[index];
    if (!known[index]) {
      known[index] = true;
      to = from;
      to.least_size = 0;  // of a part of it, perhaps
      to.fixed_index = {};
      continue;
    }
    to.read = to.read || from.read;
    to.write = to.write || from.write;
    to.align = std::max(to.align, from.align);
    to.device_align = std::max(to.device_align, from.device_align);
  }
}

void vd_plan::set_least_sizes(const std::vector<uint64_t>& sizes) {
  for (size_t i = 0; i < bindings_.size(); ++i) bindings_[i].least_size = sizes.at(i);
}

const std::string& vd_plan::source() const { return steps_.empty() ? compiled_->module().source() : source_; }

std::string vd_plan::explain() const {
  if (steps_.empty()) {
    const uint64_t invocations = uint64_t{workgroup_size_[0]} * workgroup_size_[1] * workgroup_size_[2];
    return fmt::format("{}: {} per workgroup, {} of shared memory{}\n", name_, count_of(invocations, "invocation"),
                       count_of(shared_size_, "byte"), text_of(statistics(true)));
  }
  std::string text;
  for (const Explanation& part : explanation_) {
    text += part.text;
    if (part.plan) text += text_of(part.plan->statistics(true));
  }
  return text;
}

backends::Statistics vd_plan::statistics(bool ask) const {
  if (steps_.empty()) {
    // The child of a fork must not call the driver.
    ask = ask && !is_of_parent();
    return context_->call([&] { return compiled_->module().statistics(ask); });
  }
  backends::Statistics most;
  for (const Step& step : steps_) {
    const backends::Statistics one = step.plan->statistics(ask);
    most.registers = std::max(most.registers, one.registers);
    most.spilled = std::max(most.spilled, one.spilled);
  }
  return most;
}

bool vd_plan::from_cache() const {
  if (steps_.empty()) return compiled_->module().from_cache();
  return std::ranges::all_of(steps_, [](const Step& step) { return step.plan->from_cache(); });
}
