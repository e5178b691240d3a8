// Failures of the driver: entry points of a device's own table are replaced by ones that fail.
#include <atomic>
#include <string>
#include <thread>

#include "support/completion/failures.h"
#include "unit/vulkan/fixture.h"

namespace vd::vulkan {
namespace {

std::atomic<VkResult> injected{VK_SUCCESS};

VKAPI_ATTR VkResult VKAPI_CALL failing_submit(VkQueue, uint32_t, const VkSubmitInfo*, VkFence) { return injected; }
std::atomic<bool> submitting{false}, let_submit{false};
VKAPI_ATTR VkResult VKAPI_CALL waiting_submit(VkQueue, uint32_t, const VkSubmitInfo*, VkFence) {
  submitting = true;
  while (!let_submit) std::this_thread::yield();
  return injected;
}
VKAPI_ATTR VkResult VKAPI_CALL failing_counter(VkDevice, VkSemaphore, uint64_t*) { return injected; }
VKAPI_ATTR VkResult VKAPI_CALL failing_pipeline(VkDevice, VkPipelineCache, uint32_t, const VkComputePipelineCreateInfo*,
                                                const VkAllocationCallbacks*, VkPipeline*) {
  return injected;
}

class VulkanFailure : public VulkanTest {
 protected:
  void SetUp() override {
    VulkanTest::SetUp();
    if (!device_) return;
    std::string reason;
    device_ = open_fresh({}, "", reason);  // of our own: it will be of no further use
  }
  void TearDown() override { device_.reset(); }
  VolkDeviceTable& table() { return const_cast<Gpu&>(device_->gpu()).vk; }

