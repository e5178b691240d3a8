// Lines that fit a workgroup and have one prime factor above 31 or two, which take stages of their own: where that costs
// less than a chirp.
#include "fft/rader.h"

#include "fft/prime_radices.h"
#include "fft/strategies/chirp.h"
#include "fft/strategies/strategy.h"

namespace vd::fft {
namespace {

// The table of powers has them as numbers of the compute type.
constexpr uint32_t kMostHalf = 2048;

}  // namespace

bool plan_rader(Planner& planner, const Line& line) {
  const std::vector<uint32_t> primes = rader_primes(line.n);
  if (primes.empty() || line.goes_back() || line.n >= kLongestLine) return false;
  if (line.compute == ir::Scalar::F16 && primes.back() > kMostHalf) return false;
  const Limits& limits = planner.limits;
  if (line.n * ir::scalar_size(line.compute) > limits.shared_bytes) return false;
  const PassDesc pass = one_pass(line);
  RadixPlan plan;
  if (has_prime_radices(pass, limits)) plan = choose_prime_radices(pass, limits, ButterflyForm::Fused);
  if (plan.stages.empty())
    plan = choose_radices(static_cast<uint32_t>(line.n), {2 * limits.registers, limits.invocations});
  const bool wished = limits.tuning.strategy == "rader";
  return !plan.stages.empty() && (wished || plan.cost <= chirp_cost(limits, line)) && planner.add(pass);
}

}  // namespace vd::fft
