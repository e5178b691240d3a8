// Traits of a device: properties of its hardware, driver or language on which algorithms depend and which no API
// reports. traits_of() infers them from the device's identity. Transforms, reductions, IR and code generation ask for
// a trait and never for a backend or vendor, so a new backend is a row in traits.cpp.
#pragma once

#include <cstdint>

#include "vkdispatch.h"

namespace vd {

// The defaults are right for every device.
struct Traits {
  // The compiler bounds a kernel's registers by the workgroups that vd_builder_desc::min_workgroups asks for. Without
  // it, workgroups of 512 invocations that transform columns are alone on a multiprocessor (docs/performance.md).
  bool bounds_registers = false;
  // An access adds a constant to a pointer of 64 bits in its own instruction, if the index has 64 bits too. With
  // indices of 32 bits the compiler keeps each address in a register (a transform of 4096 on an H200: 106 registers
  // instead of 52).
  bool wide_addresses = false;
  // A multiprocessor has little shared memory for its registers: 48 or 100 KiB for Vulkan on an H200, which has 228 KiB
  // for CUDA. Exchanges of complex numbers take twice the shared memory of exchanges by planes, and would halve the
  // workgroups that run at once.
  bool scarce_shared_memory = false;
  // Every subgroup has as many lanes as vd_device_info::subgroup_size, so that workgroups divide into them.
  bool full_subgroups = false;
  // Memory that a workgroup wrote before an atomic operation is visible to a workgroup of the same dispatch whose
  // atomic operation comes later.
  bool orders_workgroups = false;
  // A fence orders every access to buffers. Otherwise it orders those alone that say VD_ACCESS_COHERENT, as GLSL's do.
  bool fences_order_all = false;
  // A loop goes on until what it waits for comes from another workgroup. llvmpipe ends all loops of an invocation behind
  // 65,535 iterations together, which take a millisecond.
  bool waits_in_loops = false;
  // A launch that begins also ends, or the device is lost. Otherwise a launch may fail half-way, and later launches
  // find the memory that it left.
  bool completes_launches = false;
  // As long as no CUDA context exists on the device, the driver lets its clock fall whenever it has no work (an H200:
  // 345 MHz of 1,980), and the work after a rest runs at a fifth of its rate.
  bool rests_without_cuda = false;
};

Traits traits_of(const vd_device_info& device);

// Whether a kernel takes a buffer that is longer than vd_device_info::max_storage_buffer_range, by its address.
bool takes_addresses(const vd_device_info& device);
// Largest buffer in bytes that a kernel takes as an argument.
uint64_t most_bytes(const vd_device_info& device);

// Invocations of a workgroup that a kernel can ask for.
inline constexpr uint32_t kMostInvocations = 65535;
// Largest workgroup along one axis.
uint32_t most_invocations(const vd_device_info& device);
// Bytes of shared memory that a workgroup may have. Devices without an opt-in may report 0 for it.
uint32_t most_shared_memory(const vd_device_info& device);

}  // namespace vd
