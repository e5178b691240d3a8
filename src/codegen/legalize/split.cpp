#include "codegen/legalize/legalize.h"
#include "core/error.h"
#include "ir/rewriter.h"

namespace vd::codegen {

using namespace ir;

namespace {

class Splitter {
 public:
  Splitter(Rewriter& r, ValueId id, const Inst& inst, const Dialect& dialect)
      : r_(r), e_(r.out), id_(id), inst_(inst), dialect_(dialect) {}

  bool run() {
    if (inst_.type.none() || inst_.type.is_reference() || inst_.operand_count == 0) return false;
    const OpInfo& info = op_info(inst_.op);
    if (info.has(kStatement) || info.has(kReads)) return false;
    switch (inst_.op) {
      case VD_OP_INDEX: return index();
      case VD_OP_CONSTRUCT: return construct();
      case VD_OP_MEMBER:
      case VD_OP_SWIZZLE:
      case VD_OP_SHAPE: return false;
      case VD_OP_ANY: return reduce(VD_OP_LOR);
      case VD_OP_ALL: return reduce(VD_OP_LAND);
      case VD_OP_EQ:
      case VD_OP_NE:
        if (from().is_complex() || from().is_matrix()) return equal();
        break;
      case VD_OP_BITCAST: return bitcast();
      default: break;
    }
    if (has(from(), inst_.type)) return false;
    const Type type = inst_.type;
    if (from().is_scalar() && !type.is_matrix()) {
      if (inst_.op == VD_OP_CONVERT) return convert_half(type);
      if (from().scalar() == Scalar::F16) return widen(Scalar::F32);
      if (inst_.op == VD_OP_SELECT) return false;
      if (from().is_bool() && info.has(kConvergent)) return widen(Scalar::U32);
      return false;
    }
    if (type.is_matrix()) return by_column();
    return by_component();
  }

 private:
  Type from() const { return r_.source().insts[r_.operand(inst_, 0)].type.value(); }
  ValueId operand(uint32_t i) { return r_[r_.operand(inst_, i)]; }
  bool done(ValueId value) {
    r_.replace(id_, value);
    return true;
  }
  bool has(Type from, Type to) const {
    const bool precise = op_info(inst_.op).has(kFloat) &&
                         ((inst_.immediate & VD_PRECISE) ||
                          ((r_.out.kernel().flags & VD_BUILDER_PRECISE) && !(inst_.immediate & VD_NATIVE)));
    return find_rule(dialect_, inst_.op, from, to, precise, false) != nullptr;
  }
  uint64_t immediate() const { return inst_.immediate; }

  // The op on each component, in the form that `part` gives its operands.
  bool by_component() {
    const Type type = inst_.type;
    const uint32_t count = type.count();
    const Type scalar(type.scalar());
    std::vector<ValueId> parts;
    for (uint32_t c = 0; c < count; ++c) {
      std::vector<ValueId> operands;
      for (uint32_t i = 0; i < inst_.operand_count; ++i) {
        const ValueId whole = operand(i);
        const Type t = e_.type(whole);
        operands.push_back(t.count() == count && !t.is_matrix() && !t.is_scalar() ? e_.at(whole, c) : whole);
      }
      parts.push_back(one(scalar, operands));
    }
    return done(e_.construct(type, parts));
  }

  // One scalar op, by way of f32 where f16 has none.
  ValueId one(Type type, std::span<const ValueId> operands) {
    const Type from = e_.type(operands[0]);
    const bool half = from.scalar() == Scalar::F16 && inst_.op != VD_OP_CONVERT && inst_.op != VD_OP_SELECT && !has(from, type);
    const bool boolean = from.is_bool() && op_info(inst_.op).has(kConvergent) && !has(from, type);
    if (!half && !boolean) return e_.emit(inst_.op, type, operands, immediate());
    return widened(type, operands, half ? Scalar::F32 : Scalar::U32);
  }

