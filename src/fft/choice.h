// Candidates that were chosen for passes otherwise than by rules and scores: by measuring.
#pragma once

#include <map>
#include <vector>

#include "core/hash.h"
#include "fft/candidate.h"

namespace vd::fft {

// Equal for passes that do the same.
Hash128 key_of(const PassDesc& desc);

struct Choices {
  std::map<Hash128, Candidate> of;  // by key
};

// The candidates of a pass that fit the device, the usual one first and then the best by score; `most` of them at most.
// Each is given once.
std::vector<Candidate> best_candidates(const PassDesc& desc, const Limits& limits, size_t most);

// Replaces a layout by the chosen candidate's, if there is one that fits.
void apply_choice(const PassDesc& desc, const Limits& limits, Layout& layout);

}  // namespace vd::fft
