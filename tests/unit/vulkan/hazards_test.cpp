#include <gtest/gtest.h>

#include "backends/vulkan/hazards.h"

namespace vd::vulkan {
namespace {

TEST(VulkanHazards, NothingRecordedNeedsNoBarrier) {
  const Hazards hazards;
  EXPECT_EQ(hazards.before(kCompute), kNoWork);
  EXPECT_EQ(hazards.before(kCompute | kTransfer), kNoWork);
}

TEST(VulkanHazards, ComputeAfterComputeWaitsForComputeAlone) {
  Hazards hazards;
  hazards.record(kCompute);
  EXPECT_EQ(hazards.before(kCompute), kCompute);
  hazards.barrier(kCompute, kCompute);
  EXPECT_EQ(hazards.before(kCompute), kNoWork);
  EXPECT_EQ(hazards.before(kTransfer), kCompute) << "the barrier held back compute, not transfers";
}

TEST(VulkanHazards, ATransferIsWaitedForOnceByEachKind) {
  Hazards hazards;
  hazards.record(kTransfer);
  hazards.record(kCompute);
  EXPECT_EQ(hazards.before(kCompute), kCompute | kTransfer);
  hazards.barrier(kCompute | kTransfer, kCompute);
  hazards.record(kCompute);
  EXPECT_EQ(hazards.before(kCompute), kCompute);
  EXPECT_EQ(hazards.before(kTransfer), kCompute | kTransfer);
}

TEST(VulkanHazards, StagesAndAccessesAreNoWiderThanTheWork) {
  EXPECT_EQ(stages_of(kCompute), static_cast<VkFlags>(VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT));
  EXPECT_EQ(stages_of(kTransfer), static_cast<VkFlags>(VK_PIPELINE_STAGE_TRANSFER_BIT));
  EXPECT_EQ(writes_of(kCompute), static_cast<VkFlags>(VK_ACCESS_SHADER_WRITE_BIT));
  EXPECT_EQ(accesses_of(kCompute), static_cast<VkFlags>(VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT));
}

}  // namespace
}  // namespace vd::vulkan
