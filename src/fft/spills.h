// Other candidates for a pass whose code spills registers as a device compiled it, which a score can only guess.
#pragma once

#include <vector>

#include "fft/candidate.h"

namespace vd::fft {

// Candidates that are compiled for a pass beside its planned one, at most.
constexpr size_t kMostRivals = 2;

// Whether rules and scores alone chose the layout of a pass, and its time is known.
bool is_open(const PassDesc& desc, const Limits& limits, const Layout& planned);

// Candidates that take no longer than the planned layout as far as an estimate can tell (kBetterTime); the best first.
std::vector<Candidate> find_rivals(const PassDesc& desc, const Limits& limits, const Layout& planned);

}  // namespace vd::fft
