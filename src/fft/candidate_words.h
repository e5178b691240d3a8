// A candidate as words, for files: "radices=16x16x4 line_threads=64 lines=16 planar=1". Words with the value 0 may be left
// out.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "fft/candidate.h"

namespace vd::fft {

std::string words_of(const Candidate& candidate);
// Nothing if these are not the words of a candidate for lines of `n` elements.
std::optional<Candidate> read_candidate(std::string_view words, uint32_t n);

}  // namespace vd::fft
