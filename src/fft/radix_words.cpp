#include "fft/radix_words.h"

#include <algorithm>

#include "core/error.h"
#include "core/name.h"
#include "fft/butterfly.h"

namespace vd::fft {

RadixWords read_radix_words(const NamedValue& word) {
  RadixWords radices;
  std::string_view text = radices.whole = word.value;
  const auto read = [&](std::string_view list) {
    std::vector<uint32_t> numbers;
    while (!list.empty()) {
      const std::string_view number = take(list, 'x');
      numbers.push_back(static_cast<uint32_t>(number_of({word.whole, "a radix", number}, kMaxRadix)));
      if (numbers.back() < 2) fail(VD_ERR_INVALID, "radix ({}) is not at least 2", numbers.back());
    }
    return numbers;
  };
  for (size_t open = text.find('('); open != std::string_view::npos; open = text.find('(')) {
    const size_t close = text.find(')');
    const std::string_view after = close < text.size() ? text.substr(close + 1) : "";
    if (close < open || close >= text.size() || (!after.empty() && after.front() != 'x'))
      fail(VD_ERR_INVALID, "radices (\"{}\") are not of the form P(AxB)xC", shown_name(word.value));
    if (radices.primes.size() == kMostConvolutions)
      fail(VD_ERR_INVALID, "radices (\"{}\") have more than {} primes", shown_name(word.value), kMostConvolutions);
    PrimeRadices& one = radices.primes.emplace_back();
    one.prime = static_cast<uint32_t>(number_of({word.whole, "the prime", text.substr(0, open)}, kLargestRader));
    if (one.prime == 0) fail(VD_ERR_INVALID, "prime (0) is not one that a convolution takes");
    one.inner = read(text.substr(open + 1, close - open - 1));
    text = after.empty() ? after : after.substr(1);
  }
  if (word.value != "1") radices.outer = read(text);
  return radices;
}

uint64_t product_of(const std::vector<uint32_t>& radices) { return length_of({}, radices); }

uint64_t length_of(const std::vector<PrimeRadices>& primes, const std::vector<uint32_t>& outer) {
  uint64_t all = 1;
  const auto multiply = [&](uint32_t factor) { all = std::min(all * factor, uint64_t{1} << 32); };
  for (const uint32_t radix : outer) multiply(radix);
  for (const PrimeRadices& one : primes) multiply(one.prime);
  return all;
}

}  // namespace vd::fft
