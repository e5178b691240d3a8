#include "backends/vulkan/told_limits.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "support/error_of.h"

namespace vd::vulkan {
namespace {

TEST(ToldLimits, AreLowerThanTheDevices) {
  vd_device_info info = VD_DEVICE_INFO_INIT;
  info.max_storage_buffer_range = 1000;
  info.features = VD_FEATURE_BUFFER_ADDRESS | VD_FEATURE_I64;
  ToldLimits::parse("", "x").apply(info);
  ToldLimits::parse("buffer_range=2000,buffer_addresses=1", "x").apply(info);
  EXPECT_EQ(info.max_storage_buffer_range, 1000u);
  EXPECT_EQ(info.features, VD_FEATURE_BUFFER_ADDRESS | VD_FEATURE_I64);
  ToldLimits::parse("buffer_addresses=0,buffer_range=64", "x").apply(info);
  EXPECT_EQ(info.max_storage_buffer_range, 64u);
  EXPECT_EQ(info.features, vd_features{VD_FEATURE_I64});
}

TEST(ToldLimits, GiveNumbersThatDevicesDoNotTell) {
  vd_device_info info = VD_DEVICE_INFO_INIT;
  info.registers_per_multiprocessor = 7;
  ToldLimits::parse("multiprocessors=132", "x").apply(info);
  EXPECT_EQ(info.multiprocessor_count, 132u);
  EXPECT_EQ(info.registers_per_multiprocessor, 7u);
  ToldLimits::parse("registers=65536", "x").apply(info);
  EXPECT_EQ(info.registers_per_multiprocessor, 65536u);
}

TEST(ToldLimits, ThreadsSpinWhereTheyAreTold) {
  EXPECT_FALSE(ToldLimits::parse("buffer_range=64", "x").spin);
  EXPECT_TRUE(ToldLimits::parse("spin=1", "x").spin);
  EXPECT_FALSE(ToldLimits::parse("spin=1,spin=0", "x").spin);
}

TEST(ToldLimits, WordsAreChecked) {
  for (const char* wrong :
       {"buffer_range", "buffer_range=", "buffer_range=0", "buffer_range=x", "buffer_range=1x", "buffer_addresses=2",
        "registers=", "multiprocessors=4294967296", "spin=2", "range=1", "buffer_range=-1"})
    EXPECT_EQ(test::error_of(VD_ERR_INVALID, [&] { ToldLimits::parse(wrong, "VKDISPATCH_VULKAN_LIMITS"); }),
              fmt::format("VKDISPATCH_VULKAN_LIMITS: \"{}\" is not buffer_range=BYTES (at least 1), "
                          "buffer_addresses=0, registers=COUNT, multiprocessors=COUNT or spin=1.",
                          wrong));
}

}  // namespace
}  // namespace vd::vulkan