  ValueId widened(Type type, std::span<const ValueId> operands, Scalar wide) {
    std::vector<ValueId> converted;
    for (const ValueId operand : operands) {
      const bool same = e_.type(operand).scalar() == e_.type(operands[0]).scalar();
      converted.push_back(same ? e_.convert(Type(wide), operand) : operand);
    }
    const bool comparison = type.is_bool() && !e_.type(operands[0]).is_bool();
    const ValueId result = e_.emit(inst_.op, comparison ? type : Type(wide), converted, immediate());
    return comparison ? result : e_.convert(type, result);
  }

  bool widen(Scalar wide) {
    std::vector<ValueId> operands;
    for (uint32_t i = 0; i < inst_.operand_count; ++i) operands.push_back(operand(i));
    return done(widened(inst_.type, operands, wide));
  }

  // f16 converts to and from f32 (and from f64); all else goes through it. An integer past f32's exact range is far
  // past f16's, so nothing rounds twice.
  bool convert_half(Type type) {
    if (from().scalar() != Scalar::F16 && type.scalar() != Scalar::F16) return false;
    const ValueId middle = e_.emit(VD_OP_CONVERT, kF32, {operand(0)});
    return done(e_.emit(VD_OP_CONVERT, type, {middle}));
  }

  bool by_column() {
    const Type type = inst_.type;
    std::vector<ValueId> columns;
    for (uint32_t c = 0; c < type.count(); ++c) {
      std::vector<ValueId> operands;
      for (uint32_t i = 0; i < inst_.operand_count; ++i) {
        const ValueId whole = operand(i);
        const Type t = e_.type(whole);
        if (t.is_matrix()) operands.push_back(e_.at(whole, c));
        else if (inst_.op == VD_OP_SELECT) operands.push_back(whole);
        else operands.push_back(e_.splat(type.component(), whole));
      }
      columns.push_back(e_.emit(inst_.op, type.component(), operands, immediate()));
    }
    return done(e_.construct(type, columns));
  }

  // Of a bool vector: all of its components in a row.
  bool reduce(Op op) {
    const Type t = from();
    if (t.is_scalar()) return done(operand(0));
    if (has(t, inst_.type)) return false;
    ValueId result = e_.at(operand(0), 0);
    for (uint32_t c = 1; c < t.count(); ++c) result = e_.emit(op, result, e_.at(operand(0), c));
    return done(result);
  }

  // Of complex numbers and matrices: one bool.
  bool equal() {
    const Type t = from();
    if (has(t, inst_.type)) return false;
    const Op join = inst_.op == VD_OP_EQ ? VD_OP_LAND : VD_OP_LOR;
    ValueId result = kNoValue;
    const auto add = [&](ValueId x, ValueId y) {
      const ValueId one = e_.emit(inst_.op, x, y);
      result = result == kNoValue ? one : e_.emit(join, result, one);
    };
    for (uint32_t c = 0; c < t.count(); ++c) {
      const ValueId x = e_.at(operand(0), c), y = e_.at(operand(1), c);
      if (t.is_complex()) add(x, y);
      else
        for (uint32_t row = 0; row < t.rows(); ++row) add(e_.at(x, row), e_.at(y, row));
    }
    return done(result);
  }

  // A component of a value by an index that is not known: a choice between all.
  bool index() {
    const Type t = from();
    const Inst& at = r_.source().insts[r_.operand(inst_, 1)];
    if (dialect_.dynamic_component || at.op == VD_OP_CONST || at.op == VD_OP_ZERO || t.is_array() || t.is_matrix()) return false;
    const ValueId whole = operand(0), i = operand(1);
    ValueId result = e_.at(whole, t.count() - 1);
    for (uint32_t c = t.count() - 1; c-- > 0;)
      result = e_.select(e_.emit(VD_OP_EQ, i, e_.bits(e_.type(i), c)), e_.at(whole, c), result);
    return done(result);
  }

  bool construct() {
    const Type type = inst_.type;
    if (type.is_matrix() && (inst_.operand_count != type.count() || !from().is_vector())) return matrix();
    if (!type.is_vector() || dialect_.mixed_construct) return false;
    bool mixed = false;
    for (uint32_t i = 0; i < inst_.operand_count; ++i) mixed |= !e_.type(operand(i)).is_scalar();
    if (!mixed) return false;
    std::vector<ValueId> parts;
    for (uint32_t i = 0; i < inst_.operand_count; ++i) {
      const Type t = e_.type(operand(i));
      if (t.is_scalar()) parts.push_back(operand(i));
      else
        for (uint32_t c = 0; c < t.count(); ++c) parts.push_back(e_.at(operand(i), c));
    }
    parts.resize(type.count());
    return done(e_.construct(type, parts));
  }

