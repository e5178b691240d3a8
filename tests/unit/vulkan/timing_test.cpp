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
    // To the nanosecond, since it is one timestamp.
    for (size_t i = 1; i < count; ++i) EXPECT_EQ(times[i].begin, times[i - 1].end);
    EXPECT_EQ(read_words(*data)[0], count - 1);
    while (queue().completed() < value) {
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Clocks, VulkanTiming, testing::Bool(), [](const auto& info) {
  return info.param ? std::string("paired") : std::string("estimated");
});

// Calls with which a queue records timed work: a letter for each barrier, timestamp, dispatch, copy and fill.
std::string recorded;
std::vector<uint32_t> queries_written;
VolkDeviceTable entries;  // the driver's

void VKAPI_CALL record_barrier(VkCommandBuffer buffer, VkPipelineStageFlags from, VkPipelineStageFlags to,
                               VkDependencyFlags flags, uint32_t count, const VkMemoryBarrier* barriers,
                               uint32_t buffer_count, const VkBufferMemoryBarrier* buffers, uint32_t image_count,
                               const VkImageMemoryBarrier* images) {
  recorded += 'B';
  entries.vkCmdPipelineBarrier(buffer, from, to, flags, count, barriers, buffer_count, buffers, image_count, images);
}
void VKAPI_CALL record_timestamp(VkCommandBuffer buffer, VkPipelineStageFlagBits stage, VkQueryPool pool,
                                 uint32_t query) {
  recorded += stage == VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT ? 'T' : 't';
  queries_written.push_back(query);
  entries.vkCmdWriteTimestamp(buffer, stage, pool, query);
}
void VKAPI_CALL record_dispatch(VkCommandBuffer buffer, uint32_t x, uint32_t y, uint32_t z) {
  recorded += 'D';
  entries.vkCmdDispatch(buffer, x, y, z);
}
void VKAPI_CALL record_copy(VkCommandBuffer buffer, VkBuffer source, VkBuffer destination, uint32_t count,
                            const VkBufferCopy* regions) {
  recorded += 'C';
  entries.vkCmdCopyBuffer(buffer, source, destination, count, regions);
}
void VKAPI_CALL record_fill(VkCommandBuffer buffer, VkBuffer destination, VkDeviceSize offset, VkDeviceSize size,
                            uint32_t pattern) {
  recorded += 'F';
  entries.vkCmdFillBuffer(buffer, destination, offset, size, pattern);
}

class VulkanTimestamps : public VulkanTest {
 protected:
  void SetUp() override {
    VulkanTest::SetUp();
    if (!device_) return;
    if (!queue().has_clock()) GTEST_SKIP() << "the queue has no timestamps";
    std::string reason;
    device_ = open_fresh(overrides(), "", reason);  // of our own: its entry points are changed
  }
  VolkDeviceTable& table() { return const_cast<Gpu&>(device_->gpu()).vk; }

  // Up to the last timestamp. Other work is before it.
  std::string record(const ListBuilder& work, std::vector<backends::Interval>& times) {
    const auto other = memory(64);
    ListBuilder before;
    before.fill(whole(*other), 1);
    EXPECT_TRUE(queue().wait(queue().submit(before.list), VD_WAIT_FOREVER));
    recorded.clear();
    queries_written.clear();
    entries = table();
    table().vkCmdPipelineBarrier = record_barrier;
    table().vkCmdWriteTimestamp = record_timestamp;
    table().vkCmdDispatch = record_dispatch;
    table().vkCmdCopyBuffer = record_copy;
    table().vkCmdFillBuffer = record_fill;
    std::unique_ptr<backends::Timing> timing;
    const uint64_t value = queue().submit_timed(work.list, timing);
    EXPECT_TRUE(queue().wait(value, VD_WAIT_FOREVER));
    table() = entries;
    times.resize(work.list.commands.size());
    timing->read(times);
    while (queue().completed() < value) {
    }
    return recorded.substr(0, recorded.rfind('T') + 1);
  }
};

// One between two commands, behind the barrier that holds the second.
TEST_F(VulkanTimestamps, EndOneCommandAndBeginTheNext) {
  const auto module = affine();
  const auto data = words({1, 2}), other = words({0, 0});
  std::vector<backends::Interval> times;
  ListBuilder chain;
  for (uint32_t i = 0; i < 3; ++i) chain.level(i).dispatch(*module, 1, {whole(*data)}, {2, 3, 1});
  chain.level(3).copy(whole(*data), whole(*other));
  chain.level(4).fill(whole(*data), 7);
  chain.level(5).dispatch(*module, 1, {whole(*data)}, {2, 3, 1});
  EXPECT_EQ(record(chain, times), "BTDBTDBTDBTCBTFBTDT");
  ASSERT_EQ(queries_written.size(), 7u);
  for (uint32_t i = 1; i < 7; ++i) EXPECT_EQ(queries_written[i], queries_written[0] + i);
  EXPECT_EQ(read_words(*other), (std::vector<uint32_t>{40, 67}));
  EXPECT_EQ(read_words(*data), (std::vector<uint32_t>{22, 22}));
}

// Commands that could run side by side go one after the other, too, since none may have the time of another in it.
TEST_F(VulkanTimestamps, AreAsManyWhereCommandsCouldRunSideBySide) {
  const auto module = affine();
  std::vector<std::unique_ptr<backends::Memory>> data;
  ListBuilder work;
  for (uint32_t i = 0; i < 4; ++i) {
    data.push_back(words({i}));
    work.dispatch(*module, 1, {whole(*data[i])}, {1, 3, 1});
  }
  std::vector<backends::Interval> times;
  EXPECT_EQ(record(work, times), "BTDBTDBTDBTDT");
  for (size_t i = 0; i < times.size(); ++i) {
    EXPECT_LT(times[i].begin, times[i].end);
    if (i != 0) {
      EXPECT_EQ(times[i].begin, times[i - 1].end);
    }
    EXPECT_EQ(read_words(*data[i])[0], i * 3 + 1);
  }
}

}  // namespace
}  // namespace vd::vulkan
