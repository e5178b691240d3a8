#include <array>

#include "codegen/legalize/legalize.h"
#include "core/error.h"
#include "ir/rewriter.h"

namespace vd::codegen {

using namespace ir;

namespace {

class Splitter {
 public:
  Splitter(Rewriter& r, ValueId id, const Inst& inst, const Dialect& dialect, const Options& options)
      : r_(r), e_(r.out), id_(id), inst_(inst), dialect_(dialect), options_(options) {}

  bool run() {
    if (inst_.type.none() || inst_.type.is_reference() || inst_.operand_count == 0) return false;
    const OpInfo& info = op_info(inst_.op);
    if (info.has(kStatement) || info.has(kReads) || info.has(kImage)) return false;
    switch (inst_.op) {
      case VD_OP_INDEX:
        return index();
      case VD_OP_CONSTRUCT:
      case VD_OP_MEMBER:
      case VD_OP_SHAPE:
        return false;
      case VD_OP_EQ:
      case VD_OP_NE:
        if (from().is_complex() || from().is_matrix()) return equal();
        break;
      default:
        break;
    }
    if (has(from(), inst_.type)) return false;
    const Type type = inst_.type;
    if (from().is_scalar() && !type.is_matrix()) {
      if (inst_.op == VD_OP_CONVERT) return convert_half(type);
      if (from().scalar() != Scalar::F16 && !info.has(kConvergent)) return false;
      std::vector<ValueId> operands;
      for (uint32_t i = 0; i < inst_.operand_count; ++i) operands.push_back(operand(i));
      return done(one(type, operands));
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
    const bool extended = dialect_.subgroup_needs[static_cast<size_t>(from.scalar())] != nullptr;
    if (extended && !options_.subgroup_extended_types && op_info(inst_.op).has(kConvergent)) return false;
    const bool precise = op_info(inst_.op).has(kFloat) &&
                         ((inst_.immediate & VD_MATH_PRECISE) ||
                          ((r_.out.kernel().flags & VD_BUILDER_PRECISE) && !(inst_.immediate & VD_MATH_NATIVE)));
    const bool native = (inst_.immediate & VD_MATH_NATIVE) ||
                        ((r_.out.kernel().flags & VD_BUILDER_NATIVE) && !(inst_.immediate & VD_MATH_PRECISE));
    return find_rule(dialect_, inst_.op, from, to, precise, native) != nullptr;
  }
  uint64_t immediate() const { return inst_.immediate; }

  // The op on each component, with the operands that `part` returns.
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

  // One scalar op, by way of f32 where f16 has none, and of 32 bits where subgroups have no others.
  ValueId one(Type type, std::span<const ValueId> operands) {
    const Type from = e_.type(operands[0]);
    if (inst_.op != VD_OP_CONVERT && inst_.op != VD_OP_SELECT && !has(from, type)) {
      if (from.scalar() == Scalar::F16) return widened(type, operands, Scalar::F32);
      if (op_info(inst_.op).has(kConvergent)) {
        if (from.is_bool()) return widened(type, operands, Scalar::U32);
        const uint32_t size = scalar_size(from.scalar());
        if (size == 8 && from.is_integer()) return exchanged(type, operands);
      }
    }
    return e_.emit(inst_.op, type, operands, immediate());
  }

  // A subgroup operation on a 64-bit integer by others on 32 bits.
  ValueId exchanged(Type type, std::span<const ValueId> operands) {
    const ValueId x = operands[0];
    const Type u64(Scalar::U64);
    const auto low_bits = [&](uint32_t from) {
      return e_.convert(kU32, e_.emit(VD_OP_SHR, e_.bitcast(u64, x), e_.bits(u64, from)));
    };
    const auto raised = [&](ValueId part, uint32_t by) {
      return e_.emit(VD_OP_SHL, e_.convert(u64, part), e_.bits(u64, by));
    };
    switch (inst_.op) {
      case VD_OP_SUBGROUP_ADD: {
        // Parts of 22 bits each, so that the sums of 1024 lanes still fit in 32.
        ValueId sum = kNoValue;
        for (const uint32_t from : {0u, 22u, 44u}) {
          const ValueId part = e_.emit(VD_OP_AND, low_bits(from), e_.bits(kU32, (1u << 22) - 1));
          const ValueId shifted = raised(e_.emit(VD_OP_SUBGROUP_ADD, part), from);
          sum = sum == kNoValue ? shifted : e_.add(sum, shifted);
        }
        return e_.bitcast(type, sum);
      }
      case VD_OP_SUBGROUP_MIN:
      case VD_OP_SUBGROUP_MAX: {
        // The upper halves decide; if they are equal, the lower halves do.
        const ValueId high = e_.bitcast(type.is_signed() ? Type(Scalar::I32) : kU32, low_bits(32));
        const ValueId best = e_.emit(inst_.op, high);
        const ValueId last = e_.bits(kU32, inst_.op == VD_OP_SUBGROUP_MIN ? ~uint32_t{0} : 0);
        const ValueId low = e_.select(e_.emit(VD_OP_EQ, high, best), low_bits(0), last);
        return e_.bitcast(
            type, e_.emit(VD_OP_OR, raised(e_.bitcast(kU32, best), 32), e_.convert(u64, e_.emit(inst_.op, low))));
      }
      case VD_OP_SUBGROUP_MUL: {
        // Lane by lane, of those that are active.
        const ValueId product = e_.var(e_.constant(type, 1)), self = e_.builtin(VD_BUILTIN_SUBGROUP_LANE);
        const ValueId lane =
            e_.begin_for(e_.bits(kU32, 0), e_.builtin(VD_BUILTIN_SUBGROUP_SIZE), e_.bits(kU32, 1), VD_LOOP_ROLLED);
        e_.begin_if(e_.emit(VD_OP_SUBGROUP_ANY, e_.emit(VD_OP_EQ, self, lane)));
        e_.store(product, e_.mul(e_.load(product), by_halves(VD_OP_SUBGROUP_SHUFFLE, type, std::array{x, lane})));
        e_.end();
        e_.end();
        return e_.load(product);
      }
      default:
        return by_halves(inst_.op, type, operands);
    }
  }

  // Operations that move or combine bits are done in each half.
  ValueId by_halves(Op op, Type type, std::span<const ValueId> operands) {
    const Type halves = Type::vector(Scalar::U32, 2);
    std::vector<ValueId> all(operands.begin(), operands.end());
    all[0] = e_.bitcast(halves, all[0]);
    return e_.bitcast(type, e_.emit(op, halves, all));
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
        if (t.is_matrix())
          operands.push_back(e_.at(whole, c));
        else if (inst_.op == VD_OP_SELECT)
          operands.push_back(whole);
        else
          operands.push_back(e_.splat(type.component(), whole));
      }
      columns.push_back(e_.emit(inst_.op, type.component(), operands, immediate()));
    }
    return done(e_.construct(type, columns));
  }

