// Integers of 8 and 16 bits are computed in 32 bits, and cut to their range after each op that may leave it.
//
// The languages have rules of their own for these types, and drivers get them wrong. C++ and OpenCL C promote them to
// int, so that a value's type depends on the op that uses it. NVIDIA's three compilers (driver 580) take the negative
// and the absolute value of 16 bits as not wrapping where another op uses them, and divide 16-bit minima and maxima
// wrongly. In 32 bits none of this shows. The cut is a pair of shifts, or a mask: compilers join two conversions to the
// 16-bit op that they came from.
//
// Memory holds the small types; a load converts, and so does a store. Private variables hold 32 bits.
#include "codegen/legalize/legalize.h"
#include "ir/fold.h"
#include "ir/rewriter.h"
#include "ir/type_rules.h"
#include "ir/walk.h"

namespace vd::codegen {

using namespace ir;

namespace {

bool is_small(Type type) {
  return !type.is_reference() && (type.is_scalar() || type.is_vector()) && type.is_integer() &&
         scalar_bits(type.scalar()) < 32;
}

Type wide_type(Type type) { return type.with(type.is_signed() ? Scalar::I32 : Scalar::U32); }

class Widener {
 public:
  Widener(Rewriter& r, std::vector<ValueId>& wide, ValueId id, const Inst& inst)
      : r_(r), e_(r.out), wide_(wide), id_(id), inst_(inst) {}

  bool run() {
    switch (inst_.op) {
      case VD_OP_VAR:
        return is_small(inst_.type.value()) && variable();
      case VD_OP_STORE:
        if (!is_small(value_type(1))) return false;
        e_.store(operand(0), as_stored(operand(0), 1), inst_.immediate);
        return true;
      case VD_OP_INDEX:
        return index();
      case VD_OP_CONVERT:
        return convert();
      case VD_OP_BITCAST:
        return bitcast();
      default:
        break;
    }
    if (takes_small() && !op_info(inst_.op).has(kStatement) && !is_whole(inst_.type)) return compute();
    if (!is_small(inst_.type)) return false;
    // A value that is loaded or extracted from a struct.
    r_.replace(id_, inst_.op == VD_OP_LOAD ? e_.load(operand(0), inst_.immediate) : r_.copy(id_));
    return adopt(r_[id_]);
  }

 private:
  ValueId operand(uint32_t i) { return r_[r_.operand(inst_, i)]; }
  Type value_type(uint32_t i) const { return r_.source().insts[r_.operand(inst_, i)].type; }
  bool takes_small() const {
    for (uint32_t i = 0; i < inst_.operand_count; ++i)
      if (is_small(value_type(i))) return true;
    return false;
  }
  // A value that keeps its small parts as they are.
  static bool is_whole(Type type) { return type.is_array() || type.is_struct(); }

  // The operand in 32 bits if it is small, else as it is.
  ValueId wide(uint32_t i) {
    const ValueId old = r_.operand(inst_, i);
    const Type type = r_.source().insts[old].type;
    if (!is_small(type)) return r_[old];
    return wide_[old] != kNoValue ? wide_[old] : e_.convert(wide_type(type), r_[old]);
  }

  // `value` has 32 bits and is in the range of the instruction's type.
  bool done(ValueId value) {
    keep_name(value);
    wide_[id_] = value;
    r_.replace(id_, e_.convert(inst_.type, value));
    return true;
  }
  // `value` has 32 bits and may be out of range. The store drops the upper bits anyway.
  bool done_cut(ValueId value) {
    const ValueId inside = cut(value, inst_.type);
    keep_name(inside);
    wide_[id_] = inside;
    r_.replace(id_, e_.convert(inst_.type, value));
    return true;
  }
  // `value` is of the small type, or of 32 bits where it comes from a private variable.
  bool adopt(ValueId value) {
    if (e_.type(value) == wide_type(inst_.type)) return done(value);
    wide_[id_] = e_.convert(wide_type(inst_.type), value);
    return true;
  }

  void keep_name(ValueId value) {
    const auto& names = r_.source().names;
    if (id_ >= names.size() || names[id_].empty()) return;
    auto& fresh = e_.kernel().names;
    if (fresh.size() <= value) fresh.resize(value + 1);
    if (fresh[value].empty()) fresh[value] = names[id_];
  }

  // Cut to the range of the small type.
  ValueId cut(ValueId value, Type small) {
    const Type type = e_.type(value);
    const uint32_t bits = scalar_bits(small.scalar());
    if (small.is_unsigned()) return e_.emit(VD_OP_AND, value, e_.bits(type, (uint64_t{1} << bits) - 1));
    const ValueId spare = e_.bits(type, 32 - bits);
    return e_.emit(VD_OP_SHR, e_.emit(VD_OP_SHL, value, spare), spare);
  }

  bool variable() {
    const Type type = wide_type(inst_.type.value());
    const ValueId id = inst_.operand_count ? e_.var(wide(0)) : e_.var(type);
    keep_name(id);
    r_.replace(id_, id);
    return true;
  }
  ValueId as_stored(ValueId reference, uint32_t i) {
    return is_small(e_.type(reference).value()) ? operand(i) : wide(i);
  }

