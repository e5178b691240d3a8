// Writes one pass of a reduction into a builder, and is pulled meanwhile: next() stops at each element for which the
// caller's map must be written.
//
// Each invocation combines the elements that it reads into a value of its own; the values of a result's invocations are
// reduced in subgroups, then in shared memory. Where several workgroups share a result, each leaves its part in memory
// and takes a ticket; the workgroup with the last ticket combines the parts, in their order, so that the same input
// always gives the same result.
#pragma once

#include <string>
#include <vector>

#include "core/steps.h"
#include "ir/kernel.h"
#include "ir/kernel_writer.h"
#include "primitives/reduce_layout.h"

namespace vd::primitives {

using ir::Value;

// The points at which next() stops.
struct ReduceElement {
  enum class Point : uint8_t {
    Arguments,  // declare the map's arguments
    Map,        // store element `index` into `value`
    Combine,    // store the combination of `left` and `right` into `value`
  };
  Point point = Point::Arguments;
  uint32_t id = 0, count = 0;  // of the elements that a pass writes
  Value index = 0, left = 0, right = 0;
  Value value = 0;  // a variable
};

class ReducePass {
 public:
  enum class Role : uint8_t {
    Whole,  // from the input to the result
    First,  // from the input to the parts
    Last,   // from the parts to the result
  };
  // `function` combines two values where the reduction names no op. All must outlive the pass.
  ReducePass(const Reduction& reduction, const ReduceLayout& layout, Role role, ir::Builder& builder,
             const ir::Kernel* function);

  // False when the pass is complete.
  bool next(ReduceElement& out);
  // The sizes that the kernel takes as its last arguments, so that arrays of other sizes share it.
  const std::vector<std::byte>& values() const { return values_; }
  // Hidden buffers that it declares: the parts, then the tickets.
  bool has_parts() const { return role_ != Role::Whole || layout_.width > 1; }
  bool has_tickets() const { return layout_.ticket; }

 private:
  struct Assignment {
    Value invocation = 0, lane = 0, slot = 0;
    Value tile = 0, part = 0;
    Value output = 0, exists = 0;  // 0: all exist
    Value base = 0;                // address of the result's first element
  };
  struct Sizes {
    Value body = 0, units = 0, count = 0, outputs = 0, tiles = 0, width = 0;
  };
  using Values = std::vector<Value>;

  Steps<ReduceElement> emit();
  Value parameter(const char* name, uint64_t value);
  void find_place();
  Value address(const std::vector<Dim>& dims, const Values& counts, const Values& strides, Value number);
  // Position of this invocation's result in the output.
  Value result_at();
  Value combine(Value a, Value b);
  void accumulate(Value variable, Value value) { c_.store(variable, combine(c_.load(variable), value)); }
  // The values of the element or elements number `unit`.
  Values read(Value unit);
  Value element_address(Value number) {
    return c_.add(assignment_.base, address(r_.reduced, reduced_, steps_of_, number));
  }
  Value identity() { return c_.builder().constant(r_.type, r_.identity.data(), r_.identity.size()); }
  Value convert(Value value, ir::Type to) { return c_.convert(value, to.scalar()); }
  // Combines all lanes of a result; lane 0 has the value.
  Value reduce_lanes(Value value);
  Value reduce_in_subgroup(Value value, uint32_t lanes);
  Value reduce_in_shared(Value value);
  Value first_lane() { return layout_.lanes > 1 ? c_.below(assignment_.lane, 1) : 0; }
  void fold_parts(Value total);

  const Reduction& r_;
  const ReduceLayout& layout_;
  const Role role_;
  ir::KernelWriter c_;
  const ir::Type index_;  // of indices
  const ir::Kernel* const function_;
  Value output_ = 0, input_ = 0, parts_ = 0, tickets_ = 0, shared_ = 0;
  std::vector<std::byte> values_;
  Sizes sizes_;
  Values kept_, kept_steps_, reduced_, steps_of_;
  Value out_offset_ = 0;
  Values out_steps_;
  Assignment assignment_;
  Steps<ReduceElement> steps_;
};

}  // namespace vd::primitives
