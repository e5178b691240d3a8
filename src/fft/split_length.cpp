#include "fft/split_length.h"

#include <algorithm>

#include "fft/rader.h"

namespace vd::fft {
namespace {

// Splits n into factors of at most `most`; `divisors` are n's, or more.
bool split_into(uint64_t n, uint64_t most, uint32_t parts, const std::vector<uint64_t>& divisors,
                std::vector<uint64_t>& out) {
  if (parts == 1) {
    if (n > most) return false;
    out.push_back(n);
    return true;
  }
  const auto fits = [&](uint64_t largest) {
    uint64_t power = 1;
    for (uint32_t i = 0; i < parts; ++i) {
      if (power >= (n + largest - 1) / largest) return true;
      power *= largest;
    }
    return power >= n;
  };
  for (const uint64_t d : divisors) {
    if (d > most) break;
    if (n % d != 0 || !fits(d)) continue;
    if (split_into(n / d, d, parts - 1, divisors, out)) {
      out.push_back(d);
      return true;
    }
  }
  return false;
}

}  // namespace

std::vector<uint64_t> split_length(uint64_t n, uint64_t most, uint32_t parts) {
  std::vector<uint64_t> divisors{1}, factors;
  uint64_t rest = n;
  std::vector<uint64_t> primes{2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31};
  for (const uint32_t large : rader_primes(n)) {
    if (primes.back() != large) primes.push_back(large);
  }
  for (const uint64_t p : primes) {
    const size_t without = divisors.size();
    for (uint64_t power = p; rest % p == 0; rest /= p, power *= p) {
      for (size_t i = 0; i < without; ++i) divisors.push_back(divisors[i] * power);
    }
  }
  std::ranges::sort(divisors);
  if (!split_into(n, most, parts, divisors, factors)) factors.clear();
  return factors;
}

}  // namespace vd::fft
