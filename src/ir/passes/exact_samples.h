// Samples by a device's own units, made exact where a filter takes the nearest texel or the nearest level: the units
// round places to a part of a texel before they choose (CUDA C++ Programming Guide, "Texture Fetching": 8 bits behind the
// point), and levels likewise.
//
// A kernel chooses instead, and samples at the center of the texel that it chose, where every filter gives that texel.
// Behind all arguments comes one constant for each image that is sampled, in their order: a struct of vectors like
// SampleBlock. The level of detail is found by the kernel, so its images are bound with samplers that have neither a bias
// nor bounds (vd_sampler::without_levels()).
#pragma once

#include "ir/kernel.h"

namespace vd::ir {

bool has_samples(const Kernel& kernel);

// The level of detail of samples that are given none: level 0 magnified, or that of the sampler's bias and bounds for level 0.
enum class PlainLevel { Base, Found };

// The kernel is analysed again.
void exact_samples(Kernel& kernel, PlainLevel plain = PlainLevel::Base);

}  // namespace vd::ir
