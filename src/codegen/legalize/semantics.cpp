#include <cmath>
#include <limits>

#include "codegen/legalize/legalize.h"
#include "ir/rewriter.h"

namespace vd::codegen {

using namespace ir;

namespace {

uint32_t bits_of(Type type) { return scalar_size(type.scalar()) * 8; }

uint64_t mask_of(Type type) {
  const uint32_t bits = bits_of(type);
  return bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
}

uint64_t lowest_bits(Type type) { return uint64_t{1} << (bits_of(type) - 1); }

Type unsigned_of(Type type) {
  return type.is_signed() ? type.with(static_cast<Scalar>(static_cast<int>(type.scalar()) + 4)) : type;
}

class Semantics {
 public:
  Semantics(Rewriter& r, ValueId id, const Inst& inst, const Dialect& dialect)
      : r_(r), e_(r.out), id_(id), inst_(inst), type_(inst.type), dialect_(dialect) {}

  bool run() {
    switch (inst_.op) {
      case VD_OP_ABS:
        if (type_.is_unsigned()) return done(a());
        return type_.is_signed() && done(absolute());
      case VD_OP_MIN:
      case VD_OP_MAX:
        if (!type_.is_integer() || has(inst_.op)) return false;
        return done(inst_.op == VD_OP_MIN ? e_.select(less(b(), a()), b(), a()) : e_.select(less(a(), b()), b(), a()));
      case VD_OP_POPCOUNT:
      case VD_OP_CLZ:
      case VD_OP_BITREVERSE:
        return bits();
      case VD_OP_CTZ: {
        // The zeros below the lowest 1 are the ones of (x & -x) - 1.
        const ValueId below = e_.sub(e_.emit(VD_OP_AND, a(), e_.neg(a())), one());
        return done(counted(VD_OP_POPCOUNT, below));
      }
      case VD_OP_CONVERT:
        return convert();
      case VD_OP_LT:
      case VD_OP_LE:
      case VD_OP_GT:
      case VD_OP_GE:
        return compare_absolute();
      case VD_OP_EQ:
      case VD_OP_NE: {
        // x == x, where the language has a spelling of its own for it.
        const Type type = e_.type(a());
        if (a() != b() || !type.is_float() || !(type.is_scalar() || type.is_vector())) return false;
        if (!has(VD_OP_ISNAN, Type(type.scalar()))) return false;
        const ValueId is_nan = e_.emit(VD_OP_ISNAN, a());
        return done(inst_.op == VD_OP_NE ? is_nan : e_.emit(VD_OP_LNOT, is_nan));
      }
      case VD_OP_ISNAN:
        return !has(VD_OP_ISNAN, Type(e_.type(a()).scalar())) && done(e_.emit(VD_OP_NE, a(), a()));
      case VD_OP_ISINF: {
        const Type t = r_.out.type(a());
        return done(
            e_.emit(VD_OP_EQ, e_.emit(VD_OP_ABS, a()), e_.constant(t, std::numeric_limits<double>::infinity())));
      }
      case VD_OP_SUBGROUP_BROADCAST: {
        // SPIR-V before 1.5 takes only a constant lane; other languages have no such function. A shuffle does the same.
        const bool known = e_.kernel().insts[b()].op == VD_OP_CONST || e_.kernel().insts[b()].op == VD_OP_ZERO;
        if (known && find_rule(dialect_, inst_.op, e_.type(a()), type_, false, false) != nullptr) return false;
        return done(e_.emit(VD_OP_SUBGROUP_SHUFFLE, a(), b()));
      }
      case VD_OP_ATOMIC_SUB: {
        const ValueId old = e_.emit(VD_OP_ATOMIC_ADD, Type(), {a(), e_.neg(b())}, inst_.immediate);
        return done(old);
      }
      default:
        return false;
    }
  }

 private:
  ValueId operand(uint32_t i) { return r_[r_.operand(inst_, i)]; }
  ValueId a() { return operand(0); }
  ValueId b() { return operand(1); }
  ValueId zero() { return e_.constant(e_.type(a()), 0); }
  ValueId one() { return e_.constant(e_.type(a()), 1); }
  ValueId less(ValueId x, ValueId y) { return e_.emit(VD_OP_LT, x, y); }
  bool has(Op op) { return has(op, type_); }
  bool has(Op op, Type type) { return find_rule(dialect_, op, type, type, false, false) != nullptr; }
  bool done(ValueId value) {
    r_.replace(id_, value);
    return true;
  }

