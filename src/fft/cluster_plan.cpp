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

// The shorter of the runs that a workgroup has where it reads and where it writes. Two axes are written along rows.
uint32_t run_of(const RadixPlan& plan) {
  const uint32_t read = plan.stages.front().slice, written = plan.stages.back().slice;
  return std::min(read, plan.axis == 0 ? written : plan.written_neighbours());
}

RadixPlan share_line_behind(const RadixPlan& line, uint32_t cluster, size_t crossing) {
  RadixPlan plan = line;
  plan.cluster = cluster;
  plan.crossing = static_cast<uint32_t>(crossing);
  const bool divides = cluster > 1 && !line.convolves() && line.invocations % cluster == 0 &&
                       line.invocations > cluster && crossing + 1 < line.stages.size() &&
                       line.stages[crossing].radix % cluster == 0 && line.stages[crossing + 1].radix % cluster == 0;
  if (!divides) return {};
  plan.n /= cluster;
  plan.invocations /= cluster;
  plan.cost /= cluster;
  distribute(plan);
  if (Stage& last = plan.stages.back(); last.neighbours != 0) {
    // A workgroup has a part of the rows, or of a row's numbers.
    if (plan.shares_first()) last.apart /= cluster;
    last.neighbours = plan.butterflies(last) / last.apart;
  }
  return plan;
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
  if (crossing >= 0) return share_line_behind(line, cluster, static_cast<size_t>(crossing));
  RadixPlan best;
  uint32_t longest = 0;
  for (size_t s = 0; s + 1 < line.stages.size(); ++s) {
    RadixPlan plan = share_line_behind(line, cluster, s);
    if (plan.stages.empty()) continue;
    const uint32_t run = run_of(plan);
    if (run <= longest) continue;
    longest = run;
    best = std::move(plan);
  }
  return best;
}

}  // namespace vd::fft