  bool index() {
    const Type whole = value_type(0);
    if (is_small(whole)) {
      const ValueId at = wide(1);
      return done(e_.index(wide(0), at));
    }
    if (!is_small(value_type(1)) && !is_small(inst_.type.value())) return false;
    // The operand is a reference, whose variable may have 32 bits now, or an array.
    const ValueId at = wide(1);
    const ValueId value = e_.index(operand(0), at);
    r_.replace(id_, value);
    return !is_small(inst_.type) || adopt(value);
  }

  bool convert() {
    const Type from = value_type(0), to = inst_.type;
    if (!is_small(to)) {
      if (!is_small(from)) return false;
      r_.replace(id_, e_.convert(to, wide(0)));
      return true;
    }
    if (from.is_bool()) return done(e_.convert(wide_type(to), operand(0)));
    if (!from.is_float()) return done_cut(e_.convert(wide_type(to), wide(0)));
    // A float saturates.
    const Type type = wide_type(to);
    const uint32_t bits = scalar_bits(to.scalar()) - (to.is_signed() ? 1 : 0);
    const int top = (1 << bits) - 1;
    ValueId value = e_.emit(VD_OP_MIN, e_.convert(type, operand(0)), e_.constant(type, top));
    if (to.is_signed()) value = e_.emit(VD_OP_MAX, value, e_.constant(type, -top - 1));
    return done(value);
  }

  bool bitcast() {
    const Type from = value_type(0), to = inst_.type;
    if (is_small(from) && is_small(to) && from.scalar() != to.scalar() && from.with(to.scalar()) == to)
      return done_cut(e_.bitcast(wide_type(to), wide(0)));
    return is_small(to) && adopt(r_.copy(id_));
  }

  bool compute() {
    std::vector<ValueId> operands;
    for (uint32_t i = 0; i < inst_.operand_count; ++i) operands.push_back(wide(i));
    if (!is_small(inst_.type)) {
      r_.replace(id_, e_.emit(inst_.op, inst_.type, operands, inst_.immediate));
      return true;
    }
    const Type small = inst_.type, type = wide_type(small);
    const uint32_t bits = scalar_bits(small.scalar()), spare = 32 - bits;
    const ValueId bit_pattern = small.is_signed() && counts_bits() ? pattern(operands[0], bits) : operands[0];
    switch (inst_.op) {
      case VD_OP_NEG:
        return done_cut(hidden_negative(e_, operands[0]));
      case VD_OP_SUB:
        if (is_zero(operands[0])) return done_cut(hidden_negative(e_, operands[1]));
        return done_cut(e_.sub(operands[0], operands[1]));
      case VD_OP_ADD:
      case VD_OP_MUL:
      case VD_OP_ABS:
      case VD_OP_SHL:
      case VD_OP_SUBGROUP_ADD:
      case VD_OP_SUBGROUP_MUL:
        return done_cut(e_.emit(inst_.op, type, operands, inst_.immediate));
      case VD_OP_NOT: {
        const ValueId value = e_.emit(VD_OP_NOT, operands[0]);
        return small.is_signed() ? done(value) : done_cut(value);
      }
      case VD_OP_POPCOUNT:
        return done(e_.emit(VD_OP_POPCOUNT, bit_pattern));
      case VD_OP_CLZ:
        return done(e_.sub(e_.emit(VD_OP_CLZ, bit_pattern), e_.bits(type, spare)));
      case VD_OP_CTZ:
        return done(e_.emit(VD_OP_CTZ, e_.emit(VD_OP_OR, operands[0], e_.bits(type, uint64_t{1} << bits))));
      case VD_OP_BITREVERSE:
        // The bits above the small type's own are on top; a signed shift brings its sign along.
        return done(e_.emit(VD_OP_SHR, e_.emit(VD_OP_BITREVERSE, operands[0]), e_.bits(type, spare)));
      default:
        // Everything else stays in the range of its operands.
        return done(e_.emit(inst_.op, inst_.op == VD_OP_SWIZZLE ? Type() : type, operands, inst_.immediate));
    }
  }
  bool is_zero(ValueId value) const {
    uint64_t bits = 1;
    return constant_splat(e_.kernel(), value, bits) && bits == 0;
  }
  bool counts_bits() const { return inst_.op == VD_OP_POPCOUNT || inst_.op == VD_OP_CLZ; }
  ValueId pattern(ValueId value, uint32_t bits) {
    return e_.emit(VD_OP_AND, value, e_.bits(e_.type(value), (uint64_t{1} << bits) - 1));
  }

  Rewriter& r_;
  Emitter& e_;
  std::vector<ValueId>& wide_;
  ValueId id_;
  const Inst& inst_;
};

}  // namespace

Kernel widen_small_integers(Kernel kernel) {
  bool any = false;
  for_each_inst(kernel, [&](ValueId, const Inst& inst) { any |= is_small(inst.type.value()); });
  if (!any) return kernel;
  std::vector<ValueId> wide(kernel.insts.size(), kNoValue);
  return rewrite(std::move(kernel),
                 [&](Rewriter& r, ValueId id, const Inst& inst) { return Widener(r, wide, id, inst).run(); });
}

}  // namespace vd::codegen
