// Positive controls: the silence that every other test of this folder asks for means something only where the layer
// speaks when it should.
#include "unit/vulkan/fixture.h"

namespace vd::vulkan {
namespace {

class VulkanValidation : public VulkanTest {
 protected:
  void SetUp() override {
    VulkanTest::SetUp();
    if (device_ && !device_->gpu().physical.instance.validates())
      GTEST_SKIP() << "the validation layer is not installed";
  }
  void TearDown() override {}  // these tests provoke messages

  // A command buffer that is recorded, and submitted only if asked for.
  template <class F>
  void record(F&& body) {
    const auto& gpu = device_->gpu();
    const std::shared_ptr<const Gpu> shared(device_, &gpu);
    const CommandPool pool = make_pool(shared, gpu.family_indices[0], true);
    const VkCommandBuffer buffer = make_buffer(gpu, pool, "control");
    VkCommandBufferBeginInfo info{};
    info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
    gpu.check(gpu.vk.vkBeginCommandBuffer(buffer, &info), "vkBeginCommandBuffer", "a control");
    body(gpu, buffer);
    gpu.check(gpu.vk.vkEndCommandBuffer(buffer), "vkEndCommandBuffer", "a control");
  }
};

TEST_F(VulkanValidation, CountsAWrongCall) {
  const auto before = validation_counts();
  const auto buffer = memory(64);
  record([&](const Gpu& gpu, VkCommandBuffer commands) {
    gpu.vk.vkCmdFillBuffer(commands, static_cast<Memory&>(*buffer).buffer(), 2, 4, 0);  // not a multiple of 4
  });
  EXPECT_GT(validation_counts().errors, before.errors);
  EXPECT_NE(last_validation_message().find("VUID-vkCmdFillBuffer"), std::string::npos) << last_validation_message();
}

TEST_F(VulkanValidation, CountsAMissingBarrier) {
  const auto before = validation_counts();
  const auto buffer = memory(64);
  record([&](const Gpu& gpu, VkCommandBuffer commands) {
    for (const uint32_t pattern : {1u, 2u})
      gpu.vk.vkCmdFillBuffer(commands, static_cast<Memory&>(*buffer).buffer(), 0, 64, pattern);
  });
  EXPECT_GT(validation_counts().errors, before.errors);
  EXPECT_NE(last_validation_message().find("SYNC-HAZARD-WRITE-AFTER-WRITE"), std::string::npos)
      << last_validation_message();
}

// The same through our own queue: two lists that conflict, of which the second says that it does not.
TEST_F(VulkanValidation, CountsAMissingBarrierBetweenSubmits) {
  if (device_->gpu().spins) GTEST_SKIP() << "the mark at the end of a submission orders it before the next";
  const auto before = validation_counts();
  const auto buffer = memory(64);
  ListBuilder work(false);
  work.fill(whole(*buffer), 7);
  queue().submit(work.list);
  ASSERT_TRUE(queue().wait(queue().submit(work.list), VD_WAIT_FOREVER));
  EXPECT_GT(validation_counts().errors, before.errors);
  EXPECT_NE(last_validation_message().find("SYNC-HAZARD"), std::string::npos) << last_validation_message();
}

TEST_F(VulkanValidation, NamesObjects) {
  const auto buffer = memory(64, false, "a name to look for");
  record([&](const Gpu& gpu, VkCommandBuffer commands) {
    for (const uint32_t pattern : {1u, 2u})
      gpu.vk.vkCmdFillBuffer(commands, static_cast<Memory&>(*buffer).buffer(), 0, 64, pattern);
  });
  EXPECT_NE(last_validation_message().find("a name to look for"), std::string::npos) << last_validation_message();
}

}  // namespace
}  // namespace vd::vulkan
