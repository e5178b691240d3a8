// Radices as words: "16x16x4"; with those of primes' convolutions in parentheses, "61(10x6)x4", "61(10x6)" or
// "41(10x4)x61(10x6)"; "1" of one element.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "fft/rader.h"
#include "fft/words.h"

namespace vd::fft {

struct RadixWords {
  std::vector<PrimeRadices> primes;
  std::vector<uint32_t> outer;
  std::string_view whole;
};

// Throws VD_ERR_INVALID, with the reason, if the word is not a list of radices.
RadixWords read_radix_words(const NamedValue& word);
// The product of radices, at most 2^32.
uint64_t product_of(const std::vector<uint32_t>& radices);
// The length of a line with these convolutions, and these radices for the rest of it; at most 2^32.
uint64_t length_of(const std::vector<PrimeRadices>& primes, const std::vector<uint32_t>& outer);

}  // namespace vd::fft
