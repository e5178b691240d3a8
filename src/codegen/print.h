// Kernels as source text: GLSL 4.50, CUDA C++ and OpenCL C, printed from the same scheduled code by one walker
// (codegen/printer.h) and a table for each language (codegen/dialect.h).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "ir/kernel.h"
#include "vkdispatch.h"

namespace vd::codegen {

// The way in which the block of values (ir::ValueLayout) reaches the kernel.
enum class ValuePlace : uint8_t {
  None,          // there is none
  PushConstant,  // Vulkan
  UniformBlock,  // Vulkan: at Source::values_binding
  Parameter,     // one struct by value, after the buffers
  Pointer,       // a pointer to constant memory, after the buffers
};

struct Options {
  std::array<uint32_t, 3> workgroup_size{};  // zero: the kernel's own, else 64, 1, 1
  vd_features features = ~uint64_t{0};       // the device's features
  uint32_t value_limit = 0;    // bytes that fit in push constants or parameters; 0: the least that every device allows
  uint32_t subgroup_size = 0;  // lanes of subgroups that are emulated; 0: the device has its own
  bool explicit_shared_layout = false;  // GLSL: shared arrays may alias (VK_KHR_workgroup_memory_explicit_layout)
  bool subgroup_extended_types = true;  // GLSL: subgroup operations take integers of 8, 16, 64 bits and halves
  bool buffer_addresses = false;        // GLSL: buffers are found by the addresses in a block (Source::addresses)
  bool clamped_indices = false;         // with buffer_addresses: an index past the end of a buffer is its last one
  bool line_numbers = false;            // begin each line with its number
};

// A buffer that is found by its address. The block has its address and its size in bytes, each of 64 bits.
struct AddressedBuffer {
  uint32_t binding = 0;
  uint32_t align = 1;       // bytes of whose multiple its address is
  uint64_t least_size = 0;  // bytes of the largest access
};

struct Source {
  std::string text;
  std::string entry;                         // "main" or "vkdispatch_main"
  std::array<uint32_t, 3> workgroup_size{};  // as printed
  ValuePlace values = ValuePlace::None;
  uint32_t values_binding = 0;             // UniformBlock: the binding after the buffers'
  std::vector<AddressedBuffer> addresses;  // of the block of addresses, in its order
  uint32_t addresses_binding = 0;          // of that block, behind all others
  uint32_t values_size = 0;                // Parameter, Pointer: bytes of the struct, with the padding at its end
  bool precise = false;                    // some op must be rounded as the kernel language says
  uint32_t dynamic_shared_size = 0;        // CUDA: bytes that the launch must ask for
  std::vector<uint32_t> locations;         // of each line: index in the kernel's locations, 0 where there is none
};

// Print a verified kernel. Throws VD_ERR_UNSUPPORTED, naming op and place, where the language or device cannot do it.
Source print(const ir::Kernel& kernel, vd_language language, const Options& options = {});

}  // namespace vd::codegen
