// Lines that the workgroups of a cluster share, by one pass.
#pragma once

#include "fft/planner.h"

namespace vd::fft {

// Whether the device has clusters, and the tuning leaves planes to records or asks for it.
bool may_share_planes(const Limits& limits);
// Adds the pass; false if the lines do not fit a cluster.
bool share_lines(Planner& planner, const Line& line);

}  // namespace vd::fft
