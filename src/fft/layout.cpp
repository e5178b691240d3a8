#include "fft/layout.h"

#include <algorithm>
#include <functional>

#include "fft/candidate.h"
#include "fft/workgroups.h"

namespace vd::fft {
namespace {

// The first of the usual ways that `takes` does.
bool find_usual(const PassDesc& desc, const Limits& limits, const std::function<bool(const Candidate&)>& takes) {
  return std::ranges::any_of(usual_candidates(desc, limits, false), takes) ||
         std::ranges::any_of(usual_candidates(desc, limits, true), takes) ||
         std::ranges::any_of(candidates_in_parts(desc, limits), takes);
}

// Whether the choice is the planner's alone.
bool is_free(const Limits& limits) {
  const Tuning& t = limits.tuning;
  return limits.registers == kUsualRegisters && !limits.pairs && t.leaves_sizes() && t.staged_in < 0 &&
         t.staged_out < 0 && t.turned < 0;
}

// Candidates that are laid out in full at most, since that takes a millisecond. The first are the best.
constexpr size_t kMostLaidOut = 8;

// Takes the best of the others, if it is better than `out`. Most need no more than a draft: their time with bank
// conflicts is no less.
void take_better(const PassDesc& desc, const Limits& limits, Layout& out) {
  struct Rated {
    double time;
    Candidate candidate;
  };
  std::vector<Rated> rated;
  double least = kBetterTime * out.score.time;
  Layout layout;
  for (Candidate& candidate : other_candidates(desc, limits)) {
    if (!draft(desc, limits, candidate, layout) || !has_room(limits, layout)) continue;
    const double time = score_of(desc, limits, layout).time;
    if (time < least) rated.push_back({time, std::move(candidate)});
  }
  std::ranges::stable_sort(rated, {}, &Rated::time);
  if (rated.size() > kMostLaidOut) rated.resize(kMostLaidOut);
  for (const Rated& next : rated) {
    if (next.time >= least) break;
    if (!lay_out(desc, limits, next.candidate, layout)) continue;
    layout.score = score_of(desc, limits, layout);
    if (layout.score.time >= least) continue;
    least = layout.score.time;
    out = layout;
  }
}

}  // namespace

bool fits_workgroup(const PassDesc& desc, const Limits& limits) {
  Layout layout;
  return find_usual(desc, limits, [&](const Candidate& candidate) { return draft(desc, limits, candidate, layout); });
}

bool choose_layout(const PassDesc& desc, const Limits& given, Layout& out) {
  Limits limits = given;
  limits.pairs = given.pairs || demands(desc).pairs;
  const auto takes = [&](const Candidate& candidate) { return lay_out(desc, limits, candidate, out); };
  if (!find_usual(desc, limits, takes)) return false;
  out.score = score_of(desc, limits, out);
  // Passes that transform back were slower by the score where that was measured (4099, docs/performance.md).
  if (out.score.time != 0 && is_free(limits) && !demands(desc).back) take_better(desc, limits, out);
  number_groups(desc, limits, out);
  return true;
}

}  // namespace vd::fft
