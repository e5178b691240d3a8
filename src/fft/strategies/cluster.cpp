// Lines that do not fit a workgroup, but several that read each other's shared memory: one pass.
#include "fft/strategies/cluster.h"

#include <algorithm>

#include "fft/candidate.h"
#include "fft/record.h"
#include "fft/strategies/strategy.h"

namespace vd::fft {
namespace {

// Among 23 lengths, those whose estimate by a cluster was above that of several passes were slower by it (docs/performance.md).
constexpr double kAnyBetterTime = 1;

// Whether measuring chose that workgroups share these lines.
bool is_recorded(const PassDesc& pass, const Limits& limits) {
  const auto shares = [](const Record* record) { return record->candidate.radices.cluster > 1; };
  return leaves_choice(limits) && std::ranges::any_of(find_choices(pass, limits), shares);
}

}  // namespace

bool may_share_planes(const Limits& limits) {
  return limits.cluster > 1 && (limits.tuning.cluster == 0 || limits.tuning.strategy == "plane");
}

bool share_lines(Planner& planner, const Line& line) {
  const Limits& limits = planner.limits;
  // A tuning that makes memory short asks for more passes.
  if (limits.cluster == 1 || (!limits.tuning.wishes_clusters() && !limits.shares_all && limits.tuning.shared != 0))
    return false;
  return planner.add_shared(one_pass(line));
}

bool plan_cluster(Planner& planner, const Line& line) {
  const Limits& limits = planner.limits;
  if (limits.cluster == 1 || !is_smooth(line.n) || line.n >= kLongestLine) return false;
  const size_t before = planner.pass_count();
  const bool wished = limits.tuning.wishes_clusters();
  if ((!wished && fits_workgroup(one_pass(line), limits)) || !share_lines(planner, line)) return false;
  if (!wished && !limits.shares_all && !is_recorded(one_pass(line), limits))
    planner.replace(before, kAnyBetterTime, [&] { return plan_four_step(planner, line); });
  return true;
}

}  // namespace vd::fft
