#include "fft/prime_radices.h"

#include "fft/candidate.h"
#include "fft/rader.h"

namespace vd::fft {
namespace {

// Invocations of a workgroup: more wait longer for each other at the many barriers.
constexpr uint32_t kWorkgroup = 64;
constexpr uint32_t kValues = 32;
// The cost of many values where nothing bounds registers: the driver's compiler takes up to 200 for 32 values there.
constexpr double kCrowding = 0.1;

// Plans for each number of values.
constexpr size_t kTried = 6;

RadixLimits radix_limits(const PassDesc& desc, const Limits& limits, ButterflyForm form, uint32_t values) {
  RadixLimits radices{.registers = values, .invocations = limits.invocations, .form = form, .radix = kMaxRadix};
  radices.mixed = mixed_prime(desc);
  radices.workgroup = kWorkgroup;
  radices.crowding = limits.traits.bounds_registers ? 0 : kCrowding;
  return radices;
}

}  // namespace

bool has_prime_radices(const PassDesc& desc, const Limits& limits) {
  const Tuning& tuning = limits.tuning;
  return limits.registers_total != 0 && limits.leaves_registers() && tuning.registers == 0 && tuning.radix == 0 &&
         desc.rows == 0 && !reads_columns(desc) && takes_many_values(desc) && !rader_primes(desc.n).empty();
}

RadixPlan choose_prime_radices(const PassDesc& desc, const Limits& limits, ButterflyForm form) {
  return choose_radices(desc.n, radix_limits(desc, limits, form, kValues));
}

std::vector<RadixPlan> prime_radices_tried(const PassDesc& desc, const Limits& limits) {
  std::vector<RadixPlan> plans;
  for (const uint32_t values : {kUsualRegisters, kValues}) {
    for (RadixPlan& plan : cheapest_rader(desc.n, radix_limits(desc, limits, limits.tuning.form(), values), kTried))
      plans.push_back(std::move(plan));
  }
  return plans;
}

uint32_t prime_radices_lines(uint32_t invocations) { return lines_within(kWorkgroup, invocations); }

}  // namespace vd::fft
