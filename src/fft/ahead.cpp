#include "fft/ahead.h"

#include <algorithm>

#include "fft/engine.h"
#include "fft/workgroups.h"

namespace vd::fft {
namespace {

// Multiprocessors of a device that does not tell them.
constexpr uint32_t kFewMultiprocessors = 16;

}  // namespace

bool may_read_ahead(const PassDesc& desc, const Candidate& candidate) {
  const RadixPlan& plan = candidate.radices;
  const Demands demanded = demands(desc);
  return desc.source->reads_ahead() && !desc.batches.empty() && !demanded.mirrored && plan.invocations > 1 &&
         !plan.convolves() && plan.cluster == 1 && !candidate.staged_in && !candidate.staged_out &&
         !demanded.whole_lines;
}

uint32_t values_ahead(const PassDesc& desc, const RadixPlan& plan) {
  const Side& side = desc.source->side();
  const Stage& stage = plan.stages.front();
  if (side.split != 0 || side.rows.count != 0 || stage.neighbours != 0) return Engine::slot_count(stage);
  const uint32_t butterflies = plan.butterflies(stage);
  // Elements of the other half are looked for at their mirror images, wherever a range has these.
  const uint64_t low = side.mirrors_range() ? 0 : side.low;
  const uint64_t high = side.mirrors_range() ? side.end : std::min(side.high, side.end);
  uint32_t count = 0;
  for (uint32_t round = 0; round < stage.rounds; ++round) {
    const uint32_t end = std::min(plan.invocations * (round + 1), butterflies);
    const uint32_t begin = std::min(plan.invocations * round, end - 1);
    for (uint32_t r = 0; r < stage.radix; ++r) {
      const uint64_t first = uint64_t{r} * butterflies;
      count += first + end > low && first + begin < high ? 1 : 0;
    }
  }
  return count;
}

uint64_t ahead_bytes(const PassDesc& desc, const Layout& layout) {
  return uint64_t{layout.ahead} * layout.workgroup_size() * 2 * ir::scalar_size(desc.source->side().scalar);
}

uint64_t count_ahead_groups(const PassDesc& desc, const Limits& limits, const Layout& layout) {
  const uint64_t multiprocessors = limits.multiprocessors != 0 ? limits.multiprocessors : kFewMultiprocessors;
  const uint64_t groups =
      limits.tuning.groups != 0 ? limits.tuning.groups : multiprocessors * resident_groups(desc, limits, layout);
  return std::min<uint64_t>({groups, limits.workgroups[0], layout.group_count});
}

}  // namespace vd::fft
