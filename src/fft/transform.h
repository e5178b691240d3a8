// A descriptor as problems along one axis each, or two: types resolved, strides and ranges filled in.
#pragma once

#include <vector>

#include "fft/program.h"

namespace vd::fft {

// The problems of `desc`, in order of execution. Throws for invalid or unsupported descriptors.
std::vector<Problem> read_transform(const vd_fft_desc& desc, const Limits& limits);
// Bytes of the workspace that all passes share.
uint64_t workspace_size(const vd_fft_desc& desc, const vd_device_info& info);
// Properties of the device that a pass uses.
Limits device_limits(const vd_device_info& info, uint32_t max_registers);

}  // namespace vd::fft
