// Lines that fit a workgroup: one pass.
#include "fft/strategies/cluster.h"
#include "fft/strategies/strategy.h"

namespace vd::fft {

bool plan_one_pass(Planner& planner, const Line& line) {
  const size_t before = planner.pass_count();
  if (!is_smooth(line.n) || line.n >= kLongestLine || !planner.add(one_pass(line))) return false;
  planner.improve(before, [&] { return share_lines(planner, line); });
  planner.improve(before, [&] { return plan_four_step(planner, line); });
  return true;
}

}  // namespace vd::fft
