#include "fft/cluster_plan.h"

#include <algorithm>

namespace vd::fft {
namespace {

// The product of the radices from number `first` up to `end`.
uint32_t product(const RadixPlan& plan, size_t first, size_t end) {
  uint32_t all = 1;
  for (size_t s = first; s < end; ++s) all *= plan.stages[s].radix;
  return all;
}

// The stage behind which an exchange leaves the longest runs, of what is read and what is written: the shorter of both
// counts.
uint32_t best_crossing(const RadixPlan& plan, uint32_t cluster) {
  const size_t count = plan.stages.size();
  uint32_t best = 0, longest = 0;
  for (size_t s = 0; s + 1 < count; ++s) {
    if (plan.stages[s].radix % cluster != 0 || plan.stages[s + 1].radix % cluster != 0) continue;
    const uint32_t run = std::min(product(plan, 0, s + 1), product(plan, s + 1, count));
    if (run <= longest) continue;
    longest = run;
    best = static_cast<uint32_t>(s);
  }
  return best;
}

}  // namespace

void distribute(RadixPlan& plan) {
  const size_t count = plan.stages.size(), crossing = plan.crossing;
  uint32_t span = 1;
  for (size_t s = 0; s < count; ++s) {
    Stage& stage = plan.stages[s];
    stage.crossed = s > crossing;
    stage.span = stage.crossed ? span / plan.cluster : span;
    stage.slice =
        (stage.crossed ? product(plan, 0, crossing + 1) : span * product(plan, crossing + 1, count)) / plan.cluster;
    span *= stage.radix;
  }
}

RadixPlan share_line(const RadixPlan& line, uint32_t cluster, int crossing) {
  RadixPlan plan = line;
  plan.cluster = cluster;
  plan.crossing = crossing < 0 ? best_crossing(line, cluster) : static_cast<uint32_t>(crossing);
  const bool divides = cluster > 1 && line.prime == 0 && line.invocations % cluster == 0 &&
                       line.invocations > cluster && plan.crossing + 1 < line.stages.size() &&
                       line.stages[plan.crossing].radix % cluster == 0 &&
                       line.stages[plan.crossing + 1].radix % cluster == 0;
  if (!divides) return {};
  plan.n /= cluster;
  plan.invocations /= cluster;
  plan.cost /= cluster;
  distribute(plan);
  return plan;
}

}  // namespace vd::fft
