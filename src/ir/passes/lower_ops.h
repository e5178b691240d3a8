// The parts of lower.cpp. Each takes an op with operands of the new kernel and returns the value that replaces it, or
// kNoValue if it leaves the op alone.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "ir/emitter.h"
#include "ir/passes/lower.h"

namespace vd::ir {

struct LoweredOp {
  Op op;
  Type type;
  uint64_t immediate;
  std::span<const ValueId> operands;
};

ValueId lower_elementwise(Emitter& e, const LoweredOp& op);
ValueId lower_geometry(Emitter& e, const LoweredOp& op);
ValueId lower_complex(Emitter& e, const LoweredOp& op);
ValueId lower_matrix(Emitter& e, const LoweredOp& op);
ValueId lower_shape(Emitter& e, const LoweredOp& op);  // SWIZZLE, CONSTRUCT, BITCAST, ANY, ALL
ValueId lower_integer(Emitter& e, const LoweredOp& op, const LowerOptions& options);
ValueId lower_convert(Emitter& e, const LoweredOp& op, const LowerOptions& options);

// Shared between them.
ValueId dot_of(Emitter& e, ValueId a, ValueId b);
ValueId length_of(Emitter& e, ValueId a);

}  // namespace vd::ir
