#include "fft/layout.h"

#include <algorithm>

#include "core/error.h"
#include "fft/candidate.h"
#include "fft/workgroups.h"

namespace vd::fft {

bool choose_layout(const PassDesc& desc, const Limits& limits, Layout& out) {
  const auto takes = [&](const Candidate& candidate) { return lay_out(desc, limits, candidate, out); };
  const bool found = std::ranges::any_of(usual_candidates(desc, limits, false), takes) ||
                     std::ranges::any_of(usual_candidates(desc, limits, true), takes) ||
                     std::ranges::any_of(candidates_in_parts(desc, limits), takes);
  if (found) number_groups(desc, limits, out);
  return found;
}

}  // namespace vd::fft
