#include "fft/few_stages.h"

#include <algorithm>

#include "fft/workgroups.h"

namespace vd::fft {
namespace {

// Measured on an H200 (docs/performance.md): with as many stages, more values and more idle lanes than these were slower, and
// so were lengths with a factor of 7 or more, whose kernels spill.
constexpr uint32_t kSomeValues = 27, kMixedPrime = 5;
constexpr double kFewIdle = 0.15;
// Lines of fewer invocations were slower, too, where nothing bounds their registers.
constexpr uint32_t kLeastUnbound = 2 * kWarp;

// Lanes without work, of all that the stages' rounds have.
double idle_lanes(const RadixPlan& plan) {
  const uint32_t lanes = plan.invocations < kWarp ? plan.invocations : round_up(plan.invocations, kWarp);
  double all = 0;
  for (const Stage& stage : plan.stages) all += static_cast<double>(stage.rounds) * lanes * stage.radix;
  return 1 - static_cast<double>(plan.n) * static_cast<double>(plan.stages.size()) / all;
}

}  // namespace

bool may_have_few_stages(const Limits& limits, ir::Scalar compute) {
  return limits.registers_total != 0 && limits.leaves_registers() && compute == ir::Scalar::F32;
}

RadixPlan with_few_stages(const RadixPlan& plan, const Limits& limits) {
  if (!is_smooth(plan.n, kMixedPrime)) return plan;
  const uint32_t invocations = std::min(limits.invocations, kFewStagesInvocations);
  const uint32_t least = limits.traits.bounds_registers ? 1 : kLeastUnbound;
  RadixLimits radices{.registers = kFewStagesValues, .invocations = invocations, .form = plan.form, .radix = kMaxRadix};
  radices.mixed = kMixedPrime;
  radices.bounded = true;  // that order of mixed radices was measured on Vulkan, too
  RadixPlan many = choose_radices(plan.n, radices);
  if (!many.stages.empty() && many.stages.size() < plan.stages.size() && many.invocations >= least) return many;
  radices.registers = kSomeValues;
  RadixPlan some = choose_radices(plan.n, radices);
  const bool better = some.stages.size() <= plan.stages.size() && some.invocations >= least && has_mixed_stage(some);
  return better && idle_lanes(some) < kFewIdle ? some : plan;
}

}  // namespace vd::fft
