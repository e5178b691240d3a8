// Lines that fit a workgroup: one pass.
#include "fft/strategies/strategy.h"

namespace vd::fft {

bool plan_one_pass(Planner& planner, const Line& line) {
  return is_smooth(line.n) && line.n < kLongestLine && planner.add(one_pass(line));
}

}  // namespace vd::fft
