// Transforms of lengths with a prime factor above 31, as convolutions with a chirp (L. I. Bluestein, 1970).
#pragma once

#include "fft/planner.h"

namespace vd::fft {

// The same lines as longer ones, of a smooth length, whose spectrum is multiplied and transformed back. They have no
// product of their own, and may be a pass of longer lines, whose write side is split.
Line chirped(Planner& planner, const Line& line);
// Operations of a line, if the longer ones fit a workgroup; else more than any that does.
double chirp_cost(const Limits& limits, const Line& line);
// Whether the longer ones fit a workgroup.
bool chirp_fits(const Limits& limits, const Line& line);

}  // namespace vd::fft
