#include "fft/host_dft.h"

#include <cstddef>

namespace vd::fft {

std::vector<Root> host_dft(const std::vector<Root>& x) {
  const std::size_t n = x.size();
  if (n <= 1) return x;
  std::size_t factor = 2;
  while (factor * factor <= n && n % factor != 0) ++factor;
  if (n % factor != 0) factor = n;
  const std::size_t rest = n / factor;
  std::vector<std::vector<Root>> parts;
  for (std::size_t i = 0; i < factor; ++i) {
    std::vector<Root> part;
    for (std::size_t j = 0; j < rest; ++j) part.push_back(x[j * factor + i]);
    parts.push_back(host_dft(part));
  }
  std::vector<Root> roots(n), y(n);
  for (std::size_t i = 0; i < n; ++i) roots[i] = root(i, n);
  for (std::size_t k = 0; k < n; ++k) {
    Root sum{0, 0};
    for (std::size_t i = 0; i < factor; ++i) {
      const Root& a = parts[i][k % rest];
      const Root& w = roots[i * k % n];
      sum.re += a.re * w.re + a.im * w.im;
      sum.im += a.im * w.re - a.re * w.im;
    }
    y[k] = sum;
  }
  return y;
}

}  // namespace vd::fft