  // Counts bits of an unsigned number; through 32 bits if the language has no other width.
  ValueId counted(Op op, ValueId x) {
    const Type signed_type = e_.type(x), type = unsigned_of(signed_type);
    x = e_.bitcast(type, x);
    ValueId result;
    const Type wide = type.with(Scalar::U32);
    const uint32_t bits = bits_of(type);
    // If only the scalar has a rule, a vector is split later (split_values).
    if (has(op, type) || has(op, Type(type.scalar()))) {
      result = e_.emit(op, x);
    } else if (bits == 64) {
      const ValueId low = e_.convert(wide, x), high = e_.convert(wide, e_.emit(VD_OP_SHR, x, e_.bits(type, 32)));
      const ValueId of_low = counted(op, low), of_high = counted(op, high);
      if (op == VD_OP_POPCOUNT) {
        result = e_.convert(type, e_.add(of_low, of_high));
      } else if (op == VD_OP_CLZ) {
        const ValueId none = e_.emit(VD_OP_EQ, high, e_.constant(wide, 0));
        result = e_.convert(type, e_.select(none, e_.add(of_low, e_.constant(wide, 32)), of_high));
      } else {
        result = e_.emit(VD_OP_OR, e_.emit(VD_OP_SHL, e_.convert(type, of_low), e_.bits(type, 32)),
                         e_.convert(type, of_high));
      }
    } else {
      // Only bit reversal is missing somewhere: halves, quarters ... change places.
      result = x;
      constexpr uint64_t kMasks[] = {0x55555555, 0x33333333, 0x0f0f0f0f, 0x00ff00ff, 0x0000ffff};
      for (uint32_t step = 0; step < 5; ++step) {
        const ValueId mask = e_.bits(type, kMasks[step]), by = e_.bits(type, uint64_t{1} << step);
        result = e_.emit(VD_OP_OR, e_.emit(VD_OP_AND, e_.emit(VD_OP_SHR, result, by), mask),
                         e_.emit(VD_OP_SHL, e_.emit(VD_OP_AND, result, mask), by));
      }
    }
    return e_.bitcast(signed_type, result);
  }

  bool bits() { return done(counted(inst_.op, a())); }

  // x - 2 * min(x, 0), which wraps. Compilers recognise the other spellings as one op, and NVIDIA's assumes that its
  // result is never negative, so that code which uses the result fails for the least integer.
  ValueId absolute() {
    const Type type = unsigned_of(e_.type(a()));
    const ValueId negative = e_.bitcast(type, e_.emit(VD_OP_MIN, a(), zero()));
    const ValueId twice = e_.emit(VD_OP_SHL, negative, e_.constant(type, 1));
    return e_.bitcast(e_.type(a()), e_.sub(e_.bitcast(type, a()), twice));
  }

  // A float in the range of 64 bits, by two of 32. NVIDIA's Vulkan compiler (driver 580) makes its own conversion to 64
  // bits one to 32 where only half of the result is used, and that saturates.
  ValueId by_halves(ValueId x, Type to) {
    const Type from = e_.type(x), half = to.with(Scalar::U32), whole = to.with(Scalar::U64);
    const ValueId size = to.is_signed() ? e_.emit(VD_OP_ABS, x) : x;
    const ValueId high = e_.convert(half, e_.mul(size, e_.constant(from, std::ldexp(1.0, -32))));
    const ValueId rest = e_.sub(size, e_.mul(e_.convert(from, high), e_.constant(from, std::ldexp(1.0, 32))));
    const ValueId low = e_.convert(half, rest);
    const ValueId raised = e_.emit(VD_OP_SHL, e_.convert(whole, high), e_.bits(whole, 32));
    const ValueId value = e_.bitcast(to, e_.emit(VD_OP_OR, raised, e_.convert(whole, low)));
    if (to.is_unsigned()) return value;
    return e_.select(e_.emit(VD_OP_LT, x, e_.constant(from, 0)), e_.neg(value), value);
  }

