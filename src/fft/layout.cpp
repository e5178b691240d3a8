#include "fft/layout.h"

#include "core/error.h"
#include "fft/candidate.h"
#include "fft/workgroups.h"

namespace vd::fft {

bool choose_layout(const PassDesc& desc, const Limits& limits, Layout& out) {
  for (const bool many_registers : {false, true}) {
    for (const Candidate& candidate : usual_candidates(desc, limits, many_registers)) {
      if (!lay_out(desc, limits, candidate, out)) continue;
      number_groups(desc, limits, out);
      return true;
    }
  }
  return false;
}

}  // namespace vd::fft
