// f16 by bit operations, so that loops over lanes become vector code on every machine. Rounding is to nearest even.
#pragma once

#include <bit>
#include <cstdint>

namespace vd::host {

// A loop over the lanes of a block, to become vector code: its iterations are independent, and it must not be unrolled
// before the vectoriser has seen it.
#if defined(__clang__)
#define VD_LANES(l, n) _Pragma("clang loop vectorize(enable)") for (uint32_t l = 0; l < (n); ++l)
#else
#define VD_LANES(l, n) _Pragma("GCC unroll 1") _Pragma("GCC ivdep") for (uint32_t l = 0; l < (n); ++l)
#endif

// All of these are inlined into code for several instruction sets, so none may stay behind as a function of its own.
#define VD_INLINE __attribute__((always_inline)) inline

// The f16 nearest to x, as a float.
VD_INLINE float round_to_half(float x) {
  const uint32_t bits = std::bit_cast<uint32_t>(x);
  const uint32_t sign = bits & 0x80000000u;
  const uint32_t magnitude = bits & 0x7fffffffu;
  // Below 2^-14 the steps are 2^-24, which is how floats step in 0.5..1.
  const float tiny = (std::bit_cast<float>(magnitude) + 0.5f) - 0.5f;
  uint32_t rounded = (magnitude + 0xfffu + (magnitude >> 13 & 1)) & ~0x1fffu;
  rounded = rounded > 0x477fe000u ? 0x7f800000u : rounded;  // above 65504
  uint32_t result = magnitude < 0x38800000u ? std::bit_cast<uint32_t>(tiny) : rounded;
  result = magnitude > 0x7f800000u ? (magnitude | 0x400000u) & ~0x1fffu : result;  // NaN
  return std::bit_cast<float>(result | sign);
}

// The same from a double: through a float rounded to odd, which keeps the bits that the second rounding needs.
VD_INLINE float round_to_half(double x) {
  const float near = static_cast<float>(x);
  uint32_t bits = std::bit_cast<uint32_t>(near);
  const double back = near;
  const bool inexact = back != x && x == x;
  const double abs_back = back < 0 ? -back : back;
  const double abs_x = x < 0 ? -x : x;
  bits -= inexact && abs_back > abs_x ? 1u : 0u;
  bits |= inexact ? 1u : 0u;
  return round_to_half(std::bit_cast<float>(bits));
}

// x must be a value of f16.
VD_INLINE uint16_t half_bits(float x) {
  const uint32_t bits = std::bit_cast<uint32_t>(x);
  const uint32_t magnitude = bits & 0x7fffffffu;
  const float small = std::bit_cast<float>(magnitude) * 0x1p-112f;
  const uint32_t finite = std::bit_cast<uint32_t>(small) >> 13;
  const uint32_t special = 0x7c00u | (magnitude >> 13 & 0x3ffu);
  return static_cast<uint16_t>((magnitude >= 0x7f800000u ? special : finite) | (bits >> 16 & 0x8000u));
}

VD_INLINE float half_value(uint16_t h) {
  const uint32_t magnitude = static_cast<uint32_t>(h & 0x7fffu) << 13;
  const float scaled = std::bit_cast<float>(magnitude) * 0x1p112f;
  const uint32_t finite = std::bit_cast<uint32_t>(scaled);
  const uint32_t bits = (h & 0x7c00u) == 0x7c00u ? magnitude | 0x7f800000u : finite;
  return std::bit_cast<float>(bits | static_cast<uint32_t>(h & 0x8000u) << 16);
}

}  // namespace vd::host
