// A kernel as a device's compiler takes it: its text, and what the text alone does not say.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "codegen/print.h"
#include "core/hash.h"
#include "ir/kernel.h"

namespace vd::backends {

struct PrintedKernel {
  struct Argument {
    ir::Type image = {};  // none: a buffer
    bool writes = false;
  };
  codegen::Source source;
  std::vector<Argument> arguments;  // without values
  uint32_t values_size = 0;         // bytes of the block of values
  ir::Attributes attributes;

  // Without the places of its lines, and for a kernel without images.
  std::vector<std::byte> bytes() const;
  // Throws VD_ERR_INVALID for bytes that are no kernel's.
  static PrintedKernel read(std::span<const std::byte> bytes);
};

PrintedKernel print(const ir::Kernel& kernel, vd_language language, const codegen::Options& options);

// For Device::printing_key(): of all kernels.
Hash128 printing_key(const vd_device_info& info, vd_language language, const codegen::Options& options);

}  // namespace vd::backends
