// Radices of few stages for a transform there and back.
#include "fft/few_stages.h"

#include <gtest/gtest.h>

#include "fft/transform.h"
#include "unit/fft/convolution.h"
#include "unit/fft/devices.h"
#include "unit/fft/support.h"

namespace vd::fft::test {
namespace {

RadixPlan usual(uint32_t n) { return choose_radices(n, {32, 1024}); }

Limits limits_of(vd_backend backend) { return device_limits(h200(backend), 0); }

TEST(FewStages, TakeAStageLess) {
  const Limits limits = limits_of(VD_BACKEND_CUDA);
  for (const uint32_t n : {4608u, 5184u, 6912u, 8192u}) {
    const RadixPlan before = usual(n), plan = with_few_stages(before, limits);
    EXPECT_LT(plan.stages.size(), before.stages.size()) << n;
  }
  EXPECT_EQ(with_few_stages(usual(6912), limits).text(), "24x24x12");
  EXPECT_EQ(with_few_stages(usual(8192), limits).text(), "32x16x16");
}

TEST(FewStages, StayWithinTheirLimits) {
  Limits limits = limits_of(VD_BACKEND_CUDA);
  for (uint32_t n = 2; n <= 12000; ++n) {
    if (!is_smooth(n, 13)) continue;
    const RadixPlan before = usual(n);
    if (before.stages.empty()) continue;
    const RadixPlan plan = with_few_stages(before, limits);
    uint64_t product = 1;
    for (const Stage& stage : plan.stages) product *= stage.radix;
    ASSERT_EQ(product, n);
    ASSERT_LE(plan.stages.size(), before.stages.size()) << n;
    if (plan.text() == before.text() && plan.invocations == before.invocations) continue;
    ASSERT_TRUE(is_smooth(n, 5)) << n;
    ASSERT_LE(plan.invocations, kFewStagesInvocations) << n;
    ASSERT_LE(plan.registers, kFewStagesValues) << n;
  }
  EXPECT_EQ(with_few_stages(usual(20736), limits).text(), usual(20736).text());  // no workgroup of that size holds it
  limits.invocations = 256;
  EXPECT_LE(with_few_stages(usual(6912), limits).invocations, 256u);
}

// 24x30 and 32x32 have a warp of a line: 0.88 of the rate of three stages on Vulkan of an H200.
TEST(FewStages, HaveTwoWarpsWhereNothingBoundsRegisters) {
  EXPECT_EQ(with_few_stages(usual(720), limits_of(VD_BACKEND_CUDA)).text(), "24x30");
  for (const uint32_t n : {720u, 1024u})
    EXPECT_EQ(with_few_stages(usual(n), limits_of(VD_BACKEND_VULKAN)).text(), usual(n).text());
  EXPECT_EQ(with_few_stages(usual(4096), limits_of(VD_BACKEND_VULKAN)).text(), "16x16x16");
}

// A prime's line has the radices of its chirp where the registers of the device are known, and the usual ones elsewhere.
TEST(FewStages, AreAChirps) {
  for (const auto& [backend, radices] :
       {std::pair{VD_BACKEND_CUDA, "24x24x12"}, {VD_BACKEND_VULKAN, "24x24x12"}, {VD_BACKEND_OPENCL, "12x12x12x4"}}) {
    Table table;
    const Plan plan = make_plan(lines(3343, 5000), device_limits(h200(backend), 0), table);
    ASSERT_EQ(plan.passes.size(), 1u);
    EXPECT_EQ(plan.passes[0].layout.radices.text(), radices) << backend;
  }
}

// A bound of the caller's on the values of an invocation holds for convolutions of rows, chirps and lines of records, too,
// and where it is as many as lines usually have; a line that does not fit takes twice as many.
TEST(FewStages, LeaveTheCallersBoundAlone) {
  EXPECT_TRUE(may_have_few_stages(limits_of(VD_BACKEND_CUDA), ir::Scalar::F32));
  for (const vd_backend backend : {VD_BACKEND_CUDA, VD_BACKEND_VULKAN}) {
    for (const uint64_t n : {3343u, 4096u, 9216u}) {
      const Problem problem = n == 4096 ? problem_of({.n = 4096, .count = 5000}) : lines(n, 5000);
      const auto values = [&](uint32_t most) {
        Table table;
        return make_plan(problem, device_limits(h200(backend), most), table).passes.at(0).layout.radices.registers;
      };
      if (n != 4096 || backend == VD_BACKEND_CUDA) {
        EXPECT_GT(values(0), 16u) << backend << ": " << n;
      }
      EXPECT_LE(values(16), 16u) << backend << ": " << n;
      EXPECT_LE(values(8), 16u) << backend << ": " << n;
    }
  }
}

}  // namespace
}  // namespace vd::fft::test
