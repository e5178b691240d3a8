// Radices as words: "16x16x4"; with those of a prime's convolution in parentheses, "61(10x6)x4" or "61(10x6)"; "1" of one
// element.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "fft/words.h"

namespace vd::fft {

struct RadixWords {
  uint32_t prime = 0;  // 0: none
  std::vector<uint32_t> inner, outer;
  std::string_view whole;
};

// Throws VD_ERR_INVALID, with the reason, if the word is not a list of radices.
RadixWords read_radix_words(const NamedValue& word);
// The product of radices, at most 2^32.
uint64_t product_of(const std::vector<uint32_t>& radices);

}  // namespace vd::fft
