// Plans of transforms and convolutions that VkFFT computes.
#pragma once

#include "runtime/plan.h"

namespace vd::vkfft {

// The plan of a descriptor. Throws VD_ERR_UNSUPPORTED for descriptors that VkFFT does not support, or is not asked for.
Ref<vd_plan> make_plan(vd_context& context, const vd_fft_desc& desc);

}  // namespace vd::vkfft
