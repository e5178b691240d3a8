// Radices for a transform there and back: each stage less saves two exchanges and their barriers.
#pragma once

#include "fft/layout.h"

namespace vd::fft {

// Invocations of a line with few stages: a multiprocessor of 65,536 registers has two such workgroups. Values of each.
constexpr uint32_t kFewStagesInvocations = 336, kFewStagesValues = 32;

// Whether a pass there and back in `compute` may have them: measured in f32, on a device whose registers are known, and
// unless the caller bounds an invocation's values (vd_fft_desc::max_registers).
bool may_have_few_stages(const Limits& limits, ir::Scalar compute);

// A plan of more values of an invocation in place of `plan`, where it takes a stage less, or as many with mixed radices and
// few idle lanes; else `plan`.
RadixPlan with_few_stages(const RadixPlan& plan, const Limits& limits);

}  // namespace vd::fft
