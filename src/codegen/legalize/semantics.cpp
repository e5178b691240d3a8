#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

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

// The scalar that a constant splats, if it is one.
bool constant_bits(const Kernel& kernel, ValueId id, uint64_t& out) {
  const Inst& inst = kernel.insts[id];
  if (inst.op == VD_OP_ZERO) out = 0;
  else if (inst.op == VD_OP_CONST) out = inst.immediate & mask_of(inst.type);
  else return false;
  return true;
}

class Semantics {
 public:
  Semantics(Rewriter& r, ValueId id, const Inst& inst, const Dialect& dialect)
      : r_(r), e_(r.out), id_(id), inst_(inst), type_(inst.type), dialect_(dialect) {}

  bool run() {
    switch (inst_.op) {
      case VD_OP_DIV:
      case VD_OP_REM:
      case VD_OP_FLOORDIV:
      case VD_OP_FLOORMOD: return type_.is_integer() && divide();
      case VD_OP_SHL:
      case VD_OP_SHR: return shift();
      case VD_OP_ABS:
        if (type_.is_unsigned()) return done(a());
        if (type_.is_signed() && !has(VD_OP_ABS)) return done(e_.select(less(a(), zero()), e_.neg(a()), a()));
        return false;
      case VD_OP_SIGN:
        return done(e_.select(less(zero(), a()), one(), type_.is_unsigned() ? zero()
                                                                            : e_.select(less(a(), zero()), minus_one(), zero())));
      case VD_OP_MIN:
      case VD_OP_MAX:
        if (!type_.is_integer() || has(inst_.op)) return false;
        return done(inst_.op == VD_OP_MIN ? e_.select(less(b(), a()), b(), a()) : e_.select(less(a(), b()), b(), a()));
      case VD_OP_CLAMP: return done(limit(limit(a(), b(), VD_OP_MAX), c(), VD_OP_MIN));
      case VD_OP_POPCOUNT:
      case VD_OP_CLZ:
      case VD_OP_BITREVERSE: return bits();
      case VD_OP_CTZ: {
        // The zeros below the lowest 1 are the ones of (x & -x) - 1.
        const ValueId below = e_.sub(e_.emit(VD_OP_AND, a(), e_.neg(a())), one());
        return done(counted(VD_OP_POPCOUNT, below));
      }
      case VD_OP_CONVERT: return convert();
      case VD_OP_FRACT: return done(e_.sub(a(), e_.emit(VD_OP_FLOOR, a())));
      case VD_OP_MOD: {
        const ValueId quotient = e_.emit(VD_OP_FLOOR, e_.div(a(), b()));
        return done(exact(VD_OP_SUB, a(), exact(VD_OP_MUL, b(), quotient)));
      }
      case VD_OP_STEP: return done(e_.select(less(b(), a()), zero(), one()));
      case VD_OP_MIX: return done(exact(VD_OP_ADD, a(), exact(VD_OP_MUL, exact(VD_OP_SUB, b(), a()), c())));
      case VD_OP_SMOOTHSTEP: return smoothstep();
      case VD_OP_RADIANS: return done(e_.mul(a(), e_.constant(type_, std::numbers::pi / 180)));
      case VD_OP_DEGREES: return done(e_.mul(a(), e_.constant(type_, 180 / std::numbers::pi)));
      case VD_OP_ISNAN: return !has(VD_OP_ISNAN) && done(e_.emit(VD_OP_NE, a(), a()));
      case VD_OP_ISINF: {
        if (has(VD_OP_ISINF)) return false;
        const Type t = r_.out.type(a());
        return done(e_.emit(VD_OP_EQ, e_.emit(VD_OP_ABS, a()), e_.constant(t, std::numeric_limits<double>::infinity())));
      }
      case VD_OP_ATOMIC_SUB: {
        const ValueId old = e_.emit(VD_OP_ATOMIC_ADD, Type(), {a(), e_.neg(b())}, inst_.immediate);
        return done(old);
      }
      default: return false;
    }
  }

