// The precise functions' formulas on plain floats, with a division and a root as bad as Vulkan allows, against long
// double: on samples from all floats. VD_FULL=1 takes each float of a stride of 16.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>
#include <random>

#include "codegen/precise/exponential.h"
#include "codegen/precise/hyperbolic.h"
#include "codegen/precise/inverse.h"
#include "codegen/precise/rounded.h"
#include "codegen/precise/trigonometric.h"

namespace vd::test {
namespace {

// The counterpart of codegen::KernelMath for floats.
struct FloatMath {
  using F = float;
  using U = uint32_t;
  using B = bool;
  template <class T>
  struct Variable {
    T value;
    T get() const { return value; }
    void set(T v) { value = v; }
  };
  uint32_t state = 1;
  bool worst = true;

  float f(float v) { return v; }
  uint32_t u(uint32_t v) { return v; }
  uint32_t bits(float x) { return std::bit_cast<uint32_t>(x); }
  float value(uint32_t x) { return std::bit_cast<float>(x); }
  float absolute(float x) { return std::fabs(x); }
  float nearest(float x) { return std::nearbyint(x); }
  float minimum(float a, float b) { return std::fmin(a, b); }
  float maximum(float a, float b) { return std::fmax(a, b); }
  // Up to 2 ULP away (Vulkan: 2.5), either way.
  float disturb(float x) {
    if (!worst || !std::isnormal(x)) return x;
    state = state * 1664525u + 1013904223u;
    return value(bits(x) + (state >> 16) % 5 - 2);
  }
  float divide(float a, float b) { return disturb(a / b); }
  float root(float x) { return disturb(std::sqrt(x)); }
  uint32_t whole(float x) { return static_cast<uint32_t>(static_cast<int32_t>(x)); }
  float to_float(uint32_t x) { return static_cast<float>(static_cast<int32_t>(x)); }
  uint32_t leading_zeros(uint32_t x) { return static_cast<uint32_t>(std::countl_zero(x)); }
  template <class T>
  T select(bool c, T a, T b) {
    return c ? a : b;
  }
  template <class T>
  Variable<T> variable(T first) {
    return {first};
  }
  uint32_t quotient(uint32_t a, uint32_t b) { return a / b; }
  uint32_t shift_right_signed(uint32_t x, uint32_t n) { return static_cast<uint32_t>(static_cast<int32_t>(x) >> n); }
  bool is_negative(uint32_t x) { return x >> 31; }
  template <class A>
  void repeat(uint32_t times, A&& body) {
    for (uint32_t i = 0; i < times; ++i) body();
  }
  template <class A>
  void when(bool c, A&& then) {
    if (c) then();
  }
  template <class A, class E>
  void when(bool c, A&& then, E&& otherwise) {
    if (c)
      then();
    else
      otherwise();
  }
};

double ulps(float got, long double want) {
  if (std::isnan(got) || std::isnan(want)) return std::isnan(got) == std::isnan(want) ? 0 : INFINITY;
  const auto rounded = static_cast<float>(want);
  if (got == rounded) return 0;
  if (std::isinf(got)) return std::isinf(rounded) ? 0 : (std::fabs(want) > 3.4028e38L ? 1 : INFINITY);
  int exponent = 0;
  std::frexp(std::fabs(want) < 0x1p-126L ? 0x1p-126L : want, &exponent);
  return static_cast<double>(std::fabs(static_cast<long double>(got) - want) / std::ldexp(1.0L, exponent - 24));
}

struct Function {
  const char* name;
  float (*ours)(FloatMath&, float);
  long double (*exact)(long double);
  double bound;  // ULP, of the op table
};

using L = long double;
namespace p = codegen::precise;
#define VD_FUNCTION(name, bound)                                                                              \
  Function {                                                                                                  \
#name, [](FloatMath & m, float x) { return p::name(m, x); }, [](L x) -> L { return std::name(x); }, bound \
  }
const Function kFunctions[] = {
    VD_FUNCTION(sin, 2),  VD_FUNCTION(cos, 2),   VD_FUNCTION(tan, 3),   VD_FUNCTION(exp, 2),
    VD_FUNCTION(exp2, 2), VD_FUNCTION(log, 2),   VD_FUNCTION(log2, 2),  VD_FUNCTION(asin, 3),
    VD_FUNCTION(acos, 3), VD_FUNCTION(atan, 3),  VD_FUNCTION(sinh, 3),  VD_FUNCTION(cosh, 3),
    VD_FUNCTION(tanh, 3), VD_FUNCTION(asinh, 3), VD_FUNCTION(acosh, 3), VD_FUNCTION(atanh, 3)};
#undef VD_FUNCTION
void PrintTo(const Function& f, std::ostream* out) { *out << f.name; }

class Precise : public testing::TestWithParam<Function> {};

TEST_P(Precise, StaysWithinItsBound) {
  FloatMath m;
  double worst = 0;
  float at = 0;
  const uint64_t stride = std::getenv("VD_FULL") ? 16 : 4099;
  for (uint64_t bits = 0; bits <= 0xffffffffu; bits += stride) {
    const auto x = std::bit_cast<float>(static_cast<uint32_t>(bits));
    const double error = ulps(GetParam().ours(m, x), GetParam().exact(x));
    if (error > worst) {
      worst = error;
      at = x;
    }
  }
  EXPECT_LE(worst, GetParam().bound) << GetParam().name << "(" << at << ")";
  RecordProperty("ulp", std::to_string(worst));
  printf("%s: %.3f ULP at %.9g\n", GetParam().name, worst, static_cast<double>(at));
}

TEST_P(Precise, KeepsSpecialValues) {
  FloatMath m;
  const float inf = std::numeric_limits<float>::infinity();
  for (const float x : {0.0f, -0.0f, 1.0f, -1.0f, inf, -inf, std::numeric_limits<float>::quiet_NaN(), 1e-45f, -1e-45f,
                        2.0f, 0x1.921fb6p+0f, 16367173.0f * 0x1p72f, 3.4028235e38f, 0.5f, -0.5f}) {
    const float got = GetParam().ours(m, x);
    const auto want = static_cast<float>(GetParam().exact(x));
    EXPECT_LE(ulps(got, GetParam().exact(x)), GetParam().bound) << GetParam().name << "(" << x << ") is " << got;
    if (want == 0) {
      EXPECT_EQ(std::signbit(got), std::signbit(want)) << GetParam().name << "(" << x << ")";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Math, Precise, testing::ValuesIn(kFunctions),
                         [](const auto& info) { return info.param.name; });

TEST(PrecisePair, PowStaysWithinItsBound) {
  FloatMath m;
  std::mt19937 random(1);
  double worst = 0;
  float at_x = 0, at_y = 0;
  for (int i = 0; i < 1000000; ++i) {
    auto x = std::bit_cast<float>(static_cast<uint32_t>(random()));
    auto y = std::bit_cast<float>(static_cast<uint32_t>(random()));
    // Half of them where the result is likely to be finite.
    if (i % 2) {
      x = std::ldexp(1.0f + static_cast<float>(random() >> 8) * 0x1p-24f, static_cast<int>(random() % 8) - 4);
      y = (static_cast<float>(random() >> 8) * 0x1p-24f - 0.5f) * (i % 4 == 1 ? 64.0f : 4.0f);
    }
    const double error = ulps(p::pow(m, x, y), std::pow(static_cast<L>(x), static_cast<L>(y)));
    if (error > worst) {
      worst = error;
      at_x = x;
      at_y = y;
    }
  }
  EXPECT_LE(worst, 2) << "pow(" << at_x << ", " << at_y << ")";
  printf("pow: %.3f ULP\n", worst);
}

TEST(PrecisePair, SpecialValuesAreThoseOfC) {
  FloatMath m;
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const float values[] = {0.0f,   -0.0f,  1.0f,    -1.0f,       2.0f,        -2.0f,        3.0f,   -3.0f,
                          0.5f,   -0.5f,  1.5f,    -1.5f,       inf,         -inf,         nan,    1e30f,
                          -1e30f, 1e-30f, -1e-30f, 16777216.0f, 16777215.0f, -16777215.0f, 1e-45f, 3.4028235e38f};
  for (const float x : values)
    for (const float y : values) {
      const float power = p::pow(m, x, y), angle = p::atan2(m, x, y);
      const L exact_power = std::pow(static_cast<L>(x), static_cast<L>(y));
      const L exact_angle = std::atan2(static_cast<L>(x), static_cast<L>(y));
      EXPECT_LE(ulps(power, exact_power), 2) << "pow(" << x << ", " << y << ") is " << power;
      EXPECT_LE(ulps(angle, exact_angle), 3) << "atan2(" << x << ", " << y << ") is " << angle;
      if (static_cast<float>(exact_power) == 0) {
        EXPECT_EQ(std::signbit(power), std::signbit(exact_power)) << x << " " << y;
      }
      if (static_cast<float>(exact_angle) == 0) {
        EXPECT_EQ(std::signbit(angle), std::signbit(exact_angle)) << x << " " << y;
      }
    }
}

// Division, root and fused multiply-add are the processor's, bit for bit.
TEST(PreciseRounded, IsCorrectlyRounded) {
  FloatMath m;
  std::mt19937 random(3);
  std::vector<float> values = {0.0f,        -0.0f,  1.0f,        -1.0f,          INFINITY,       -INFINITY,
                               NAN,         1e-45f, -1e-45f,     1.1754944e-38f, 1.1754942e-38f, 3.4028235e38f,
                               0.33333334f, 3.0f,   16777215.0f, 0x1.fffffep-1f};
  const auto any = [&] { return std::bit_cast<float>(static_cast<uint32_t>(random())); };
  const auto near = [&](float x) {
    return std::bit_cast<float>(std::bit_cast<uint32_t>(x) + static_cast<uint32_t>(random() % 7) - 3);
  };
  const auto same = [](float a, float b) {
    return std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b) || (std::isnan(a) && std::isnan(b));
  };
  const auto check = [&](float a, float b, float c) {
    ASSERT_TRUE(same(p::div(m, a, b), a / b)) << a << " / " << b << " is " << p::div(m, a, b);
    ASSERT_TRUE(same(p::sqrt(m, a), std::sqrt(a))) << "sqrt(" << a << ") is " << p::sqrt(m, a);
    ASSERT_TRUE(same(p::fma(m, a, b, c), std::fma(a, b, c)))
        << "fma(" << a << ", " << b << ", " << c << ") is " << p::fma(m, a, b, c);
  };
  for (const float a : values)
    for (const float b : values)
      for (const float c : values) check(a, b, c);
  for (int i = 0; i < 300000; ++i) {
    const float a = any(), b = any();
    check(a, b, any());
    check(a, b, near(-a * b));  // cancels
    check(a, 1.0f + 0x1p-23f * static_cast<float>(random() % 100), a * 0x1p-23f);
    check(std::ldexp(a, -20), std::ldexp(b, 20), any());  // leaves the normal numbers
  }
}

TEST(PrecisePair, Atan2StaysWithinItsBound) {
  FloatMath m;
  std::mt19937 random(2);
  double worst = 0;
  float at_x = 0, at_y = 0;
  for (int i = 0; i < 1000000; ++i) {
    auto x = std::bit_cast<float>(static_cast<uint32_t>(random()));
    auto y = std::bit_cast<float>(static_cast<uint32_t>(random()));
    if (i % 2) y = x * (1 + static_cast<float>(random() >> 8) * 0x1p-22f);
    const double error = ulps(p::atan2(m, y, x), std::atan2(static_cast<L>(y), static_cast<L>(x)));
    if (error > worst) {
      worst = error;
      at_x = x;
      at_y = y;
    }
  }
  EXPECT_LE(worst, 3) << "atan2(" << at_y << ", " << at_x << ")";
  printf("atan2: %.3f ULP\n", worst);
}

}  // namespace
}  // namespace vd::test
