// The check that a test leaves nothing behind in a context that it shares.
#include "api/shared_context.h"

namespace {

using testing::HasSubstr;
using namespace std::chrono_literals;

TEST(SharedContext, IsTheSameForAll) {
  const api::Context first = api::shared_context(VD_BACKEND_HOST), second = api::shared_context(VD_BACKEND_HOST),
                     other = api::shared_context(VD_BACKEND_HOST, 0, 2);
  EXPECT_EQ(static_cast<vd_context*>(first), static_cast<vd_context*>(second));
  EXPECT_NE(static_cast<vd_context*>(first), static_cast<vd_context*>(other));
}

TEST(SharedContext, MemoryIsLeftBehind) {
  const api::Context ctx = api::host_context();
  {
    const api::Buffer buffer = api::make_buffer(ctx, 64);
    EXPECT_EQ(api::left_behind(ctx, 0s), "64 bytes of memory");
  }
  EXPECT_EQ(api::left_behind(ctx, 60s), "");
}

TEST(SharedContext, AFailureIsLeftBehind) {
  const api::Context ctx = api::host_context();
  static constexpr char kText[] = "kernel \"fails\"\n{\nassert bool 0\n}\n";
  api::Kernel kernel;
  ASSERT_OK(vd_kernel_parse(kText, sizeof(kText) - 1, kernel.out()));
  vd_launch_desc launch = VD_LAUNCH_DESC_INIT;
  launch.invocations[0] = 1;
  {
    const api::Plan plan = api::make_plan(ctx, kernel);
    ASSERT_OK(vd_plan_launch(plan, &launch, nullptr));
  }
  EXPECT_THAT(api::left_behind(ctx, 60s), HasSubstr("assertion failed"));
  EXPECT_EQ(api::left_behind(ctx, 60s), "");
}

}  // namespace
