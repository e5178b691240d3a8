// The table of traits: what follows from a device's identity, for each backend and for Vulkan's vendors.
#include "core/traits.h"

#include <gtest/gtest.h>

namespace vd {
namespace {

vd_device_info device_of(vd_backend backend, uint32_t vendor_id = 0) {
  vd_device_info device = VD_DEVICE_INFO_INIT;
  device.backend = backend;
  device.vendor_id = vendor_id;
  return device;
}

struct Row {
  const char* what;
  vd_device_info device;
  bool bounds_registers, wide_addresses, scarce_shared_memory, full_subgroups, orders_workgroups, completes_launches;
  bool rests_without_cuda = false;
};

constexpr uint32_t kNvidia = 0x10de, kAmd = 0x1002, kMesa = 0x10005, kIntel = 0x8086;

TEST(Traits, OfEachBackendAndVendor) {
  const Row rows[] = {
      {"Vulkan, NVIDIA", device_of(VD_BACKEND_VULKAN, kNvidia), false, false, true, true, true, true, true},
      {"Vulkan, AMD", device_of(VD_BACKEND_VULKAN, kAmd), false, false, true, true, true, true},
      {"Vulkan, Mesa", device_of(VD_BACKEND_VULKAN, kMesa), false, false, true, true, true, true},
      {"Vulkan, Intel", device_of(VD_BACKEND_VULKAN, kIntel), false, false, true, false, true, true},
      {"CUDA", device_of(VD_BACKEND_CUDA, kNvidia), true, true, false, true, true, true},
      {"OpenCL, NVIDIA", device_of(VD_BACKEND_OPENCL, kNvidia), false, false, false, false, false, true},
      {"host", device_of(VD_BACKEND_HOST), false, false, false, true, true, false},
      {"dummy", device_of(VD_BACKEND_DUMMY, 0x1bad), false, false, false, true, true, true},
      // A device without a row has no trait that an algorithm could rely on.
      {"none", device_of(VD_BACKEND_AUTO, kNvidia), false, false, false, false, false, false},
  };
  for (const Row& row : rows) {
    const Traits traits = traits_of(row.device);
    EXPECT_EQ(traits.bounds_registers, row.bounds_registers) << row.what;
    EXPECT_EQ(traits.wide_addresses, row.wide_addresses) << row.what;
    EXPECT_EQ(traits.scarce_shared_memory, row.scarce_shared_memory) << row.what;
    EXPECT_EQ(traits.full_subgroups, row.full_subgroups) << row.what;
    EXPECT_EQ(traits.orders_workgroups, row.orders_workgroups) << row.what;
    EXPECT_EQ(traits.completes_launches, row.completes_launches) << row.what;
    EXPECT_EQ(traits.rests_without_cuda, row.rests_without_cuda) << row.what;
  }
  static_assert(sizeof(Traits) == 7 * sizeof(bool), "a new trait is a new column of this table");
}

TEST(Traits, LimitsOfAWorkgroup) {
  vd_device_info device = VD_DEVICE_INFO_INIT;
  device.max_workgroup_invocations = 1024;
  device.max_workgroup_size[0] = 512;
  EXPECT_EQ(most_invocations(device), 512u);
  device.max_workgroup_size[0] = 2048;
  EXPECT_EQ(most_invocations(device), 1024u);

  device.max_shared_memory_size = 49152;
  EXPECT_EQ(most_shared_memory(device), 49152u);
  device.max_shared_memory_opt_in = 232448;
  EXPECT_EQ(most_shared_memory(device), 232448u);
}

// Addresses count on Vulkan, where a descriptor binds less than there is; both features are needed.
TEST(Traits, LongBuffersAreTakenByAddress) {
  vd_device_info device = device_of(VD_BACKEND_VULKAN);
  device.max_storage_buffer_range = 100;
  device.max_allocation_size = 1000;
  for (const vd_features some : {vd_features{0}, vd_features{VD_FEATURE_I64}, vd_features{VD_FEATURE_BUFFER_ADDRESS}}) {
    device.features = some;
    EXPECT_FALSE(takes_addresses(device));
    EXPECT_EQ(most_bytes(device), 100u);
  }
  device.features = VD_FEATURE_I64 | VD_FEATURE_BUFFER_ADDRESS;
  EXPECT_TRUE(takes_addresses(device));
  EXPECT_EQ(most_bytes(device), 1000u);
  device.backend = VD_BACKEND_OPENCL;
  EXPECT_EQ(most_bytes(device), 100u);
}

}  // namespace
}  // namespace vd
