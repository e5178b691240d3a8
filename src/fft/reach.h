// The bytes of its buffers that a transform accesses.
#pragma once

#include <cstdint>
#include <vector>

#include "fft/program.h"
#include "runtime/plan.h"

namespace vd::fft {

// Bytes that each of the first `binding_count` buffers of a plan must have; 0 where the caller's maps decide.
// `problems` are a plan's, in order.
std::vector<uint64_t> least_sizes(const std::vector<Problem>& problems, size_t binding_count);

// The written and the read bytes that must not overlap, where no map of the caller's is involved.
std::vector<vd_plan::NoOverlap> no_overlaps(const std::vector<Problem>& problems, size_t binding_count);

}  // namespace vd::fft
