// Two axes of planes that fit a workgroup: one pass. Its transform goes along the far axis and then along the near one,
// in one plan of radices, and so leaves columns where there were rows.
#include "fft/strategies/strategy.h"

namespace vd::fft {

bool plan_plane(Planner& planner, const Line& line) {
  if (line.rows == 0) return false;
  planner.refuse("planes do not fit a workgroup.");
  return is_smooth(line.n) && line.n < kLongestLine && planner.add(one_pass(line));
}

}  // namespace vd::fft
