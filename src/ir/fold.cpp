#include "ir/fold.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "ir/evaluate.h"
#include "ir/type_rules.h"

namespace vd::ir {
namespace {

uint32_t scalar_count(Type type) { return type.count() * type.rows(); }

// Not MIN and MAX of floats: the order of zeros may decide their result.
bool is_commutative(Op op, Type type) {
  switch (op) {
    case VD_OP_ADD:
    case VD_OP_AND:
    case VD_OP_OR:
    case VD_OP_XOR:
    case VD_OP_EQ:
    case VD_OP_NE:
    case VD_OP_LAND:
    case VD_OP_LOR:
    case VD_OP_MUL:
      return true;
    case VD_OP_MIN:
    case VD_OP_MAX:
      return type.is_integer();
    default:
      return false;
  }
}

class Folder {
 public:
  Folder(Emitter& e, Op op, Type type, std::span<const ValueId> operands, uint64_t immediate)
      : e_(e), k_(e.kernel()), op_(op), type_(type), operands_(operands), immediate_(immediate) {}

  ValueId run() {
    switch (op_) {
      case VD_OP_CONSTRUCT:
        return construct();
      case VD_OP_INDEX:
        return index();
      case VD_OP_MEMBER:
        return member();
      case VD_OP_SWIZZLE:
        return swizzle();
      case VD_OP_BITCAST:
        return type_ == k_.insts[operands_[0]].type ? operands_[0] : bitcast();
      case VD_OP_CONVERT:
        if (type_ == k_.insts[operands_[0]].type) return operands_[0];
        return elementwise();
      case VD_OP_ANY:
      case VD_OP_ALL:
        return any_all();
      case VD_OP_SELECT:
        return select();
      default:
        break;
    }
    if (const ValueId value = elementwise(); value != kNoValue) return value;
    switch (operands_.size()) {
      case 1:
        return unary();
      case 2:
        return binary();
      default:
        return kNoValue;
    }
  }

 private:
  Type type_of(ValueId id) const { return k_.insts[id].type; }
  const Inst& inst(ValueId id) const { return k_.insts[id]; }
  ValueId operand_of(ValueId id, uint32_t i) const { return k_.operands[k_.insts[id].first_operand + i]; }

  ValueId construct();
  ValueId index();
  ValueId element_of_constant(ValueId of, uint64_t offset);
  ValueId member();
  ValueId swizzle();
  ValueId bitcast();
  ValueId any_all();
  ValueId select();
  ValueId elementwise();
  ValueId unary();
  ValueId binary();
  ValueId binary_integer(ValueId a, ValueId b, uint64_t c);
  ValueId compare_of_select(ValueId a, uint64_t c);
  // The part of a CONSTRUCT that is component `i`, if it is a scalar of its own.
  ValueId part(ValueId construct, uint32_t i) const;

