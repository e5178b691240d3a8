#include "ir/evaluate.h"

#include <bit>
#include <cmath>
#include <limits>

#include "ir/half.h"
#include "ir/type_rules.h"

namespace vd::ir {
namespace {

uint64_t mask_of(Scalar s) {
  const uint32_t bits = scalar_bits(s);
  return bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
}

bool is_signed(Scalar s) { return Type(s).is_signed(); }

uint64_t reverse_bits(uint64_t value, uint32_t bits) {
  uint64_t result = 0;
  for (uint32_t i = 0; i < bits; ++i) result |= (value >> i & 1) << (bits - 1 - i);
  return result;
}

// Division as the docs define it: x / 0 is x, and the least integer by -1 is itself. The remainder fits.
struct Division {
  int64_t quotient, remainder;
};
Division divide_signed(int64_t a, int64_t b) {
  if (b == 0) return {a, 0};
  if (b == -1) return {static_cast<int64_t>(uint64_t{0} - static_cast<uint64_t>(a)), 0};
  return {a / b, a % b};
}
Division floor_signed(int64_t a, int64_t b) {
  Division d = divide_signed(a, b);
  if (d.remainder != 0 && (d.remainder < 0) != (b < 0)) {
    d.quotient -= 1;
    d.remainder += b;
  }
  return d;
}

bool evaluate_integer(Op op, Scalar s, std::span<const uint64_t> args, uint64_t& result) {
  const uint32_t bits = scalar_bits(s);
  const uint64_t mask = mask_of(s);
  const bool sign = is_signed(s);
  const uint64_t a = args[0] & mask, b = args.size() > 1 ? args[1] & mask : 0;
  const int64_t sa = extend(s, a), sb = extend(s, b);
  const auto less = [&](uint64_t x, uint64_t y) { return sign ? extend(s, x) < extend(s, y) : x < y; };
  if (op == kOpMulHigh) {
    result = a * b >> 32;
    return true;
  }
  switch (op) {
    case VD_OP_ADD:
      result = a + b;
      break;
    case VD_OP_SUB:
      result = a - b;
      break;
    case VD_OP_MUL:
      result = a * b;
      break;
    case VD_OP_DIV:
      result = sign ? static_cast<uint64_t>(divide_signed(sa, sb).quotient) : (b == 0 ? a : a / b);
      break;
    case VD_OP_REM:
      result = sign ? static_cast<uint64_t>(divide_signed(sa, sb).remainder) : (b == 0 ? 0 : a % b);
      break;
    case VD_OP_FLOORDIV:
      result = sign ? static_cast<uint64_t>(floor_signed(sa, sb).quotient) : (b == 0 ? a : a / b);
      break;
    case VD_OP_FLOORMOD:
      result = sign ? static_cast<uint64_t>(floor_signed(sa, sb).remainder) : (b == 0 ? 0 : a % b);
      break;
    case VD_OP_NEG:
      result = uint64_t{0} - a;
      break;
    case VD_OP_ABS:
      result = sign && sa < 0 ? uint64_t{0} - a : a;
      break;
    case VD_OP_SIGN:
      result = sign ? static_cast<uint64_t>((sa > 0) - (sa < 0)) : a != 0;
      break;
    case VD_OP_MIN:
      result = less(b, a) ? b : a;
      break;
    case VD_OP_MAX:
      result = less(a, b) ? b : a;
      break;
    case VD_OP_CLAMP: {
      const uint64_t high = args[2] & mask, low = less(a, b) ? b : a;
      result = less(high, low) ? high : low;
      break;
    }
    case VD_OP_AND:
      result = a & b;
      break;
    case VD_OP_OR:
      result = a | b;
      break;
    case VD_OP_XOR:
      result = a ^ b;
      break;
    case VD_OP_NOT:
      result = ~a;
      break;
    case VD_OP_SHL:
      result = a << (args[1] & (bits - 1));
      break;
    case VD_OP_SHR:
      result = sign ? static_cast<uint64_t>(sa >> (args[1] & (bits - 1))) : a >> (args[1] & (bits - 1));
      break;
    case VD_OP_POPCOUNT:
      result = static_cast<uint64_t>(std::popcount(a));
      break;
    case VD_OP_CLZ:
      result = static_cast<uint64_t>(std::countl_zero(a)) - (64 - bits);
      break;
    case VD_OP_CTZ:
      result = a == 0 ? bits : static_cast<uint64_t>(std::countr_zero(a));
      break;
    case VD_OP_BITREVERSE:
      result = reverse_bits(a, bits);
      break;
    case VD_OP_EQ:
      result = a == b;
      return true;
    case VD_OP_NE:
      result = a != b;
      return true;
    case VD_OP_LT:
      result = less(a, b);
      return true;
    case VD_OP_LE:
      result = !less(b, a);
      return true;
    case VD_OP_GT:
      result = less(b, a);
      return true;
    case VD_OP_GE:
      result = !less(a, b);
      return true;
    default:
      return false;
  }
  result &= mask;
  return true;
}

bool evaluate_bool(Op op, std::span<const uint64_t> args, uint64_t& result) {
  const bool a = args[0] != 0, b = args.size() > 1 && args[1] != 0;
  switch (op) {
    case VD_OP_EQ:
      result = a == b;
      return true;
    case VD_OP_NE:
      result = a != b;
      return true;
    case VD_OP_LAND:
      result = a && b;
      return true;
    case VD_OP_LOR:
      result = a || b;
      return true;
    case VD_OP_LNOT:
      result = !a;
      return true;
    default:
      return false;
  }
}

// T is the type to compute in: its own for f32 and f64, float for f16, whose single operations then round correctly.
template <class T>
bool evaluate_float(Op op, Scalar s, std::span<const uint64_t> args, uint64_t& result) {
  T x[3] = {};
  for (size_t i = 0; i < args.size() && i < 3; ++i) x[i] = static_cast<T>(float_value(s, args[i]));
  const T a = x[0], b = x[1], c = x[2];
  T value = 0;
  switch (op) {
    case VD_OP_ADD:
      value = a + b;
      break;
    case VD_OP_SUB:
      value = a - b;
      break;
    case VD_OP_MUL:
      value = a * b;
      break;
    case VD_OP_DIV:
      value = a / b;
      break;
    case VD_OP_NEG:
      result = args[0] ^ (uint64_t{1} << (scalar_bits(s) - 1));
      return true;
    case VD_OP_ABS:
      result = args[0] & ~(uint64_t{1} << (scalar_bits(s) - 1));
      return true;
    case VD_OP_SIGN:
      value = static_cast<T>((a > 0) - (a < 0));
      break;
    case VD_OP_MIN:
      value = std::fmin(a, b);
      break;
    case VD_OP_MAX:
      value = std::fmax(a, b);
      break;
    case VD_OP_CLAMP:
      value = std::fmin(std::fmax(a, b), c);
      break;
    case VD_OP_FMA:
      if (s == Scalar::F16) {
        result = float_bits(s, std::fma(static_cast<double>(a), static_cast<double>(b), static_cast<double>(c)));
        return true;
      }
      value = std::fma(a, b, c);
      break;
    case VD_OP_FLOOR:
      value = std::floor(a);
      break;
    case VD_OP_CEIL:
      value = std::ceil(a);
      break;
    case VD_OP_TRUNC:
      value = std::trunc(a);
      break;
    case VD_OP_ROUND_EVEN:
      value = std::nearbyint(a);
      break;
    case VD_OP_FRACT:
      value = a - std::floor(a);
      break;
    case VD_OP_STEP:
      value = b < a ? T(0) : T(1);
      break;
    case VD_OP_SQRT:
      value = std::sqrt(a);
      break;
    case VD_OP_EQ:
      result = a == b;
      return true;
    case VD_OP_NE:
      result = a != b;
      return true;
    case VD_OP_LT:
      result = a < b;
      return true;
    case VD_OP_LE:
      result = a <= b;
      return true;
    case VD_OP_GT:
      result = a > b;
      return true;
    case VD_OP_GE:
      result = a >= b;
      return true;
    case VD_OP_ISNAN:
      result = std::isnan(a);
      return true;
    case VD_OP_ISINF:
      result = std::isinf(a);
      return true;
    default:
      return false;
  }
  result = float_bits(s, static_cast<double>(value));
  return true;
}

uint64_t convert(Scalar from, Scalar to, uint64_t bits) {
  const Type f(from), t(to);
  if (f.is_bool()) bits = bits != 0;
  if (f.is_float()) {
    const double value = float_value(from, bits);
    if (t.is_bool()) return value != 0;
    if (t.is_float()) return float_bits(to, value);
    if (std::isnan(value)) return 0;
    // The limits are powers of two, exact as doubles.
    const int width = static_cast<int>(scalar_bits(to)) - (t.is_signed() ? 1 : 0);
    const double above = std::ldexp(1.0, width), below = t.is_signed() ? -above : 0;
    if (value >= above) return t.is_signed() ? mask_of(to) >> 1 : mask_of(to);
    if (value <= below) return t.is_signed() ? uint64_t{1} << width : 0;
    const double whole = std::trunc(value);
    return (t.is_signed() ? static_cast<uint64_t>(static_cast<int64_t>(whole)) : static_cast<uint64_t>(whole)) &
           mask_of(to);
  }
  const int64_t wide = extend(from, bits);
  if (t.is_bool()) return wide != 0;
  if (t.is_integer()) return static_cast<uint64_t>(wide) & mask_of(to);
  // One rounding from 64 bits: directly to the wanted float. f16 overflows beyond 2^16, where double is exact enough,
  // and double is exact below.
  if (to == Scalar::F32) {
    return std::bit_cast<uint32_t>(f.is_unsigned() ? static_cast<float>(static_cast<uint64_t>(wide))
                                                   : static_cast<float>(wide));
  }
  return float_bits(to, f.is_unsigned() ? static_cast<double>(static_cast<uint64_t>(wide)) : static_cast<double>(wide));
}

}  // namespace

int64_t extend(Scalar s, uint64_t bits) {
  bits &= mask_of(s);
  if (!is_signed(s)) return static_cast<int64_t>(bits);
  const uint32_t shift = 64 - scalar_bits(s);
  return static_cast<int64_t>(bits << shift) >> shift;
}

double float_value(Scalar s, uint64_t bits) {
  if (s == Scalar::F64) return std::bit_cast<double>(bits);
  if (s == Scalar::F32) return static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  return static_cast<double>(half_to_float(static_cast<uint16_t>(bits)));
}

uint64_t float_bits(Scalar s, double value) {
  if (s == Scalar::F64) return std::bit_cast<uint64_t>(value);
  if (s == Scalar::F32) return std::bit_cast<uint32_t>(static_cast<float>(value));
  return double_to_half(value);
}

bool evaluate(Op op, Scalar from, Scalar to, std::span<const uint64_t> args, uint64_t& result) {
  if (op == kOpWidenHalf) op = VD_OP_CONVERT;
  if (op == VD_OP_CONVERT) {
    result = convert(from, to, args[0]);
    return true;
  }
  if (op == VD_OP_SELECT) {
    result = args[0] != 0 ? args[1] : args[2];
    return true;
  }
  switch (from) {
    case Scalar::None:
      return false;
    case Scalar::Bool:
      return evaluate_bool(op, args, result);
    case Scalar::F16:
    case Scalar::F32:
      return evaluate_float<float>(op, from, args, result);
    case Scalar::F64:
      return evaluate_float<double>(op, from, args, result);
    default:
      return evaluate_integer(op, from, args, result);
  }
}

}  // namespace vd::ir
