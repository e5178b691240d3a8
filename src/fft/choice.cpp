#include "fft/choice.h"

#include <algorithm>

#include "fft/rating.h"
#include "fft/record.h"
#include "fft/workgroups.h"

namespace vd::fft {
namespace {

bool take_candidate(const PassDesc& desc, const Limits& limits, const Candidate& candidate, Layout& layout) {
  Layout chosen;
  if (!lay_out_scored(desc, limits, candidate, chosen)) return false;
  number_groups(desc, limits, chosen);
  layout = chosen;
  return true;
}

}  // namespace

Hash128 key_of(const PassDesc& desc) {
  Hasher hasher;
  hasher.add(desc.n).add(desc.compute).add(desc.interleaved).add(desc.copies).add(text(desc));
  for (const Batch& batch : desc.batches)
    hasher.add(batch.count).add(batch.in_stride).add(batch.out_stride).add(batch.filter_stride);
  desc.source->side().add_to(hasher);
  desc.target->side().add_to(hasher);
  const Demands demanded = demands(desc);
  hasher.add(demanded.mapped).add(demanded.back).add(demanded.whole_lines).add(demanded.real).add(demanded.words);
  const Traffic moved = traffic(desc);
  return hasher.add(moved.read).add(moved.written).finish();
}

bool apply_choice(const PassDesc& desc, const Limits& limits, Layout& layout) {
  if (limits.choices) {
    const auto found = limits.choices->of.find(key_of(desc));
    if (found != limits.choices->of.end() && take_candidate(desc, limits, found->second, layout)) return true;
  }
  if (!leaves_choice(limits)) return false;
  return std::ranges::any_of(find_choices(desc, limits), [&](const Record* record) {
    layout.recorded = take_candidate(desc, limits, record->candidate, layout);
    return layout.recorded;
  });
}

}  // namespace vd::fft
