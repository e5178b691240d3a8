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
  Traits traits;
};

constexpr uint32_t kNvidia = 0x10de, kAmd = 0x1002, kMesa = 0x10005, kIntel = 0x8086;

TEST(Traits, OfEachBackendAndVendor) {
  const Traits vulkan = {.scarce_shared_memory = true,
                         .full_subgroups = true,
                         .orders_workgroups = true,
                         .waits_in_loops = true,
                         .completes_launches = true};
  Traits nvidia = vulkan, mesa = vulkan, intel = vulkan;
  nvidia.rests_without_cuda = true;
  mesa.waits_in_loops = false;
  intel.full_subgroups = false;
  const Traits cuda = {.bounds_registers = true,
                       .wide_addresses = true,
                       .full_subgroups = true,
                       .orders_workgroups = true,
                       .fences_order_all = true,
                       .waits_in_loops = true,
                       .completes_launches = true};
  const Traits host = {
      .full_subgroups = true, .orders_workgroups = true, .fences_order_all = true, .waits_in_loops = true};
  const Traits dummy = {
      .full_subgroups = true, .orders_workgroups = true, .waits_in_loops = true, .completes_launches = true};
  const Row rows[] = {
      {"Vulkan, NVIDIA", device_of(VD_BACKEND_VULKAN, kNvidia), nvidia},
      {"Vulkan, AMD", device_of(VD_BACKEND_VULKAN, kAmd), vulkan},
      {"Vulkan, Mesa", device_of(VD_BACKEND_VULKAN, kMesa), mesa},
      {"Vulkan, Intel", device_of(VD_BACKEND_VULKAN, kIntel), intel},
      {"CUDA", device_of(VD_BACKEND_CUDA, kNvidia), cuda},
      {"OpenCL, NVIDIA", device_of(VD_BACKEND_OPENCL, kNvidia), {.completes_launches = true}},
      {"host", device_of(VD_BACKEND_HOST), host},
      {"dummy", device_of(VD_BACKEND_DUMMY, 0x1bad), dummy},
      // A device without a row has no trait that an algorithm could rely on.
      {"none", device_of(VD_BACKEND_AUTO, kNvidia), {}},
  };
  for (const Row& row : rows) {
    const Traits traits = traits_of(row.device);
    EXPECT_EQ(traits.bounds_registers, row.traits.bounds_registers) << row.what;
    EXPECT_EQ(traits.wide_addresses, row.traits.wide_addresses) << row.what;
    EXPECT_EQ(traits.scarce_shared_memory, row.traits.scarce_shared_memory) << row.what;
    EXPECT_EQ(traits.full_subgroups, row.traits.full_subgroups) << row.what;
    EXPECT_EQ(traits.orders_workgroups, row.traits.orders_workgroups) << row.what;
    EXPECT_EQ(traits.fences_order_all, row.traits.fences_order_all) << row.what;
    EXPECT_EQ(traits.waits_in_loops, row.traits.waits_in_loops) << row.what;
    EXPECT_EQ(traits.completes_launches, row.traits.completes_launches) << row.what;
    EXPECT_EQ(traits.rests_without_cuda, row.traits.rests_without_cuda) << row.what;
  }
  static_assert(sizeof(Traits) == 9 * sizeof(bool), "a new trait is compared here, too");
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
