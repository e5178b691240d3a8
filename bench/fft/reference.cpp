#include "reference.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace bench {

namespace {

const std::vector<Exact>& roots_of(size_t n) {
  static std::map<size_t, std::vector<Exact>> known;
  std::vector<Exact>& roots = known[n];
  for (size_t i = roots.size(); i < n; ++i) {
    const long double angle =
        2 * 3.14159265358979323846264338327950288L * static_cast<long double>(i) / static_cast<long double>(n);
    roots.push_back({static_cast<double>(std::cos(angle)), static_cast<double>(std::sin(angle))});
  }
  return roots;
}

}  // namespace

std::vector<Exact> exact_dft(const std::vector<Exact>& x, int sign) {
  const size_t n = x.size();
  if (n <= 1) return x;
  size_t factor = 2;
  while (n % factor != 0) ++factor;
  const size_t rest = n / factor;
  std::vector<std::vector<Exact>> parts;
  for (size_t i = 0; i < factor; ++i) {
    std::vector<Exact> part;
    for (size_t j = 0; j < rest; ++j) part.push_back(x[j * factor + i]);
    parts.push_back(exact_dft(part, sign));
  }
  const std::vector<Exact>& roots = roots_of(n);
  std::vector<Exact> y(n);
  for (size_t k = 0; k < n; ++k) {
    for (size_t i = 0; i < factor; ++i) {
      const Exact w = roots[i * k % n];
      y[k] += parts[i][k % rest] * (sign > 0 ? w : std::conj(w));
    }
  }
  return y;
}

double distance(const std::vector<Exact>& got, const std::vector<Exact>& want) {
  double error = 0, norm = 0;
  for (size_t i = 0; i < want.size(); ++i) {
    error += std::norm(got[i] - want[i]);
    norm += std::norm(want[i]);
  }
  const double result = std::sqrt(error / std::max(norm, 1e-300));
  return std::isfinite(result) ? result : 1e9;
}

float noise(uint64_t place) {
  uint64_t x = place * 0x9E3779B97F4A7C15ull + 0x1234567;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return static_cast<float>(static_cast<int32_t>(x >> 32)) * 0x1p-31f;
}

std::vector<float> unit_numbers(const std::vector<float>& data) {
  std::vector<float> numbers(data.size());
  for (size_t i = 0; i + 1 < data.size(); i += 2) {
    numbers[i] = data[i];
    numbers[i + 1] = std::sqrt(1 - data[i] * data[i]);
  }
  return numbers;
}

}  // namespace bench