  static vd_status status_of(const std::function<void()>& body, std::string* message = nullptr) {
    try {
      body();
      return VD_OK;
    } catch (const Error& error) {
      if (message != nullptr) *message = error.what();
      return error.status();
    }
  }
};

TEST_F(VulkanFailure, AFailedSubmitStaysWithItsQueue) {
  const auto buffer = words({1});
  const uint64_t before = queue().submit(backends::CommandList{});
  EXPECT_TRUE(queue().wait(before, VD_WAIT_FOREVER));
  const auto submit = table().vkQueueSubmit;
  injected = VK_ERROR_OUT_OF_DEVICE_MEMORY;
  table().vkQueueSubmit = failing_submit;
  ListBuilder work;
  work.fill(whole(*buffer), 2);
  const uint64_t value = queue().submit(work.list);
  std::string message;
  EXPECT_EQ(status_of([&] { queue().wait(value, VD_WAIT_FOREVER); }, &message), VD_ERR_OUT_OF_MEMORY);
  EXPECT_NE(message.find("vkQueueSubmit failed with VK_ERROR_OUT_OF_DEVICE_MEMORY"), std::string::npos) << message;
  table().vkQueueSubmit = submit;
  // It is told once the device has stopped.
  const auto ask = [&] {
    for (;;) queue().completed();
  };
  EXPECT_EQ(status_of(ask), VD_ERR_OUT_OF_MEMORY);
  EXPECT_EQ(status_of([&] { queue().submit(work.list); }), VD_ERR_OUT_OF_MEMORY);
  uint32_t word = 0;
  EXPECT_EQ(status_of([&] { queue().read(whole(*buffer), &word); }), VD_ERR_OUT_OF_MEMORY);
  EXPECT_EQ(status_of([&] { test::write(queue(), whole(*buffer), &word); }), VD_ERR_OUT_OF_MEMORY);
  EXPECT_EQ(status_of([&] { (void)memory(64); }), VD_OK) << "the device itself is all right";
}

// A value that a queue does not come to set is left to others.
TEST_F(VulkanFailure, AValueOfASemaphoreThatIsNeverSetIsFreeAgain) {
  const auto semaphore = device().make_semaphore({.label = "semaphore \"theirs\""});
  const auto use = [&](uint64_t value) { return backends::SemaphoreUse{semaphore, value, VD_WAIT_FOREVER, "theirs"}; };
  semaphore->claim(1, "value");
  EXPECT_TRUE(queue().wait(queue().signal(use(1)), VD_WAIT_FOREVER));
  semaphore->claim(5, "value");
  const auto submit = table().vkQueueSubmit;
  injected = VK_ERROR_OUT_OF_DEVICE_MEMORY;
  table().vkQueueSubmit = failing_submit;
  const uint64_t last = queue().signal(use(5));
  EXPECT_EQ(status_of([&] { queue().wait(last, VD_WAIT_FOREVER); }), VD_ERR_OUT_OF_MEMORY);
  EXPECT_EQ(status_of([&] { queue().signal(use(6)); }), VD_ERR_OUT_OF_MEMORY);
  table().vkQueueSubmit = submit;
  EXPECT_EQ(status_of([&] { semaphore->check(2, true, "value"); }), VD_OK);
  EXPECT_EQ(status_of([&] { semaphore->claim(1, "value"); }), VD_ERR_INVALID);
  semaphore->claim(7, "value");
  semaphore->give_back(7);
  semaphore->signal(5);
  EXPECT_EQ(semaphore->value(), 5u);
  EXPECT_TRUE(semaphore->wait(5, VD_WAIT_FOREVER));
}

// Neither a thread that waits already nor one that begins to.
TEST_F(VulkanFailure, NobodyWaitsForAValueThatFailedWorkWouldSet) {
  const auto semaphore = device().make_semaphore({.label = "semaphore \"theirs\""});
  const auto wait = [&](uint64_t value) {
    std::string message;
    const vd_status status = status_of([&] { semaphore->wait(value, VD_WAIT_FOREVER); }, &message);
    EXPECT_EQ(status, VD_ERR_OUT_OF_MEMORY);
    EXPECT_NE(message.find("the work that would set semaphore \"theirs\" to 5 failed: vkQueueSubmit"),
              std::string::npos)
        << message;
  };
  std::thread early([&] { wait(5); });
  const auto submit = table().vkQueueSubmit;
  injected = VK_ERROR_OUT_OF_DEVICE_MEMORY;
  table().vkQueueSubmit = failing_submit;
  semaphore->claim(5, "value");
  const uint64_t last = queue().signal({semaphore, 5, VD_WAIT_FOREVER, "theirs"});
  EXPECT_EQ(status_of([&] { queue().wait(last, VD_WAIT_FOREVER); }), VD_ERR_OUT_OF_MEMORY);
  table().vkQueueSubmit = submit;
  wait(5);
  early.join();
  semaphore->claim(5, "value");
  semaphore->give_back(5);  // other work, that was never submitted
  wait(5);
  // Another may still set these.
  EXPECT_FALSE(semaphore->wait(4, 0));
  EXPECT_FALSE(semaphore->wait(6, 0));
  // The library sets it so that devices come to rest, which is not what the work would have done.
  semaphore->force(5);
  EXPECT_TRUE(semaphore->wait(4, VD_WAIT_FOREVER));
  wait(5);
  EXPECT_EQ(status_of([&] { semaphore->check(5, true, "value"); }), VD_ERR_INVALID);
}

// Uses of semaphores that the driver was not given yet keep them, when the device is lost, too.
TEST_F(VulkanFailure, WorkThatIsNotSubmittedKeepsItsSemaphores) {
  auto set = device().make_semaphore({.label = "semaphore \"set\""});
  auto waited_for = device().make_semaphore({.label = "semaphore \"waited for\""});
  injected = VK_ERROR_DEVICE_LOST;
  const auto counter = table().vkGetSemaphoreCounterValue;
  table().vkQueueSubmit = waiting_submit;
  let_submit = false;
  std::thread submitter([&] { queue().submit(backends::CommandList{}); });
  while (!submitting) std::this_thread::yield();
  queue().wait_for({waited_for, 5, VD_WAIT_FOREVER, "theirs"});
  set->claim(5, "value");
  queue().signal({set, 5, VD_WAIT_FOREVER, "theirs"});
  const std::weak_ptr<backends::Semaphore> left[] = {set, waited_for};
  set.reset();
  waited_for.reset();
  table().vkGetSemaphoreCounterValue = failing_counter;
  // Until the thread that looks after semaphores lets go of them.
  for (const auto& one : left)
    while (one.use_count() > 1) std::this_thread::yield();
  table().vkGetSemaphoreCounterValue = counter;
  for (const auto& one : left) EXPECT_FALSE(one.expired());
  let_submit = true;
  submitter.join();
  device_.reset();
  for (const auto& one : left) EXPECT_TRUE(one.expired());
}

TEST_F(VulkanFailure, ALostDeviceStaysLost) {
  const auto buffer = words({1});
  EXPECT_EQ(read_words(*buffer)[0], 1u);
  const auto counter = table().vkGetSemaphoreCounterValue;
  injected = VK_ERROR_DEVICE_LOST;
  table().vkGetSemaphoreCounterValue = failing_counter;
  std::string message;
  EXPECT_EQ(status_of([&] { queue().completed(); }, &message), VD_ERR_DEVICE_LOST);
  EXPECT_NE(message.find("VK_ERROR_DEVICE_LOST"), std::string::npos) << message;
  table().vkGetSemaphoreCounterValue = counter;
  EXPECT_EQ(status_of([&] { queue().completed(); }), VD_ERR_DEVICE_LOST);
  EXPECT_EQ(status_of([&] { (void)memory(64); }), VD_ERR_DEVICE_LOST);
  EXPECT_EQ(status_of([&] { affine(); }), VD_ERR_DEVICE_LOST);
  EXPECT_EQ(status_of([&] { queue().submit(backends::CommandList{}); }), VD_ERR_DEVICE_LOST);
}

// Fetched bytes and notifications: each comes once, whatever fails.
TEST_F(VulkanFailure, CallsBackComeAllTheSame) {
  EXPECT_TRUE(test::fetch_and_notify(device_).nothing());
  const VolkDeviceTable whole = table();
  injected = VK_ERROR_OUT_OF_DEVICE_MEMORY;
  table().vkQueueSubmit = failing_submit;
  const test::Met met = test::fetch_and_notify(device_);
  EXPECT_FALSE(met.nothing());
  for (const std::string& message : met.called) EXPECT_NE(message.find("vkQueueSubmit"), std::string::npos) << message;
  table() = whole;
}

// The host holds a queue up, and lets it go on in its order.
TEST_F(VulkanFailure, AQueueIsHeldUpUntilAllOfItIsOpened) {
  const auto buffer = words({1, 2});
  const auto first = queue().hold();
  ListBuilder work;
  work.fill(whole(*buffer), 7);
  const uint64_t value = queue().submit(work.list);
  const auto second = queue().hold();
  const uint64_t last = queue().submit(work.list);
  second();
  EXPECT_FALSE(queue().wait(value, 50'000'000));
  EXPECT_FALSE(queue().reached(last));
  first();
  EXPECT_TRUE(queue().wait(last, VD_WAIT_FOREVER));
  EXPECT_TRUE(queue().reached(last));
  EXPECT_EQ(read_words(*buffer), (std::vector<uint32_t>{7, 7}));
}

TEST_F(VulkanFailure, AKernelThatTheDriverRefusesIsNamed) {
  const auto pipelines = table().vkCreateComputePipelines;
  injected = VK_ERROR_UNKNOWN;
  table().vkCreateComputePipelines = failing_pipeline;
  std::string message;
  EXPECT_EQ(status_of([&] { affine(); }, &message), VD_ERR_INTERNAL);
  EXPECT_NE(message.find("test kernel"), std::string::npos) << message;
  table().vkCreateComputePipelines = pipelines;
  EXPECT_EQ(status_of([&] { affine(); }), VD_OK);
}

}  // namespace
}  // namespace vd::vulkan