  // From its diagonal, from all scalars, or from another matrix: by columns.
  bool matrix() {
    const Type type = inst_.type, column = type.component(), scalar(type.scalar());
    std::vector<ValueId> columns;
    for (uint32_t c = 0; c < type.count(); ++c) {
      std::vector<ValueId> parts;
      for (uint32_t row = 0; row < type.rows(); ++row) {
        const ValueId unit = e_.constant(scalar, c == row ? 1 : 0);
        if (from().is_matrix())
          parts.push_back(c < from().count() && row < from().rows() ? e_.at(e_.at(operand(0), c), row) : unit);
        else if (inst_.operand_count == 1)
          parts.push_back(c == row ? operand(0) : e_.constant(scalar, 0));
        else
          parts.push_back(operand(c * type.rows() + row));
      }
      columns.push_back(e_.construct(column, parts));
    }
    return done(e_.construct(type, columns));
  }

  // Between types with other components: by way of unsigned integers, the first component lowest.
  bool bitcast() {
    const Type source = from(), type = inst_.type;
    const Rule* rule = find_rule(dialect_, VD_OP_BITCAST, source, type, false, false);
    if (rule && rule->from == kAnyType) return false;
    if (source.count() == type.count() && !source.is_matrix()) return rule ? false : by_component();
    const auto unsigned_scalar = [](Scalar s) {
      constexpr Scalar kBySize[] = {Scalar::None, Scalar::U8, Scalar::U16, Scalar::None, Scalar::U32,
                                    Scalar::None, Scalar::None, Scalar::None, Scalar::U64};
      return kBySize[scalar_size(s)];
    };
    const Type small = scalar_size(source.scalar()) < scalar_size(type.scalar()) ? source : type;
    const Type large = small == source ? type : source;
    const uint32_t ratio = scalar_size(large.scalar()) / scalar_size(small.scalar());
    const uint32_t width = scalar_size(small.scalar()) * 8;
    const Type small_bits(unsigned_scalar(small.scalar())), large_bits(unsigned_scalar(large.scalar()));
    const auto part = [&](uint32_t c) { return source.is_scalar() ? operand(0) : e_.at(operand(0), c); };
    std::vector<ValueId> parts;
    if (small == source) {
      for (uint32_t n = 0; n < large.count(); ++n) {
        ValueId bits = kNoValue;
        for (uint32_t k = 0; k < ratio; ++k) {
          const ValueId piece = e_.convert(large_bits, e_.bitcast(small_bits, part(n * ratio + k)));
          const ValueId moved = k == 0 ? piece : e_.emit(VD_OP_SHL, piece, e_.bits(large_bits, k * width));
          bits = k == 0 ? moved : e_.emit(VD_OP_OR, bits, moved);
        }
        parts.push_back(e_.bitcast(Type(large.scalar()), bits));
      }
    } else {
      for (uint32_t n = 0; n < large.count(); ++n) {
        const ValueId bits = e_.bitcast(large_bits, part(n));
        for (uint32_t k = 0; k < ratio; ++k) {
          const ValueId moved = k == 0 ? bits : e_.emit(VD_OP_SHR, bits, e_.bits(large_bits, k * width));
          parts.push_back(e_.bitcast(Type(small.scalar()), e_.convert(small_bits, moved)));
        }
      }
    }
    return done(type.is_scalar() ? parts[0] : e_.construct(type, parts));
  }

  Rewriter& r_;
  Emitter& e_;
  ValueId id_;
  const Inst& inst_;
  const Dialect& dialect_;
};

}  // namespace

Kernel split_values(Kernel kernel, const Dialect& dialect) {
  return rewrite(std::move(kernel), [&](Rewriter& r, ValueId id, const Inst& inst) {
    return Splitter(r, id, inst, dialect).run();
  });
}

}  // namespace vd::codegen
