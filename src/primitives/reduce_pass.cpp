#include "primitives/reduce_pass.h"

#include <algorithm>
#include <cstring>

#include "core/error.h"

namespace vd::primitives {
namespace {

using Point = ReduceElement::Point;

// Memory order of the parts: other workgroups must see ours, and we theirs.
constexpr uint64_t kOrder = VD_MEMORY_ACQUIRE_RELEASE | VD_MEMORY_DEVICE | VD_MEMORY_STORAGE;

}  // namespace

ReducePass::ReducePass(const Reduction& reduction, const ReduceLayout& layout, Role role, ir::Builder& builder,
                       const ir::Kernel* function)
    : r_(reduction),
      layout_(layout),
      role_(role),
      c_(builder),
      index_(layout.wide ? ir::kU64 : ir::kU32),
      function_(function) {}

bool ReducePass::next(ReduceElement& out) {
  if (!steps_) steps_ = emit();
  return steps_.next(out);
}

// ---- Sizes and places

Value ReducePass::parameter(const char* name, uint64_t value) {
  const uint32_t size = ir::scalar_size(index_.scalar());
  const size_t at = values_.size();
  values_.resize(at + size);
  std::memcpy(values_.data() + at, &value, size);
  return c_.load(c_.builder().argument(VD_ARGUMENT_CONSTANT, index_, name));
}

void ReducePass::find_place() {
  const uint32_t lanes = layout_.lanes, slots = layout_.slots();
  Value group = c_.widen(c_.builtin(VD_BUILTIN_WORKGROUP_ID, 0), index_);
  if (layout_.workgroups[1] > 1) {
    const Value row = c_.widen(c_.builtin(VD_BUILTIN_WORKGROUP_ID, 1), index_);
    group = c_.add(group, c_.mul(row, layout_.workgroups[0]));
  }
  const auto scalar = [&](vd_builtin which) { return c_.emit(VD_OP_BUILTIN, {}, ir::Type(), which); };
  if (layout_.workgroup_size == 1) {
    assignment_.invocation = c_.index(0);
  } else if (layout_.subgroups) {
    // By its place in its subgroup, however a driver deals out lanes.
    assignment_.invocation =
        c_.add(c_.mul(scalar(VD_BUILTIN_SUBGROUP_ID), layout_.subgroup), scalar(VD_BUILTIN_SUBGROUP_LANE));
  } else {
    assignment_.invocation = scalar(VD_BUILTIN_LOCAL_INDEX);
  }
  if (layout_.columns) {
    assignment_.slot = c_.rem(assignment_.invocation, slots);
    assignment_.lane = c_.div(assignment_.invocation, slots);
  } else {
    assignment_.slot = c_.div(assignment_.invocation, lanes);
    assignment_.lane = c_.rem(assignment_.invocation, lanes);
  }
  if (slots == 1) assignment_.slot = c_.index(0);
  if (lanes == 1) assignment_.lane = c_.index(0);
  assignment_.tile = group;
  assignment_.part = c_.index(0, index_);
  if (layout_.width > 1 && layout_.tiles == 1) {
    assignment_.part = group;
    assignment_.tile = c_.index(0, index_);
  } else if (layout_.width > 1) {
    assignment_.tile = c_.emit(VD_OP_REM, {group, sizes_.tiles});
    assignment_.part = c_.emit(VD_OP_DIV, {group, sizes_.tiles});
  }
  if (r_.kept.empty()) {
    assignment_.output = c_.index(0, index_);
    if (slots > 1) assignment_.exists = c_.below(assignment_.slot, 1);
  } else {
    assignment_.output = c_.add(c_.mul(assignment_.tile, slots), assignment_.slot);
    assignment_.exists = c_.emit(VD_OP_LT, {assignment_.output, sizes_.outputs});
    const Value last = c_.emit(VD_OP_SUB, {sizes_.outputs, c_.index(1, index_)});
    assignment_.output = c_.emit(VD_OP_MIN, {assignment_.output, last});
  }
  assignment_.base = parameter("offset", r_.offset);
  if (!r_.kept.empty())
    assignment_.base = c_.add(assignment_.base, address(r_.kept, kept_, kept_steps_, assignment_.output));
}

Value ReducePass::address(const std::vector<Dim>& dims, const Values& counts, const Values& strides, Value number) {
  Value sum = 0;
  for (size_t i = 0; i < dims.size(); ++i) {
    const bool last = i + 1 == dims.size();
    const Value coordinate = last ? number : c_.emit(VD_OP_REM, {number, counts[i]});
    const Value part = strides[i] == 0 ? coordinate : c_.emit(VD_OP_MUL, {coordinate, strides[i]});
    sum = sum == 0 ? part : c_.add(sum, part);
    if (!last) number = c_.emit(VD_OP_DIV, {number, counts[i]});
  }
  return sum;
}

Value ReducePass::result_at() {
  if (r_.packed_out()) return c_.at(output_, assignment_.output);
  Value at = out_offset_;
  if (!r_.kept.empty()) at = c_.add(at, address(r_.kept, kept_, out_steps_, assignment_.output));
  return c_.at(output_, at);
}

// ---- Values

Value ReducePass::combine(Value a, Value b) {
  if (r_.combine != VD_OP_NONE) return c_.emit(r_.combine, {a, b});
  const Value operands[] = {a, b};
  return c_.builder().call(*function_, operands, 0);
}

ReducePass::Values ReducePass::read(Value unit) {
  if (role_ == Role::Last) return {c_.load(c_.at(parts_, element_address(unit)))};
  if (layout_.vector == 1) return {convert(c_.load(c_.at(input_, element_address(unit))), r_.type)};
  // The buffer's elements are vectors; a row begins at a multiple of them.
  const Value base = c_.div(assignment_.base, layout_.vector);
  const Value loaded = convert(c_.load(c_.at(input_, c_.add(base, unit))), r_.type);
  Values all;
  for (uint32_t i = 0; i < layout_.vector; ++i) all.push_back(c_.emit(VD_OP_INDEX, {loaded, c_.index(i)}));
  return all;
}

// ---- Meeting

Value ReducePass::reduce_in_subgroup(Value value, uint32_t lanes) {
  if (lanes == layout_.subgroup && r_.subgroup != VD_OP_NONE) return c_.emit(r_.subgroup, {value});
  for (uint32_t mask = 1; mask < lanes; mask *= 2) {
    value = combine(value, c_.emit(VD_OP_SUBGROUP_SHUFFLE_XOR, {value, c_.index(mask)}));
  }
  return value;
}

Value ReducePass::reduce_in_shared(Value value) {
  const uint32_t stride = layout_.columns ? layout_.slots() : 1;
  c_.store(c_.at(shared_, assignment_.invocation), value);
  c_.barrier();
  for (uint32_t half = layout_.lanes / 2; half != 0; half /= 2) {
    const Value here = c_.below(assignment_.lane, half);
    c_.begin_if(here);
    accumulate(c_.at(shared_, assignment_.invocation),
               c_.load(c_.at(shared_, c_.offset(assignment_.invocation, uint64_t{half} * stride))));
    c_.end_if(here);
    c_.barrier();
  }
  return c_.load(c_.at(shared_, assignment_.invocation));
}

Value ReducePass::reduce_lanes(Value value) {
  const uint32_t lanes = layout_.lanes, subgroup = layout_.subgroup;
  if (lanes == 1) return value;
  if (!layout_.subgroups) return reduce_in_shared(value);
  value = reduce_in_subgroup(value, std::min(lanes, subgroup));
  if (lanes <= subgroup) return value;
  // One value of each subgroup is left.
  const uint32_t left = lanes / subgroup;
  const Value leader = c_.below(c_.rem(assignment_.invocation, subgroup), 1);
  c_.begin_if(leader);
  c_.store(c_.at(shared_, c_.div(assignment_.invocation, subgroup)), value);
  c_.end_if(leader);
  c_.barrier();
  const Value here = c_.add(c_.mul(assignment_.slot, left), assignment_.lane);
  if (left <= subgroup) {
    const Value rest = c_.variable(r_.type);
    c_.store(rest, identity());
    const Value taken = c_.below(assignment_.lane, left);
    c_.begin_if(taken);
    c_.store(rest, c_.load(c_.at(shared_, here)));
    c_.end_if(taken);
    return reduce_in_subgroup(c_.load(rest), left);
  }
  for (uint32_t half = left / 2; half != 0; half /= 2) {
    const Value taken = c_.below(assignment_.lane, half);
    c_.begin_if(taken);
    accumulate(c_.at(shared_, here), c_.load(c_.at(shared_, c_.offset(here, half))));
    c_.end_if(taken);
    c_.barrier();
  }
  return c_.load(c_.at(shared_, c_.mul(assignment_.slot, left)));
}

// The last of the workgroups that share a result combines the parts of all of them.
void ReducePass::fold_parts(Value total) {
  const Value writes = c_.both(assignment_.exists, first_lane());
  const auto part = [&](Value number) {
    const Value row = r_.kept.empty() ? number : c_.emit(VD_OP_MUL, {number, sizes_.outputs});
    return c_.at(parts_, c_.add(row, assignment_.output));
  };
  c_.begin_if(writes);
  c_.store(part(assignment_.part), total, VD_ACCESS_COHERENT);
  c_.emit(VD_OP_FENCE, {}, ir::Type(), kOrder);
  c_.end_if(writes);
  // For rows, the invocation that wrote is the one that continues.
  if (layout_.columns) c_.barrier();
  const Value is_last = c_.builder().shared(ir::kU32, 1, VD_SHARED_OFFSET_AUTO, "is_last");
  const Value flag = c_.at(is_last, c_.index(0)), counter = c_.at(tickets_, assignment_.tile);
  const Value first = c_.below(assignment_.invocation, 1);
  c_.begin_if(first);
  const Value ticket = c_.emit(VD_OP_ATOMIC_ADD, {counter, c_.index(1)}, ir::Type(),
                               layout_.columns ? kOrder : VD_MEMORY_RELAXED | VD_MEMORY_DEVICE | VD_MEMORY_STORAGE);
  const Value full = c_.emit(VD_OP_SUB, {c_.widen(sizes_.width, ir::kU32), c_.index(1)});
  const Value match = c_.emit(VD_OP_EQ, {ticket, full});
  c_.store(flag, c_.emit(VD_OP_SELECT, {match, c_.index(1), c_.index(0)}));
  c_.end_if(first);
  c_.barrier();
  const Value last = c_.emit(VD_OP_NE, {c_.load(flag), c_.index(0)});
  c_.begin_if(last);
  c_.emit(VD_OP_FENCE, {}, ir::Type(), kOrder);
  c_.end_if(last);
  // The others combine nothing, so that all invocations meet outside of any condition.
  const Value sum = c_.variable(r_.type);
  c_.store(sum, identity());
  const Value stop = c_.emit(VD_OP_SELECT, {last, sizes_.width, c_.index(0, index_)});
  const Value number = c_.emit(VD_OP_FOR, {c_.widen(assignment_.lane, index_), stop, c_.index(layout_.lanes, index_)});
  accumulate(sum, c_.load(part(number), VD_ACCESS_COHERENT));
  c_.emit(VD_OP_END, {});
  const Value result = reduce_lanes(c_.load(sum));
  const Value stores = c_.both(writes, last);
  c_.begin_if(stores);
  c_.store(result_at(), convert(result, r_.out));
  c_.end_if(stores);
  // Ready for the next run.
  const Value again = c_.both(first, last);
  c_.begin_if(again);
  c_.store(counter, c_.index(0));
  c_.end_if(again);
}

// ---- The pass

Steps<ReduceElement> ReducePass::emit() {
  ReduceElement element;
  ir::Builder& builder = c_.builder();
  const bool from_parts = role_ == Role::Last, mapped = r_.mapped && !from_parts;
  output_ = builder.argument(VD_ARGUMENT_BUFFER, r_.out, "output");
  if (r_.mapped) {
    co_yield element;
  } else {
    // As vectors, a launch has to align it as they need it.
    const bool wide = layout_.vector > 1;
    const ir::Type type = wide ? ir::Type::vector(r_.in.scalar(), layout_.vector) : r_.in;
    input_ = builder.argument(VD_ARGUMENT_BUFFER, type, "input");
  }
  if (has_parts()) parts_ = builder.argument(VD_ARGUMENT_BUFFER, r_.type, "parts");
  if (has_tickets()) tickets_ = builder.argument(VD_ARGUMENT_BUFFER, ir::kU32, "tickets");

  const uint64_t vector = layout_.vector, units = r_.count() / vector;
  const uint64_t chunk = layout_.unroll * layout_.step();
  if (layout_.unroll > 1) sizes_.body = parameter("body", units / chunk * chunk);
  sizes_.units = parameter("units", units);
  if (vector > 1) sizes_.count = parameter("count", r_.count());
  if (!r_.kept.empty()) sizes_.outputs = parameter("outputs", r_.outputs());
  if (layout_.width > 1) {
    sizes_.width = parameter("width", layout_.width);
    if (layout_.tiles > 1) sizes_.tiles = parameter("tiles", layout_.tiles);
  }
  const auto dims = [&](const std::vector<Dim>& list, Values& counts, Values& steps, const char* name) {
    for (size_t i = 0; i < list.size(); ++i) {
      const bool last = i + 1 == list.size();
      counts.push_back(last ? 0 : parameter(fmt::format("{}{}", name, i).c_str(), list[i].count));
      const bool near = list[i].stride == 1;
      steps.push_back(near ? 0 : parameter(fmt::format("{}{}_step", name, i).c_str(), list[i].stride));
    }
  };
  dims(r_.kept, kept_, kept_steps_, "kept");
  dims(r_.reduced, reduced_, steps_of_, "reduced");
  if (role_ != Role::First && !r_.packed_out()) {
    out_offset_ = parameter("out_offset", r_.out_offset);
    for (size_t i = 0; i < r_.kept.size(); ++i) {
      out_steps_.push_back(parameter(fmt::format("out{}_step", i).c_str(), r_.kept[i].out_stride));
    }
  }
  find_place();
  if (layout_.lanes > 1) {
    const bool few = layout_.subgroups;
    const uint32_t entries = few ? layout_.workgroup_size / layout_.subgroup : layout_.workgroup_size;
    if (!few || layout_.lanes > layout_.subgroup)
      shared_ = builder.shared(r_.type, entries, VD_SHARED_OFFSET_AUTO, "meeting");
  }

  Values sums;
  for (uint32_t i = 0; i < layout_.vector; ++i) {
    sums.push_back(c_.variable(r_.type));
    c_.store(sums.back(), identity());
  }
  // This invocation's first unit, and the distance to the next.
  Value start = c_.widen(assignment_.lane, index_), step = c_.index(layout_.lanes, index_);
  if (layout_.width > 1) {
    start = c_.add(c_.mul(assignment_.part, layout_.lanes), start);
    step = c_.mul(sizes_.width, layout_.lanes);
  }
  element.point = Point::Map;
  element.count = layout_.unroll > 1 ? layout_.unroll + 1 : 1;
  const auto at_element = [&](Value number) {
    element.index = element_address(number);
    element.value = c_.variable(r_.type);
  };
  Value begin = start;
  if (layout_.unroll > 1) {
    // Whole rounds of all invocations, several accesses at once; the rest follows.
    const Value stride = c_.mul(step, layout_.unroll);
    const Value unit = c_.emit(VD_OP_FOR, {start, sizes_.body, stride}, ir::Type(), VD_LOOP_ROLLED);
    std::vector<Values> loaded;
    for (uint32_t u = 0; u < layout_.unroll; ++u) {
      const Value number = u == 0 ? unit : c_.add(unit, c_.mul(step, u));
      if (mapped) {
        at_element(number);
        co_yield element;
        ++element.id;
        loaded.push_back({c_.load(element.value)});
      } else {
        loaded.push_back(read(number));
      }
    }
    for (const Values& values : loaded) {
      for (size_t i = 0; i < values.size(); ++i) accumulate(sums[i], values[i]);
    }
    c_.emit(VD_OP_END, {});
    begin = c_.add(sizes_.body, start);
  }
  const Value unit = c_.emit(VD_OP_FOR, {begin, sizes_.units, step}, ir::Type(), VD_LOOP_ROLLED);
  if (mapped) {
    at_element(unit);
    co_yield element;
    accumulate(sums[0], c_.load(element.value));
  } else {
    const Values values = read(unit);
    for (size_t i = 0; i < values.size(); ++i) accumulate(sums[i], values[i]);
  }
  c_.emit(VD_OP_END, {});
  if (vector > 1) {
    // Elements behind the last whole access.
    const Value first = c_.add(c_.mul(sizes_.units, vector), start);
    const Value number = c_.emit(VD_OP_FOR, {first, sizes_.count, step}, ir::Type(), VD_LOOP_ROLLED);
    const Value single = c_.emit(VD_OP_VIEW, {input_}, r_.in);
    accumulate(sums[0], convert(c_.load(c_.at(single, element_address(number))), r_.type));
    c_.emit(VD_OP_END, {});
  }
  Value total = c_.load(sums[0]);
  for (size_t i = 1; i < sums.size(); ++i) total = combine(total, c_.load(sums[i]));
  total = reduce_lanes(total);
  if (layout_.ticket) {
    fold_parts(total);
    co_return;
  }
  const Value writes = c_.both(assignment_.exists, first_lane());
  c_.begin_if(writes);
  if (role_ == Role::First) {
    const Value row = r_.kept.empty() ? assignment_.part : c_.emit(VD_OP_MUL, {assignment_.part, sizes_.outputs});
    c_.store(c_.at(parts_, c_.add(row, assignment_.output)), total);
  } else {
    c_.store(result_at(), convert(total, r_.out));
  }
  c_.end_if(writes);
}

}  // namespace vd::primitives
