// The axes of a reduction, as a set of bits.
#pragma once

#include "vkdispatch.h"

namespace vdtest {

inline void set_axes(vd_reduce_desc& desc, uint32_t bits) {
  desc.axis_count = 0;
  for (int32_t i = 0; i < VD_MAX_DIMS; ++i) {
    if ((bits >> i & 1) != 0) desc.axes[desc.axis_count++] = i;
  }
}

}  // namespace vdtest
