// Lines that fit a workgroup and have one prime factor above 31 or two, which take stages of their own: where that costs
// less than a chirp.
#include "fft/rader.h"

#include "fft/prime_radices.h"
#include "fft/strategies/chirp.h"
#include "fft/strategies/strategy.h"

namespace vd::fft {
namespace {

// Measured on an H200, stages of many values of six lengths with two primes took 0.6 to 1.04 of the time beside chirps
// that their costs say (docs/performance.md).
constexpr double kMostCost = 1.05;

}  // namespace

bool plan_rader(Planner& planner, const Line& line) {
  if (is_smooth(line.n) || !has_stages(line.n, line.compute) || line.goes_back() || line.n >= kLongestLine)
    return false;
  const Limits& limits = planner.limits;
  if (line.n * ir::scalar_size(line.compute) > limits.shared_bytes) return false;
  const PassDesc pass = one_pass(line);
  RadixPlan plan;
  const bool many_values = has_prime_radices(pass, limits);
  if (many_values) plan = choose_prime_radices(pass, limits, ButterflyForm::Fused);
  if (plan.stages.empty())
    plan = choose_radices(static_cast<uint32_t>(line.n), {2 * limits.registers, limits.invocations});
  const bool wished = limits.tuning.strategy == "rader";
  const double most = (many_values ? kMostCost : 1) * chirp_cost(limits, line);
  return !plan.stages.empty() && (wished || plan.cost <= most) && planner.add(pass);
}

}  // namespace vd::fft
