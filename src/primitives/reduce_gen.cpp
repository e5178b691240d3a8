#include "primitives/reduce_gen.h"

#include <algorithm>

#include "core/count_of.h"
#include "core/error.h"
#include "ir/hash.h"
#include "runtime/hidden.h"

using namespace vd;
using primitives::ReducePass;
using primitives::Reduction;
using Role = ReducePass::Role;

vd_reduce_gen::vd_reduce_gen(vd_context& context, const vd_reduce_desc& desc, ir::BuilderFactory factory)
    : context_(Ref<vd_context>::retain(&context)),
      device_(desc.device),
      flags_(desc.builder_flags),
      factory_(std::move(factory)) {
  const Reduction whole = primitives::read_reduction(desc);
  const primitives::ReduceLimits limits = primitives::reduce_limits(context.device(device_).info(), desc);
  Stage first{whole, choose_layout(whole, limits, true), Role::Whole, {}, {}};
  if (first.layout.width > 1 && !first.layout.ticket) {
    first.role = Role::First;
    // The parts of a result are an array of `width` rows, one element of each for every result.
    Reduction parts = whole;
    parts.name += "_parts";
    parts.in = whole.type;
    parts.offset = 0;
    uint64_t step = 1;
    for (primitives::Dim& dim : parts.kept) {
      dim.stride = step;
      step *= dim.count;
    }
    if (whole.packed_out() && step > 1) parts.kept = {{step, 1, 1}};
    parts.reduced = {{first.layout.width, step, 0}};
    Stage second{parts, {}, Role::Last, {}, {}};
    // Its own input is not read, so that neither its elements nor its alignment matter.
    Reduction plain = parts;
    plain.mapped = true;
    second.layout = choose_layout(plain, limits, false);
    stages_.push_back(std::move(first));
    stages_.push_back(std::move(second));
  } else {
    stages_.push_back(std::move(first));
  }
}

namespace {

struct Traffic {
  uint64_t read = 0, written = 0;
};

// Bytes that a pass accesses in memory, each counted once; reads of maps are not counted.
Traffic traffic(const Reduction& r, const primitives::ReduceLayout& layout, Role role) {
  const ir::TypeTable types;
  uint64_t elements = 1;  // elements at the same position count once
  for (const auto* dims : {&r.kept, &r.reduced}) {
    for (const primitives::Dim& dim : *dims) elements *= dim.stride == 0 ? 1 : dim.count;
  }
  const uint64_t input = r.mapped && role != Role::Last ? 0 : elements * types.size(r.in);
  const uint64_t results = r.outputs() * types.size(r.out);
  const uint64_t parts = layout.width * r.outputs() * types.size(r.type);
  if (role == Role::First) return {input, parts};
  if (!layout.ticket) return {input, results};
  const uint64_t tickets = layout.tiles * sizeof(uint32_t);
  return {input + parts + tickets, parts + results + tickets};
}

}  // namespace

// ---- Writing

// The caller's operation, once, as a function of two values.
void vd_reduce_gen::begin_function(vd_reduce_element& out) {
  const ir::Type type = stages_.front().reduction.type;
  vd_builder_desc desc = VD_BUILDER_DESC_INIT;
  desc.flags = flags_ | VD_BUILDER_FUNCTION;
  desc.name = "combine";
  desc.return_type = type.bits();
  builder_ = factory_(desc);
  out.point = VD_REDUCE_POINT_COMBINE;
  out.left = builder_->argument(VD_ARGUMENT_VALUE, type, "left");
  out.right = builder_->argument(VD_ARGUMENT_VALUE, type, "right");
  out.value = function_result_ = builder_->emit(VD_OP_VAR, type, {}, 0, 0);
}

void vd_reduce_gen::end_function() {
  const vd_value loaded = builder_->emit(VD_OP_LOAD, {}, {&function_result_, 1}, 0, 0);
  builder_->emit(VD_OP_RETURN, {}, {&loaded, 1}, 0, 0);
  function_ = builder_->finish();
  builder_ = {};
}

void vd_reduce_gen::begin_pass() {
  Stage& stage = stages_[stage_];
  vd_builder_desc desc = VD_BUILDER_DESC_INIT;
  desc.flags = flags_ | VD_BUILDER_NO_EXEC_BOUNDS;
  desc.name = stage.reduction.name.c_str();
  desc.workgroup_size[0] = stage.layout.workgroup_size;
  builder_ = factory_(desc);
  pass_ = std::make_unique<ReducePass>(stage.reduction, stage.layout, stage.role, *builder_,
                                       function_ ? &*function_ : nullptr);
}

void vd_reduce_gen::end_pass() {
  Stage& stage = stages_[stage_];
  stage.values = pass_->values();
  pass_.reset();
  stage.kernel = builder_->finish();
  builder_ = {};
  ++stage_;
}