  // Compares complex numbers or matrices: the result is one bool.
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
      if (t.is_complex())
        add(x, y);
      else
        for (uint32_t row = 0; row < t.rows(); ++row) add(e_.at(x, row), e_.at(y, row));
    }
    return done(result);
  }

  // A component of a value by an index that is not known: a choice between all.
  bool index() {
    const Type t = from();
    const Inst& at = r_.source().insts[r_.operand(inst_, 1)];
    if (dialect_.dynamic_component || at.op == VD_OP_CONST || at.op == VD_OP_ZERO || t.is_array() || t.is_matrix())
      return false;
    const ValueId whole = operand(0), i = operand(1);
    ValueId result = e_.at(whole, t.count() - 1);
    for (uint32_t c = t.count() - 1; c-- > 0;)
      result = e_.select(e_.emit(VD_OP_EQ, i, e_.bits(e_.type(i), c)), e_.at(whole, c), result);
    return done(result);
  }

  Rewriter& r_;
  Emitter& e_;
  ValueId id_;
  const Inst& inst_;
  const Dialect& dialect_;
  const Options& options_;
};

}  // namespace

Kernel split_values(Kernel kernel, const Dialect& dialect, const Options& options) {
  return rewrite(std::move(kernel), [&](Rewriter& r, ValueId id, const Inst& inst) {
    return Splitter(r, id, inst, dialect, options).run();
  });
}

}  // namespace vd::codegen
