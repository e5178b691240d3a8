// Integer ops that targets leave undefined, and conversions.
//
// Division follows WGSL: where it has no quotient the divisor counts as 1, so x / 0 is x, x % 0 is 0, and the least
// integer divided by -1 is itself. That is one select before the division, the cheapest that is defined everywhere.
#include <bit>
#include <cmath>

#include "ir/evaluate.h"
#include "ir/fold.h"
#include "ir/passes/lower_ops.h"
#include "ir/type_rules.h"

namespace vd::ir {
namespace {

ValueId safe_divisor(Emitter& e, ValueId a, ValueId b) {
  const Type t = e.type(a);
  uint64_t scalars[16];
  const uint32_t known = constant_scalars(e.kernel(), b, scalars);
  bool safe = known != 0;
  for (uint32_t i = 0; i < known; ++i)
    safe &= scalars[i] != 0 && !(t.is_signed() && extend(t.scalar(), scalars[i]) == -1);
  if (safe) return b;
  ValueId unsafe = e.emit(VD_OP_EQ, b, e.zero(t));
  if (t.is_signed()) {
    const ValueId least = e.bits(t, uint64_t{1} << (scalar_bits(t.scalar()) - 1));
    const ValueId overflow = e.emit(VD_OP_LAND, e.emit(VD_OP_EQ, a, least), e.emit(VD_OP_EQ, b, e.constant(t, -1)));
    unsafe = e.emit(VD_OP_LOR, unsafe, overflow);
  }
  return e.select(unsafe, e.constant(t, 1), b);
}

struct Division {
  ValueId quotient, remainder;
};

Division divide(Emitter& e, ValueId a, ValueId b, const LowerOptions& options) {
  const Type t = e.type(a);
  const ValueId by = options.define_division ? safe_divisor(e, a, b) : b;
  const ValueId quotient = e.div(a, by);
  // The remainder of signed integers is undefined in GLSL where one is negative.
  const bool by_hand = options.define_division && t.is_signed();
  return {quotient, by_hand ? e.sub(a, e.mul(quotient, by)) : e.emit(VD_OP_REM, a, by)};
}

}  // namespace

ValueId lower_integer(Emitter& e, const LoweredOp& op, const LowerOptions& options) {
  if (op.operands.size() != 2) return kNoValue;
  const ValueId a = op.operands[0], b = op.operands[1];
  const Type t = e.type(a);
  switch (op.op) {
    case VD_OP_DIV:
      return options.define_division ? divide(e, a, b, options).quotient : kNoValue;
    case VD_OP_REM:
      return options.define_division ? divide(e, a, b, options).remainder : kNoValue;
    case VD_OP_FLOORDIV:
    case VD_OP_FLOORMOD: {
      const Division d = divide(e, a, b, options);
      const bool quotient = op.op == VD_OP_FLOORDIV;
      if (t.is_unsigned()) return quotient ? d.quotient : d.remainder;
      const ValueId zero = e.zero(t);
      const ValueId signs_differ = e.emit(VD_OP_LT, e.emit(VD_OP_XOR, d.remainder, b), zero);
      const ValueId adjust = e.emit(VD_OP_LAND, e.emit(VD_OP_NE, d.remainder, zero), signs_differ);
      if (quotient) return e.select(adjust, e.sub(d.quotient, e.constant(t, 1)), d.quotient);
      return e.add(d.remainder, e.select(adjust, b, zero));
    }
    case VD_OP_SHL:
    case VD_OP_SHR: {
      if (!options.define_shifts) return kNoValue;
      const uint64_t last = scalar_bits(t.scalar()) - 1;
      uint64_t scalars[16];
      const uint32_t known = constant_scalars(e.kernel(), b, scalars);
      bool safe = known != 0;
      for (uint32_t i = 0; i < known; ++i) safe &= scalars[i] <= last;
      if (safe) return kNoValue;
      return e.emit(op.op, a, e.emit(VD_OP_AND, b, e.bits(e.type(b), last)));
    }
    default:
      return kNoValue;
  }
}

ValueId lower_convert(Emitter& e, const LoweredOp& op, const LowerOptions& options) {
  const ValueId x = op.operands[0];
  const Type from = e.type(x), to = op.type;
  if (!options.define_conversions || !from.is_float() || !to.is_integer()) return kNoValue;
  // Both limits are powers of two (or zero, or beyond all values of the float type), so they are exact.
  const int width = static_cast<int>(scalar_bits(to.scalar())) - (to.is_signed() ? 1 : 0);
  const ValueId high = e.constant(from, std::ldexp(1.0, width));
  const ValueId low = e.constant(from, to.is_signed() ? -std::ldexp(1.0, width) : 0.0);
  const uint64_t most = width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
  const ValueId zero = e.zero(to);
  const ValueId least = to.is_signed() ? e.bits(to, uint64_t{1} << width) : zero;
  const ValueId inside = e.emit(VD_OP_LAND, e.emit(VD_OP_GT, x, low), e.emit(VD_OP_LT, x, high));
  const ValueId whole = e.emit(VD_OP_CONVERT, to, {e.select(inside, x, e.zero(from))});
  const ValueId above = e.select(e.emit(VD_OP_GE, x, high), e.bits(to, most), zero);
  const ValueId outside = to.is_signed() ? e.select(e.emit(VD_OP_LE, x, low), least, above) : above;
  return e.select(inside, whole, outside);
}

}  // namespace vd::ir
