// The arguments of a launch: an array of pointers to the kernel's parameters, which are the buffers' addresses and the
// images' structs, and then the block of values, or the address of that block.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "backends/checks.h"
#include "backends/cuda/memory.h"
#include "backends/cuda/module.h"

namespace vd::cuda {

using backends::CommandView;

// Parameters of a kernel in bytes, on every driver.
inline constexpr uint32_t kParameterBytes = 4096;

// Throws if a command cannot be launched: a missing or empty argument, values of another size.
void check_commands(const CommandView& view);

// The kernel's parameters of a dispatch's buffers and images, one behind the other. The context is current.
void append_bindings(const backends::Command& command, const CommandView& view, std::vector<std::byte>& out);

class Arguments {
 public:
  // Valid until the next call. `block` is the address of the values on the device, for a kernel that takes a pointer.
  void** fill(const backends::Command& command, const CommandView& view, CUdeviceptr block);
  // The same from what append_bindings() gave, which lives as long as the result is used.
  void** fill(const Module& module, std::span<const std::byte> bindings, std::span<const std::byte> values,
              CUdeviceptr block);

 private:
  std::vector<std::byte> bindings_;
  CUdeviceptr block_ = 0;
  std::vector<void*> parameters_;
  // The driver copies as many bytes as the parameter's type has, which may end in padding.
  std::vector<std::byte> values_;
};

}  // namespace vd::cuda
