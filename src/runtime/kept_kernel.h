// A kernel that was planned before, in this process or another one: all that a plan needs of it but its code.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/bytes.h"
#include "core/hash.h"
#include "runtime/plan.h"

namespace vd::runtime {

struct KeptKernel {
  Hash128 hash;  // of the kernel
  std::string name;
  std::array<uint32_t, 3> workgroup_size{};
  std::vector<vd_plan::Binding> bindings;  // buffers; where they begin in memory is the module's to say
  uint32_t values_size = 0, block_size = 0, exec_size_offset = 0, shared_size = 0;
  std::vector<std::byte> printed;  // by the device; empty: it cannot be kept

  void add_to(ByteWriter& to) const;
  // Throws VD_ERR_INVALID for bytes that are none.
  static KeptKernel read(ByteReader& from);
};

}  // namespace vd::runtime
