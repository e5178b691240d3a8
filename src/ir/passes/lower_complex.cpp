// Complex numbers as pairs of reals. The product is two fused multiply-adds, the quotient Smith's (it scales by the
// larger part of the divisor, so it overflows only where the result does), the functions are the textbook's principal
// values.
#include "ir/passes/lower_ops.h"

namespace vd::ir {
namespace {

struct Complex {
  ValueId re, im;
};

class Lower {
 public:
  explicit Lower(Emitter& e) : e(e) {}

  Complex take(ValueId z) { return {e.at(z, 0), e.at(z, 1)}; }
  ValueId real(ValueId like, double value) { return e.constant(e.type(like), value); }
  ValueId abs(ValueId x) { return e.emit(VD_OP_ABS, x); }

  Complex product(Complex a, Complex b) {
    return {e.fma(a.re, b.re, e.neg(e.mul(a.im, b.im))), e.fma(a.re, b.im, e.mul(a.im, b.re))};
  }

  Complex quotient(Complex a, Complex b) {
    const ValueId swap = e.emit(VD_OP_LT, abs(b.re), abs(b.im));
    const ValueId large = e.select(swap, b.im, b.re), small = e.select(swap, b.re, b.im);
    const ValueId x = e.select(swap, a.im, a.re), y = e.select(swap, a.re, a.im);
    const ValueId ratio = e.div(small, large);
    const ValueId scale = e.fma(small, ratio, large);
    const ValueId re = e.div(e.fma(y, ratio, x), scale);
    const ValueId im = e.div(e.fma(e.neg(x), ratio, y), scale);
    return {re, e.select(swap, e.neg(im), im)};
  }

  ValueId modulus(Complex a) { return e.emit(VD_OP_SQRT, e.fma(a.re, a.re, e.mul(a.im, a.im))); }
  Complex cis(ValueId angle) { return {e.emit(VD_OP_COS, angle), e.emit(VD_OP_SIN, angle)}; }

  Complex exp(Complex a) {
    const ValueId size = e.emit(VD_OP_EXP, a.re);
    const Complex turn = cis(a.im);
    return {e.mul(size, turn.re), e.mul(size, turn.im)};
  }

  Complex log(Complex a) { return {e.emit(VD_OP_LOG, modulus(a)), e.emit(VD_OP_ATAN2, a.im, a.re)}; }

  // t is the larger part of the root, the other follows from 2 re im = imaginary part.
  Complex sqrt(Complex a) {
    const ValueId t = e.emit(VD_OP_SQRT, e.mul(e.add(modulus(a), abs(a.re)), real(a.re, 0.5)));
    const ValueId zero = e.zero(e.type(t));
    const ValueId half = e.div(a.im, e.mul(t, real(t, 2)));
    const ValueId other = e.select(e.emit(VD_OP_EQ, t, zero), zero, half);
    const ValueId right = e.emit(VD_OP_GE, a.re, zero);
    const ValueId down = e.select(e.emit(VD_OP_LT, a.im, zero), e.neg(t), t);
    return {e.select(right, t, abs(other)), e.select(right, other, down)};
  }

  ValueId is_zero(Complex a) {
    const ValueId zero = e.zero(e.type(a.re));
    return e.emit(VD_OP_LAND, e.emit(VD_OP_EQ, a.re, zero), e.emit(VD_OP_EQ, a.im, zero));
  }

  Complex pow(Complex a, Complex b) {
    const Complex power = exp(product(b, log(a)));
    const ValueId zero = e.zero(e.type(a.re));
    const ValueId at_zero = e.select(is_zero(b), real(a.re, 1), zero);  // 0 to the 0 is 1
    const ValueId none = is_zero(a);
    return {e.select(none, at_zero, power.re), e.select(none, zero, power.im)};
  }

  Emitter& e;
};

}  // namespace

ValueId lower_complex(Emitter& e, const LoweredOp& op) {
  Lower l(e);
  const auto arg = [&](size_t i) { return l.take(op.operands[i]); };
  const auto pair = [&](Complex z) { return e.construct(op.type, {z.re, z.im}); };
  const auto each = [&](auto&& f) { return e.construct(op.type, {f(0), f(1)}); };
  const auto part = [&](size_t i, uint32_t k) { return e.at(op.operands[i], k); };
  switch (op.op) {
    case VD_OP_ADD:
    case VD_OP_SUB:
      return each([&](uint32_t k) { return e.emit(op.op, part(0, k), part(1, k)); });
    case VD_OP_NEG:
      return each([&](uint32_t k) { return e.neg(part(0, k)); });
    case VD_OP_MUL:
    case VD_OP_DIV:
      if (!e.type(op.operands[1]).is_complex()) {
        return each([&](uint32_t k) { return e.emit(op.op, part(0, k), op.operands[1]); });
      }
      return pair(op.op == VD_OP_MUL ? l.product(arg(0), arg(1)) : l.quotient(arg(0), arg(1)));
    case VD_OP_EQ:
    case VD_OP_NE:
      return e.emit(op.op == VD_OP_EQ ? VD_OP_LAND : VD_OP_LOR, e.emit(op.op, part(0, 0), part(1, 0)),
                    e.emit(op.op, part(0, 1), part(1, 1)));
    case VD_OP_SELECT:
      return each([&](uint32_t k) { return e.select(op.operands[0], part(1, k), part(2, k)); });
    case VD_OP_CONVERT:
      return each([&](uint32_t k) { return e.convert(Type(op.type.scalar()), part(0, k)); });
    case VD_OP_ABS:
      return l.modulus(arg(0));
    case VD_OP_CONJ:
      return pair({part(0, 0), e.neg(part(0, 1))});
    case VD_OP_CIS:
      return pair(l.cis(op.operands[0]));
    case VD_OP_EXP:
      return pair(l.exp(arg(0)));
    case VD_OP_LOG:
      return pair(l.log(arg(0)));
    case VD_OP_SQRT:
      return pair(l.sqrt(arg(0)));
    case VD_OP_POW:
      return pair(l.pow(arg(0), arg(1)));
    default:
      return kNoValue;
  }
}

}  // namespace vd::ir
