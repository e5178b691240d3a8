// Lines whose spectrum lies in the order of spectrum_order.h, which has the factors.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "fft/strategies/four_step_passes.h"
#include "fft/strategies/strategy.h"

namespace vd::fft {

bool plan_any_order(Planner& planner, const Line& line) {
  if (!line.order) return false;
  planner.refuse(fmt::format(
      "lines of {} with a spectrum in any order take passes of {}, and one of them does not fit a workgroup with {} "
      "registers.",
      line.n, fmt::join(line.order->factors, " and "), planner.limits.registers));
  return plan_in_factors(planner, line, line.order->factors);
}

}  // namespace vd::fft
