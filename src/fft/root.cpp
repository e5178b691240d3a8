#include "fft/root.h"

#include <cmath>
#include <numbers>
#include <utility>

namespace vd::fft {

Root root(uint64_t k, uint64_t n) {
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
  double re = static_cast<double>(std::cos(angle)), im = static_cast<double>(std::sin(angle));
  if (steep) std::swap(re, im);
  if (left) re = -re;
  if (below) im = -im;
  return {re + 0.0, im + 0.0};
}

}  // namespace vd::fft
