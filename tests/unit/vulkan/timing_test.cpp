// Times of commands, with the device's own pair of clocks and without.
#include "core/steady_time.h"
#include "unit/vulkan/fixture.h"

namespace vd::vulkan {
namespace {

class VulkanTiming : public VulkanTest, public testing::WithParamInterface<bool> {
 protected:
  void SetUp() override {
    VulkanTest::SetUp();
    if (!device_ || GetParam()) return;
    Overrides wishes;
    wishes.calibrated_timestamps = false;
    std::string reason;
    device_ = open_fresh(wishes, "", reason);
  }
};

TEST_P(VulkanTiming, LiesBetweenSubmissionAndNow) {
  if (!queue().has_clock()) GTEST_SKIP() << "the queue has no timestamps";
  const auto module = affine();
  constexpr uint32_t kCount = 1 << 16;
  const auto data = words(std::vector<uint32_t>(kCount, 1)), other = memory(4 * kCount);
  for (uint32_t turn = 0; turn < 3; ++turn) {
    ListBuilder builder;
    builder.dispatch(*module, kCount / 64, {whole(*data)}, {kCount, 3, 1});
    builder.level(1).copy(whole(*data), whole(*other));
    builder.level(2).dispatch(*module, 0, {whole(*data)}, {kCount, 3, 1});  // nothing
    builder.level(3).fill(whole(*other), turn);
    const uint64_t before = steady_time();
    std::unique_ptr<backends::Timing> timing;
    const uint64_t value = queue().submit_timed(builder.list, timing);
    ASSERT_TRUE(queue().wait(value, VD_WAIT_FOREVER));
    std::vector<backends::Interval> times(4);
    const uint64_t error = timing->read(times);
    const uint64_t after = steady_time();
    EXPECT_GT(error, 0u);
    uint64_t last = before - error;
    for (const backends::Interval& time : times) {
      EXPECT_GE(time.begin, last);
      EXPECT_GE(time.end, time.begin);
      last = time.end;
    }
    EXPECT_LE(last, after + error);
    EXPECT_GT(times[0].end, times[0].begin);
    while (queue().completed() < value) {
    }
  }
  EXPECT_EQ(read_words(*data)[kCount - 1], ((1u * 3 + 1) * 3 + 1) * 3 + 1);
  EXPECT_EQ(read_words(*other)[kCount - 1], 2u);
}

// More than one pool has.
TEST_P(VulkanTiming, TakesAnyNumberOfCommands) {
  if (!queue().has_clock()) GTEST_SKIP() << "the queue has no timestamps";
  const auto data = words({0});
  for (const size_t count : {400, 300, 2000}) {
    ListBuilder builder;
    for (uint32_t i = 0; i < count; ++i) builder.level(i).fill(whole(*data), i);
    std::unique_ptr<backends::Timing> timing;
    const uint64_t value = queue().submit_timed(builder.list, timing);
    ASSERT_TRUE(queue().wait(value, VD_WAIT_FOREVER));
    std::vector<backends::Interval> times(count);
    timing->read(times);
    for (size_t i = 1; i < count; ++i) EXPECT_GE(times[i].begin, times[i - 1].end);
    EXPECT_EQ(read_words(*data)[0], count - 1);
    while (queue().completed() < value) {
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Clocks, VulkanTiming, testing::Bool(), [](const auto& info) {
  return info.param ? std::string("paired") : std::string("estimated");
});

}  // namespace
}  // namespace vd::vulkan
