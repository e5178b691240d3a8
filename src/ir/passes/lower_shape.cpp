// Ops that only move components: SWIZZLE, CONSTRUCT, BITCAST; and ANY, ALL over a vector's.
#include <algorithm>

#include "ir/passes/lower_ops.h"
#include "ir/type_rules.h"

namespace vd::ir {
namespace {

ValueId swizzle(Emitter& e, const LoweredOp& op) {
  const ValueId from = op.operands[0];
  const uint32_t n = op.type.count();
  if (e.type(from).is_scalar()) return e.splat(op.type, from);
  ValueId parts[4];
  for (uint32_t i = 0; i < n; ++i) parts[i] = e.at(from, static_cast<uint32_t>(op.immediate >> (2 * i) & 3));
  return n == 1 ? parts[0] : e.construct(op.type, {parts, n});
}

ValueId construct_matrix(Emitter& e, const LoweredOp& op) {
  const Type column = op.type.component();
  const uint32_t columns = op.type.count(), rows = op.type.rows();
  const Type first = e.type(op.operands[0]);
  if (op.operands.size() == columns && first == column) return kNoValue;
  ValueId list[4];
  for (uint32_t c = 0; c < columns; ++c) {
    ValueId cells[4];
    for (uint32_t r = 0; r < rows; ++r) {
      const ValueId identity = e.constant(Type(op.type.scalar()), c == r ? 1 : 0);
      if (first.is_matrix()) {
        cells[r] = c < first.count() && r < first.rows() ? e.at(e.at(op.operands[0], c), r) : identity;
      } else if (op.operands.size() == 1) {
        cells[r] = c == r ? op.operands[0] : identity;
      } else {
        cells[r] = op.operands[c * rows + r];
      }
    }
    list[c] = e.construct(column, {cells, rows});
  }
  return e.construct(op.type, {list, columns});
}

ValueId construct(Emitter& e, const LoweredOp& op) {
  const Type t = op.type;
  if (t.is_matrix()) return construct_matrix(e, op);
  if (t.is_complex())
    return op.operands.size() == 1 ? e.construct(t, {op.operands[0], e.zero(Type(t.scalar()))}) : kNoValue;
  if (!t.is_vector()) return kNoValue;
  if (std::ranges::none_of(op.operands, [&](ValueId part) { return e.type(part).is_vector(); })) return kNoValue;
  if (op.operands.size() == 1) return op.operands[0];
  ValueId parts[4];
  uint32_t n = 0;
  for (const ValueId operand : op.operands) {
    if (!e.type(operand).is_vector()) {
      parts[n++] = operand;
      continue;
    }
    for (uint32_t i = 0; i < e.type(operand).count(); ++i) parts[n++] = e.at(operand, i);
  }
  return e.construct(t, {parts, n});
}

Scalar unsigned_of(uint32_t bits) {
  return bits == 8 ? Scalar::U8 : bits == 16 ? Scalar::U16 : bits == 32 ? Scalar::U32 : Scalar::U64;
}

ValueId bitcast(Emitter& e, const LoweredOp& op) {
  const ValueId from = op.operands[0];
  const Type source = e.type(from), to = op.type;
  const uint32_t n = source.count(), m = to.count();
  if (n == m && (source.is_vector() || source.is_scalar()) && (to.is_vector() || to.is_scalar())) return kNoValue;
  const auto part = [&](uint32_t i) { return n == 1 ? from : e.at(from, i); };
  ValueId parts[8];
  if (n == m) {
    for (uint32_t i = 0; i < n; ++i) parts[i] = e.bitcast(Type(to.scalar()), part(i));
    return e.construct(to, {parts, m});
  }
  const uint32_t small = scalar_bits(n > m ? source.scalar() : to.scalar());
  const uint32_t large = scalar_bits(n > m ? to.scalar() : source.scalar());
  const Type narrow(unsigned_of(small)), wide(unsigned_of(large));
  const uint32_t ratio = large / small;
  if (n > m) {  // join
    for (uint32_t i = 0; i < m; ++i) {
      ValueId whole = kNoValue;
      for (uint32_t k = 0; k < ratio; ++k) {
        const ValueId piece = e.convert(wide, e.bitcast(narrow, part(i * ratio + k)));
        const ValueId shifted = k == 0 ? piece : e.emit(VD_OP_SHL, piece, e.bits(wide, k * small));
        whole = k == 0 ? shifted : e.emit(VD_OP_OR, whole, shifted);
      }
      parts[i] = e.bitcast(Type(to.scalar()), whole);
    }
  } else {  // cut
    for (uint32_t i = 0; i < m; ++i) {
      const ValueId whole = e.bitcast(wide, part(i / ratio));
      const uint32_t shift = i % ratio * small;
      const ValueId piece = shift == 0 ? whole : e.emit(VD_OP_SHR, whole, e.bits(wide, shift));
      parts[i] = e.bitcast(Type(to.scalar()), e.convert(narrow, piece));
    }
  }
  return m == 1 ? parts[0] : e.construct(to, {parts, m});
}

ValueId any_all(Emitter& e, const LoweredOp& op) {
  const ValueId from = op.operands[0];
  if (!e.type(from).is_vector()) return from;
  ValueId result = e.at(from, 0);
  for (uint32_t i = 1; i < e.type(from).count(); ++i) {
    result = e.emit(op.op == VD_OP_ALL ? VD_OP_LAND : VD_OP_LOR, result, e.at(from, i));
  }
  return result;
}

}  // namespace

ValueId lower_shape(Emitter& e, const LoweredOp& op) {
  switch (op.op) {
    case VD_OP_SWIZZLE:
      return swizzle(e, op);
    case VD_OP_CONSTRUCT:
      return construct(e, op);
    case VD_OP_BITCAST:
      return bitcast(e, op);
    case VD_OP_ANY:
    case VD_OP_ALL:
      return any_all(e, op);
    default:
      return kNoValue;
  }
}

}  // namespace vd::ir