 private:
  ValueId operand(uint32_t i) { return r_[r_.operand(inst_, i)]; }
  ValueId a() { return operand(0); }
  ValueId b() { return operand(1); }
  ValueId c() { return operand(2); }
  ValueId zero() { return e_.constant(e_.type(a()), 0); }
  ValueId one() { return e_.constant(e_.type(a()), 1); }
  ValueId minus_one() { return e_.constant(e_.type(a()), -1); }
  ValueId less(ValueId x, ValueId y) { return e_.emit(VD_OP_LT, x, y); }
  ValueId exact(Op op, ValueId x, ValueId y) { return e_.emit(op, Type(), {x, y}, VD_PRECISE); }
  bool has(Op op) { return has(op, type_); }
  bool has(Op op, Type type) { return find_rule(dialect_, op, type, type, false, false) != nullptr; }
  bool done(ValueId value) {
    r_.replace(id_, value);
    return true;
  }

  // Minimum or maximum, by a choice where the language has none.
  ValueId limit(ValueId x, ValueId y, Op op) {
    if (!type_.is_integer() || has(op)) return e_.emit(op, x, y);
    return op == VD_OP_MIN ? e_.select(less(y, x), y, x) : e_.select(less(x, y), y, x);
  }

  // x / 0 is x and x % 0 is 0: as by 1. So is the least number by -1, which has no quotient.
  bool divide() {
    uint64_t divisor = 0;
    const bool known = constant_bits(r_.source(), r_.operand(inst_, 1), divisor);
    const bool is_minus_one = known && type_.is_signed() && divisor == mask_of(type_);
    ValueId by = b();
    if (known && divisor == 0) {
      by = one();
    } else if (is_minus_one) {
      const bool quotient = inst_.op == VD_OP_DIV || inst_.op == VD_OP_FLOORDIV;
      return done(quotient ? e_.neg(a()) : zero());
    } else if (!known) {
      if (type_.is_unsigned()) {
        by = limit(by, one(), VD_OP_MAX);
      } else {
        const ValueId lowest = e_.bits(type_, lowest_bits(type_));
        const ValueId overflow = e_.emit(VD_OP_LAND, e_.emit(VD_OP_EQ, by, minus_one()), e_.emit(VD_OP_EQ, a(), lowest));
        by = e_.select(e_.emit(VD_OP_LOR, e_.emit(VD_OP_EQ, by, zero()), overflow), one(), by);
      }
    }
    if (type_.is_unsigned()) {
      const Op op = inst_.op == VD_OP_DIV || inst_.op == VD_OP_FLOORDIV ? VD_OP_DIV : VD_OP_REM;
      return done(e_.emit(op, a(), by));
    }
    const bool power = known && divisor != 0 && (divisor & (divisor - 1)) == 0 && divisor != lowest_bits(type_);
    if (inst_.op == VD_OP_FLOORDIV && power)
      return done(e_.emit(VD_OP_SHR, a(), e_.bits(type_, static_cast<uint64_t>(std::countr_zero(divisor)))));
    if (inst_.op == VD_OP_FLOORMOD && power) return done(e_.emit(VD_OP_AND, a(), e_.bits(type_, divisor - 1)));
    const ValueId quotient = e_.emit(VD_OP_DIV, a(), by);
    if (inst_.op == VD_OP_DIV) return done(quotient);
    const ValueId rest = has(VD_OP_REM) ? e_.emit(VD_OP_REM, a(), by) : e_.sub(a(), e_.mul(quotient, by));
    if (inst_.op == VD_OP_REM) return done(rest);
    // Rounded towards zero, which is one too many where the signs differ and something is left.
    const ValueId differ = less(e_.emit(VD_OP_XOR, rest, by), zero());
    const ValueId adjust = e_.emit(VD_OP_LAND, e_.emit(VD_OP_NE, rest, zero()), differ);
    return done(inst_.op == VD_OP_FLOORDIV ? e_.select(adjust, e_.sub(quotient, one()), quotient)
                                           : e_.select(adjust, e_.add(rest, by), rest));
  }

  bool shift() {
    const Type count_type = e_.type(b());
    const uint64_t limit = bits_of(type_) - 1;
    uint64_t count = 0;
    if (constant_bits(r_.source(), r_.operand(inst_, 1), count)) {
      if (count <= limit) return false;
      return done(e_.emit(inst_.op, a(), e_.bits(count_type, count & limit)));
    }
    return done(e_.emit(inst_.op, a(), e_.emit(VD_OP_AND, b(), e_.bits(count_type, limit))));
  }