ir::Builder* vd_reduce_gen::next(vd_reduce_element& out) {
  if (finished_) fail(VD_ERR_STATE, "the reduction is finished");
  if (builder_) builder_->resume();
  if (stages_.front().reduction.combine == VD_OP_NONE && !function_) {
    if (!builder_) {
      begin_function(out);
      builder_->suspend(false, nullptr);
      return builder_.get();
    }
    end_function();
  }
  while (stage_ < stages_.size()) {
    if (!pass_) begin_pass();
    primitives::ReduceElement element;
    if (!pass_->next(element)) {
      end_pass();
      continue;
    }
    out.point =
        element.point == primitives::ReduceElement::Point::Map ? VD_REDUCE_POINT_READ : VD_REDUCE_POINT_ARGUMENTS;
    builder_->suspend(element.point == primitives::ReduceElement::Point::Arguments,
                      "a map must not return: invocations meet at barriers after it");
    out.pass = static_cast<uint32_t>(stage_);
    out.element_id = element.id;
    out.element_count = element.count;
    out.index = element.index;
    out.value = element.value;
    return builder_.get();
  }
  return nullptr;
}

// ---- The plan

Ref<vd_plan> vd_reduce_gen::finish() {
  if (finished_) fail(VD_ERR_STATE, "the reduction is finished");
  if (stage_ < stages_.size()) fail(VD_ERR_STATE, "the reduction is not complete: go on with vd_reduce_gen_next()");
  finished_ = true;
  const Stage& front = stages_.front();
  const std::string name = front.reduction.name;
  const uint64_t outputs = front.reduction.outputs();
  Ref<vd_buffer> parts, tickets;
  if (front.layout.width > 1 && context_->runs_kernels()) {
    const uint64_t size = front.layout.width * outputs * front.reduction.identity.size();
    parts = runtime::hidden_buffer(*context_, device_, size, nullptr, "parts of a reduction");
    if (front.layout.ticket) {
      const std::vector<uint32_t> none(front.layout.tiles);
      tickets = runtime::hidden_buffer(*context_, device_, none.size() * sizeof(none[0]), none.data(), "tickets");
    }
  }
  std::vector<vd_plan::Step> steps;
  std::vector<vd_plan::Explanation> explanation;
  uint32_t bindings = 0, values_size = 0;
  Traffic all;
  for (Stage& stage : stages_) {
    const Traffic t = traffic(stage.reduction, stage.layout, stage.role);
    std::string text =
        fmt::format("{}: {} of {}; {}, {} bytes of shared memory, reads {} and writes {} bytes", stage.reduction.name,
                    count_of(stage.reduction.outputs(), "result"), count_of(stage.reduction.count(), "element"),
                    stage.layout.text(), stage.kernel->shared_size, t.read, t.written);
    all.read += t.read;
    all.written += t.written;
    // The caller's values end where ours begin.
    values_size = 0;
    size_t left = 0;
    for (const ir::Argument& a : stage.kernel->arguments) {
      if (a.kind == VD_ARGUMENT_CONSTANT || a.kind == VD_ARGUMENT_VARIABLE) ++left;
    }
    const size_t index_size = stage.layout.wide ? 8 : 4;
    left -= stage.values.size() / index_size;
    for (const ir::Argument& a : stage.kernel->arguments) {
      if (left == 0 || (a.kind != VD_ARGUMENT_CONSTANT && a.kind != VD_ARGUMENT_VARIABLE)) continue;
      values_size = a.offset + static_cast<uint32_t>(stage.kernel->types.size(a.type));
      --left;
    }
    const Hash128 hash = ir::hash_kernel(*stage.kernel);
    const Ref<vd_kernel> kernel = make_ref<vd_kernel>(std::move(*stage.kernel), hash);
    vd_plan::Desc desc;
    desc.kernel = kernel.get();
    desc.device = device_;
    vd_plan::Step step;
    step.plan = vd_plan::create(*context_, desc);
    step.workgroups = stage.layout.workgroups;
    step.values = std::move(stage.values);
    const uint32_t hidden = (front.layout.width > 1 ? 1 : 0) + (stage.layout.ticket ? 1 : 0);
    if (parts) step.hidden.push_back(parts);
    if (stage.layout.ticket && tickets) step.hidden.push_back(tickets);
    bindings = static_cast<uint32_t>(step.plan->bindings().size()) - hidden;
    explanation.push_back({std::move(text), step.plan});
    explanation.push_back({"\n"});
    steps.push_back(std::move(step));
  }
  explanation.push_back({fmt::format("lower bound: a copy that reads {} and writes {} bytes{}\n", all.read, all.written,
                                     front.reduction.mapped ? ", besides what the map reads" : "")});
  Ref<vd_plan> plan =
      vd_plan::compose(*context_, device_, name, std::move(steps), bindings, std::move(explanation), values_size);
  const ir::TypeTable types;
  std::vector<uint64_t> least(bindings);
  least.at(0) = front.reduction.out_reach() * types.size(front.reduction.out);
  if (!front.reduction.mapped) least.at(1) = front.reduction.reach() * types.size(front.reduction.in);
  plan->set_least_sizes(least);
  // The caller's maps may read any memory.
  if (!front.reduction.mapped) {
    const Reduction& r = front.reduction;
    const uint64_t out = types.size(r.out), in = types.size(r.in);
    vd_plan::NoOverlap::Part written{0, r.out_offset * out, least[0], out}, read{1, r.offset * in, least[1], in};
    for (const primitives::Dim& dim : r.kept) written.dims.push_back({0, dim.count, dim.out_stride * out});
    for (const auto* dims : {&r.kept, &r.reduced}) {
      for (const primitives::Dim& dim : *dims) read.dims.push_back({0, dim.count, dim.stride * in});
    }
    plan->set_no_overlaps({{std::move(written), std::move(read)}});
  }
  return plan;
}
