// Radices for a transform there and back: each stage less saves two exchanges and their barriers.
#pragma once

#include "fft/radix_plan.h"

namespace vd::fft {

// Invocations of a line with few stages: a multiprocessor of 65,536 registers has two such workgroups. Values of each.
constexpr uint32_t kFewStagesInvocations = 336, kFewStagesValues = 32;

// A plan of more values of an invocation in place of `plan`, where it takes a stage less, or as many with mixed radices and
// few idle lanes; else `plan`. For compilers that bound registers.
RadixPlan with_few_stages(const RadixPlan& plan, uint32_t most_invocations);

}  // namespace vd::fft