  // Of an unsigned number; by way of 32 bits where the language has no other.
  ValueId counted(Op op, ValueId x) {
    const Type signed_type = e_.type(x), type = unsigned_of(signed_type);
    x = e_.bitcast(type, x);
    ValueId result;
    const Type wide = type.with(Scalar::U32);
    const uint32_t bits = bits_of(type);
    if (has(op, type)) {
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
        result = e_.emit(VD_OP_OR, e_.emit(VD_OP_SHL, e_.convert(type, of_low), e_.bits(type, 32)), e_.convert(type, of_high));
      }
    } else if (bits < 32) {
      const ValueId of_wide = counted(op, e_.convert(wide, x));
      const ValueId spare = e_.bits(wide, 32 - bits);
      result = e_.convert(type, op == VD_OP_POPCOUNT ? of_wide
                                : op == VD_OP_CLZ    ? e_.sub(of_wide, spare)
                                                     : e_.emit(VD_OP_SHR, of_wide, spare));
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

  // A float saturates, and NaN gives 0. What the language's own conversion gives out of range is not used.
  bool convert() {
    const Type from = e_.type(a());
    if (!from.is_float() || !type_.is_integer()) return false;
    const bool narrow = bits_of(type_) < 32;
    const bool native = (dialect_.saturates & set_of(from.scalar())) &&
                        find_rule(dialect_, VD_OP_CONVERT, Type(from.scalar()), Type(type_.scalar()), false, false);
    if (native && (dialect_.saturates == kFloatSet || bits_of(type_) == 32)) return false;
    if (from.scalar() == Scalar::F16) {
      // Every f16 is an f32.
      const ValueId wide = e_.convert(from.with(Scalar::F32), a());
      return done(saturate(wide, type_));
    }
    if (narrow) {
      const Type middle = type_.with(type_.is_signed() ? Scalar::I32 : Scalar::U32);
      ValueId value = saturate(a(), middle);
      const auto top = static_cast<double>(type_.is_signed() ? lowest_bits(type_) - 1 : mask_of(type_));
      value = e_.emit(VD_OP_MIN, value, e_.constant(middle, top));
      if (type_.is_signed()) value = e_.emit(VD_OP_MAX, value, e_.constant(middle, -top - 1));
      return done(e_.convert(type_, value));
    }
    return done(saturate(a(), type_));
  }

  ValueId saturate(ValueId x, Type to) {
    const Type from = e_.type(x);
    if (bits_of(to) < 32) {
      const Type middle = to.with(to.is_signed() ? Scalar::I32 : Scalar::U32);
      const auto top = static_cast<double>(to.is_signed() ? lowest_bits(to) - 1 : mask_of(to));
      ValueId value = e_.emit(VD_OP_MIN, saturate(x, middle), e_.constant(middle, top));
      if (to.is_signed()) value = e_.emit(VD_OP_MAX, value, e_.constant(middle, -top - 1));
      return e_.convert(to, value);
    }
    if ((dialect_.saturates & set_of(from.scalar())) && bits_of(to) == 32) return e_.convert(to, x);
    const ValueId raw = e_.emit(VD_OP_CONVERT, to, {x});
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

  bool smoothstep() {
    const ValueId low = a(), high = b(), x = c();
    ValueId t = e_.div(e_.sub(x, low), e_.sub(high, low));
    t = e_.emit(VD_OP_MIN, e_.emit(VD_OP_MAX, t, zero()), one());
    const ValueId curve = e_.mul(e_.mul(t, t), e_.sub(e_.constant(type_, 3), e_.mul(e_.constant(type_, 2), t)));
    const ValueId step = e_.select(less(x, low), zero(), one());
    return done(e_.select(e_.emit(VD_OP_EQ, low, high), step, curve));
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
  return rewrite(std::move(kernel), [&](Rewriter& r, ValueId id, const Inst& inst) {
    return Semantics(r, id, inst, dialect).run();
  });
}

}  // namespace vd::codegen