  // |x| < y is x < y and -x < y. NVIDIA's compilers (driver 580) know that |x| is not negative and forget that it may
  // be a NaN.
  bool compare_absolute() {
    for (uint32_t i = 0; i < 2; ++i) {
      const Inst& from = r_.source().insts[r_.operand(inst_, i)];
      if (from.op != VD_OP_ABS || !from.type.is_float()) continue;
      const ValueId x = r_[r_.operand(from, 0)], y = operand(1 - i);
      const auto against = [&](ValueId z) { return i == 0 ? e_.emit(inst_.op, z, y) : e_.emit(inst_.op, y, z); };
      const bool below = (inst_.op == VD_OP_LT || inst_.op == VD_OP_LE) == (i == 0);
      return done(e_.emit(below ? VD_OP_LAND : VD_OP_LOR, against(x), against(e_.neg(x))));
    }
    return false;
  }

  // NVIDIA's Vulkan compiler drops a rounding to f16 that is converted back to f32: the conversion back works on the
  // bits. Values from memory are rounded already.
  bool from_half() {
    if (type_ != kF32 || e_.type(a()) != kF16 || !find_rule(dialect_, kOpWidenHalf, kF16, kF32, false, false))
      return false;
    const Inst& from = r_.source().insts[r_.operand(inst_, 0)];
    if (from.op == VD_OP_LOAD && r_.source().insts[r_.operand(from, 0)].type.space() != Space::Private) return false;
    return done(e_.emit(kOpWidenHalf, kF32, {a()}));
  }

  // A float saturates, and NaN gives 0. The language's own conversion out of range is not used.
  bool convert() {
    const Type from = e_.type(a());
    if (from_half()) return true;
    if (!from.is_float() || !type_.is_integer()) return false;
    const bool native = (dialect_.saturates & set_of(from.scalar())) &&
                        find_rule(dialect_, VD_OP_CONVERT, Type(from.scalar()), Type(type_.scalar()), false, false);
    if (native && (dialect_.saturates == kFloatSet || bits_of(type_) == 32)) {
      if (dialect_.nan_converts_to_zero) return false;
      // Not `x == x`: NVIDIA's OpenCL compiler takes a NaN that it computed itself for equal.
      const ValueId whole = e_.emit(VD_OP_CONVERT, type_, {a()}), none = e_.constant(type_, 0);
      if (has(VD_OP_ISNAN, from)) return done(e_.select(e_.emit(VD_OP_ISNAN, a()), none, whole));
      return done(e_.select(e_.emit(VD_OP_EQ, a(), a()), whole, none));
    }
    if (from.scalar() == Scalar::F16) {
      // Every f16 is an f32.
      const ValueId wide = e_.convert(from.with(Scalar::F32), a());
      return done(saturate(wide, type_));
    }
    return done(saturate(a(), type_));
  }

  ValueId saturate(ValueId x, Type to) {
    const Type from = e_.type(x);
    if ((dialect_.saturates & set_of(from.scalar())) && bits_of(to) == 32) return e_.convert(to, x);
    const bool direct = find_rule(dialect_, VD_OP_CONVERT, from, to, false, false) != nullptr;
    const ValueId raw = direct ? e_.emit(VD_OP_CONVERT, to, {x}) : by_halves(x, to);
    const double above = std::ldexp(1.0, static_cast<int>(bits_of(to)) - (to.is_signed() ? 1 : 0));
    const ValueId most = e_.bits(to, to.is_signed() ? lowest_bits(to) - 1 : mask_of(to));
    const ValueId too_large = e_.emit(VD_OP_GE, x, e_.constant(from, above));
    const ValueId nothing = e_.constant(to, 0);
    if (to.is_unsigned()) {
      const ValueId positive = e_.emit(VD_OP_GT, x, e_.constant(from, 0));
      return e_.select(too_large, most, e_.select(positive, raw, nothing));
    }
    const ValueId in_range = e_.emit(VD_OP_GT, x, e_.constant(from, -above));
    const ValueId too_small = e_.emit(VD_OP_LE, x, e_.constant(from, -above));
    const ValueId least = e_.bits(to, lowest_bits(to));
    return e_.select(too_large, most, e_.select(in_range, raw, e_.select(too_small, least, nothing)));
  }

  Rewriter& r_;
  Emitter& e_;
  ValueId id_;
  const Inst& inst_;
  Type type_;
  const Dialect& dialect_;
};

}  // namespace

Kernel define_semantics(Kernel kernel, const Dialect& dialect) {
  return rewrite(std::move(kernel),
                 [&](Rewriter& r, ValueId id, const Inst& inst) { return Semantics(r, id, inst, dialect).run(); });
}

}  // namespace vd::codegen
