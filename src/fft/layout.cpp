#include "fft/layout.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "fft/candidate.h"
#include "fft/choice.h"
#include "fft/rating.h"
#include "fft/workgroups.h"

namespace vd::fft {

bool leaves_choice(const Limits& limits) {
  const Tuning& t = limits.tuning;
  return limits.leaves_registers() && !limits.pairs && t.leaves_sizes() && t.staged_in < 0 && t.staged_out < 0 &&
         t.turned < 0 && t.ahead < 0;
}

bool fits_workgroup(const PassDesc& desc, const Limits& limits) {
  Layout layout;
  return find_usual_candidate(desc, limits,
                              [&](const Candidate& candidate) { return draft(desc, limits, candidate, layout); });
}

bool choose_layout(const PassDesc& desc, const Limits& given, Layout& out) {
  Limits limits = given;
  limits.pairs = given.pairs || demands(desc).pairs;
  const auto takes = [&](const Candidate& candidate) { return lay_out(desc, limits, candidate, out); };
  bool row = false;  // short lines stay in rows
  const auto takes_ahead = [&](Candidate candidate) {
    row = row || candidate.staged_in || candidate.staged_out;
    candidate.ahead = true;
    return !row && takes(candidate);
  };
  const bool ahead = limits.tuning.ahead > 0 && find_usual_candidate(desc, limits, takes_ahead);
  if (!ahead && !find_usual_candidate(desc, limits, takes)) return false;
  out.score = score_of(desc, limits, out);
  // Passes that transform back were slower by the score where that was measured (4099, docs/performance.md).
  if (out.score.time != 0 && leaves_choice(limits) && !demands(desc).back) take_better(desc, limits, out);
  number_groups(desc, limits, out);
  return true;
}

namespace {

// Whether a layout reads and writes whole sectors and fills the device. Few lines fill it better in several passes, each of
// which has them in more workgroups.
bool is_worth_sharing(const Limits& limits, const Layout& layout) {
  return std::min(layout.score.read_run, layout.score.written_run) >= kSector &&
         layout.group_count * layout.radices.cluster >= limits.multiprocessors;
}

// Estimates that differ by less are alike. Of such, what was measured followed the idle lanes, and behind them the size of the
// workgroups (docs/performance.md).
constexpr double kAlikeTime = 1.03;
constexpr double kAlikeIdle = 0.005;

bool take_least_idle(const PassDesc& desc, const Limits& limits, std::vector<Candidate> candidates, Layout& out) {
  std::vector<Layout> alike;
  double least = 0;
  for (const Rated& next : rate(desc, limits, std::move(candidates))) {
    if (least != 0 && next.time > kAlikeTime * least) break;
    Layout layout;
    if (!lay_out_scored(desc, limits, next.candidate, layout) || !is_worth_sharing(limits, layout)) continue;
    if (least == 0 || layout.score.time < least) least = layout.score.time;
    alike.push_back(std::move(layout));
  }
  std::erase_if(alike, [&](const Layout& layout) { return layout.score.time > kAlikeTime * least; });
  if (alike.empty()) return false;
  const auto idle_of = [](const Layout& layout) { return layout.score.idle; };
  const double idle = idle_of(*std::ranges::min_element(alike, {}, idle_of));
  std::erase_if(alike, [&](const Layout& layout) { return layout.score.idle > idle + kAlikeIdle; });
  out = std::move(*std::ranges::min_element(alike, {}, &Layout::workgroup_size));
  return true;
}

}  // namespace

bool choose_shared_layout(const PassDesc& desc, const Limits& limits, Layout& out) {
  const bool wished = limits.tuning.wishes_clusters() || limits.shares_all;
  if (!wished && apply_choice(desc, limits, out) && out.radices.cluster > 1) return true;
  // No rule shares planes or columns: of those that were measured some are faster.
  if (!wished && (desc.rows != 0 || reads_columns(desc))) return false;
  const bool chosen = limits.tuning.cluster != 0;
  if (!chosen && line_count(desc.batches) * limits.cluster < limits.multiprocessors) return false;
  std::vector<Candidate> candidates = cluster_candidates(desc, limits);
  if (chooses_by_idle_lanes(desc, limits)) {
    // Candidates that exchange both parts of a number at once go first.
    const auto planar =
        std::stable_partition(candidates.begin(), candidates.end(), [](const Candidate& one) { return !one.planar; });
    const std::vector<Candidate> later(planar, candidates.end());
    candidates.erase(planar, candidates.end());
    if (!take_least_idle(desc, limits, mixed_cluster_candidates(desc, limits), out) &&
        !take_least_idle(desc, limits, std::move(candidates), out) && !take_least_idle(desc, limits, later, out))
      return false;
  } else {
    const auto takes = [&](const Candidate& candidate) {
      if (!lay_out(desc, limits, candidate, out)) return false;
      out.score = score_of(desc, limits, out);
      return chosen || is_worth_sharing(limits, out);
    };
    if (!std::ranges::any_of(candidates, takes)) return false;
  }
  number_groups(desc, limits, out);
  return true;
}

}  // namespace vd::fft
