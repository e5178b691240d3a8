// The transforms of a case in a kernel of a user's: vd_fft_block between a load and a store of one's own.
#pragma once

#include <cstdint>

#include "cases.h"
#include "vkdispatch.h"

namespace bench {

struct BlockPlan {
  vd_plan* plan = nullptr;
  uint32_t workgroups[3] = {};
};

// Lines, columns of planes, or convolutions of lines; scaled as an orthonormal transform, or divided by n.
BlockPlan block_plan(vd_context* context, const Case& c);

}  // namespace bench