  Emitter& e_;
  const Kernel& k_;
  const Op op_;
  const Type type_;
  const std::span<const ValueId> operands_;
  const uint64_t immediate_;
};

ValueId Folder::elementwise() {
  if (operands_.empty() || operands_.size() > 3) return kNoValue;
  const Type from = type_of(operands_[0]);
  if (from.is_reference() || from.scalar() == Scalar::None) return kNoValue;
  // A complex or matrix is only a list of scalars where the op takes them one by one.
  if (from.is_complex() || from.is_matrix()) {
    const bool fits = op_ == VD_OP_ADD || op_ == VD_OP_SUB || op_ == VD_OP_NEG || op_ == VD_OP_CONVERT;
    if (!fits) return kNoValue;
  }
  uint64_t scalars[3][16];
  const uint32_t count = scalar_count(from);
  for (size_t i = 0; i < operands_.size(); ++i) {
    if (constant_scalars(k_, operands_[i], scalars[i]) != count) return kNoValue;
  }
  if (scalar_count(type_) != count) return kNoValue;
  uint64_t results[16];
  for (uint32_t c = 0; c < count; ++c) {
    uint64_t args[3];
    for (size_t i = 0; i < operands_.size(); ++i) args[i] = scalars[i][c];
    if (!evaluate(op_, from.scalar(), type_.scalar(), {args, operands_.size()}, results[c])) return kNoValue;
  }
  return e_.components(type_, {results, count});
}

ValueId Folder::part(ValueId construct, uint32_t i) const {
  const Inst& c = inst(construct);
  if (c.op != VD_OP_CONSTRUCT) return kNoValue;
  if (c.type.is_vector() && c.operand_count == 1 && type_of(operand_of(construct, 0)).is_scalar())
    return operand_of(construct, 0);
  if ((c.type.is_vector() || c.type.is_complex()) && c.operand_count == c.type.count()) return operand_of(construct, i);
  if ((c.type.is_array() || c.type.is_matrix()) && c.operand_count == element_count(k_.types, c.type) &&
      c.operand_count > 1 && type_of(operand_of(construct, i)) == element_type(k_.types, c.type)) {
    return operand_of(construct, i);
  }
  return kNoValue;
}

ValueId Folder::construct() {
  if (operands_.size() == 1 && type_of(operands_[0]) == type_) return operands_[0];
  if (type_.is_array() || type_.is_struct()) return kNoValue;
  uint64_t results[16], scalars[16];
  uint32_t total = 0;
  for (const ValueId operand : operands_) {
    const uint32_t n = constant_scalars(k_, operand, scalars);
    if (n == 0) return kNoValue;
    if (type_.is_matrix() && operands_.size() == 1) {  // a diagonal, or a block of another matrix
      const Type from = type_of(operand);
      for (uint32_t c = 0; c < type_.count(); ++c) {
        for (uint32_t r = 0; r < type_.rows(); ++r) {
          uint64_t& out = results[c * type_.rows() + r];
          if (from.is_scalar()) {
            out = c == r ? scalars[0] : 0;
          } else {
            out = c < from.count() && r < from.rows() ? scalars[c * from.rows() + r]
                                                      : (c == r ? float_bits(type_.scalar(), 1) : 0);
          }
        }
      }
      return e_.components(type_, {results, scalar_count(type_)});
    }
    if (total + n > scalar_count(type_)) return kNoValue;
    std::copy(scalars, scalars + n, results + total);
    total += n;
  }
  if (total == 1 && type_.is_vector()) return e_.bits(type_, results[0]);
  if (total == 1 && type_.is_complex()) results[total++] = 0;
  return total == scalar_count(type_) ? e_.components(type_, {results, total}) : kNoValue;
}

ValueId Folder::index() {
  const ValueId of = operands_[0];
  const Type from = type_of(of);
  uint64_t at = 0;
  if (from.is_reference() || !constant_splat(k_, operands_[1], at)) return kNoValue;
  if (at >= element_count(k_.types, from)) return kNoValue;
  const auto i = static_cast<uint32_t>(at);
  if (const ValueId value = part(of, i); value != kNoValue) return value;
  if (inst(of).op == VD_OP_SWIZZLE) {
    return e_.at(operand_of(of, 0), static_cast<uint32_t>(inst(of).immediate >> (2 * i) & 3));
  }
  if (from.is_array()) return element_of_constant(of, at * k_.types.size(type_));
  uint64_t scalars[16];
  const uint32_t n = constant_scalars(k_, of, scalars);
  if (n == 0) return kNoValue;
  const uint32_t rows = from.rows();
  return e_.components(type_, {scalars + i * rows, rows});
}

// A piece of a constant array or struct.
ValueId Folder::element_of_constant(ValueId of, uint64_t offset) {
  if (inst(of).op == VD_OP_ZERO) return e_.zero(type_);
  if (inst(of).op != kOpConstant) return kNoValue;
  const auto& all = k_.constants[inst(of).immediate].bytes;
  const auto first = all.begin() + static_cast<std::ptrdiff_t>(offset);
  const std::vector<std::byte> piece(first, first + static_cast<std::ptrdiff_t>(k_.types.size(type_)));
  if (type_.is_array() || type_.is_struct()) return e_.bytes(type_, piece);
  uint64_t scalars[16] = {};
  const uint32_t n = type_.count() * type_.rows(), size = scalar_size(type_.scalar());
  for (uint32_t i = 0; i < n; ++i) std::memcpy(&scalars[i], piece.data() + i * size, size);
  return e_.components(type_, {scalars, n});
}

ValueId Folder::member() {
  const ValueId of = operands_[0];
  if (type_.is_reference()) return kNoValue;
  if (inst(of).op == VD_OP_CONSTRUCT) return operand_of(of, static_cast<uint32_t>(immediate_));
  return element_of_constant(of, k_.types.get_struct(type_of(of)).fields[immediate_].offset);
}

ValueId Folder::swizzle() {
  const ValueId of = operands_[0];
  const Type from = type_of(of);
  const uint32_t n = type_.count();
  const auto pick = [&](uint32_t i) { return static_cast<uint32_t>(immediate_ >> (2 * i) & 3); };
  if (from.is_scalar()) return n == 1 ? of : e_.construct(type_, {of});
  if (n == 1) return e_.at(of, pick(0));
  bool identity = n == from.count() && from.is_vector();
  for (uint32_t i = 0; i < n; ++i) identity &= pick(i) == i;
  if (identity) return of;
  ValueId parts[4];
  uint64_t scalars[16], picked[4];
  if (constant_scalars(k_, of, scalars) != 0) {
    for (uint32_t i = 0; i < n; ++i) picked[i] = scalars[pick(i)];
    return e_.components(type_, {picked, n});
  }
  for (uint32_t i = 0; i < n; ++i) {
    parts[i] = part(of, pick(i));
    if (parts[i] == kNoValue) return kNoValue;
  }
  return e_.construct(type_, {parts, n});
}

ValueId Folder::bitcast() {
  uint64_t scalars[16];
  const Type from = type_of(operands_[0]);
  const uint32_t n = constant_scalars(k_, operands_[0], scalars);
  if (n == 0) {
    // A cast of a cast is one cast.
    if (inst(operands_[0]).op == VD_OP_BITCAST) return e_.bitcast(type_, operand_of(operands_[0], 0));
    return kNoValue;
  }
  std::byte data[32];
  const uint32_t size = scalar_size(from.scalar()), to_size = scalar_size(type_.scalar());
  for (uint32_t i = 0; i < n; ++i) std::memcpy(data + i * size, &scalars[i], size);
  uint64_t results[16] = {};
  for (uint32_t i = 0; i < type_.count(); ++i) std::memcpy(&results[i], data + i * to_size, to_size);
  return e_.components(type_, {results, type_.count()});
}

ValueId Folder::any_all() {
  const ValueId a = operands_[0];
  if (type_of(a).is_scalar()) return a;
  uint64_t scalars[16];
  const uint32_t n = constant_scalars(k_, a, scalars);
  if (n == 0) return kNoValue;
  bool result = op_ == VD_OP_ALL;
  for (uint32_t i = 0; i < n; ++i) result = op_ == VD_OP_ALL ? result && scalars[i] != 0 : result || scalars[i] != 0;
  return e_.bits(kBool, result);
}

ValueId Folder::select() {
  uint64_t condition = 0;
  if (operands_[1] == operands_[2]) return operands_[1];
  if (constant_splat(k_, operands_[0], condition)) return operands_[condition != 0 ? 1 : 2];
  if (type_of(operands_[0]) != type_ || type_ != kBool)
    return type_of(operands_[0]).is_vector() ? elementwise() : kNoValue;
  // For bools, (c ? true : false) is c.
  uint64_t yes = 0, no = 0;
  if (!constant_splat(k_, operands_[1], yes) || !constant_splat(k_, operands_[2], no)) return kNoValue;
  return yes != 0 ? operands_[0] : e_.emit(VD_OP_LNOT, operands_[0]);
}

ValueId Folder::unary() {
  const ValueId a = operands_[0];
  const Inst& from = inst(a);
  if (op_ == VD_OP_ABS && from.op == VD_OP_ABS) return a;
  if ((op_ == VD_OP_NEG || op_ == VD_OP_NOT || op_ == VD_OP_LNOT || op_ == VD_OP_CONJ) && from.op == op_)
    return operand_of(a, 0);
  if (op_ == VD_OP_LNOT && (from.op == VD_OP_EQ || from.op == VD_OP_NE)) {
    return e_.emit(from.op == VD_OP_EQ ? VD_OP_NE : VD_OP_EQ, operand_of(a, 0), operand_of(a, 1));
  }
  return kNoValue;
}

ValueId Folder::compare_of_select(ValueId a, uint64_t c) {
  // (s ? x : y) == c of constants is s, not s or a constant: a bool that travelled as a number.
  Inst from = inst(a);
  ValueId condition;
  uint64_t yes = 0, no = 0;
  if (from.op == VD_OP_SELECT && constant_splat(k_, operand_of(a, 1), yes) &&
      constant_splat(k_, operand_of(a, 2), no)) {
    condition = operand_of(a, 0);
  } else if (from.op == VD_OP_CONVERT && type_of(operand_of(a, 0)).is_bool()) {
    condition = operand_of(a, 0);
    const uint64_t bits[2] = {0, 1};
    evaluate(VD_OP_CONVERT, Scalar::Bool, from.type.scalar(), {&bits[0], 1}, no);
    evaluate(VD_OP_CONVERT, Scalar::Bool, from.type.scalar(), {&bits[1], 1}, yes);
  } else {
    return kNoValue;
  }
  if (type_of(condition) != type_) return kNoValue;
  uint64_t if_yes = 0, if_no = 0;
  const uint64_t args_yes[2] = {yes, c}, args_no[2] = {no, c};
  if (!evaluate(op_, from.type.scalar(), Scalar::Bool, args_yes, if_yes) ||
      !evaluate(op_, from.type.scalar(), Scalar::Bool, args_no, if_no)) {
    return kNoValue;
  }
  if (if_yes == if_no) return e_.bits(type_, if_yes);
  return if_yes != 0 ? condition : e_.emit(VD_OP_LNOT, condition);
}

ValueId Folder::binary() {
  ValueId a = operands_[0], b = operands_[1];
  const Type t = type_of(a);
  uint64_t c = 0;
  const bool same = type_of(b) == t;
  if (same && is_commutative(op_, t) && constant_splat(k_, a, c) && !constant_splat(k_, b, c)) {
    // Constants go right, so that equal expressions look equal.
    const ValueId swapped[] = {b, a};
    return e_.emit(op_, type_, swapped, immediate_);
  }
  if (t.is_integer() && same && a == b) {
    if (op_ == VD_OP_SUB || op_ == VD_OP_XOR) return e_.zero(type_);
    if (op_ == VD_OP_AND || op_ == VD_OP_OR || op_ == VD_OP_MIN || op_ == VD_OP_MAX) return a;
  }
  if (!constant_splat(k_, b, c)) return kNoValue;
  if ((op_ == VD_OP_EQ || op_ == VD_OP_NE) && (t.is_scalar() || t.is_vector())) {
    if (const ValueId value = compare_of_select(a, c); value != kNoValue) return value;
  }
  if (t.is_bool() && (t.is_scalar() || t.is_vector())) {
    if (op_ == VD_OP_LAND || op_ == VD_OP_LOR) return (op_ == VD_OP_LAND) == (c != 0) ? a : e_.bits(type_, c != 0);
    if (op_ == VD_OP_EQ || op_ == VD_OP_NE) return (op_ == VD_OP_EQ) == (c != 0) ? a : e_.emit(VD_OP_LNOT, a);
    return kNoValue;
  }
  if (t.is_integer()) return binary_integer(a, b, c);
  if (t.is_float() && t == type_) {
    const uint64_t one = float_bits(t.scalar(), 1);
    if ((op_ == VD_OP_MUL || op_ == VD_OP_DIV) && c == one && !type_of(b).is_complex()) return a;
    if (op_ == VD_OP_SUB && c == 0) return a;
  }
  return kNoValue;
}

ValueId Folder::binary_integer(ValueId a, ValueId b, uint64_t c) {
  const Type t = type_;
  const Scalar s = t.scalar();
  const uint32_t bits = scalar_bits(s);
  const uint64_t all = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  switch (op_) {
    case VD_OP_ADD:
    case VD_OP_SUB: {
      if (c == 0) return a;
      const Inst from = inst(a);
      uint64_t inner = 0;
      if ((from.op == VD_OP_ADD || from.op == VD_OP_SUB) && constant_splat(k_, operand_of(a, 1), inner)) {
        const uint64_t sum =
            ((from.op == VD_OP_ADD ? inner : uint64_t{0} - inner) + (op_ == VD_OP_ADD ? c : uint64_t{0} - c)) & all;
        const ValueId base = operand_of(a, 0);
        // The smaller of the two ways to write it.
        const uint64_t negative = (uint64_t{0} - sum) & all;
        if (negative < sum) return e_.emit(VD_OP_SUB, base, e_.bits(t, negative));
        return e_.emit(VD_OP_ADD, base, e_.bits(t, sum));
      }
      return kNoValue;
    }
    case VD_OP_MUL: {
      if (c == 0) return e_.zero(t);
      if (c == 1) return a;
      const Inst from = inst(a);
      uint64_t inner = 0;
      if (from.op == VD_OP_MUL && constant_splat(k_, operand_of(a, 1), inner)) {
        return e_.emit(VD_OP_MUL, operand_of(a, 0), e_.bits(t, (inner * c) & all));
      }
      return kNoValue;
    }
    case VD_OP_DIV:
    case VD_OP_FLOORDIV:
      if (c == 1 || c == 0) return a;
      if (std::has_single_bit(c) && (t.is_unsigned() || (op_ == VD_OP_FLOORDIV && extend(s, c) > 0))) {
        return e_.emit(VD_OP_SHR, a, e_.bits(t, static_cast<uint64_t>(std::countr_zero(c))));
      }
      return kNoValue;
    case VD_OP_REM:
    case VD_OP_FLOORMOD:
      if (c == 1 || c == 0) return e_.zero(t);
      if (std::has_single_bit(c) && (t.is_unsigned() || (op_ == VD_OP_FLOORMOD && extend(s, c) > 0))) {
        return e_.emit(VD_OP_AND, a, e_.bits(t, c - 1));
      }
      return kNoValue;
    case VD_OP_AND:
      if (c == 0) return b;
      return c == all ? a : kNoValue;
    case VD_OP_OR:
      if (c == all) return b;
      return c == 0 ? a : kNoValue;
    case VD_OP_XOR:
      return c == 0 ? a : kNoValue;
    case VD_OP_SHL:
    case VD_OP_SHR:
      return (c & (bits - 1)) == 0 ? a : kNoValue;
    default:
      return kNoValue;
  }
}

}  // namespace

uint32_t constant_scalars(const Kernel& kernel, ValueId id, uint64_t (&out)[16]) {
  const Inst& inst = kernel.insts[id];
  const Type type = inst.type;
  if (type.is_reference() || type.is_array() || type.is_struct() || type.scalar() == Scalar::None) return 0;
  const uint32_t count = scalar_count(type);
  switch (static_cast<uint32_t>(inst.op)) {
    case VD_OP_CONST:
      std::fill(out, out + count, inst.immediate);
      if (type.is_complex()) out[1] = 0;
      return count;
    case VD_OP_ZERO:
      std::fill(out, out + count, 0);
      return count;
    case static_cast<uint32_t>(kOpConstant): {
      const auto& bytes = kernel.constants[inst.immediate].bytes;
      const uint32_t size = scalar_size(type.scalar());
      for (uint32_t i = 0; i < count; ++i) {
        out[i] = 0;
        std::memcpy(&out[i], bytes.data() + i * size, size);
      }
      return count;
    }
    default:
      return 0;
  }
}

bool constant_splat(const Kernel& kernel, ValueId id, uint64_t& out) {
  uint64_t scalars[16];
  const uint32_t count = constant_scalars(kernel, id, scalars);
  if (count == 0) return false;
  for (uint32_t i = 1; i < count; ++i) {
    if (scalars[i] != scalars[0]) return false;
  }
  out = scalars[0];
  return true;
}

ValueId fold_op(Emitter& e, Op op, Type type, std::span<const ValueId> operands, uint64_t immediate) {
  return Folder(e, op, type, operands, immediate).run();
}

}  // namespace vd::ir
