#include "reference.h"

#include <cstdio>
#include <cstdlib>

namespace vdc {

namespace {

[[noreturn]] void unknown(vd_op op) {
  std::fprintf(stderr, "reference: op %d is not known here\n", static_cast<int>(op));
  std::abort();
}

// Calls f with a value of the scalar's C++ type; bool goes as uint32_t.
template <class F>
auto with_type(vd_type type, F&& f) {
  switch (type) {
    case VD_TYPE_I8:
      return f(int8_t{});
    case VD_TYPE_I16:
      return f(int16_t{});
    case VD_TYPE_I32:
      return f(int32_t{});
    case VD_TYPE_I64:
      return f(int64_t{});
    case VD_TYPE_U8:
      return f(uint8_t{});
    case VD_TYPE_U16:
      return f(uint16_t{});
    case VD_TYPE_U64:
      return f(uint64_t{});
    case VD_TYPE_F16:
      return f(Half{});
    case VD_TYPE_F32:
      return f(float{});
    case VD_TYPE_F64:
      return f(double{});
    default:
      return f(uint32_t{});
  }
}

Number boolean(bool value) { return {VD_TYPE_BOOL, value}; }

template <class T>
void note(Open& open, T value) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, float>) open.denormal |= is_denormal(value);
}

// Each of these is rounded once: what two halves or floats make is exact in double, or so close that rounding it again
// changes nothing.
template <class T>
T float_op(vd_op op, T x, T y, T z, Open& open) {
  const double a = to_double(x), b = to_double(y);
  switch (op) {
    case VD_OP_ADD:
      return from_double<T>(a + b);
    case VD_OP_SUB:
      return from_double<T>(a - b);
    case VD_OP_MUL:
      return from_double<T>(a * b);
    case VD_OP_DIV:
      return from_double<T>(a / b);
    case VD_OP_SQRT:
      return from_double<T>(std::sqrt(a));
    case VD_OP_FMA:
      if constexpr (std::is_same_v<T, Half>)
        unknown(op);
      else
        return std::fma(x, y, z);
    case VD_OP_NEG:
      return from_double<T>(-a);
    case VD_OP_ABS:
      return from_double<T>(std::fabs(a));
    case VD_OP_SIGN:
      return from_double<T>(a > 0 ? 1.0 : a < 0 ? -1.0 : 0.0);
    case VD_OP_MIN:
    case VD_OP_MAX:
      open.value |= a == 0 && b == 0 && std::signbit(a) != std::signbit(b);
      if (std::isnan(a)) return y;
      if (std::isnan(b)) return x;
      return (op == VD_OP_MIN) == (b < a) ? y : x;
    case VD_OP_FLOOR:
      return from_double<T>(std::floor(a));
    case VD_OP_CEIL:
      return from_double<T>(std::ceil(a));
    case VD_OP_TRUNC:
      return from_double<T>(std::trunc(a));
    case VD_OP_ROUND_EVEN:
      return from_double<T>(std::nearbyint(a));
    default:
      unknown(op);
  }
}

bool is_comparison(vd_op op) {
  for (const vd_op one : {VD_OP_EQ, VD_OP_NE, VD_OP_LT, VD_OP_LE, VD_OP_GT, VD_OP_GE})
    if (op == one) return true;
  return false;
}

bool compare(vd_op op, auto a, auto b) {
  switch (op) {
    case VD_OP_EQ:
      return a == b;
    case VD_OP_NE:
      return a != b;
    case VD_OP_LT:
      return a < b;
    case VD_OP_LE:
      return a <= b;
    case VD_OP_GT:
      return a > b;
    default:
      return a >= b;
  }
}

// Truncates and saturates; NaN gives 0.
template <class T>
T truncated(double x) {
  using L = std::numeric_limits<T>;
  if (std::isnan(x)) return 0;
  if (x <= static_cast<double>(L::min())) return L::min();
  if (x >= std::ldexp(1.0, L::digits)) return L::max();
  return static_cast<T>(x);
}

template <class From>
Number convert(From from, Number n, vd_type type) {
  if (type == VD_TYPE_BOOL) {
    if constexpr (kFloat<From>)
      return boolean(to_double(from) != 0);
    else
      return boolean(n.bits != 0);
  }
  return with_type(type, [&](auto sample) {
    using To = decltype(sample);
    if constexpr (kFloat<To> && kFloat<From>)
      return number_of(from_double<To>(to_double(from)));
    else if constexpr (std::is_same_v<To, Half>)
      return number_of(double_to_half(to_double(from)));  // what does not fit a double is far past a half
    else if constexpr (kFloat<From> && !kFloat<To>)
      return number_of(truncated<To>(to_double(from)));
    else
      return number_of(static_cast<To>(from));
  });
}

template <class T>
Number apply(vd_op op, vd_type type, std::span<const Number> x, Open& open) {
  const T a = value_of<T>(x[0]), b = x.size() > 1 ? value_of<T>(x[1]) : a, c = x.size() > 2 ? value_of<T>(x[2]) : b;
  if constexpr (kFloat<T>)
    for (const T& value : {a, b, c}) note(open, value);
  if (is_comparison(op)) {
    if constexpr (kFloat<T>)
      return boolean(compare(op, to_double(a), to_double(b)));
    else
      return boolean(compare(op, a, b));
  }
  if (op == VD_OP_CONVERT) return convert(a, x[0], type);
  if (op == VD_OP_BITCAST) {
    if constexpr (kFloat<T>) open.value |= std::isnan(to_double(a)) || to_double(a) == 0;
    return {type, x[0].bits};
  }
  if constexpr (kFloat<T>) {
    if (op == VD_OP_ISNAN) return boolean(std::isnan(to_double(a)));
    if (op == VD_OP_ISINF) return boolean(std::isinf(to_double(a)));
    if (op == VD_OP_CLAMP) return number_of(float_op(VD_OP_MIN, float_op(VD_OP_MAX, a, b, c, open), c, c, open));
    return number_of(float_op(op, a, b, c, open));
  } else {
    return number_of(integer_op(op, a, b, c));
  }
}

}  // namespace

