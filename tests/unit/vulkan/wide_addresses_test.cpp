// Transforms that ask for addresses in 64 bits: their kernels have those of their buffers, with the known parts of indices
// in the accesses.
#include <gmock/gmock.h>

#include "api/fft_support.h"
#include "backends/vulkan/module.h"
#include "core/traits.h"
#include "runtime/plan.h"

namespace vd::vulkan {
namespace {

using testing::ContainsRegex;
using testing::Not;

TEST(WideAddresses, AreInTheKernelsOfTransforms) {
  api::Context context;
  vd_context_desc open = VD_CONTEXT_DESC_INIT;
  open.backend = VD_BACKEND_VULKAN;
  open.flags = VD_CONTEXT_USE_CPU;
  if (vd_context_create(&open, context.out()) != VD_OK) GTEST_SKIP() << vd_last_error();
  vd_device_info info = VD_DEVICE_INFO_INIT;
  ASSERT_OK(vd_context_get_device(context, 0, &info));
  if (!takes_addresses(info)) GTEST_SKIP() << info.name << " has no buffer addresses";
  vd_fft_desc desc = VD_FFT_DESC_INIT;
  desc.rank = 2;
  desc.shape[0] = 20, desc.shape[1] = 240;
  for (const bool wide : {false, true}) {
    const api::Tuned tuned(wide ? "wide=1" : "wide=0");
    api::Plan plan;
    ASSERT_OK(vd_plan_create_fft(context, &desc, plan.out()));
    const vd_plan& made = *static_cast<vd_plan*>(plan);
    ASSERT_FALSE(made.steps().empty());
    for (const vd_plan::Step& step : made.steps()) {
      const auto& module = static_cast<const Module&>(step.plan->compiled().module());
      EXPECT_EQ(module.wants_addresses(), wide);
      EXPECT_THAT(module.source(), Not(ContainsRegex("ul\\)\\.data")));
      ASSERT_EQ(module.by_address() != nullptr, wide);
      if (wide) {
        EXPECT_THAT(module.by_address()->source(), ContainsRegex("\\) \\+ [0-9]+ul\\)\\.data"));
      }
    }
  }
}

}  // namespace
}  // namespace vd::vulkan
