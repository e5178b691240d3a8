// f16 in software, as IEEE 754 has it: round to nearest even, subnormals, infinities and NaN.
#pragma once

#include <bit>
#include <cstdint>

namespace vd::ir {

inline float half_to_float(uint16_t h) {
  const uint32_t sign = static_cast<uint32_t>(h & 0x8000u) << 16;
  const uint32_t exponent = h >> 10 & 0x1fu, mantissa = h & 0x3ffu;
  if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000u | mantissa << 13);
  if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
  const float value = static_cast<float>(mantissa) * 0x1p-24f;  // exact
  return sign != 0 ? -value : value;
}

// From double, so that one rounding serves f32 and f64 alike.
inline uint16_t double_to_half(double value) {
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  const auto sign = static_cast<uint16_t>(bits >> 48 & 0x8000u);
  const uint64_t magnitude = bits & 0x7fffffffffffffffu;
  if (magnitude > 0x7ff0000000000000u) return sign | 0x7e00u;   // NaN
  if (magnitude >= 0x40effe0000000000u) return sign | 0x7c00u;  // 65520 and above: infinity
  const int exponent = static_cast<int>(magnitude >> 52) - 1023;
  if (exponent < -25) return sign;
  const uint64_t mantissa = (magnitude & 0xfffffffffffffu) | 0x10000000000000u;
  // Bits below the last place of the result.
  const int shift = exponent < -14 ? 42 + (-14 - exponent) : 42;
  const uint64_t kept = mantissa >> shift, rest = mantissa & ((uint64_t{1} << shift) - 1),
                 half = uint64_t{1} << (shift - 1);
  uint64_t result = exponent < -14 ? kept : kept + (static_cast<uint64_t>(exponent + 14) << 10);
  if (rest > half || (rest == half && (result & 1) != 0)) ++result;
  return static_cast<uint16_t>(sign | result);
}

}  // namespace vd::ir
