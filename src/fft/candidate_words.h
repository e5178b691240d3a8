// A candidate as words, for files: "radices=16x16x4 line_threads=64 lines=16 planar=1". Words with the value 0 may be left
// out. Radices in parentheses are those of a prime's convolution: "61(10x6)x4".
#pragma once

#include <string>
#include <string_view>

#include "fft/candidate.h"

namespace vd::fft {

std::string words_of(const Candidate& candidate);

struct CandidateWords {
  Candidate candidate;
  bool lines = false, planar = false;  // whether there are such words
};
// Throws VD_ERR_INVALID, with the reason, if these are not words of a candidate for lines of `n` elements. `rows`: as
// a pass's.
CandidateWords read_words(std::string_view words, uint32_t n, uint32_t rows = 0);
// All of a candidate: with lines.
Candidate read_candidate(std::string_view words, uint32_t n, uint32_t rows = 0);

}  // namespace vd::fft
