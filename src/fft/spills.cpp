#include "fft/spills.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <utility>

#include "fft/candidate_words.h"
#include "fft/prime_radices.h"
#include "fft/rating.h"
#include "fft/record.h"

namespace vd::fft {
namespace {

// Bytes that a multiprocessor loads at once where that is all that memory gives: twice its rate times its latency on an
// H200. A rival with fewer than the planned layout needs as many, for an estimate says little of smaller workgroups.
constexpr uint64_t kEnoughInFlight = 64 << 10;

}  // namespace

// The stages of a long prime are not open: estimates of their ways say little, and rivals had 0.95 of the planned rate on
// an H200, with fewer registers spilled.
bool is_open(const PassDesc& desc, const Limits& limits, const Layout& planned) {
  return !has_prime_radices(desc, limits) && planned.score.time != 0 && planned.radices.cluster == 1 &&
         leaves_choice(limits) && find_choices(desc, limits).empty() &&
         find_usual(desc, limits, planned.columns) == nullptr;
}

std::vector<Candidate> find_rivals(const PassDesc& desc, const Limits& limits, const Layout& planned) {
  const double most = planned.score.time / kBetterTime;
  const uint64_t least_in_flight = std::min(planned.score.in_flight, kEnoughInFlight);
  std::vector<Candidate> all = usual_candidates(desc, limits);
  std::ranges::move(other_candidates(desc, limits), std::back_inserter(all));
  std::set<std::string> known{words_of(candidate_of(planned))};
  std::vector<Rated> found;
  size_t laid_out = 0;
  Layout layout;
  for (Rated& next : rate(desc, limits, std::move(all))) {
    if (next.time > most || laid_out == kMostLaidOut) break;
    if (!known.insert(words_of(next.candidate)).second) continue;
    ++laid_out;
    if (lay_out_scored(desc, limits, next.candidate, layout) && layout.score.time <= most &&
        layout.score.in_flight >= least_in_flight)
      found.push_back({layout.score.time, std::move(next.candidate)});
  }
  std::ranges::stable_sort(found, {}, &Rated::time);
  std::vector<Candidate> rivals;
  for (Rated& one : found)
    if (rivals.size() < kMostRivals) rivals.push_back(std::move(one.candidate));
  return rivals;
}

}  // namespace vd::fft
