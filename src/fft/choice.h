// Candidates that were chosen for passes otherwise than by rules and scores: by measuring.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "core/error.h"
#include "core/hash.h"
#include "core/log.h"
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

// Gives what `make` makes of a candidate; nothing where the device's compiler refuses it, which the log says.
template <class Make>
auto unless_refused(const Candidate& candidate, Make make) -> std::optional<decltype(make())> {
  try {
    return make();
  } catch (const Error& error) {
    if (error.status() != VD_ERR_COMPILE && error.status() != VD_ERR_UNSUPPORTED) throw;
    log_info("a candidate for lines of {} is left out: {}", candidate.radices.n * candidate.radices.cluster,
             error.what());
    return {};
  }
}

}  // namespace vd::fft
