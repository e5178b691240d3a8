// Candidates of a pass by their scores.
#pragma once

#include <vector>

#include "fft/candidate.h"

namespace vd::fft {

// Candidates that are laid out in full at most, since that takes a millisecond. The first are the best.
constexpr size_t kMostLaidOut = 8;

struct Rated {
  double time;  // at least: without bank conflicts
  Candidate candidate;
};
// Rates those that fit a workgroup and whose workgroups the device takes; the best first.
std::vector<Rated> rate(const PassDesc& desc, const Limits& limits, std::vector<Candidate> candidates);

// All of a candidate's layout, with its score; false if it does not fit the device.
bool lay_out_scored(const PassDesc& desc, const Limits& limits, const Candidate& candidate, Layout& out);

// The candidates of a pass that fit the device, the one that the planner would take by rules or records first and then the
// best; `most` of them at most. Each is given once. `planned`: the planner's layout. Where the workgroups of a cluster
// share its lines, it comes first, and the other ways to share them are among the candidates.
std::vector<Candidate> best_candidates(const PassDesc& desc, const Limits& limits, size_t most,
                                       const Layout* planned = nullptr);

// Takes the best of the others, if it is better than `out`.
void take_better(const PassDesc& desc, const Limits& limits, Layout& out);

}  // namespace vd::fft
