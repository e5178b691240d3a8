#include <gtest/gtest.h>

#include "backends/vulkan/hazards.h"

namespace vd::vulkan {
namespace {

TEST(VulkanHazards, NothingRecordedNeedsNoBarrier) {
  const Hazards hazards;
  EXPECT_EQ(hazards.before(kCompute, true), kNoWork);
  EXPECT_EQ(hazards.before(kCompute | kTransfer, true), kNoWork);
}

TEST(VulkanHazards, ComputeAfterComputeWaitsForComputeAlone) {
  Hazards hazards;
  hazards.record(kCompute);
  EXPECT_EQ(hazards.before(kCompute, true), kCompute);
  hazards.barrier(kCompute, kCompute);
  EXPECT_EQ(hazards.before(kCompute, true), kNoWork);
  EXPECT_EQ(hazards.before(kTransfer, true), kCompute) << "the barrier held back compute, not transfers";
}

TEST(VulkanHazards, ATransferIsWaitedForOnceByEachKind) {
  Hazards hazards;
  hazards.record(kTransfer);
  hazards.record(kCompute);
  EXPECT_EQ(hazards.before(kCompute, true), kCompute | kTransfer);
  hazards.barrier(kCompute | kTransfer, kCompute);
  hazards.record(kCompute);
  EXPECT_EQ(hazards.before(kCompute, true), kCompute);
  EXPECT_EQ(hazards.before(kTransfer, true), kCompute | kTransfer);
}

// The runtime counts barriers, not what they hold back: after "compute, barrier, compute" a transfer that depends on
// the first does not ask for a barrier again.
TEST(VulkanHazards, WhatABarrierLeftOutIsOwed) {
  Hazards hazards;
  hazards.record(kCompute);
  hazards.barrier(kCompute, kCompute);
  hazards.mark_ordered();
  hazards.record(kCompute);
  EXPECT_EQ(hazards.before(kCompute, false), kNoWork);
  EXPECT_EQ(hazards.before(kTransfer, false), kCompute);
  hazards.barrier(kCompute, kTransfer);
  EXPECT_EQ(hazards.before(kTransfer, false), kNoWork);
  hazards.record(kCompute);
  EXPECT_EQ(hazards.before(kTransfer, false), kNoWork) << "nobody took this for ordered";
}

TEST(VulkanHazards, StagesAndAccessesAreNoWiderThanTheWork) {
  EXPECT_EQ(stages_of(kCompute), static_cast<VkFlags>(VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT));
  EXPECT_EQ(stages_of(kTransfer), static_cast<VkFlags>(VK_PIPELINE_STAGE_TRANSFER_BIT));
  EXPECT_EQ(writes_of(kCompute), static_cast<VkFlags>(VK_ACCESS_SHADER_WRITE_BIT));
  EXPECT_EQ(accesses_of(kCompute), static_cast<VkFlags>(VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT));
}

}  // namespace
}  // namespace vd::vulkan
