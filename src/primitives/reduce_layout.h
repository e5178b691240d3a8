// The layout of a reduction: which invocations share a result, how wide their accesses are, and over how many
// workgroups a result is divided.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "primitives/reduction.h"

namespace vd::primitives {

// Properties of the device, and a caller's wishes.
struct ReduceLimits {
  uint32_t invocations = 256;  // of a workgroup
  std::array<uint32_t, 3> workgroups{65535, 65535, 65535};
  uint32_t shared_bytes = 32768;
  uint32_t subgroup = 0;         // lanes; 0: no subgroups can be used
  uint32_t multiprocessors = 1;  // or the number of workgroups that keeps the device busy
  bool ticket = false;           // workgroups see each other's writes within a dispatch
  bool wide = true;              // indices may have 64 bits
};
ReduceLimits reduce_limits(const vd_device_info& info, const vd_reduce_desc& desc);

struct ReduceLayout {
  uint32_t workgroup_size = 1;  // a power of two
  uint32_t lanes = 1;           // invocations of a workgroup that share a result, a power of two
  bool columns = false;         // neighbouring invocations work on neighbouring results, else on one
  uint32_t vector = 1;          // elements of an access
  uint32_t unroll = 1;          // accesses of an invocation before the first is used
  uint32_t width = 1;           // workgroups that share a result
  bool ticket = false;          // the last of these folds; else a second pass does
  bool subgroups = false;       // lanes of a subgroup exchange values without shared memory
  uint32_t subgroup = 0;
  bool wide = false;   // indices of 64 bits
  uint64_t tiles = 1;  // workgroups side by side, for all results
  std::array<uint32_t, 3> workgroups{1, 1, 1};

  uint32_t slots() const { return workgroup_size / lanes; }  // results of a workgroup
  uint64_t step() const { return uint64_t{lanes} * width; }
  std::string text() const;
};

ReduceLayout choose_layout(const Reduction& reduction, const ReduceLimits& limits, bool may_split);

}  // namespace vd::primitives
