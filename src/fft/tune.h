// Measures ways to run a transform's passes on the device, and keeps what it found in the cache folder, by device and
// driver.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "fft/choice.h"
#include "fft/layout.h"
#include "runtime/context.h"
#include "runtime/plan.h"

namespace vd::fft {

constexpr size_t kBestCandidates = 4;  // of a pass, measured with VD_FFT_TUNE_BEST

struct Tuned {
  std::shared_ptr<const Choices> choices;
  size_t measured = 0;  // candidates
  size_t kept = 0;      // passes that were measured before
  std::string records;  // lines of a file of records (record.h), one for each pass
  std::string text() const;
};

// `make` makes the transform's plan with these choices. A candidate is left out if the device's compiler refuses it.
// Throws VD_ERR_OUT_OF_MEMORY if there is no room for the buffers to measure with.
using MakeChosen = std::function<Ref<vd_plan>(std::shared_ptr<const Choices>)>;
Tuned tune(vd_context& context, const vd_fft_desc& desc, const MakeChosen& make);

}  // namespace vd::fft
