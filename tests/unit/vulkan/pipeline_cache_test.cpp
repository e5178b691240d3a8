// When the driver's pipelines are kept on disk. What a driver would say is put in its place: lavapipe keeps nothing.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

#include "support/scratch_folder.h"
#include "unit/vulkan/fixture.h"

namespace vd::vulkan {
namespace {

PFN_vkCreateComputePipelines driver_create = nullptr;
PFN_vkGetPipelineCacheData driver_data = nullptr;
VkPipelineCreationFeedbackFlags told = 0;  // of each pipeline
bool was_asked = false;                    // for it
size_t more = 0;                           // bytes of pipelines
uint32_t saved = 0;                        // questions for them

VKAPI_ATTR VkResult VKAPI_CALL telling_create(VkDevice device, VkPipelineCache cache, uint32_t count,
                                              const VkComputePipelineCreateInfo* infos,
                                              const VkAllocationCallbacks* callbacks, VkPipeline* pipelines) {
  const VkResult made = driver_create(device, cache, count, infos, callbacks, pipelines);
  for (const auto* next = static_cast<const VkBaseInStructure*>(infos->pNext); next != nullptr; next = next->pNext) {
    if (next->sType != VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO) continue;
    was_asked = true;
    reinterpret_cast<const VkPipelineCreationFeedbackCreateInfo*>(next)->pPipelineCreationFeedback->flags = told;
  }
  return made;
}

// The driver's own header, and `more` bytes behind it.
VKAPI_ATTR VkResult VKAPI_CALL header_and_more(VkDevice device, VkPipelineCache cache, size_t* size, void* data) {
  const size_t all = sizeof(VkPipelineCacheHeaderVersionOne) + more;
  if (data == nullptr) {
    ++saved;
    *size = all;
    return VK_SUCCESS;
  }
  size_t own = 0;
  if (const VkResult got = driver_data(device, cache, &own, nullptr); got != VK_SUCCESS) return got;
  std::vector<std::byte> bytes(std::max(own, all));
  if (const VkResult got = driver_data(device, cache, &own, bytes.data()); got != VK_SUCCESS) return got;
  std::fill(bytes.begin() + sizeof(VkPipelineCacheHeaderVersionOne), bytes.end(), std::byte{0});
  std::memcpy(data, bytes.data(), *size = std::min(*size, all));
  return VK_SUCCESS;
}

class VulkanPipelineCache : public VulkanTest {
 protected:
  void open() {
    std::string reason;
    device_ = open_fresh(overrides(), folder_.path(), reason);  // of our own: entry points are changed
    auto& table = const_cast<Gpu&>(device_->gpu()).vk;
    driver_create = table.vkCreateComputePipelines;
    driver_data = table.vkGetPipelineCacheData;
    table.vkCreateComputePipelines = telling_create;
    table.vkGetPipelineCacheData = header_and_more;
    was_asked = false;
    saved = 0;
    if (!device_->gpu().physical.tells_cache_hits) GTEST_SKIP() << "the device does not tell whether a cache was hit";
  }
  void SetUp() override {
    VulkanTest::SetUp();
    if (device_) open();
  }
  void TearDown() override {
    VulkanTest::TearDown();
    device_.reset();
  }
  test::ScratchFolder folder_;
};

constexpr VkPipelineCreationFeedbackFlags kFoundInCache =
    VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT | VK_PIPELINE_CREATION_FEEDBACK_APPLICATION_PIPELINE_CACHE_HIT_BIT;

TEST_F(VulkanPipelineCache, IsKeptForWhatTheDriverCompiled) {
  more = 64;
  told = VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT;
  const auto first = affine();
  EXPECT_TRUE(was_asked);
  EXPECT_EQ(saved, 1u) << "at once: the process may end without a destructor";
  EXPECT_EQ(folder_.files().size(), 2u) << "SPIR-V and the driver's pipelines";
}

// On an H200 to keep it took most of the time of the first kernel.
TEST_F(VulkanPipelineCache, IsNotKeptAgainForWhatWasInIt) {
  more = 64;
  told = kFoundInCache;
  {
    const auto first = affine();
    EXPECT_TRUE(was_asked);
    EXPECT_EQ(saved, 0u);
    const auto second = accumulate();
    EXPECT_EQ(saved, 0u);
    told = 0;  // no answer counts as compiled
    const auto third = glsl("#version 450\nlayout(local_size_x = 1) in;\nvoid main() {}\n", 0);
    EXPECT_EQ(saved, 1u);
    told = kFoundInCache;
  }
  TearDown();
  open();
  const auto again = affine();
  device_.reset();
  EXPECT_EQ(saved, 0u) << "not at the end either";
}

TEST_F(VulkanPipelineCache, IsNotKeptWithoutPipelines) {
  more = 0;
  told = 0;
  const auto module = affine();
  EXPECT_EQ(saved, 1u);
  EXPECT_EQ(folder_.files().size(), 1u) << "SPIR-V alone";
}

}  // namespace
}  // namespace vd::vulkan
