// Elementwise functions that are short sequences of simpler ones, and geometry.
#include <numbers>

#include "ir/passes/lower_ops.h"

namespace vd::ir {
namespace {

ValueId minimum(Emitter& e, ValueId a, ValueId b) { return e.emit(VD_OP_MIN, a, b); }
ValueId maximum(Emitter& e, ValueId a, ValueId b) { return e.emit(VD_OP_MAX, a, b); }

ValueId sign(Emitter& e, ValueId x) {
  const Type t = e.type(x);
  const ValueId zero = e.zero(t), one = e.constant(t, 1);
  if (t.is_unsigned()) return minimum(e, x, one);
  const ValueId below = e.select(e.emit(VD_OP_LT, x, zero), e.constant(t, -1), zero);
  return e.select(e.emit(VD_OP_GT, x, zero), one, below);
}

ValueId step(Emitter& e, ValueId edge, ValueId x) {
  const Type t = e.type(x);
  return e.select(e.emit(VD_OP_LT, x, edge), e.zero(t), e.constant(t, 1));
}

ValueId smoothstep(Emitter& e, ValueId low, ValueId high, ValueId x) {
  const Type type = e.type(x);
  const ValueId part = e.div(e.sub(x, low), e.sub(high, low));
  const ValueId t = minimum(e, maximum(e, part, e.zero(type)), e.constant(type, 1));
  const ValueId smooth = e.mul(e.mul(t, t), e.sub(e.constant(type, 3), e.mul(e.constant(type, 2), t)));
  return e.select(e.emit(VD_OP_EQ, low, high), step(e, low, x), smooth);
}

}  // namespace

ValueId lower_elementwise(Emitter& e, const LoweredOp& op) {
  const auto x = [&](size_t i) { return op.operands[i]; };
  switch (op.op) {
    case VD_OP_CLAMP:
      return minimum(e, maximum(e, x(0), x(1)), x(2));
    case VD_OP_SIGN:
      return sign(e, x(0));
    case VD_OP_ABS:
      return op.type.is_unsigned() ? x(0) : kNoValue;
    case VD_OP_FRACT:
      return e.sub(x(0), e.emit(VD_OP_FLOOR, x(0)));
    case VD_OP_MOD:
      return e.sub(x(0), e.mul(x(1), e.emit(VD_OP_FLOOR, e.div(x(0), x(1)))));
    case VD_OP_STEP:
      return step(e, x(0), x(1));
    case VD_OP_SMOOTHSTEP:
      return smoothstep(e, x(0), x(1), x(2));
    case VD_OP_MIX:
      return e.add(x(0), e.mul(e.sub(x(1), x(0)), x(2)));
    case VD_OP_RADIANS:
      return e.mul(x(0), e.constant(op.type, std::numbers::pi / 180));
    case VD_OP_DEGREES:
      return e.mul(x(0), e.constant(op.type, 180 / std::numbers::pi));
    default:
      return kNoValue;
  }
}

ValueId dot_of(Emitter& e, ValueId a, ValueId b) {
  const Type t = e.type(a);
  if (!t.is_vector()) return e.mul(a, b);
  ValueId sum = e.mul(e.at(a, 0), e.at(b, 0));
  for (uint32_t i = 1; i < t.count(); ++i) sum = e.add(sum, e.mul(e.at(a, i), e.at(b, i)));
  return sum;
}

ValueId length_of(Emitter& e, ValueId a) {
  if (!e.type(a).is_vector()) return e.emit(VD_OP_ABS, a);
  return e.emit(VD_OP_SQRT, dot_of(e, a, a));
}

ValueId lower_geometry(Emitter& e, const LoweredOp& op) {
  const auto x = [&](size_t i) { return op.operands[i]; };
  switch (op.op) {
    case VD_OP_DOT:
      return dot_of(e, x(0), x(1));
    case VD_OP_LENGTH:
      return length_of(e, x(0));
    case VD_OP_DISTANCE:
      return length_of(e, e.sub(x(0), x(1)));
    case VD_OP_NORMALIZE:
      return e.div(x(0), e.splat(op.type, length_of(e, x(0))));
    case VD_OP_CROSS: {
      ValueId parts[3];
      for (uint32_t i = 0; i < 3; ++i) {
        const uint32_t j = (i + 1) % 3, k = (i + 2) % 3;
        parts[i] = e.sub(e.mul(e.at(x(0), j), e.at(x(1), k)), e.mul(e.at(x(0), k), e.at(x(1), j)));
      }
      return e.construct(op.type, parts);
    }
    default:
      return kNoValue;
  }
}

}  // namespace vd::ir