uint32_t bits_of(vd_type scalar) {
  return with_type(scalar, [](auto sample) { return static_cast<uint32_t>(sizeof sample * 8); });
}
bool is_float(vd_type scalar) { return scalar >= VD_TYPE_F16 && scalar <= VD_TYPE_F64; }
bool is_integer(vd_type scalar) { return scalar >= VD_TYPE_I8 && scalar <= VD_TYPE_U64; }
bool is_signed(vd_type scalar) { return scalar >= VD_TYPE_I8 && scalar <= VD_TYPE_I64; }

bool is_nan(Number n) {
  return with_type(n.type, [&](auto sample) {
    if constexpr (kFloat<decltype(sample)>)
      return std::isnan(to_double(value_of<decltype(sample)>(n)));
    else
      return false;
  });
}

bool is_zero(Number n) {
  return with_type(n.type, [&](auto sample) { return to_double(value_of<decltype(sample)>(n)) == 0; });
}

std::string show(Number n) {
  return with_type(n.type, [&](auto sample) { return show(value_of<decltype(sample)>(n)); });
}

template <class T>
T integer_op(vd_op op, T a, T b, T c) {
  using U = std::make_unsigned_t<T>;
  constexpr int width = sizeof(T) * 8;
  constexpr T lowest = std::numeric_limits<T>::min();
  const bool overflows = std::is_signed_v<T> && a == lowest && b == static_cast<T>(-1);
  const T quotient = b == 0 ? a : overflows ? lowest : static_cast<T>(a / b);
  const T remainder = b == 0 || overflows ? T{0} : static_cast<T>(a % b);
  const bool adjust = remainder != 0 && (remainder < 0) != (b < 0);
  switch (op) {
    case VD_OP_ADD:
      return static_cast<T>(U(a) + U(b));
    case VD_OP_SUB:
      return static_cast<T>(U(a) - U(b));
    case VD_OP_MUL:
      return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
    case VD_OP_DIV:
      return quotient;
    case VD_OP_REM:
      return remainder;
    case VD_OP_FLOORDIV:
      return adjust ? static_cast<T>(quotient - 1) : quotient;
    case VD_OP_FLOORMOD:
      return adjust ? static_cast<T>(remainder + b) : remainder;
    case VD_OP_NEG:
      return static_cast<T>(U(0) - U(a));
    case VD_OP_ABS:
      return a < 0 ? static_cast<T>(U(0) - U(a)) : a;
    case VD_OP_SIGN:
      return static_cast<T>((a > 0) - (a < 0));
    case VD_OP_MIN:
      return b < a ? b : a;
    case VD_OP_MAX:
      return a < b ? b : a;
    case VD_OP_CLAMP:
      return integer_op(VD_OP_MIN, integer_op(VD_OP_MAX, a, b, b), c, c);
    case VD_OP_AND:
      return static_cast<T>(a & b);
    case VD_OP_OR:
      return static_cast<T>(a | b);
    case VD_OP_XOR:
      return static_cast<T>(a ^ b);
    case VD_OP_NOT:
      return static_cast<T>(~a);
    case VD_OP_SHL:  // counts are taken modulo the width
      return static_cast<T>(static_cast<U>(a) << (U(b) % width));
    case VD_OP_SHR:
      return static_cast<T>(a >> (U(b) % width));
    case VD_OP_POPCOUNT:
      return static_cast<T>(std::popcount(U(a)));
    case VD_OP_CLZ:
      return static_cast<T>(std::countl_zero(U(a)));
    case VD_OP_CTZ:
      return static_cast<T>(std::countr_zero(U(a)));
    case VD_OP_BITREVERSE: {
      U reversed = 0;
      for (int i = 0; i < width; ++i)
        if (U(a) >> i & 1) reversed = static_cast<U>(reversed | U(1) << (width - 1 - i));
      return static_cast<T>(reversed);
    }
    default:
      unknown(op);
  }
}
template int8_t integer_op(vd_op, int8_t, int8_t, int8_t);
template int16_t integer_op(vd_op, int16_t, int16_t, int16_t);
template int32_t integer_op(vd_op, int32_t, int32_t, int32_t);
template int64_t integer_op(vd_op, int64_t, int64_t, int64_t);
template uint8_t integer_op(vd_op, uint8_t, uint8_t, uint8_t);
template uint16_t integer_op(vd_op, uint16_t, uint16_t, uint16_t);
template uint32_t integer_op(vd_op, uint32_t, uint32_t, uint32_t);
template uint64_t integer_op(vd_op, uint64_t, uint64_t, uint64_t);

Number evaluate(vd_op op, vd_type type, std::span<const Number> operands, Open& open) {
  if (op == VD_OP_SELECT) return operands[operands[0].bits ? 1 : 2];
  if (op == VD_OP_LAND) return boolean(operands[0].bits && operands[1].bits);
  if (op == VD_OP_LOR) return boolean(operands[0].bits || operands[1].bits);
  if (op == VD_OP_LNOT) return boolean(!operands[0].bits);
  const Number result =
      with_type(operands[0].type, [&](auto sample) { return apply<decltype(sample)>(op, type, operands, open); });
  with_type(result.type, [&](auto sample) { note(open, value_of<decltype(sample)>(result)); });
  return result;
}

}  // namespace vdc
