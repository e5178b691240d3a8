#include "fft/layout.h"

#include <algorithm>

#include "fft/candidate.h"
#include "fft/choice.h"
#include "fft/rating.h"
#include "fft/workgroups.h"

namespace vd::fft {

bool leaves_choice(const Limits& limits) {
  const Tuning& t = limits.tuning;
  return limits.registers == kUsualRegisters && !limits.pairs && t.leaves_sizes() && t.staged_in < 0 &&
         t.staged_out < 0 && t.turned < 0 && t.ahead < 0;
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

bool choose_shared_layout(const PassDesc& desc, const Limits& limits, Layout& out) {
  // No rule shares planes or columns: of those that were measured some are faster.
  if (!limits.tuning.wishes_clusters() && !limits.shares_all && (desc.rows != 0 || reads_columns(desc)))
    return apply_choice(desc, limits, out) && out.radices.cluster > 1;
  const auto takes = [&](const Candidate& candidate) {
    if (!lay_out(desc, limits, candidate, out)) return false;
    out.score = score_of(desc, limits, out);
    if (limits.tuning.cluster != 0) return true;
    // Few lines fill the device better in several passes, each of which has them in more workgroups.
    return std::min(out.score.read_run, out.score.written_run) >= kSector &&
           out.group_count * out.radices.cluster >= limits.multiprocessors;
  };
  if (!std::ranges::any_of(cluster_candidates(desc, limits), takes)) return false;
  number_groups(desc, limits, out);
  return true;
}

}  // namespace vd::fft
