// How a wait ends: by the word that the device writes, where the driver's semaphore is late; by the semaphore, where
// the word stays away; by a failure. The driver's lateness is played by entry points in its place.
#include <atomic>
#include <chrono>
#include <thread>

#include "unit/vulkan/fixture.h"

namespace vd::vulkan {
namespace {

std::atomic<bool> lost{false};
std::atomic<uint32_t> marks{0};
std::atomic<uint32_t> last_mark{0};
PFN_vkCmdUpdateBuffer real_update = nullptr;
PFN_vkGetSemaphoreCounterValue real_counter = nullptr;

VKAPI_ATTR VkResult VKAPI_CALL late_counter(VkDevice, VkSemaphore, uint64_t* value) {
  *value = 0;
  return VK_SUCCESS;
}
VKAPI_ATTR VkResult VKAPI_CALL late_wait(VkDevice, const VkSemaphoreWaitInfo*, uint64_t) { return VK_TIMEOUT; }
VKAPI_ATTR VkResult VKAPI_CALL losing_counter(VkDevice device, VkSemaphore semaphore, uint64_t* value) {
  if (lost) return VK_ERROR_DEVICE_LOST;
  return real_counter(device, semaphore, value);
}
VKAPI_ATTR void VKAPI_CALL no_update(VkCommandBuffer, VkBuffer, VkDeviceSize, VkDeviceSize, const void*) {}
VKAPI_ATTR void VKAPI_CALL counted_update(VkCommandBuffer commands, VkBuffer buffer, VkDeviceSize offset,
                                          VkDeviceSize size, const void* data) {
  ++marks;
  last_mark = *static_cast<const uint32_t*>(data);
  real_update(commands, buffer, offset, size, data);
}

TEST(VulkanWord, IsTheLowerHalfOfAValueThatRises) {
  EXPECT_EQ(widen(0, 0), 0u);
  EXPECT_EQ(widen(0, 5), 5u);
  EXPECT_EQ(widen(7, 5), 7u) << "a mark older than what the semaphore told";
  EXPECT_EQ(widen(0xffffffff, 3), 0x100000003u);
  EXPECT_EQ(widen(0x100000003, 0xfffffff0), 0x100000003u);
  EXPECT_EQ(widen(0x5fffffff0, 0xfffffff5), 0x5fffffff5u);
}

class VulkanTimeline : public VulkanTest {
 protected:
  Overrides overrides() const override {
    Overrides wishes;
    wishes.map_memory = false;
    wishes.spin = true;
    return wishes;
  }
  void SetUp() override {
    VulkanTest::SetUp();
    if (!device_) return;
    std::string reason;
    device_ = open_fresh(overrides(), "", reason);  // of our own: its entry points are changed
    real_update = table().vkCmdUpdateBuffer;
    real_counter = table().vkGetSemaphoreCounterValue;
    marks = 0;
    lost = false;
  }
  void TearDown() override {
    if (!lost) VulkanTest::TearDown();
    device_.reset();
  }
  VolkDeviceTable& table() { return const_cast<Gpu&>(device_->gpu()).vk; }
};

TEST_F(VulkanTimeline, AWaitEndsByTheWordWhileTheSemaphoreIsLate) {
  const auto module = affine();
  const auto buffer = words({1, 2, 3});
  const VolkDeviceTable real = table();
  table().vkGetSemaphoreCounterValue = late_counter;
  table().vkWaitSemaphores = late_wait;
  ListBuilder work;
  work.dispatch(*module, 1, {whole(*buffer)}, {3, 5, 1});
  const auto graph = device().make_executable(work.list);
  uint64_t last = queue().submit(work.list);
  EXPECT_TRUE(queue().wait(last, 10'000'000'000));
  last = queue().submit(*graph, 2);
  EXPECT_TRUE(queue().wait(last, 10'000'000'000));
  EXPECT_TRUE(queue().wait(last, 0));
  EXPECT_EQ(read_words(*buffer), (std::vector<uint32_t>{156, 281, 406})) << "reading waits by the word too";
  EXPECT_EQ(queue().completed(), 0u) << "what the work used may be destroyed only when the driver says so";
  table() = real;
  EXPECT_GE(queue().completed(), last);
}

TEST_F(VulkanTimeline, AWaitEndsByTheSemaphoreWhereTheWordStaysAway) {
  const auto module = affine();
  const auto buffer = words({1});
  table().vkCmdUpdateBuffer = no_update;
  ListBuilder work;
  work.dispatch(*module, 1, {whole(*buffer)}, {1, 5, 1});
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(queue().wait(queue().submit(work.list), VD_WAIT_FOREVER));
  table().vkCmdUpdateBuffer = real_update;
}

TEST_F(VulkanTimeline, AWaitEndsWhenTheDeviceIsLost) {
  for (const auto delay :
       {std::chrono::microseconds(0), std::chrono::microseconds(5000), std::chrono::microseconds(120'000)}) {
    std::string reason;
    lost = false;
    device_ = open_fresh(overrides(), "", reason);
    const auto buffer = words({1});
    ASSERT_TRUE(queue().wait(queue().submit(backends::CommandList{}), VD_WAIT_FOREVER));
    // A value that no work will reach while the test lasts.
    real_counter = table().vkGetSemaphoreCounterValue;
    table().vkGetSemaphoreCounterValue = losing_counter;
    std::thread loses([&] {
      std::this_thread::sleep_for(delay);
      lost = true;
    });
    vd_status status = VD_OK;
    try {
      queue().wait(UINT32_MAX, 20'000'000'000);
    } catch (const Error& error) {
      status = error.status();
    }
    loses.join();
    EXPECT_EQ(status, VD_ERR_DEVICE_LOST) << delay.count() << " us";
  }
}

TEST_F(VulkanTimeline, InABurstTheLastSubmissionIsMarked) {
  const auto module = affine();
  const auto buffer = words({0});
  table().vkCmdUpdateBuffer = counted_update;
  ListBuilder work;
  work.dispatch(*module, 1, {whole(*buffer)}, {1, 1, 1});
  uint64_t last = 0;
  for (int i = 0; i < 2000; ++i) last = queue().submit(work.list);
  EXPECT_TRUE(queue().wait(last, VD_WAIT_FOREVER));
  EXPECT_EQ(last_mark.load(), static_cast<uint32_t>(last));
  EXPECT_LT(marks.load(), 1000u) << "most submissions of a burst go without";
  EXPECT_EQ(read_words(*buffer)[0], 2000u);
  table().vkCmdUpdateBuffer = real_update;
}

// A long wait must neither end early nor need a processor of its own; nor may threads disturb each other.
TEST_F(VulkanTimeline, ManyThreadsWaitForDifferentValues) {
  const auto module = affine();
  const auto buffer = words(std::vector<uint32_t>(1 << 16, 0));
  ListBuilder work;
  work.dispatch(*module, 1 << 10, {whole(*buffer)}, {1 << 16, 1, 1});
  std::vector<uint64_t> values;
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int i = 0; i < 64; ++i) values.push_back(queue().submit(work.list));
  for (int t = 0; t < 6; ++t)
    threads.emplace_back([&, t] {
      for (size_t i = static_cast<size_t>(t); i < values.size(); i += 6)
        if (queue().wait(values[i], VD_WAIT_FOREVER)) ++right;
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(right.load(), 64);
  EXPECT_EQ(read_words(*buffer)[0], 64u);
}

}  // namespace
}  // namespace vd::vulkan
