#include "fft/choice.h"

#include <algorithm>
#include <set>
#include <string>

#include "fft/candidate_words.h"
#include "fft/workgroups.h"

namespace vd::fft {
namespace {

void add_side(Hasher& hasher, const Side& s) {
  hasher.add(s.argument).add(s.hidden).add(s.scalar).add(s.real).add(s.packed).add(s.stride).add(s.split);
  hasher.add(s.offset).add(s.instance).add(s.low).add(s.high).add(s.end).add(s.mirror);
}

bool lay_out_all(const PassDesc& desc, const Limits& limits, const Candidate& candidate, Layout& layout) {
  if (!lay_out(desc, limits, candidate, layout) || !has_room(limits, layout)) return false;
  layout.score = score_of(desc, limits, layout);
  number_groups(desc, limits, layout);
  return true;
}

}  // namespace

Hash128 key_of(const PassDesc& desc) {
  Hasher hasher;
  hasher.add(desc.n).add(desc.compute).add(desc.interleaved).add(desc.copies).add(text(desc));
  for (const Batch& batch : desc.batches)
    hasher.add(batch.count).add(batch.in_stride).add(batch.out_stride).add(batch.filter_stride);
  add_side(hasher, desc.source->side());
  add_side(hasher, desc.target->side());
  const Demands demanded = demands(desc);
  hasher.add(demanded.mapped).add(demanded.back).add(demanded.whole_lines).add(demanded.real).add(demanded.words);
  const Traffic moved = traffic(desc);
  return hasher.add(moved.read).add(moved.written).finish();
}

std::vector<Candidate> best_candidates(const PassDesc& desc, const Limits& limits, size_t most) {
  std::vector<Candidate> all;
  for (const bool many : {false, true})
    std::ranges::move(usual_candidates(desc, limits, many), std::back_inserter(all));
  std::ranges::move(candidates_in_parts(desc, limits), std::back_inserter(all));
  std::ranges::move(other_candidates(desc, limits), std::back_inserter(all));
  struct Rated {
    double time;
    Candidate candidate;
  };
  std::vector<Rated> rated;
  std::set<std::string> known;
  Layout layout;
  for (Candidate& candidate : all) {
    if (!draft(desc, limits, candidate, layout) || !known.insert(words_of(candidate)).second) continue;
    rated.push_back({score_of(desc, limits, layout).time, std::move(candidate)});
  }
  // The usual one stays where it is.
  const auto usual =
      std::ranges::find_if(rated, [&](const Rated& one) { return lay_out_all(desc, limits, one.candidate, layout); });
  if (usual == rated.end()) return {};
  std::rotate(rated.begin(), usual, usual + 1);
  std::stable_sort(rated.begin() + 1, rated.end(), [](const Rated& a, const Rated& b) { return a.time < b.time; });
  std::vector<Candidate> best;
  for (const Rated& one : rated) {
    if (best.size() == most) break;
    if (lay_out_all(desc, limits, one.candidate, layout)) best.push_back(one.candidate);
  }
  return best;
}

void apply_choice(const PassDesc& desc, const Limits& limits, Layout& layout) {
  if (!limits.choices) return;
  const auto found = limits.choices->of.find(key_of(desc));
  Layout chosen;
  if (found != limits.choices->of.end() && lay_out_all(desc, limits, found->second, chosen)) layout = chosen;
}

}  // namespace vd::fft
