#include "fft/rating.h"

#include <algorithm>
#include <set>
#include <string>

#include "fft/candidate_words.h"
#include "fft/record.h"
#include "fft/workgroups.h"

namespace vd::fft {
namespace {

// The same with the next tile read ahead, where a workgroup is alone on its multiprocessor: several do that for each
// other.
void add_ahead(const PassDesc& desc, const Limits& limits, std::vector<Candidate>& candidates) {
  Layout layout;
  for (size_t i = 0, count = candidates.size(); i < count; ++i) {
    if (!draft(desc, limits, candidates[i], layout) || score_of(desc, limits, layout).workgroups > 1) continue;
    Candidate ahead = candidates[i];
    ahead.ahead = true;
    candidates.push_back(std::move(ahead));
  }
}

}  // namespace

std::vector<Rated> rate(const PassDesc& desc, const Limits& limits, std::vector<Candidate> candidates) {
  std::vector<Rated> rated;
  Layout layout;
  for (Candidate& candidate : candidates) {
    if (!draft(desc, limits, candidate, layout) || !has_room(limits, layout)) continue;
    rated.push_back({score_of(desc, limits, layout).time, std::move(candidate)});
  }
  std::ranges::stable_sort(rated, {}, &Rated::time);
  return rated;
}

bool lay_out_scored(const PassDesc& desc, const Limits& limits, const Candidate& candidate, Layout& out) {
  if (!lay_out(desc, limits, candidate, out) || !has_room(limits, out)) return false;
  out.score = score_of(desc, limits, out);
  return true;
}

std::vector<Candidate> best_candidates(const PassDesc& desc, const Limits& limits, size_t most, const Layout* planned) {
  const bool shared = planned != nullptr && planned->radices.cluster > 1;
  Layout layout;
  const auto fits = [&](const Candidate& candidate) { return lay_out_scored(desc, limits, candidate, layout); };
  std::vector<Candidate> best, all;
  for (const Record* record : find_choices(desc, limits)) {
    if (best.empty() && fits(record->candidate)) best.push_back(record->candidate);
  }
  if (shared || (desc.rows != 0 && limits.cluster > 1)) {
    for (Candidate& candidate : cluster_candidates(desc, limits)) {
      const bool same = shared && candidate.radices.text() == planned->radices.text() &&
                        candidate.radices.cluster == planned->radices.cluster && candidate.lines == planned->lines &&
                        candidate.planar == planned->exchange.planar;
      if (best.empty() && same && fits(candidate)) best.push_back(candidate);
      all.push_back(std::move(candidate));
    }
  }
  for (Candidate& candidate : usual_candidates(desc, limits)) {
    if (best.empty() && fits(candidate)) best.push_back(candidate);
    all.push_back(std::move(candidate));
  }
  if (best.empty()) return {};
  std::ranges::move(other_candidates(desc, limits), std::back_inserter(all));
  std::ranges::move(prime_candidates(desc, limits), std::back_inserter(all));
  if (limits.copies_ahead) add_ahead(desc, limits, all);
  std::set<std::string> known{words_of(best.front())};
  for (const Rated& one : rate(desc, limits, std::move(all))) {
    if (best.size() >= most) break;
    if (known.insert(words_of(one.candidate)).second && fits(one.candidate)) best.push_back(one.candidate);
  }
  return best;
}

void take_better(const PassDesc& desc, const Limits& limits, Layout& out) {
  double least = kBetterTime * out.score.time;
  size_t laid_out = 0;
  Layout layout;
  for (const Rated& next : rate(desc, limits, other_candidates(desc, limits))) {
    if (next.time >= least || ++laid_out > kMostLaidOut) return;
    if (!lay_out_scored(desc, limits, next.candidate, layout) || layout.score.time >= least) continue;
    least = layout.score.time;
    out = layout;
  }
}

}  // namespace vd::fft
