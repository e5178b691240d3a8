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

// Replaces a layout by the chosen candidate's, if there is one that fits: of the choices, or else of records. False if
// there is none.
bool apply_choice(const PassDesc& desc, const Limits& limits, Layout& layout);

}  // namespace vd::fft
