#include "unit/codegen/kernels.h"

#include <array>
#include <limits>
#include <span>

namespace vd::test {

using namespace ir;

namespace {

Type vec(Scalar s, uint32_t n) { return Type::vector(s, n); }
constexpr Type kC32 = Type::complex(Scalar::F32);
constexpr Type kF32x2 = Type::vector(Scalar::F32, 2), kF32x3 = Type::vector(Scalar::F32, 3),
               kF32x4 = Type::vector(Scalar::F32, 4), kU32x3 = Type::vector(Scalar::U32, 3);

Kernel scale() {
  Draft d;
  const ValueId x = d.buffer(kF32, "x"), y = d.buffer(kF32, "out"), a = d.value(kF32, "alpha");
  const ValueId i = d.gid();
  Emitter& e = d.e;
  d.set(y, i, e.add(e.mul(e.load(a), d.get(x, i)), e.constant(kF32, 0.5)));
  return d.take();
}

// A value that appears once is in place, one that appears twice has a name; a load does not pass a store.
Kernel order() {
  Draft d;
  const ValueId x = d.buffer(kF32, "x");
  Emitter& e = d.e;
  const ValueId a = d.get(x, d.u(0)), b = d.get(x, d.u(1));
  d.set(x, d.u(0), b);
  d.set(x, d.u(1), a);
  const ValueId sum = e.add(a, e.constant(kF32, 1));
  d.set(x, d.u(2), e.mul(sum, sum));
  return d.take();
}

Kernel control() {
  Draft d;
  const ValueId out = d.buffer(kI32, "out"), n = d.value(kU32, "n");
  Emitter& e = d.e;
  const ValueId total = d.named(e.var(e.constant(kI32, 0)), "total");
  const ValueId i = d.named(e.begin_for(d.u(0), e.load(n), d.u(2)), "i");
  e.begin_if(e.emit(VD_OP_EQ, i, d.u(4)));
  e.emit(VD_OP_CONTINUE, Type(), {});
  e.begin_else();
  e.begin_if(e.emit(VD_OP_GT, e.load(total), e.constant(kI32, 100)));
  e.leave();
  e.begin_else();
  e.store(total, e.add(e.load(total), e.convert(kI32, i)));
  e.end();
  e.end();
  e.end();
  const ValueId left = d.named(e.var(d.u(10)), "left");
  e.begin_while();
  e.begin_body(e.emit(VD_OP_GT, e.load(left), d.u(0)));
  e.store(left, e.sub(e.load(left), d.u(1)));
  e.end();
  e.begin_loop();
  const ValueId inner = d.named(e.var(e.load(left)), "float");
  e.store(inner, e.add(e.load(inner), d.u(1)));
  e.begin_if(e.emit(VD_OP_GE, e.load(inner), d.u(1)));
  e.leave();
  e.end();
  e.end();
  // Counted down, by a step that is not known, and one whose condition needs a statement.
  const ValueId step = e.convert(kI32, e.load(n));
  const ValueId k = e.begin_for(e.constant(kI32, 9), e.constant(kI32, 0), e.constant(kI32, -3), VD_LOOP_FULL);
  e.store(total, e.add(e.load(total), k));
  e.end();
  const ValueId j = e.begin_for(e.constant(kI32, 0), e.constant(kI32, 8), step, 4);
  e.store(total, e.sub(e.load(total), j));
  e.end();
  e.begin_while(VD_LOOP_ROLLED);
  const ValueId now = e.load(total);
  e.begin_body(e.emit(VD_OP_LT, e.mul(now, now), e.constant(kI32, 50)));
  e.store(total, e.add(e.load(total), e.constant(kI32, 1)));
  e.end();
  e.begin_scope();
  d.set(out, d.gid(), e.add(e.load(total), e.convert(kI32, e.load(inner))));
  e.end();
  e.emit(VD_OP_RETURN, Type(), {});
  return d.take();
}

Kernel integers() {
  Draft d;
  const ValueId x = d.buffer(kI32, "x"), u = d.buffer(kU32, "u");
  Emitter& e = d.e;
  const ValueId i = d.gid();
  const ValueId a = d.get(x, i), b = d.get(x, e.add(i, d.u(1))), p = d.get(u, i), q = d.get(u, e.add(i, d.u(1)));
  uint32_t at = 100;
  const auto out = [&](ValueId v) { d.set(e.type(v) == kI32 ? x : u, d.u(at++), v); };
  for (const Op op : {VD_OP_ADD, VD_OP_SUB, VD_OP_MUL, VD_OP_DIV, VD_OP_REM, VD_OP_FLOORDIV, VD_OP_FLOORMOD, VD_OP_MIN,
                      VD_OP_MAX, VD_OP_AND, VD_OP_OR, VD_OP_XOR, VD_OP_SHL, VD_OP_SHR}) {
    out(e.emit(op, a, b));
    out(e.emit(op, p, q));
  }
  for (const int c : {8, -3, -1, 0}) {
    out(e.emit(VD_OP_DIV, a, e.constant(kI32, c)));
    out(e.emit(VD_OP_FLOORDIV, a, e.constant(kI32, c)));
    out(e.emit(VD_OP_FLOORMOD, a, e.constant(kI32, c)));
  }
  for (const Op op :
       {VD_OP_NEG, VD_OP_ABS, VD_OP_SIGN, VD_OP_NOT, VD_OP_POPCOUNT, VD_OP_CLZ, VD_OP_CTZ, VD_OP_BITREVERSE}) {
    out(e.emit(op, a));
    out(e.emit(op, p));
  }
  out(e.emit(VD_OP_CLAMP, a, e.constant(kI32, -5), e.bits(kI32, 0x80000000u)));
  out(e.emit(VD_OP_SHL, a, e.constant(kI32, 3)));
  out(e.emit(VD_OP_SHR, p, e.constant(kU32, 35)));
  return d.take();
}

// Limits of sums beside complements: NVIDIA's compilers never ended with them.
Kernel limits() {
  Draft d;
  Emitter& e = d.e;
  const ValueId i = d.gid();
  for (const Type type : {kI32, kU32, Type(Scalar::I16), Type(Scalar::U64)}) {
    const ValueId x = d.buffer(type, "x");
    const auto all_ones = e.bits(type, ~uint64_t{0} >> (64 - 8 * scalar_size(type.scalar())));
    const ValueId a = d.get(x, i), b = d.get(x, e.add(i, d.u(1))), c = d.get(x, e.add(i, d.u(2)));
    const auto sum = [&](ValueId value, int constant) { return e.add(value, e.constant(type, constant)); };
    const Type other = type.with(type.is_signed() ? Scalar::U32 : Scalar::I32);
    uint32_t at = 100;
    if (scalar_size(type.scalar()) == 4)
      d.set(x, d.u(at++),
            e.emit(VD_OP_MIN,
                   e.emit(VD_OP_MAX, sum(a, 1), e.bitcast(type, e.add(e.bitcast(other, b), e.constant(other, 2)))),
                   e.emit(VD_OP_NOT, c)));
    for (const ValueId complement : {e.emit(VD_OP_NOT, c), e.emit(VD_OP_XOR, c, all_ones), e.sub(all_ones, c)}) {
      d.set(x, d.u(at++), e.emit(VD_OP_MIN, e.emit(VD_OP_MAX, sum(a, 1), sum(b, 2)), complement));
      d.set(x, d.u(at++), e.emit(VD_OP_MAX, complement, e.emit(VD_OP_MIN, e.sub(sum(a, 0), b), sum(b, 3))));
      d.set(x, d.u(at++), e.emit(VD_OP_CLAMP, sum(a, 1), sum(b, 2), complement));
    }
  }
  return d.take();
}

// One kernel a kind of integer that GLSL needs an extension for.
Kernel integer_kind(Scalar s, Scalar u) {
  Draft d;
  const Type type(s), utype(u);
  const ValueId x = d.buffer(type, "x"), y = d.buffer(utype, "y");
  Emitter& e = d.e;
  const ValueId i = d.gid();
  const ValueId a = d.get(x, i), b = d.get(x, e.add(i, d.u(1))), p = d.get(y, i), q = d.get(y, e.add(i, d.u(1)));
  uint32_t at = 100;
  const auto out = [&](ValueId v) { d.set(e.type(v) == type ? x : y, d.u(at++), v); };
  for (const Op op : {VD_OP_ADD, VD_OP_SUB, VD_OP_MUL, VD_OP_DIV, VD_OP_REM, VD_OP_FLOORDIV, VD_OP_MIN, VD_OP_MAX,
                      VD_OP_AND, VD_OP_XOR, VD_OP_SHL, VD_OP_SHR}) {
    out(e.emit(op, a, b));
    out(e.emit(op, p, q));
  }
  for (const Op op :
       {VD_OP_NEG, VD_OP_ABS, VD_OP_SIGN, VD_OP_NOT, VD_OP_POPCOUNT, VD_OP_CLZ, VD_OP_CTZ, VD_OP_BITREVERSE}) {
    out(e.emit(op, a));
    out(e.emit(op, p));
  }
  out(e.convert(type, d.get(y, d.u(0))));
  out(e.convert(utype, e.convert(kF32, a)));
  out(e.convert(type, e.convert(kF32, p)));
  out(e.bitcast(type, p));
  out(e.select(e.emit(VD_OP_LT, a, b), e.constant(type, 7), e.constant(type, -7)));
  const Type two = Type::vector(s, 2);
  const ValueId v = e.construct(two, {a, b});
  out(e.at(e.add(e.mul(v, v), e.neg(v)), 1));
  return d.take();
}
Kernel integers8() { return integer_kind(Scalar::I8, Scalar::U8); }
Kernel integers16() { return integer_kind(Scalar::I16, Scalar::U16); }
Kernel integers64() { return integer_kind(Scalar::I64, Scalar::U64); }

Kernel floats() {
  Draft d;
  const ValueId x = d.buffer(kF32, "x"), n = d.buffer(kI32, "n");
  Emitter& e = d.e;
  const ValueId i = d.gid();
  const ValueId a = d.get(x, i), b = d.get(x, e.add(i, d.u(1))), c = d.get(x, e.add(i, d.u(2)));
  uint32_t at = 100;
  const auto out = [&](ValueId v) { d.set(x, d.u(at++), v); };
  for (const Op op : {VD_OP_ADD, VD_OP_SUB, VD_OP_MUL, VD_OP_DIV, VD_OP_MIN, VD_OP_MAX, VD_OP_MOD, VD_OP_STEP})
    out(e.emit(op, a, b));
  for (const Op op : {VD_OP_NEG, VD_OP_ABS, VD_OP_SIGN, VD_OP_FLOOR, VD_OP_CEIL, VD_OP_TRUNC, VD_OP_ROUND_EVEN,
                      VD_OP_FRACT, VD_OP_RADIANS, VD_OP_DEGREES, VD_OP_SQRT, VD_OP_RSQRT})
    out(e.emit(op, a));
  for (const Op op : {VD_OP_FMA, VD_OP_CLAMP, VD_OP_SMOOTHSTEP, VD_OP_MIX}) out(e.emit(op, a, b, c));
  out(e.select(e.emit(VD_OP_LOR, e.emit(VD_OP_ISNAN, a), e.emit(VD_OP_ISINF, b)), a, b));
  out(e.constant(kF32, std::numeric_limits<double>::infinity()));
  out(e.bits(kF32, 0x7fc00000));
  out(e.bits(kF32, 0x00000001));
  out(e.constant(kF32, 1e-30));
  out(e.constant(kF32, -0.0));
  out(e.constant(kF32, 16777216));
  out(e.neg(e.constant(kF32, -1)));
  out(e.sub(a, e.sub(b, c)));
  out(e.div(a, e.mul(b, c)));
  d.set(n, i, e.convert(kI32, a));
  d.set(n, d.u(1), e.bitcast(kI32, e.convert(kU32, b)));
  d.set(n, d.u(2), e.bitcast(kI32, a));
  d.set(n, d.u(3), e.convert(kI32, e.emit(VD_OP_GE, a, b)));
  return d.take();
}

Kernel math_of(uint64_t math_class) {
  Draft d;
  const ValueId x = d.buffer(kF32, "x"), v = d.buffer(kF32x3, "v"), h = d.buffer(kF16, "h");
  Emitter& e = d.e;
  e.math_class = math_class;
  const ValueId a = d.get(x, d.gid());
  uint32_t at = 100;
  for (const Op op :
       {VD_OP_EXP, VD_OP_EXP2, VD_OP_LOG, VD_OP_LOG2, VD_OP_SIN, VD_OP_COS, VD_OP_TAN, VD_OP_ASIN, VD_OP_ACOS,
        VD_OP_ATAN, VD_OP_SINH, VD_OP_COSH, VD_OP_TANH, VD_OP_ASINH, VD_OP_ACOSH, VD_OP_ATANH})
    d.set(x, d.u(at++), e.emit(op, a));
  d.set(x, d.u(at++), e.emit(VD_OP_POW, a, e.constant(kF32, 1.5)));
  d.set(x, d.u(at++), e.emit(VD_OP_ATAN2, a, e.constant(kF32, 1.5)));
  d.set(v, d.gid(), e.emit(VD_OP_SIN, d.get(v, d.gid())));
  d.set(h, d.gid(), e.emit(VD_OP_EXP, d.get(h, d.gid())));
  return d.take();
}
Kernel math() { return math_of(0); }
Kernel native_math() { return math_of(VD_MATH_NATIVE); }

// Nothing here may be contracted.
Kernel precise() {
  Draft d;
  const ValueId x = d.buffer(kF32, "x"), v = d.buffer(kF32x4, "v");
  Emitter& e = d.e;
  const ValueId i = d.gid();
  const ValueId a = d.get(x, i), b = d.get(x, e.add(i, d.u(1)));
  e.math_class = VD_MATH_PRECISE;
  d.set(x, i, e.add(e.mul(a, b), a));
  const ValueId p = e.mul(a, a);
  e.math_class = 0;
  d.set(x, d.u(1), e.sub(p, b));
  e.math_class = VD_MATH_PRECISE;
  d.set(v, i, e.add(e.mul(d.get(v, i), d.get(v, d.u(0))), d.get(v, d.u(1))));
  d.set(x, d.u(2), e.div(a, e.emit(VD_OP_SQRT, b)));
  d.set(x, d.u(3), e.fma(a, b, e.emit(VD_OP_RSQRT, b)));
  return d.take();
}

Kernel doubles() {
  Draft d;
  const ValueId x = d.buffer(kF64, "x"), y = d.buffer(kF32, "y");
  Emitter& e = d.e;
  const ValueId i = d.gid();
  const ValueId a = d.get(x, i);
  d.set(x, d.u(1), e.add(e.mul(a, e.constant(kF64, 0.1)), e.convert(kF64, d.get(y, i))));
  d.set(x, d.u(2), e.emit(VD_OP_SQRT, e.emit(VD_OP_ABS, a)));
  d.set(x, d.u(3), e.emit(VD_OP_MAX, a, e.constant(kF64, std::numeric_limits<double>::infinity())));
  d.set(x, d.u(4), e.convert(kF64, e.convert(kI32, a)));
  d.set(x, d.u(5), e.convert(kF64, e.convert(kU32, a)));
  d.set(y, i, e.convert(kF32, a));
  return d.take();
}

Kernel halves() {
  Draft d;
  const ValueId x = d.buffer(kF16, "x"), y = d.buffer(vec(Scalar::F16, 4), "y"), z = d.buffer(kF32, "z");
  Emitter& e = d.e;
  const ValueId i = d.gid();
  const ValueId a = d.get(x, i), v = d.get(y, i);
  d.set(x, i, e.add(e.mul(a, a), e.constant(kF16, 0.5)));
  d.set(x, d.u(1), e.div(a, e.emit(VD_OP_SQRT, a)));
  d.set(x, d.u(2), e.convert(kF16, d.get(z, i)));
  d.set(x, d.u(3), e.select(e.emit(VD_OP_LT, a, e.constant(kF16, 1)), e.convert(kF16, i), e.bits(kF16, 0x7c00)));
  d.set(y, i, e.emit(VD_OP_MAX, e.mul(v, v), e.neg(v)));
  d.set(z, i, e.convert(kF32, a));
  d.set(z, d.u(1), e.convert(kF32, e.convert(kI32, a)));
  return d.take();
}

Kernel vectors() {
  Draft d;
  const ValueId p = d.buffer(kF32x3, "p"), q = d.buffer(kF32x4, "q"), k = d.value(kF32x3, "k"),
                m = d.buffer(kU32x3, "m"), r = d.buffer(kF32x3, "only_read");
  Emitter& e = d.e;
  const ValueId i = d.gid();
  const ValueId a = d.get(p, i);
  d.set(p, i, e.add(e.mul(a, e.load(k)), e.splat(kF32x3, e.constant(kF32, 2))));
  const ValueId swizzled = e.emit(VD_OP_SWIZZLE, Type(), {a}, 3 << 8 | 2 | 1 << 2);
  d.set(q, i, e.construct(kF32x4, {swizzled, e.at(a, 0)}));
  e.store(e.index(e.index(q, i), d.u(3)), e.at(e.load(k), 1));
  e.store(e.index(e.index(p, i), d.u(2)), e.load(e.index(e.index(p, d.u(0)), d.u(1))));
  e.store(e.index(e.index(p, i), d.lid()), e.index(a, d.lid(1)));
  const ValueId less = e.emit(VD_OP_LT, a, e.load(k));
  d.set(p, d.u(1), e.select(less, a, e.emit(VD_OP_FLOOR, a)));
  e.begin_if(e.emit(VD_OP_ANY, e.emit(VD_OP_LAND, less, e.emit(VD_OP_LNOT, e.emit(VD_OP_EQ, a, a)))));
  d.set(m, i, e.emit(VD_OP_SHL, e.convert(kU32x3, a), e.splat(kU32x3, d.lid())));
  e.end();
  d.set(m, d.u(1), e.builtin(VD_BUILTIN_GLOBAL_ID));
  d.set(m, d.u(2), e.emit(VD_OP_MIN, d.get(m, d.u(0)), e.splat(kU32x3, d.u(9))));
  const ValueId any = e.load(e.index(e.index(r, i), d.lid()));
  e.store(e.index(e.index(p, d.u(2)), d.u(0)), any);
  return d.take();
}

Kernel complexes() {
  Draft d;
  const ValueId x = d.buffer(kC32, "x"), f = d.buffer(kF32, "f");
  Emitter& e = d.e;
  const ValueId i = d.gid();
  const ValueId a = d.get(x, i), b = d.get(x, d.u(1));
  d.set(x, i, e.sub(e.add(a, b), e.neg(e.construct(kC32, {e.at(a, 1), e.at(b, 0)}))));
  e.store(e.index(e.index(x, d.u(3)), d.u(1)), d.get(f, i));
  d.set(f, d.u(1), e.load(e.index(e.index(x, e.emit(VD_OP_DIV, i, d.u(2))), e.emit(VD_OP_REM, i, d.u(2)))));
  d.set(f, d.u(2), e.convert(kF32, e.emit(VD_OP_EQ, a, b)));
  d.set(x, d.u(4), e.constant(kC32, 1));
  d.set(x, d.u(5), e.zero(kC32));
  return d.take();
}

// Components in memory, each written alone: the one beside it may be another invocation's.
Kernel components() {
  Draft d;
  const Type m2 = Type::matrix(Scalar::F32, 2, 2), u2 = Type::vector(Scalar::U32, 2), h4 = Type::vector(Scalar::F16, 4);
  const ValueId p = d.buffer(kF32x2, "p"), q = d.buffer(kF32x4, "q"), x = d.buffer(kC32, "x"),
                t = d.buffer(kF32x3, "t"), m = d.buffer(m2, "m"), n = d.buffer(u2, "n"), h = d.buffer(h4, "h"),
                f = d.buffer(kF32, "f"), s = d.shared(kF32x4, 64, "tile"), z = d.shared(kC32, 64, "pairs");
  Emitter& e = d.e;
  const ValueId i = d.gid(), l = d.lid();
  const auto part = [&](ValueId array, ValueId at, uint32_t c) { return e.index(e.index(array, at), d.u(c)); };
  const auto one = e.constant(kF32, 1);
  e.store(part(p, i, 1), one);
  e.store(part(q, i, 3), e.load(part(q, i, 2)));
  e.store(e.index(e.index(q, i), l), one);
  e.store(part(x, i, 0), one);
  e.store(part(t, i, 2), one);
  e.store(part(h, i, 1), e.constant(kF16, 1));
  e.store(part(m, i, 1), e.construct(kF32x2, {one, one}));
  e.store(e.index(part(m, i, 1), d.u(0)), one);
  e.store(part(s, l, 2), one);
  e.store(part(z, l, 1), one);
  e.store(part(e.view(f, kF32x4), i, 1), one);
  e.store(part(e.view(s, kC32), l, 1), one);
  e.store(part(p, i, 0), e.load(part(q, i, 1), VD_ACCESS_COHERENT), VD_ACCESS_COHERENT);
  d.set(p, d.u(0), e.load(e.index(p, i), VD_ACCESS_COHERENT));
  e.store(part(h, i, 2), e.load(part(h, i, 3), VD_ACCESS_COHERENT), VD_ACCESS_COHERENT);
  e.store(e.index(m, i), e.load(e.index(m, d.u(0)), VD_ACCESS_COHERENT), VD_ACCESS_COHERENT);
  e.emit(VD_OP_ATOMIC_ADD, Type(), {part(n, i, 1), d.u(3)});
  const ValueId own = d.named(e.var(d.get(q, d.u(0))), "own");
  e.store(e.index(own, d.u(1)), one);  // no other invocation sees it
  d.set(q, d.u(1), e.load(own));
  return d.take();
}

Kernel matrices() {
  Draft d;
  const Type m3 = Type::matrix(Scalar::F32, 3, 3), m2 = Type::matrix(Scalar::F32, 2, 2);
  const ValueId x = d.buffer(m3, "x"), y = d.buffer(kF32x3, "y"), k = d.value(m2, "k"), s = d.shared(m3, 4, "tile");
  Emitter& e = d.e;
  const ValueId i = d.gid();
  const ValueId a = d.get(x, i);
  d.set(x, i, e.add(a, d.get(x, d.u(1))));
  d.set(y, i, e.at(a, 2));
  d.set(y, d.u(1), e.load(e.index(e.index(x, d.u(2)), d.u(0))));
  e.store(e.index(e.index(e.index(x, i), d.u(1)), d.u(2)), e.at(e.at(e.load(k), 1), 0));
  const ValueId v = d.named(e.var(m3), "acc");
  e.store(v, e.construct(m3, {e.constant(kF32, 1)}));
  e.store(e.index(e.index(v, d.u(0)), d.u(0)), e.constant(kF32, 3));
  d.set(s, d.lid(), e.load(v));
  e.emit(VD_OP_BARRIER, Type(), {});
  d.set(x, d.u(3), d.get(s, d.u(0)));
  return d.take();
}

Kernel structs() {
  Draft d;
  const Type body = d.kernel.types.structure(
      "Body",
      {{kF32x3, "position", 0}, {kF32, "mass", 0}, {kF32x2, "float", 0}, {d.kernel.types.array(kI32, 3), "tags", 0}});
  const ValueId x = d.buffer(body, "bodies"), k = d.value(body, "ref");
  Emitter& e = d.e;
  const ValueId i = d.gid();
  const ValueId one = e.index(x, i);
  e.store(e.member(one, 0), e.add(e.load(e.member(one, 0)), e.load(e.member(k, 0))));
  e.store(e.member(one, 2), e.load(e.member(k, 2)));
  e.store(e.index(e.member(one, 2), d.u(1)), e.load(e.member(one, 1)));
  e.store(e.index(e.member(one, 3), d.u(2)), e.load(e.index(e.member(k, 3), e.emit(VD_OP_AND, d.lid(), d.u(1)))));
  const ValueId copy = d.named(e.var(e.load(one)), "copy");
  e.store(e.member(copy, 1), e.constant(kF32, 1));
  d.set(x, d.u(0), e.load(copy));
  e.store(e.index(x, d.u(1)), e.load(e.index(x, d.u(2)), VD_ACCESS_COHERENT), VD_ACCESS_COHERENT);
  return d.take();
}

Kernel wide() {
  Draft d;
  const ValueId x = d.buffer(kF32, "x"), y = d.buffer(kF32, "y"), s = d.shared(kF32, 256, "tile");
  Emitter& e = d.e;
  const ValueId i = e.mul(d.gid(), d.u(4));
  const auto align = [](uint32_t log2) { return uint64_t{log2 + 1} << 8; };
  const ValueId v = e.load(e.index(x, i), VD_ACCESS_X4 | align(4) | VD_ACCESS_STREAMING);
  e.store(e.index(y, i), e.mul(v, v), VD_ACCESS_X4 | align(4) | VD_ACCESS_STREAMING);
  const ValueId w = e.load(e.index(x, e.add(i, d.u(1))), VD_ACCESS_X2);
  e.store(e.index(y, e.add(i, d.u(1))), w, VD_ACCESS_X2);
  e.store(e.index(s, d.lid()), e.load(e.index(x, d.gid()), VD_ACCESS_COHERENT));
  e.emit(VD_OP_BARRIER, Type(), {});
  d.set(y, d.u(0), e.at(e.load(e.index(s, d.u(8)), VD_ACCESS_X4 | align(4)), 3));
  const ValueId as_complex = e.view(x, kC32);
  d.set(as_complex, d.gid(), e.add(d.get(as_complex, d.gid()), d.get(as_complex, d.u(0))));
  const ValueId as_bits = e.view(y, vec(Scalar::U32, 4));
  d.set(y, d.u(5), e.bitcast(kF32, e.at(d.get(as_bits, d.u(1)), 2)));
  return d.take();
}

Kernel shared_memory() {
  Draft d;
  const ValueId x = d.buffer(kF32, "x"), y = d.buffer(kF32, "y"), s = d.shared(kF32, 64, "tile"),
                t = d.shared(kF32x3, 8, "points");
  Emitter& e = d.e;
  d.set(s, d.lid(), d.get(x, d.gid()));
  e.emit(VD_OP_BARRIER, Type(), {});
  d.set(y, d.gid(), d.get(s, e.emit(VD_OP_XOR, d.lid(), d.u(1))));
  d.set(t, d.u(1), e.splat(kF32x3, d.get(s, d.u(0))));
  // The one barrier that has a write to a buffer before it and a read of one after.
  e.emit(VD_OP_BARRIER, Type(), {});
  d.set(y, d.u(0), e.add(d.get(x, d.u(3)), e.at(d.get(t, d.u(1)), 2)));
  e.emit(VD_OP_BARRIER, Type(), {});
  e.emit(VD_OP_FENCE, Type(), {}, VD_MEMORY_ACQUIRE_RELEASE | VD_MEMORY_DEVICE);
  e.emit(VD_OP_FENCE, Type(), {}, VD_MEMORY_ACQUIRE_RELEASE | VD_MEMORY_WORKGROUP | VD_MEMORY_SHARED);
  d.set(y, d.u(1), e.convert(kF32, e.builtin(VD_BUILTIN_LOCAL_INDEX)));
  return d.take();
}

Kernel atomics() {
  Draft d;
  const ValueId x = d.buffer(kU32, "x"), y = d.buffer(kI32, "y"), s = d.shared(kU32, 4, "counts");
  Emitter& e = d.e;
  const ValueId i = d.gid();
  const auto ref = [&](ValueId a) { return e.index(a, i); };
  for (const Op op : {VD_OP_ATOMIC_ADD, VD_OP_ATOMIC_SUB, VD_OP_ATOMIC_MIN, VD_OP_ATOMIC_MAX, VD_OP_ATOMIC_AND,
                      VD_OP_ATOMIC_OR, VD_OP_ATOMIC_XOR, VD_OP_ATOMIC_EXCHANGE}) {
    e.emit(op, Type(), {ref(x), d.u(3)});
    d.set(y, d.u(static_cast<uint32_t>(op)), e.emit(op, Type(), {ref(y), e.constant(kI32, -3)}));
    e.emit(op, Type(), {e.index(s, d.u(1)), d.u(5)});
  }
  d.set(x, d.u(0), e.emit(VD_OP_ATOMIC_CAS, Type(), {ref(x), d.u(1), d.u(2)}));
  const ValueId flag = e.emit(VD_OP_ATOMIC_LOAD, Type(), {ref(x)}, VD_MEMORY_ACQUIRE);
  e.emit(VD_OP_ATOMIC_STORE, Type(), {ref(x), e.add(flag, flag)}, VD_MEMORY_RELEASE | VD_MEMORY_STORAGE);
  return d.take();
}

// Numbers of 64 bits and floats, in places of every kind that may hold them.
Kernel wide_atomics() {
  Draft d;
  const Type item = d.kernel.types.structure("item", {{kU32, "n", 0}, {kF32x4, "v", 0}, {kF32, "x", 0}});
  const ValueId f = d.buffer(kF32, "f"), u = d.buffer(kU64, "u"), i = d.buffer(kI64, "i"), s = d.buffer(item, "s"),
                w = d.buffer(kF64, "w"), t = d.shared(kF32, 4, "t");
  Emitter& e = d.e;
  const ValueId n = d.gid();
  for (const Op op : {VD_OP_ATOMIC_ADD, VD_OP_ATOMIC_MIN, VD_OP_ATOMIC_MAX, VD_OP_ATOMIC_XOR, VD_OP_ATOMIC_EXCHANGE}) {
    e.emit(op, Type(), {e.index(u, n), e.constant(kU64, 3)});
    d.set(i, n, e.emit(op, Type(), {e.index(i, n), e.constant(kI64, -3)}));
    if (op == VD_OP_ATOMIC_XOR) continue;
    d.set(f, n, e.emit(op, Type(), {e.index(f, n), e.constant(kF32, 2)}));
    e.emit(op, Type(), {e.index(t, d.u(1)), e.constant(kF32, 2)});
    e.emit(op, Type(), {e.index(w, n), e.constant(kF64, 2)}, VD_MEMORY_ACQUIRE_RELEASE);
  }
  e.emit(VD_OP_ATOMIC_CAS, Type(), {e.index(u, n), e.constant(kU64, 1), e.constant(kU64, 2)});
  e.emit(VD_OP_ATOMIC_SUB, Type(),
         {e.index(e.member(e.index(s, n), 1), e.emit(VD_OP_AND, n, d.u(3))), e.constant(kF32, 2)});
  e.emit(VD_OP_ATOMIC_MAX, Type(), {e.member(e.index(s, n), 2), e.constant(kF32, 2)});
  return d.take();
}

Kernel subgroups() {
  Draft d;
  const ValueId x = d.buffer(kF32, "x"), u = d.buffer(kU32, "u"), v = d.buffer(kF32x2, "v");
  Emitter& e = d.e;
  const ValueId i = d.gid();
  const ValueId a = d.get(x, i), b = d.get(u, i);
  for (const Op op : {VD_OP_SUBGROUP_ADD, VD_OP_SUBGROUP_MUL, VD_OP_SUBGROUP_MIN, VD_OP_SUBGROUP_MAX}) {
    d.set(x, d.u(static_cast<uint32_t>(op)), e.emit(op, a));
    d.set(u, d.u(static_cast<uint32_t>(op)), e.emit(op, b));
  }
  for (const Op op : {VD_OP_SUBGROUP_AND, VD_OP_SUBGROUP_OR, VD_OP_SUBGROUP_XOR})
    d.set(u, d.u(static_cast<uint32_t>(op)), e.emit(op, b));
  d.set(v, i, e.emit(VD_OP_SUBGROUP_ADD, d.get(v, i)));
  for (const Op op :
       {VD_OP_SUBGROUP_SHUFFLE, VD_OP_SUBGROUP_SHUFFLE_XOR, VD_OP_SUBGROUP_SHUFFLE_UP, VD_OP_SUBGROUP_SHUFFLE_DOWN})
    d.set(x, d.u(static_cast<uint32_t>(op)), e.emit(op, a, d.u(1)));
  d.set(x, d.u(1), e.emit(VD_OP_SUBGROUP_BROADCAST_FIRST, a));
  d.set(x, d.u(2), e.emit(VD_OP_SUBGROUP_BROADCAST, a, d.u(3)));
  d.set(x, d.u(3), e.emit(VD_OP_SUBGROUP_BROADCAST, a, b));
  const ValueId positive = e.emit(VD_OP_GT, a, e.constant(kF32, 0));
  const ValueId ballot = e.emit(VD_OP_SUBGROUP_BALLOT, positive);
  d.set(u, d.u(3), e.add(e.at(ballot, 0), e.at(ballot, 3)));
  e.begin_if(e.emit(VD_OP_LAND, e.emit(VD_OP_SUBGROUP_ANY, positive), e.emit(VD_OP_SUBGROUP_ALL, positive)));
  d.set(u, d.u(0), e.builtin(VD_BUILTIN_SUBGROUP_SIZE));
  e.end();
  e.begin_if(e.emit(VD_OP_SUBGROUP_ELECT, Type(), {}));
  d.set(u, d.u(1), e.add(e.builtin(VD_BUILTIN_SUBGROUP_LANE), e.builtin(VD_BUILTIN_SUBGROUP_ID)));
  d.set(u, d.u(2), e.builtin(VD_BUILTIN_NUM_SUBGROUPS));
  e.end();
  e.emit(VD_OP_SUBGROUP_BARRIER, Type(), {});
  return d.take();
}

// Types of subgroup operations that a device may lack: integers of 8, 16 and 64 bits, and halves.
Kernel subgroup_types() {
  Draft d;
  d.kernel.attributes.workgroup_size = {64, 1, 1};
  Emitter& e = d.e;
  const ValueId i = d.lid(), odd = e.emit(VD_OP_EQ, e.emit(VD_OP_AND, i, d.u(1)), d.u(1));
  const auto gather = [&](ValueId buffer, std::initializer_list<Op> ops) {
    const ValueId x = d.get(buffer, i);
    ValueId all = x;
    const auto add = [&](ValueId v) { all = e.add(e.add(all, all), v); };
    for (const Op op : ops) add(e.emit(op, x));
    add(e.emit(VD_OP_SUBGROUP_SHUFFLE_XOR, x, d.u(1)));
    add(e.emit(VD_OP_SUBGROUP_BROADCAST_FIRST, x));
    d.set(buffer, i, all);
  };
  for (const Scalar s : {Scalar::I8, Scalar::U8, Scalar::I16, Scalar::U16, Scalar::I64, Scalar::U64})
    gather(d.buffer(Type(s), type_name(Type(s))),
           {VD_OP_SUBGROUP_ADD, VD_OP_SUBGROUP_MUL, VD_OP_SUBGROUP_MIN, VD_OP_SUBGROUP_MAX, VD_OP_SUBGROUP_AND,
            VD_OP_SUBGROUP_OR, VD_OP_SUBGROUP_XOR});
  // Sums of these would depend on their order.
  gather(d.buffer(Type(Scalar::F16), "f16"), {VD_OP_SUBGROUP_MIN, VD_OP_SUBGROUP_MAX});
  gather(d.buffer(Type::vector(Scalar::U64, 2), "u64x2"), {VD_OP_SUBGROUP_ADD});
  gather(d.buffer(Type::vector(Scalar::I8, 4), "i8x4"), {VD_OP_SUBGROUP_ADD});
  // Not all lanes take part.
  const ValueId some = d.buffer(Type(Scalar::I64), "some");
  e.begin_if(odd);
  gather(some, {VD_OP_SUBGROUP_ADD, VD_OP_SUBGROUP_MUL, VD_OP_SUBGROUP_MIN, VD_OP_SUBGROUP_MAX});
  e.end();
  return d.take();
}

// Indices of 64 bits: of buffers, shared arrays, variables and components, known and not.
Kernel wide_indices() {
  Draft d;
  d.kernel.attributes.workgroup_size = {4, 1, 1};
  Emitter& e = d.e;
  const ValueId x = d.buffer(kF32, "x"), v = d.buffer(Type::vector(Scalar::F32, 4), "v");
  const ValueId shared = d.shared(kF32, 4, "row");
  const Type u64(Scalar::U64), i64(Scalar::I64), four = d.kernel.types.array(kF32, 4);
  const ValueId i = e.convert(u64, d.lid()), n = e.convert(i64, d.lid());
  e.store(e.index(shared, i), d.get(x, e.add(i, e.bits(u64, 8))));
  e.emit(VD_OP_BARRIER, Type(), {});
  const ValueId a = d.named(e.var(e.zero(four)), "a");
  e.store(e.index(a, e.bits(u64, 2)), d.get(shared, n));
  e.store(e.index(e.index(v, n), i), d.get(a, e.bits(i64, 2)));
  d.set(x, e.bits(u64, 0), e.index(d.get(v, e.bits(i64, 9)), e.bits(u64, 3)));
  return d.take();
}

Kernel arrays() {
  Draft d;
  const ValueId x = d.buffer(kF32, "x");
  Emitter& e = d.e;
  const Type four = d.kernel.types.array(kF32, 4), grid = d.kernel.types.array(four, 2);
  const ValueId a = d.named(e.var(four), "a"), g = d.named(e.var(grid), "grid");
  const ValueId i = e.begin_for(d.u(0), d.u(4), d.u(1));
  e.store(e.index(a, i), d.get(x, i));
  e.store(e.index(e.index(g, d.u(1)), i), e.constant(kF32, 1));
  e.end();
  const ValueId b = d.named(
      e.var(e.construct(four, {d.get(x, d.u(0)), e.constant(kF32, 1), e.constant(kF32, 2), e.constant(kF32, 3)})), "b");
  const float values[] = {1, 2.5f, -3, 4};
  const ValueId table = e.bytes(four, std::as_bytes(std::span(values)));
  d.set(x, d.u(9), e.add(e.load(e.index(a, d.lid())), e.index(table, d.lid())));
  d.set(x, d.u(10), e.load(e.index(e.index(g, d.u(0)), d.lid())));
  d.set(x, d.u(11), e.load(e.index(b, d.u(2))));
  return d.take();
}

// Constants by a computed index, of types that languages make with a constructor.
Kernel tables() {
  Draft d;
  const ValueId z = d.buffer(kC32, "z"), h = d.buffer(vec(Scalar::F16, 2), "h"), x = d.buffer(kF32, "x");
  Emitter& e = d.e;
  const ValueId i = d.lid();
  const auto table = [&](Type element, uint32_t count, auto... values) {
    const std::array all{values...};
    return e.index(e.bytes(d.kernel.types.array(element, count), std::as_bytes(std::span(all))), i);
  };
  d.set(z, i, table(kC32, 3, 1.0f, 0.0f, 0.5f, -0.5f, 0.0f, -1.0f));
  d.set(h, i, table(vec(Scalar::F16, 2), 2, uint16_t{0x3c00}, uint16_t{0x4000}, uint16_t{0x4200}, uint16_t{0x4400}));
  const ValueId matrix = table(Type::matrix(Scalar::F32, 2, 2), 2, 1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f, 7.0f, 8.0f);
  d.set(x, i, e.index(e.index(matrix, d.u(1)), d.u(0)));
  return d.take();
}

// Structure rather than ops, in one kernel: views, wide accesses, asynchronous copies, a fixed workgroup size, shared
// arrays at offsets, ordered atomics, an unrolled loop.
Kernel slots() {
  Draft d;
  Emitter& e = d.e;
  d.kernel.attributes.workgroup_size = {32, 2, 1};
  d.kernel.attributes.min_workgroups = 2;
  const ValueId x = d.buffer(kF32, "x"), y = d.buffer(kF32, "y"), n = d.buffer(kU32, "n");
  const ValueId first = d.shared(kF32, 256, "first", 0), second = d.shared(kC32, 128, "second", 0),
                third = d.shared(kI32, 4, "third", 1024), wide = d.shared(kF64, 2, "wide", 1040);
  const ValueId local = e.builtin(VD_BUILTIN_LOCAL_INDEX);
  e.emit(VD_OP_ASYNC_COPY, Type(), {e.index(first, local), e.index(x, d.gid())}, 4);
  e.emit(VD_OP_ASYNC_COMMIT, Type(), {});
  e.emit(VD_OP_ASYNC_WAIT, Type(), {}, 0);
  e.emit(VD_OP_BARRIER, Type(), {});
  const ValueId sum = d.named(e.var(e.constant(kF32, 0)), "sum");
  const ValueId i = e.begin_for(d.u(0), d.u(4), d.u(1), VD_LOOP_FULL);
  e.store(sum, e.add(e.load(sum), d.get(first, i)));
  e.end();
  e.emit(VD_OP_BARRIER, Type(), {});
  d.set(second, local, e.construct(kC32, {e.load(sum), e.constant(kF32, 1)}));
  e.emit(VD_OP_BARRIER, Type(), {});
  const uint64_t aligned = VD_ACCESS_X4 | uint64_t{5} << 8;
  const ValueId bits = e.view(second, kF32);
  e.store(e.index(e.view(y, kF32), e.mul(local, d.u(4))), e.load(e.index(bits, e.mul(local, d.u(4))), aligned),
          aligned);
  e.emit(VD_OP_ATOMIC_MAX, Type(), {e.index(third, d.u(1)), e.constant(kI32, -4)}, VD_MEMORY_WORKGROUP);
  e.emit(VD_OP_ATOMIC_ADD, Type(), {e.index(n, d.u(0)), d.u(1)}, VD_MEMORY_ACQUIRE_RELEASE | VD_MEMORY_DEVICE);
  d.set(wide, d.u(1), e.constant(kF64, 2.5));
  d.set(y, d.u(1), e.convert(kF32, e.add(d.get(wide, d.u(1)), e.convert(kF64, d.get(third, d.u(1))))));
  return d.take();
}

Kernel launch_values() {
  Draft d;
  const ValueId x = d.buffer(kF32, "x"), k = d.value(kF32, "values"), v = d.value(kF32x3, "v"), w = d.value(kF64, "w"),
                h = d.value(kF32x4, "h");
  Emitter& e = d.e;
  const ValueId shape = e.emit(VD_OP_SHAPE, x);
  const ValueId i = d.gid();
  const ValueId inside = e.emit(VD_OP_LT, i, e.at(e.builtin(VD_BUILTIN_EXEC_SIZE), 0));
  e.begin_if(e.emit(VD_OP_LAND, inside, e.emit(VD_OP_LT, e.convert(kI32, i), e.at(shape, 3))));
  d.set(x, i, e.add(e.mul(e.load(k), e.load(e.index(v, d.u(2)))), e.at(e.mul(e.load(h), e.load(h)), 1)));
  e.end();
  d.set(x, d.u(0), e.convert(kF32, e.load(w)));
  return d.take();
}

// Names that are taken, reserved, empty or no identifiers, and comments that would break the source.
Kernel names() {
  Draft d;
  const ValueId x = d.buffer(kF32, "main"), y = d.buffer(kF32, ""), s = d.shared(kF32, 4, "gl_thing");
  Emitter& e = d.e;
  for (const char* name :
       {"float", "double", "var_thread_1", "x", "x", "t0", "2fast", "sm\xc3\xb6r", "threadIdx", "__kernel", ""}) {
    const ValueId v = d.named(e.var(e.constant(kF32, 1)), name);
    d.set(x, d.u(0), e.load(v));
  }
  d.set(s, d.u(0), d.get(y, d.u(0)));
  d.kernel.strings = {"first line\nends in \\",
                      "*/ ?"
                      "?/"};
  for (uint64_t i = 0; i < 2; ++i) e.emit(VD_OP_COMMENT, Type(), {e.leaf(kOpString, Type::string(), i)});
  const ValueId twice = e.add(d.get(x, d.u(0)), e.constant(kF32, 1));
  d.set(x, d.u(0), e.mul(twice, twice));
  return d.take();
}

Kernel prints() {
  Draft d;
  const ValueId x = d.buffer(kF32, "x");
  Emitter& e = d.e;
  d.kernel.strings = {"\"%d\" is 100%% of %f\\\n", "must be positive", "%lld|%-5llu|%hd|%lf%%\n"};
  d.kernel.locations.push_back({"user.py", "f", 3});
  const ValueId a = d.get(x, d.gid());
  e.emit(VD_OP_PRINTF, Type(), {e.leaf(kOpString, Type::string(), 0), e.convert(Type(Scalar::I16), a), a});
  const ValueId i64 = e.convert(Type(Scalar::I64), a);
  const ValueId u64 = e.convert(Type(Scalar::U64), a);
  e.emit(VD_OP_PRINTF, Type(), {e.leaf(kOpString, Type::string(), 2), i64, u64, e.convert(Type(Scalar::I16), a), a});
  e.location = 1;
  e.emit(VD_OP_ASSERT, Type(), {e.emit(VD_OP_GT, a, e.constant(kF32, 0)), e.leaf(kOpString, Type::string(), 1)});
  return d.take();
}

// A chain that would nest too deep in one expression, and one that would share too much.
Kernel chain() {
  Draft d;
  const ValueId x = d.buffer(kF32, "x");
  Emitter& e = d.e;
  ValueId v = d.get(x, d.gid());
  for (int i = 0; i < 40; ++i) v = e.div(e.constant(kF32, i + 2), e.add(v, e.constant(kF32, 1)));
  d.set(x, d.gid(), v);
  return d.take();
}

// ---- Images

// Each invocation's place, as signed or unsigned integers.
ValueId image_place(Draft& d, Type image, Scalar scalar) {
  const uint32_t n = image.coordinates();
  std::vector<ValueId> parts;
  for (uint32_t i = 0; i < n; ++i) parts.push_back(d.e.convert(Type(scalar), d.gid(i)));
  return n == 1 ? parts[0] : d.e.emit(VD_OP_CONSTRUCT, Type::vector(scalar, n), parts);
}
constexpr Type kImageShapes[] = {Type::image(Scalar::F32, 1, false), Type::image(Scalar::F32, 1, true),
                                 Type::image(Scalar::F32, 2, false), Type::image(Scalar::F32, 2, true),
                                 Type::image(Scalar::F32, 3, false)};

// Samples, loads and sizes of sampled images of every shape.
Kernel images_sampled() {
  Draft d;
  const ValueId out = d.buffer(Type::vector(Scalar::F32, 4), "out");
  const ValueId sizes = d.buffer(Type::vector(Scalar::I32, 4), "sizes");
  Emitter& e = d.e;
  uint32_t at = 0;
  for (const Type shape : kImageShapes) {
    const ValueId image = d.image(shape, at == 0 ? "size" : "image");  // a name of the functions' own
    const ValueId place = image_place(d, shape, Scalar::F32);
    const ValueId level = e.constant(kF32, 1.5);
    d.set(out, d.u(at++), e.emit(VD_OP_IMAGE_SAMPLE, image, place));
    d.set(out, d.u(at++), e.emit(VD_OP_IMAGE_SAMPLE, image, place, level));
    d.set(out, d.u(at++), e.emit(VD_OP_IMAGE_LOAD, image, image_place(d, shape, Scalar::I32)));
    d.set(out, d.u(at++), e.emit(VD_OP_IMAGE_LOAD, image, image_place(d, shape, Scalar::U32), d.u(1)));
    d.set(sizes, d.u(at++), e.emit(VD_OP_IMAGE_SIZE, image));
    d.set(sizes, d.u(at++), e.emit(VD_OP_IMAGE_SIZE, image, e.bits(kI32, 1)));
  }
  return d.take();
}

// Loads, stores and sizes of images of every shape.
Kernel images_stored() {
  Draft d;
  Emitter& e = d.e;
  constexpr vd_argument_access kBoth = VD_ARGUMENT_ACCESS_READ | VD_ARGUMENT_ACCESS_WRITE;
  for (const Type shape : kImageShapes) {
    const Type type = Type::image(Scalar::F32, shape.dimensions(), shape.is_layered(), kBoth, VD_FORMAT_R32_F32);
    const ValueId image = d.image(type, "image");
    const ValueId place = image_place(d, type, Scalar::U32);
    const ValueId texel = e.emit(VD_OP_IMAGE_LOAD, image, place);
    const ValueId size = e.convert(type.texel(), e.emit(VD_OP_IMAGE_SIZE, image));
    e.emit(VD_OP_IMAGE_STORE, Type(), {image, image_place(d, type, Scalar::I32), e.add(texel, size)});
  }
  return d.take();
}

// From an image of each format into another.
Kernel images_formats() {
  Draft d;
  Emitter& e = d.e;
  for (uint32_t number = 1; number < 128; ++number) {
    const TexelFormat* format = find_texel_format(static_cast<vd_format>(number));
    if (format == nullptr) continue;
    const Scalar channel = channel_type(*format).scalar();
    const auto image = [&](vd_argument_access access, const char* prefix) {
      return d.image(Type::image(channel, 2, false, access, format->format), std::string(prefix) + format->name);
    };
    const ValueId from = image(VD_ARGUMENT_ACCESS_READ, "from_"), to = image(VD_ARGUMENT_ACCESS_WRITE, "to_");
    const ValueId place = image_place(d, Type::image(channel, 2, false), Scalar::I32);
    e.emit(VD_OP_IMAGE_STORE, Type(), {to, place, e.emit(VD_OP_IMAGE_LOAD, from, place)});
  }
  return d.take();
}

// A load stays before the store that comes after it, and behind the barrier before it.
Kernel images_order() {
  Draft d;
  Emitter& e = d.e;
  constexpr vd_argument_access kBoth = VD_ARGUMENT_ACCESS_READ | VD_ARGUMENT_ACCESS_WRITE;
  const Type type = Type::image(Scalar::U32, 1, false, kBoth, VD_FORMAT_R32_U32);
  const ValueId image = d.image(type, "image");
  const ValueId out = d.buffer(Type::vector(Scalar::U32, 4), "out");
  const ValueId before = e.emit(VD_OP_IMAGE_LOAD, image, d.gid());
  e.emit(VD_OP_IMAGE_STORE, Type(), {image, d.gid(), e.add(before, before)});
  const ValueId between = e.emit(VD_OP_IMAGE_LOAD, image, d.lid());
  e.emit(VD_OP_BARRIER, Type(), {});
  const ValueId after = e.emit(VD_OP_IMAGE_LOAD, image, d.lid());
  e.emit(VD_OP_IMAGE_STORE, Type(), {image, d.u(3), e.zero(type.texel())});
  d.set(out, d.gid(), e.add(between, after));
  return d.take();
}

}  // namespace

const std::vector<Case>& image_cases() {
  static const std::vector<Case> cases = {{"images_formats", images_formats},
                                          {"images_order", images_order},
                                          {"images_sampled", images_sampled},
                                          {"images_stored", images_stored}};
  return cases;
}

const std::vector<Case>& kernel_cases() {
  static const std::vector<Case> cases = {{"arrays", arrays},
                                          {"atomics", atomics},
                                          {"limits", limits},
                                          {"wide_atomics", wide_atomics},
                                          {"chain", chain},
                                          {"complexes", complexes},
                                          {"components", components},
                                          {"control", control},
                                          {"doubles", doubles},
                                          {"floats", floats},
                                          {"halves", halves},
                                          {"integers", integers},
                                          {"integers16", integers16},
                                          {"integers64", integers64},
                                          {"integers8", integers8},
                                          {"launch_values", launch_values},
                                          {"math", math},
                                          {"matrices", matrices},
                                          {"names", names},
                                          {"native_math", native_math},
                                          {"order", order},
                                          {"precise", precise},
                                          {"prints", prints},
                                          {"scale", scale},
                                          {"shared_memory", shared_memory},
                                          {"slots", slots},
                                          {"structs", structs},
                                          {"subgroup_types", subgroup_types},
                                          {"subgroups", subgroups},
                                          {"tables", tables},
                                          {"vectors", vectors},
                                          {"wide", wide},
                                          {"wide_indices", wide_indices}};
  return cases;
}

}  // namespace vd::test
