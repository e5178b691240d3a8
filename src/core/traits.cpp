#include "core/traits.h"

#include <algorithm>

namespace vd {
namespace {

// Vendors whose Vulkan compilers give each kernel subgroups of the size that the device reports. The others' compilers
// choose a size for each kernel.
constexpr uint32_t kNvidia = 0x10de, kAmd = 0x1002, kMesa = 0x10005;

bool has_full_subgroups_on_vulkan(uint32_t vendor_id) {
  return vendor_id == kNvidia || vendor_id == kAmd || vendor_id == kMesa;
}

}  // namespace

Traits traits_of(const vd_device_info& device) {
  switch (device.backend) {
    case VD_BACKEND_VULKAN:
      return {.scarce_shared_memory = true,
              .full_subgroups = has_full_subgroups_on_vulkan(device.vendor_id),
              .orders_workgroups = true,
              .waits_in_loops = device.vendor_id != kMesa,
              .completes_launches = true,
              .rests_without_cuda = device.vendor_id == kNvidia};
    case VD_BACKEND_CUDA:
      return {.bounds_registers = true,
              .wide_addresses = true,
              .full_subgroups = true,
              .orders_workgroups = true,
              .fences_order_all = true,
              .waits_in_loops = true,
              .completes_launches = true};
    case VD_BACKEND_OPENCL:
      // Subgroups are mostly emulated through shared memory. OpenCL C 1.2 orders memory within a workgroup alone.
      return {.completes_launches = true};
    case VD_BACKEND_HOST:
      // The watchdog ends kernels that run too long, and a checked context those that make a mistake.
      return {.full_subgroups = true, .orders_workgroups = true, .fences_order_all = true, .waits_in_loops = true};
    case VD_BACKEND_DUMMY:
      // Nothing runs there. Kernels are printed as for a device without faults.
      return {.full_subgroups = true, .orders_workgroups = true, .waits_in_loops = true, .completes_launches = true};
    default:
      return {};
  }
}

bool takes_addresses(const vd_device_info& device) {
  constexpr vd_features kNeeded = VD_FEATURE_BUFFER_ADDRESS | VD_FEATURE_I64;
  return device.backend == VD_BACKEND_VULKAN && (device.features & kNeeded) == kNeeded;
}

uint64_t most_bytes(const vd_device_info& device) {
  return takes_addresses(device) ? std::max(device.max_allocation_size, device.max_storage_buffer_range)
                                 : device.max_storage_buffer_range;
}

uint32_t most_invocations(const vd_device_info& device) {
  return std::min({device.max_workgroup_invocations, device.max_workgroup_size[0], kMostInvocations});
}

uint32_t most_shared_memory(const vd_device_info& device) {
  return std::max(device.max_shared_memory_size, device.max_shared_memory_opt_in);
}

}  // namespace vd
