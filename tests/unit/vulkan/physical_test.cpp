#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "backends/backend.h"
#include "support/scratch_folder.h"
#include "unit/vulkan/fixture.h"

namespace vd::vulkan {
namespace {

VkQueueFamilyProperties family(VkQueueFlags flags, uint32_t count) {
  VkQueueFamilyProperties f{};
  f.queueFlags = flags;
  f.queueCount = count;
  return f;
}

constexpr VkQueueFlags kAll = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT;

TEST(VulkanQueueChoice, TakesComputeOnlyFamiliesFirst) {
  const std::vector<VkQueueFamilyProperties> families{family(kAll, 16), family(VK_QUEUE_TRANSFER_BIT, 2),
                                                      family(VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT, 8)};
  const auto one = choose_queues(families, 1);
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].family, 2u);
  EXPECT_EQ(one[0].count, 1u);
  const auto many = choose_queues(families, 10);
  ASSERT_EQ(many.size(), 2u);
  EXPECT_EQ(many[0].family, 2u);
  EXPECT_EQ(many[0].count, 8u);
  EXPECT_EQ(many[1].family, 0u);
  EXPECT_EQ(many[1].count, 2u);
}

TEST(VulkanQueueChoice, GivesWhatThereIs) {
  EXPECT_EQ(choose_queues({family(kAll, 1)}, 4)[0].count, 1u);
  EXPECT_EQ(choose_queues({family(kAll, 1)}, 0)[0].count, 1u) << "no wish means one queue";
  EXPECT_TRUE(choose_queues({family(VK_QUEUE_TRANSFER_BIT, 1)}, 1).empty());
}

TEST(VulkanResults, HaveNamesAndStatuses) {
  EXPECT_EQ(result_name(VK_ERROR_DEVICE_LOST), "VK_ERROR_DEVICE_LOST");
  EXPECT_EQ(result_name(static_cast<VkResult>(-123456)), "VkResult -123456");
  EXPECT_EQ(result_status(VK_ERROR_OUT_OF_DEVICE_MEMORY), VD_ERR_OUT_OF_MEMORY);
  EXPECT_EQ(result_status(VK_ERROR_DEVICE_LOST), VD_ERR_DEVICE_LOST);
  try {
    check(VK_ERROR_OUT_OF_DEVICE_MEMORY, "vkAllocateMemory", "{} bytes", 17);
    FAIL() << "check() let a failure pass";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), VD_ERR_OUT_OF_MEMORY);
    EXPECT_STREQ(error.what(), "vkAllocateMemory failed with VK_ERROR_OUT_OF_DEVICE_MEMORY for 17 bytes.");
  }
}

// In a process of its own, since an instance is kept as long as its process.
TEST(VulkanUnavailable, SaysWhy) {
  const test::ScratchFolder empty;
  const std::string driver = empty.path("driver.json");
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        for (const char* name : {"VK_ICD_FILENAMES", "VK_DRIVER_FILES"}) setenv(name, driver.c_str(), 1);
        try {
          backends::get_backend(VD_BACKEND_VULKAN).devices();
        } catch (const Error& error) {
          fprintf(stderr, "%s\n", error.what());
          exit(error.status() == VD_ERR_UNAVAILABLE ? 0 : 1);
        }
        exit(2);
      },
      testing::ExitedWithCode(0),
      "the Vulkan loader found no driver .*; VK_DRIVER_FILES ./.*/vd-test-.*/driver.json. is the only place where the "
      "loader looks: "
      "unset it");
}

class VulkanDeviceTest : public VulkanTest {};

TEST_F(VulkanDeviceTest, ReportsItsProperties) {
  const auto& devices = backends::get_backend(VD_BACKEND_VULKAN).devices();
  ASSERT_FALSE(devices.empty());
  for (uint32_t i = 0; i < devices.size(); ++i) {
    const auto& info = devices[i];
    EXPECT_EQ(info.struct_size, sizeof(vd_device_info));
    EXPECT_EQ(info.backend, VD_BACKEND_VULKAN);
    EXPECT_EQ(info.index, i);
    EXPECT_GE(std::strlen(info.name), 1u);
    EXPECT_EQ(info.uuid_valid, 1u);
    EXPECT_GE(info.max_workgroup_invocations, 128u);
    for (const uint32_t size : info.max_workgroup_size) EXPECT_LE(size, info.max_workgroup_invocations);
    EXPECT_GE(info.max_workgroup_count[0], 65535u);
    EXPECT_GE(info.max_storage_buffer_range, uint64_t{1} << 27);
    EXPECT_GE(info.max_allocation_size, uint64_t{1} << 30);
    EXPECT_GT(info.memory_size, 0u);
    EXPECT_GE(info.max_push_constant_size, 128u);
    EXPECT_GE(info.max_shared_memory_size, 16384u);
    EXPECT_GE(info.subgroup_size, 1u);
    EXPECT_GE(info.queue_count, 1u);
    EXPECT_NE(info.features & VD_FEATURE_TIMELINE_SEMAPHORE, 0u);
    EXPECT_NE(info.features & VD_FEATURE_SCALAR_BLOCK_LAYOUT, 0u);
  }
}

TEST_F(VulkanDeviceTest, IsOpenedWithWhatItHasButNoRobustAccess) {
  const auto& features = device().gpu().physical.features;
  EXPECT_EQ(features.base.features.robustBufferAccess, static_cast<VkBool32>(VK_FALSE));
  EXPECT_EQ(features.v12.timelineSemaphore, static_cast<VkBool32>(VK_TRUE));
}

TEST_F(VulkanDeviceTest, RefusesAnIndexPastTheLast) {
  try {
    backends::get_backend(VD_BACKEND_VULKAN).make_device(1000, {});
    FAIL() << "device 1000 was opened";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), VD_ERR_INVALID);
    EXPECT_NE(std::string(error.what()).find("1000"), std::string::npos);
  }
}

TEST_F(VulkanDeviceTest, GivesNativeHandles) {
  uint64_t handle = 0;
  for (const char* kind : {"VkInstance", "VkPhysicalDevice", "VkDevice"}) {
    EXPECT_TRUE(device().native(kind, handle)) << kind;
    EXPECT_NE(handle, 0u) << kind;
  }
  EXPECT_FALSE(device().native("CUcontext", handle));
  EXPECT_TRUE(device().queue(0).native("VkQueue", handle));
  EXPECT_NE(handle, 0u);
  const auto buffer = memory(64);
  EXPECT_TRUE(buffer->native("VkBuffer", handle));
  EXPECT_NE(handle, 0u);
  EXPECT_FALSE(buffer->native("cl_mem", handle));
}

TEST_F(VulkanDeviceTest, SaysHowMuchMemoryItCouldNotGet) {
  const uint64_t limit = device().info().max_allocation_size;
  try {
    (void)memory(limit + 4096);
    FAIL() << "more than the largest allocation was allocated";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), VD_ERR_OUT_OF_MEMORY);
    EXPECT_NE(std::string(error.what()).find(std::to_string(limit + 4096)), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find(std::to_string(limit)), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace vd::vulkan
