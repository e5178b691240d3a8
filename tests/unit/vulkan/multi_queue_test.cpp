// Several queues of one device. Software devices have one: these tests are for real ones.
//
// Queues are ordered by timeline semaphores, which the validation layer's check between submissions did not follow
// before September 2024 (pull request 8559 of Vulkan-ValidationLayers). An older layer takes them for binary ones: a
// signal of a semaphore is ignored if no wait came since its last signal, so a later wait seems to be for older work,
// and alternating work of two queues looks like a race. Its reports of races are not held against these tests then; all
// its other reports are. Two controls show that it speaks when it should, and that timelines are what it does not know:
// the same submissions, ordered by a binary semaphore, satisfy it.
#include <chrono>
#include <cstdio>
#include <thread>

#include "backends/vulkan/executable.h"
#include "unit/vulkan/fixture.h"

namespace vd::vulkan {
namespace {

class VulkanMultiQueue : public VulkanTest {
 protected:
  Overrides overrides() const override {
    Overrides wishes;
    wishes.map_memory = false;
    return wishes;
  }
  void SetUp() override {
    VulkanTest::SetUp();
    if (!device_) return;
    std::string reason;
    device_ = open_fresh(overrides(), "", reason, 4);
    if (device_->queue_count() < 2) GTEST_SKIP() << "\"" << device_->info().name << "\" has one queue";
    forgives_races_ = !layer_follows_timelines(*device_);
  }
  void TearDown() override {
    VulkanTest::TearDown();
    device_.reset();
  }
};

TEST_F(VulkanMultiQueue, AQueueWaitsForAnother) {
  const auto module = affine();
  const uint32_t count = 1 << 20;
  const auto buffer = words(std::vector<uint32_t>(count, 1));
  queue().wait(queue().submit(backends::CommandList{}), VD_WAIT_FOREVER);
  uint32_t expected = 1;
  uint64_t value = 0;
  for (uint32_t i = 0; i < 200; ++i) {
    auto& mine = device().queue(i % device().queue_count());
    if (i != 0) mine.wait_for(device().queue((i - 1) % device().queue_count()), value);
    ListBuilder work;
    work.dispatch(*module, count / 64, {whole(*buffer)}, {count, 3, i});
    value = mine.submit(work.list);
    expected = expected * 3 + i;
  }
  auto& last = device().queue(199 % device().queue_count());
  std::vector<uint32_t> got(count);
  last.read(whole(*buffer), got.data());
  EXPECT_EQ(got.front(), expected);
  EXPECT_EQ(got.back(), expected);
}

TEST_F(VulkanMultiQueue, TransfersWaitToo) {
  const uint32_t count = 1 << 20;
  const auto buffer = memory(count * 4);
  auto& first = queue();
  auto& second = device().queue(1);
  for (uint32_t i = 0; i < 20; ++i) {
    const std::vector<uint32_t> values(count, i);
    second.wait_for(first, test::write(first, whole(*buffer), values.data()));
    std::vector<uint32_t> got(count);
    second.read(whole(*buffer), got.data());
    ASSERT_EQ(got, values);
  }
}

TEST_F(VulkanMultiQueue, GraphsRunOnAnyQueue) {
  const auto module = affine();
  for (uint32_t i = 0; i < device().queue_count(); ++i) {
    const auto buffer = words({2});
    queue().wait(queue().submit(backends::CommandList{}), VD_WAIT_FOREVER);
    ListBuilder work;
    work.dispatch(*module, 1, {whole(*buffer)}, {1, 2, 1});
    const auto graph = device().make_executable(work.list);
    auto& mine = device().queue(i);
    mine.submit(*graph, 3);
    uint32_t got = 0;
    mine.read(whole(*buffer), &got);
    EXPECT_EQ(got, 23u) << "queue " << i;
  }
}

// ---- Controls of the layer

class VulkanMultiQueueControl : public VulkanMultiQueue {
 protected:
  void SetUp() override {
    VulkanMultiQueue::SetUp();
    if (IsSkipped()) return;
    provokes_ = true;
    const uint32_t version = device_->gpu().physical.instance.layer_version();
    if (version == 0) GTEST_SKIP() << "the validation layer is not installed";
    std::printf("layer %u.%u.%u\n", VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version),
                VK_API_VERSION_PATCH(version));
  }
  static uint64_t races() { return validation_counts().races; }
};

TEST_F(VulkanMultiQueueControl, ARaceIsReported) {
  const auto buffer = memory(64);
  const uint64_t before = races();
  std::vector<uint64_t> values;
  for (uint32_t i = 0; i < 2; ++i) {
    ListBuilder work;
    work.fill(whole(*buffer), i);
    values.push_back(device().queue(i).submit(work.list));
  }
  // Both are submitted before either is waited for: a wait would order them in the layer's eyes.
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  for (uint32_t i = 0; i < 2; ++i) EXPECT_TRUE(device().queue(i).wait(values[i], VD_WAIT_FOREVER));
  EXPECT_GT(races(), before);
}

// Direct calls of Vulkan, without our queues: two fills on one queue, in order, and a third on another queue that waits
// for the second.
TEST_F(VulkanMultiQueueControl, ABinarySemaphoreSatisfiesItAndATimelineIfItKnowsThem) {
  const auto& gpu = device().gpu();
  const std::shared_ptr<const Gpu> shared(device_, &gpu);
  const auto buffer = memory(64);
  for (const bool timeline : {false, true}) {
    VkSemaphoreTypeCreateInfo type{};
    type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
    type.semaphoreType = timeline ? VK_SEMAPHORE_TYPE_TIMELINE : VK_SEMAPHORE_TYPE_BINARY;
    VkSemaphoreCreateInfo create{};
    create.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
    create.pNext = &type;
    VkSemaphore handle = VK_NULL_HANDLE;
    gpu.check(gpu.vk.vkCreateSemaphore(gpu.device(), &create, nullptr, &handle), "vkCreateSemaphore", "a control");
    const Semaphore semaphore(shared, handle);
    std::vector<CommandPool> pools;
    const uint64_t before = races();
    for (uint64_t i = 0; i < 3; ++i) {
      // The first two queues are of the first family.
      pools.push_back(make_pool(shared, gpu.family_indices[0], true));
      const VkCommandBuffer commands = make_buffer(gpu, pools.back(), "control");
      VkCommandBufferBeginInfo begin{};
      begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
      gpu.check(gpu.vk.vkBeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer", "a control");
      VkMemoryBarrier barrier{};
      barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
      barrier.srcAccessMask = barrier.dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
      if (i == 1)
        gpu.vk.vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 1,
                                    &barrier, 0, nullptr, 0, nullptr);
      gpu.vk.vkCmdFillBuffer(commands, static_cast<Memory&>(*buffer).buffer(), 0, 64, 7);
      gpu.check(gpu.vk.vkEndCommandBuffer(commands), "vkEndCommandBuffer", "a control");

      // A timeline is signalled by each submission of the first queue, a binary semaphore by the last one alone.
      const bool waits = i == 2, signals = i == 1 || (i == 0 && timeline);
      const uint64_t waited = 2, signalled = i + 1;
      const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_TRANSFER_BIT;
      VkTimelineSemaphoreSubmitInfo values{};
      values.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
      values.waitSemaphoreValueCount = waits ? 1 : 0;
      values.pWaitSemaphoreValues = &waited;
      values.signalSemaphoreValueCount = signals ? 1 : 0;
      values.pSignalSemaphoreValues = &signalled;
      VkSubmitInfo submit{};
      submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
      submit.pNext = timeline ? &values : nullptr;
      submit.waitSemaphoreCount = waits ? 1 : 0;
      submit.pWaitSemaphores = &handle;
      submit.pWaitDstStageMask = &stage;
      submit.commandBufferCount = 1;
      submit.pCommandBuffers = &commands;
      submit.signalSemaphoreCount = signals ? 1 : 0;
      submit.pSignalSemaphores = &handle;
      const VkQueue queue = static_cast<Queue&>(device().queue(waits ? 1 : 0)).handle();
      gpu.check(gpu.vk.vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit", "a control");
    }
    for (uint32_t i = 0; i < 2; ++i) gpu.vk.vkQueueWaitIdle(static_cast<Queue&>(device().queue(i)).handle());
    const bool satisfied = races() == before;
    EXPECT_EQ(satisfied, !timeline || layer_follows_timelines(*device_)) << (timeline ? "timeline" : "binary");
  }
}

}  // namespace
}  // namespace vd::vulkan
