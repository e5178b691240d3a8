// The ways to run a pass that are not the usual ones.
#include <algorithm>

#include "fft/candidate.h"
#include "fft/prime_radices.h"
#include "fft/rader.h"

namespace vd::fft {
namespace {

// Limits of an invocation's values, beside the usual ones, and with mixed radices.
constexpr uint32_t kRegistersTried[] = {4, 8, 12, 16, 24, 32}, kMixedRegistersTried[] = {20, 24, 28, 32, 40};

std::vector<RadixPlan> plans_of(const PassDesc& desc, const Limits& limits) {
  const ButterflyForm form = limits.tuning.form();
  std::vector<RadixPlan> plans;
  const auto add = [&](RadixPlan plan) {
    const auto same = [&](const RadixPlan& other) {
      return other.invocations == plan.invocations && other.text() == plan.text();
    };
    if (!plan.stages.empty() && std::ranges::none_of(plans, same)) plans.push_back(std::move(plan));
  };
  for (const uint32_t registers : kRegistersTried) {
    add(choose_radices(desc.n, {registers, limits.invocations, form, kUsualRadix, desc.rows}));
    if (registers >= kMaxRadix)
      add(choose_radices(desc.n, {registers, limits.invocations, form, kMaxRadix, desc.rows}));
  }
  const uint32_t mixed = mixed_prime(desc);
  for (const uint32_t registers : kMixedRegistersTried) {
    if (mixed == 0 || (registers > kMaxRadix && !limits.traits.bounds_registers)) continue;
    add(choose_radices(
        desc.n, {registers, limits.invocations, form, kMaxRadix, desc.rows, 1, mixed, limits.traits.bounds_registers}));
  }
  return plans;
}

std::vector<Candidate> candidates_of(const PassDesc& desc, const Limits& limits, const std::vector<RadixPlan>& plans) {
  const bool scarce = limits.traits.scarce_shared_memory && !limits.pairs, whole_lines = demands(desc).whole_lines;
  std::vector<Candidate> all;
  for (const bool turned : {false, true}) {
    if (turned && !may_turn(desc, limits)) continue;
    const uint64_t available = available_lines(desc, turned || reads_columns(desc));
    for (const RadixPlan& plan : plans) {
      Candidate candidate;
      candidate.radices = plan;
      candidate.turned = turned;
      choose_staging(desc, limits, candidate);
      const bool staged = candidate.staged_in || candidate.staged_out || whole_lines;
      for (candidate.lines = turned ? least_columns(desc) : 1;
           candidate.lines * plan.invocations <= limits.invocations && candidate.lines / 2 < available;
           candidate.lines *= 2) {
        candidate.planar = false;
        candidate.parts = 1;
        all.push_back(candidate);
        if (plan.invocations == 1 || staged || limits.pairs) continue;
        candidate.planar = true;
        for (; candidate.parts <= (scarce ? 4u : 1u); candidate.parts *= 2) {
          if (candidate.parts == 1 || registers_hold(desc, limits, candidate)) all.push_back(candidate);
        }
      }
    }
  }
  return all;
}

}  // namespace

std::vector<Candidate> other_candidates(const PassDesc& desc, const Limits& limits) {
  return is_smooth(desc.n) ? candidates_of(desc, limits, plans_of(desc, limits)) : std::vector<Candidate>{};
}

std::vector<Candidate> prime_candidates(const PassDesc& desc, const Limits& limits) {
  if (desc.rows != 0 || rader_primes(desc.n).empty()) return {};
  return candidates_of(desc, limits, prime_radices_tried(desc, limits));
}

}  // namespace vd::fft
