// Scalars of the kernel language on the test's side: storage, conversion of halves, distance in ULP, samples.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "vkdispatch.h"

namespace vdc {

// f16 as its bits.
struct Half {
  uint16_t bits = 0;
};

inline double half_to_double(Half h) {
  const int exponent = h.bits >> 10 & 31, mantissa = h.bits & 1023;
  const double sign = h.bits & 0x8000 ? -1.0 : 1.0;
  if (exponent == 31)
    return mantissa ? std::numeric_limits<double>::quiet_NaN() : sign * std::numeric_limits<double>::infinity();
  return exponent == 0 ? sign * std::ldexp(mantissa, -24) : sign * std::ldexp(mantissa + 1024, exponent - 25);
}

// Round to nearest, ties to even.
inline Half double_to_half(double x) {
  const uint16_t sign = std::signbit(x) ? 0x8000 : 0;
  if (std::isnan(x)) return {static_cast<uint16_t>(sign | 0x7e00)};
  const double a = std::fabs(x);
  if (a >= 65520.0) return {static_cast<uint16_t>(sign | 0x7c00)};
  int exponent = 0;
  std::frexp(a, &exponent);                        // a = m * 2^exponent, m in [0.5, 1)
  const int scale = std::max(exponent - 11, -24);  // weight of the last bit
  const auto units = static_cast<uint32_t>(std::nearbyint(std::ldexp(a, -scale)));
  if (units == 0) return {sign};
  // A carry out of the mantissa falls into the exponent by itself.
  if (scale == -24) return {static_cast<uint16_t>(sign | units)};
  return {static_cast<uint16_t>(sign | ((static_cast<uint32_t>(scale + 25) << 10) + (units - 1024)))};
}

template <class T>
struct Traits;
#define VDC_TRAITS(T, NAME, TYPE, FEATURES)        \
  template <>                                      \
  struct Traits<T> {                               \
    static constexpr const char* name = NAME;      \
    static constexpr vd_type type = TYPE;          \
    static constexpr uint64_t features = FEATURES; \
  }
VDC_TRAITS(int8_t, "i8", VD_TYPE_I8, VD_FEATURE_I8 | VD_FEATURE_STORAGE_8);
VDC_TRAITS(int16_t, "i16", VD_TYPE_I16, VD_FEATURE_I16 | VD_FEATURE_STORAGE_16);
VDC_TRAITS(int32_t, "i32", VD_TYPE_I32, 0);
VDC_TRAITS(int64_t, "i64", VD_TYPE_I64, VD_FEATURE_I64);
VDC_TRAITS(uint8_t, "u8", VD_TYPE_U8, VD_FEATURE_I8 | VD_FEATURE_STORAGE_8);
VDC_TRAITS(uint16_t, "u16", VD_TYPE_U16, VD_FEATURE_I16 | VD_FEATURE_STORAGE_16);
VDC_TRAITS(uint32_t, "u32", VD_TYPE_U32, 0);
VDC_TRAITS(uint64_t, "u64", VD_TYPE_U64, VD_FEATURE_I64);
VDC_TRAITS(Half, "f16", VD_TYPE_F16, VD_FEATURE_F16 | VD_FEATURE_STORAGE_16);
VDC_TRAITS(float, "f32", VD_TYPE_F32, 0);
VDC_TRAITS(double, "f64", VD_TYPE_F64, VD_FEATURE_F64);
#undef VDC_TRAITS

template <class T>
inline constexpr bool kFloat = std::is_same_v<T, Half> || std::is_floating_point_v<T>;

// Exact in double for every type but 64-bit integers, which no caller gives.
template <class T>
double to_double(T x) {
  if constexpr (std::is_same_v<T, Half>)
    return half_to_double(x);
  else
    return static_cast<double>(x);
}
template <class T>
T from_double(double x) {
  if constexpr (std::is_same_v<T, Half>)
    return double_to_half(x);
  else
    return static_cast<T>(x);
}

template <class T>
struct FloatShape;
template <>
struct FloatShape<Half> {
  static constexpr int digits = 11, min_exponent = -13, max_exponent = 16;
};
template <>
struct FloatShape<float> {
  static constexpr int digits = 24, min_exponent = -125, max_exponent = 128;
};
template <>
struct FloatShape<double> {
  static constexpr int digits = 53, min_exponent = -1021, max_exponent = 1024;
};

// Distance of `got` from the exact value in units of its last place in T. Zero where both are NaN, or the same
// infinity. A result flushed to zero, or a denormal, counts as zero ULP away from a denormal truth: devices may flush.
template <class T>
double ulp_distance(T got_value, long double exact) {
  using S = FloatShape<T>;
  const double got = to_double(got_value);
  if (std::isnan(exact)) return std::isnan(got) ? 0 : 1e30;
  if (std::isnan(got)) return 1e30;
  const long double limit = std::ldexp(2.0L - std::ldexp(1.0L, 1 - S::digits), S::max_exponent - 1);
  const long double half_step = std::ldexp(1.0L, S::max_exponent - 1 - S::digits);
  if (std::isinf(got)) {
    if (std::isinf(exact) || std::fabs(exact) >= limit + half_step)
      return std::signbit(got) == std::signbit(exact) ? 0 : 1e30;
    if (std::signbit(got) != std::signbit(exact)) return 1e30;
    return static_cast<double>((limit + 2 * half_step - std::fabs(exact)) /
                               (2 * half_step));  // infinity as the next value
  }
  if (std::isinf(exact)) return 1e30;
  const long double smallest = std::ldexp(1.0L, S::min_exponent - 1);
  if (std::fabs(exact) < smallest && std::fabs(got) <= smallest) return 0;
  int exponent = S::min_exponent;
  if (exact != 0) std::frexp(exact, &exponent);
  exponent = std::max(exponent, S::min_exponent);
  return static_cast<double>(std::fabs(static_cast<long double>(got) - exact) / std::ldexp(1.0L, exponent - S::digits));
}

template <class T>
bool is_denormal(T x) {
  const double a = std::fabs(to_double(x));
  return a != 0 && a < std::ldexp(1.0, FloatShape<T>::min_exponent - 1);
}

// Special values first, then random ones over all magnitudes. No denormals: devices may flush them.
template <class T>
std::vector<T> samples(std::mt19937_64& random, size_t count) {
  std::vector<T> values;
  if constexpr (kFloat<T>) {
    const double max = std::ldexp(2.0 - std::ldexp(1.0, 1 - FloatShape<T>::digits), FloatShape<T>::max_exponent - 1);
    for (double x : {0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.0, 0.1, 1000.25, max, -max,
                     std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
                     std::numeric_limits<double>::quiet_NaN()})
      values.push_back(from_double<T>(x));
    std::uniform_real_distribution<double> mantissa(1, 2), small(-10, 10);
    std::uniform_int_distribution<int> exponent(FloatShape<T>::min_exponent, FloatShape<T>::max_exponent - 1);
    while (values.size() < count) {
      const bool wide = random() & 1;
      const double x = wide ? std::ldexp(mantissa(random), exponent(random)) * (random() & 1 ? 1 : -1) : small(random);
      T value = from_double<T>(x);
      if (!is_denormal(value)) values.push_back(value);
    }
  } else {
    using L = std::numeric_limits<T>;
    for (T x : {T(0), T(1), T(2), T(3), T(-1), T(-2), T(7), L::max(), L::min(), T(L::max() - 1), T(L::min() + 1),
                T(L::max() / 2)})
      values.push_back(x);
    while (values.size() < count) {
      const auto bits = random();
      values.push_back(static_cast<T>(static_cast<T>(bits >> 8) >> ((bits & 0xff) % (sizeof(T) * 8))));
    }
  }
  values.resize(count);
  return values;
}

template <class T>
std::string show(T x) {
  if constexpr (kFloat<T>) {
    char text[64];
    std::snprintf(text, sizeof text, "%.17g", to_double(x));
    return text;
  } else {
    return std::to_string(+x);
  }
}

}  // namespace vdc
