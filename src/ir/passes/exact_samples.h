// Samples by a device's own units, made exact where a filter takes the nearest texel or the nearest level: the units
// round places to a part of a texel before they choose (CUDA C++ Programming Guide, "Texture Fetching": 8 bits behind the
// point), and levels likewise.
//
// A kernel chooses instead, and fetches the texel that it chose, or samples level 0 at that texel's center. Behind all
// arguments comes one constant for each argument of the sampled kind, in their order, even if it is only loaded: a struct
// like SampleBlock. The level of detail is found by the kernel, so its images are bound with samplers that have neither a
// bias nor bounds, and one filter (vd_sampler::without_levels()).
#pragma once

#include "ir/kernel.h"

namespace vd::ir {

bool has_samples(const Kernel& kernel);
// Whether some have no level of detail.
bool has_plain_samples(const Kernel& kernel);

// The level of detail of samples that are given none: level 0 magnified, without branches between samples, or that of the
// sampler's bias and bounds for level 0.
enum class PlainLevel { Base, Found };

// The kernel is analysed again.
void exact_samples(Kernel& kernel, PlainLevel plain = PlainLevel::Base);

}  // namespace vd::ir
