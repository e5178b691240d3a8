// Stages of a long prime that give an invocation many values.
#include "fft/prime_radices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fft/rader.h"
#include "fft/transform.h"
#include "unit/fft/devices.h"
#include "unit/fft/support.h"

namespace vd::fft::test {
namespace {

Layout one_layout(const Problem& problem, const Limits& limits) {
  Table table;
  const Plan plan = make_plan(problem, limits, table);
  EXPECT_EQ(plan.passes.size(), 1u);
  return plan.passes.front().layout;
}

// Eight invocations share 8 butterflies of 24 values and 24 of 8.
TEST(PrimeRadices, LeaveFewLanesIdle) {
  for (const vd_backend backend : {VD_BACKEND_CUDA, VD_BACKEND_VULKAN}) {
    const Layout layout = one_layout(lines(193, 100000), device_limits(h200(backend), 0));
    EXPECT_EQ(layout.radices.text(), "193(24x8)") << backend;
    EXPECT_EQ(layout.radices.invocations, 8u) << backend;
    EXPECT_EQ(layout.lines, 4u) << backend;
  }
  // Nothing was measured where the driver does not tell a device's registers.
  for (const vd_backend backend : {VD_BACKEND_OPENCL, VD_BACKEND_HOST})
    EXPECT_EQ(one_layout(lines(193, 100000), device_limits(h200(backend), 0)).radices.text(), "193(8x8x3)") << backend;
}

TEST(PrimeRadices, AreOfRowsInSinglePrecision) {
  const Limits limits = device_limits(h200(VD_BACKEND_CUDA), 0);
  const auto text = [&](const Problem& problem) { return one_layout(problem, limits).radices.text(); };
  EXPECT_EQ(text(lines(193, 100000)), "193(24x8)");
  EXPECT_EQ(text(lines(193, 100000, -1, ir::Scalar::F64)), "193(8x8x3)");
  EXPECT_EQ(text(columns(193, 4096)), "193(12x4x4)");
}

TEST(PrimeRadices, KeepTheCallersBound) {
  for (const vd_backend backend : {VD_BACKEND_CUDA, VD_BACKEND_VULKAN}) {
    for (const uint32_t n : {61u, 193u, 1356u}) {
      EXPECT_GT(one_layout(lines(n, 20000), device_limits(h200(backend), 0)).radices.registers, 16u) << n;
      EXPECT_LE(one_layout(lines(n, 20000), device_limits(h200(backend), 16)).radices.registers, 16u) << n;
    }
  }
}

TEST(PrimeRadices, WorkgroupsOfFullWarps) {
  EXPECT_EQ(lines_within(64, 2), 16u);
  EXPECT_EQ(lines_within(64, 3), 32u);  // three warps of 32 lines
  EXPECT_EQ(lines_within(64, 5), 16u);  // 32 would be past 128 invocations
  EXPECT_EQ(lines_within(64, 7), 4u);
  EXPECT_EQ(lines_within(64, 16), 2u);
  EXPECT_EQ(lines_within(64, 33), 2u);
  EXPECT_EQ(lines_within(64, 65), 1u);
  EXPECT_EQ(lines_within(64, 1000), 1u);
}

// Two primes, equal ones too, and a rest: the second one's numbers are multiplied by roots when they enter.
TEST(PrimeRadices, OfTwoPrimes) {
  Host host;
  for (const uint32_t registers : {0u, 65536u}) {
    Limits limits = host.limits();
    limits.registers_total = registers;
    limits.tuning.strategy = "rader";
    for (const uint32_t n : {37 * 37, 37 * 41, 41 * 61, 41 * 67, 47 * 59, 41 * 89, 61 * 67, 37 * 41 * 2, 37 * 43 * 3}) {
      EXPECT_EQ(one_layout(lines(n, 3), limits).radices.convolutions.size(), 2u) << n;
      expect_transform(host, lines(n, 3), limits);
      expect_transform(host, lines(n, 3, 1), limits);
    }
    expect_transform<double>(host, lines(2501, 3, -1, ir::Scalar::F64), limits);
    expect_transform(host, columns(1517, 3), limits);
  }
}

// Each prime to 257 by the stages that an H200 would have, and lengths with some, beside a transform in long double.
TEST(PrimeRadices, TransformRight) {
  Host host;
  Limits limits = host.limits();
  limits.registers_total = 65536;
  limits.tuning.strategy = "rader";
  size_t count = 0;
  for (uint32_t n = 32; n < 2100; n += n < 260 ? 1 : 37) {
    if (rader_primes(n).empty()) continue;
    for (const bool bounded : {false, true}) {
      limits.traits.bounds_registers = bounded;
      EXPECT_NE(one_layout(lines(n, 5), limits).radices.convolutions.size(), 0u) << n;
      expect_transform(host, lines(n, 5), limits);
      ++count;
    }
  }
  EXPECT_GT(count, 150u);
}

}  // namespace
}  // namespace vd::fft::test
