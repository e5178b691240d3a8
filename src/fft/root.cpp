#include "fft/root.h"

#include <bit>
#include <cmath>
#include <numbers>
#include <utility>

namespace vd::fft {

LongRoot long_root(uint64_t k, uint64_t n) {
  k %= n;
  // Mirrors, until 0 <= k / n <= 1 / 8.
  const bool below = 2 * k > n;
  if (below) k = n - k;
  const bool left = 4 * k > n;
  uint64_t twice = left ? n - 2 * k : 2 * k;  // in halves of a step, so that n may be odd
  const bool steep = 4 * twice > n;
  long double fraction = static_cast<long double>(twice) / static_cast<long double>(2 * n);
  if (steep) fraction = static_cast<long double>(n - 2 * twice) / static_cast<long double>(4 * n);
  const long double angle = 2 * std::numbers::pi_v<long double> * fraction;
  long double re = std::cos(angle), im = std::sin(angle);
  if (steep) std::swap(re, im);
  if (left) re = -re;
  if (below) im = -im;
  return {re + 0.0L, im + 0.0L};
}

Root root(uint64_t k, uint64_t n) {
  const LongRoot w = long_root(k, n);
  return {static_cast<double>(w.re), static_cast<double>(w.im)};
}

RootTable::RootTable(uint64_t n) : shift_((static_cast<uint32_t>(std::bit_width(n)) + 1) / 2) {
  const uint64_t step = uint64_t{1} << shift_;
  for (uint64_t k = 0; k < step; ++k) fine_.push_back(long_root(k, n));
  for (uint64_t k = 0; k < n; k += step) coarse_.push_back(long_root(k, n));
}

Root RootTable::operator[](uint64_t k) const {
  const LongRoot &a = coarse_[k >> shift_], &b = fine_[k & ((uint64_t{1} << shift_) - 1)];
  return {static_cast<double>(a.re * b.re - a.im * b.im), static_cast<double>(a.re * b.im + a.im * b.re)};
}

}  // namespace vd::fft
