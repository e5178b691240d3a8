// The subgroup sizes that pipelines ask for, by the device's properties and the code's use.
#include "backends/vulkan/subgroups.h"

#include <gmock/gmock.h>

#include "backends/vulkan/module.h"
#include "codegen/glslang.h"
#include "codegen/spirv.h"
#include "unit/vulkan/fixture.h"

namespace vd::vulkan {
namespace {

using testing::Each;

// As Intel's.
SubgroupLimits varying() {
  SubgroupLimits limits;
  limits.size_control = limits.full_subgroups = true;
  limits.size = 16;
  limits.min_size = 8;
  limits.max_size = 32;
  limits.max_workgroup_subgroups = 64;
  limits.stages = VK_SHADER_STAGE_COMPUTE_BIT;
  return limits;
}

TEST(VulkanSubgroups, TheReportedSizeWithAllLanesIsAskedFor) {
  EXPECT_EQ(choose_subgroups(varying(), true, {64, 1, 1}), (SubgroupWishes{16, true}));
  EXPECT_EQ(choose_subgroups(varying(), true, {16, 4, 2}), (SubgroupWishes{16, true}));
}

TEST(VulkanSubgroups, NothingIsAskedForWhatUsesNone) {
  EXPECT_EQ(choose_subgroups(varying(), false, {64, 1, 1}), SubgroupWishes{});
}

TEST(VulkanSubgroups, RowsThatAreNoMultipleHaveNoFullOnes) {
  EXPECT_EQ(choose_subgroups(varying(), true, {8, 8, 1}), (SubgroupWishes{16, false}));
  EXPECT_EQ(choose_subgroups(varying(), true, {40, 1, 1}), (SubgroupWishes{16, false}));
}

TEST(VulkanSubgroups, WhatTheDeviceLacksIsLeft) {
  SubgroupLimits limits = varying();
  limits.full_subgroups = false;
  EXPECT_EQ(choose_subgroups(limits, true, {64, 1, 1}), (SubgroupWishes{16, false}));
  EXPECT_EQ(choose_subgroups({}, true, {64, 1, 1}), SubgroupWishes{}) << "as a device of Vulkan 1.2 says nothing";
  limits = varying();
  limits.size_control = false;
  EXPECT_EQ(choose_subgroups(limits, true, {64, 1, 1}), (SubgroupWishes{0, true}));
  EXPECT_EQ(choose_subgroups(limits, true, {16, 1, 1}), SubgroupWishes{}) << "the driver may take the largest";
  limits = varying();
  limits.stages = VK_SHADER_STAGE_FRAGMENT_BIT;
  EXPECT_EQ(choose_subgroups(limits, true, {64, 1, 1}), (SubgroupWishes{0, true}));
  limits = varying();
  limits.size = 64;
  EXPECT_EQ(choose_subgroups(limits, true, {64, 1, 1}).size, 0u) << "past what may be asked for";
  limits = varying();
  limits.max_workgroup_subgroups = 4;
  EXPECT_EQ(choose_subgroups(limits, true, {64, 1, 1}).size, 16u);
  EXPECT_EQ(choose_subgroups(limits, true, {64, 2, 1}).size, 0u) << "a workgroup has more subgroups than may be";
}

TEST(VulkanSubgroups, SpirvSaysWhetherItUsesThem) {
  const auto compile = [](const char* extension, const char* statement) {
    return codegen::compile_glsl(fmt::format("#version 450\n{}\nlayout(local_size_x = 32) in;\n"
                                             "layout(set = 0, binding = 0) buffer X {{ uint x[]; }};\n"
                                             "void main() {{ x[gl_LocalInvocationID.x] = {}; }}\n",
                                             extension, statement),
                                 "test", true);
  };
  EXPECT_FALSE(codegen::uses_subgroups(compile("", "1u")));
  EXPECT_TRUE(codegen::uses_subgroups(compile("#extension GL_KHR_shader_subgroup_basic : require", "gl_SubgroupID")));
  EXPECT_TRUE(
      codegen::uses_subgroups(compile("#extension GL_KHR_shader_subgroup_arithmetic : require", "subgroupAdd(1u)")));
  EXPECT_TRUE(codegen::uses_subgroups(
      compile("#extension GL_KHR_shader_subgroup_shuffle : require", "subgroupShuffle(1u, 0u)")));
  EXPECT_TRUE(
      codegen::uses_subgroups(compile("#extension GL_KHR_shader_subgroup_ballot : require", "subgroupBallot(true).x")));
  EXPECT_FALSE(codegen::uses_subgroups({}));
}

// The wishes passed to the driver, seen by an entry point in its place.
SubgroupWishes asked;
PFN_vkCreateComputePipelines real_create = nullptr;

VKAPI_ATTR VkResult VKAPI_CALL seeing_create(VkDevice device, VkPipelineCache cache, uint32_t count,
                                             const VkComputePipelineCreateInfo* infos,
                                             const VkAllocationCallbacks* callbacks, VkPipeline* pipelines) {
  asked = {};
  asked.full = (infos->stage.flags & VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT) != 0;
  for (const auto* next = static_cast<const VkBaseInStructure*>(infos->stage.pNext); next != nullptr;
       next = next->pNext)
    if (next->sType == VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO)
      asked.size =
          reinterpret_cast<const VkPipelineShaderStageRequiredSubgroupSizeCreateInfo*>(next)->requiredSubgroupSize;
  return real_create(device, cache, count, infos, callbacks, pipelines);
}

class VulkanSubgroupPipelines : public VulkanTest {
 protected:
  void SetUp() override {
    VulkanTest::SetUp();
    if (!device_) return;
    std::string reason;
    device_ = open_fresh(overrides(), "", reason);  // of our own: an entry point is changed
    auto& create = const_cast<Gpu&>(device_->gpu()).vk.vkCreateComputePipelines;
    real_create = create;
    create = seeing_create;
  }
  void TearDown() override {
    VulkanTest::TearDown();
    device_.reset();
  }
  // x[i] = a number of the invocation's, over groups of `local` invocations in a row.
  std::shared_ptr<backends::Module> compile(uint32_t local, const std::string& number) {
    return glsl(fmt::format("#version 450\n#extension GL_KHR_shader_subgroup_arithmetic : require\n"
                            "layout(local_size_x = {}) in;\nlayout(set = 0, binding = 0) buffer X {{ uint x[]; }};\n"
                            "void main() {{ x[gl_GlobalInvocationID.x] = {}; }}\n",
                            local, number),
                1);
  }
};

TEST_F(VulkanSubgroupPipelines, HaveTheReportedSizeWithAllLanes) {
  const SubgroupLimits& limits = device().gpu().physical.subgroups;
  const uint32_t size = device().info().subgroup_size, local = 4 * size;
  EXPECT_EQ(limits.size, size);
  const auto module = compile(local, "subgroupAdd(1u)");
  EXPECT_EQ(asked, choose_subgroups(limits, true, {local, 1, 1}));
  if (limits.size_control && (limits.stages & VK_SHADER_STAGE_COMPUTE_BIT) != 0) {
    EXPECT_EQ(asked.size, size);
  }
  EXPECT_EQ(asked.full, limits.full_subgroups);
  const auto lanes = words(std::vector<uint32_t>(3 * local, 0));
  ListBuilder work;
  work.dispatch(*module, 3, {whole(*lanes)}, {});
  queue().submit(work.list);
  EXPECT_THAT(read_words(*lanes), Each(size));
}

TEST_F(VulkanSubgroupPipelines, OfOtherSizesAreMadeToo) {
  for (const uint32_t local : {1u, 3u, device().info().subgroup_size + 1, device().info().max_workgroup_invocations}) {
    compile(local, "gl_SubgroupInvocationID");
    EXPECT_EQ(asked, choose_subgroups(device().gpu().physical.subgroups, true, {local, 1, 1})) << local;
  }
  compile(64, "1u");
  EXPECT_EQ(asked, SubgroupWishes{}) << "code without subgroups";
}

}  // namespace
}  // namespace vd::vulkan
