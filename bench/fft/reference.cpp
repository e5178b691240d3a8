#include "reference.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>

namespace bench {

static_assert(std::numeric_limits<long double>::digits > std::numeric_limits<double>::digits,
              "errors in double precision are compared with something better");

namespace {

const std::vector<Exact>& roots_of(size_t n) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  static std::map<size_t, std::vector<Exact>> known;  // never changed once made: callers read them without the lock
  std::vector<Exact>& roots = known[n];
  for (size_t i = roots.size(); i < n; ++i) {
    roots.push_back(exact_root(i, n));
  }
  return roots;
}

}  // namespace

Exact exact_root(uint64_t i, uint64_t n) {
  const long double angle =
      2 * 3.14159265358979323846264338327950288L * static_cast<long double>(i) / static_cast<long double>(n);
  return {std::cos(angle), std::sin(angle)};
}

Exact product(const Exact& a, const Exact& b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

std::vector<Exact> exact_dft(const std::vector<Exact>& x, int sign) {
  const size_t n = x.size();
  if (n <= 1) return x;
  size_t factor = 2;
  while (n % factor != 0) ++factor;
  const size_t rest = n / factor;
  const std::vector<Exact>& roots = roots_of(n);
  std::vector<Exact> y(n), part(rest);
  for (size_t i = 0; i < factor; ++i) {
    for (size_t j = 0; j < rest; ++j) part[j] = x[j * factor + i];
    const std::vector<Exact> spectrum = exact_dft(part, sign);
    size_t turn = 0;  // i * k % n
    for (size_t k = 0, j = 0; k < n; ++k) {
      y[k] += product(spectrum[j], sign > 0 ? roots[turn] : std::conj(roots[turn]));
      turn += i;
      if (turn >= n) turn -= n;
      if (++j == rest) j = 0;
    }
  }
  return y;
}

double distance(const std::vector<Exact>& got, const std::vector<Exact>& want) {
  long double error = 0, norm = 0;
  for (size_t i = 0; i < want.size(); ++i) {
    error += std::norm(got[i] - want[i]);
    norm += std::norm(want[i]);
  }
  const auto result = static_cast<double>(std::sqrt(error / std::max(norm, 1e-300L)));
  return std::isfinite(result) ? result : 1e9;
}

double noise(uint64_t place) {
  uint64_t x = place * 0x9E3779B97F4A7C15ull + 0x1234567;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return static_cast<double>(static_cast<int64_t>(x)) * 0x1p-63;
}

}  // namespace bench
