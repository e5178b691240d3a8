// The choices for a transform inside a caller's kernel, from its descriptor.
#pragma once

#include <vector>

#include "fft/layout.h"
#include "vkdispatch.h"

namespace vd::fft {

struct BlockPlan {
  uint32_t n = 1;
  ir::Scalar compute = ir::Scalar::F32;
  uint64_t inner = 1;
  std::vector<Batch> batches;  // lines side by side, and arrays of them
  Layout layout;
  bool fits_shared = false;  // the lines of a workgroup, where layout.exchange says
};

// Throws for impossible descriptors. `desc.device` is NULL or a whole vd_device_info.
BlockPlan plan_block(const vd_fft_block_desc& desc);
vd_fft_block_info block_info(const BlockPlan& plan);

}  // namespace vd::fft
