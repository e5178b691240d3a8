#include "fft/host_dft.h"

#include <cstddef>

namespace vd::fft {
namespace {

Root times(const Root& a, const Root& w) { return {a.re * w.re - a.im * w.im, a.re * w.im + a.im * w.re}; }

// By the prime factors of a length, each by the definition: as many lines of the rest, interleaved, and sums over them.
class Dft {
 public:
  explicit Dft(std::size_t size) : size_(size) {
    roots_.reserve(size);
    for (std::size_t i = 0; i < size; ++i) {
      const Root w = root(i, size);
      roots_.push_back({w.re, -w.im});
    }
  }

  // y[0..n) of x[0], x[stride], ...
  void run(const Root* x, std::size_t stride, std::size_t n, Root* y) {
    if (n == 1) {
      *y = *x;
      return;
    }
    std::size_t factor = 2;
    while (factor * factor <= n && n % factor != 0) ++factor;
    if (n % factor != 0) factor = n;
    const std::size_t rest = n / factor;
    for (std::size_t i = 0; i < factor; ++i) run(x + i * stride, stride * factor, rest, y + i * rest);
    terms_.resize(factor);  // the shorter ones are done
    for (std::size_t k = 0; k < rest; ++k) {
      for (std::size_t i = 0; i < factor; ++i) terms_[i] = times(y[i * rest + k], roots_[i * k * (size_ / n)]);
      for (std::size_t q = 0; q < factor; ++q) {
        Root sum = terms_[0];
        for (std::size_t i = 1; i < factor; ++i) {
          const Root term = times(terms_[i], roots_[i * q % factor * (size_ / factor)]);
          sum = {sum.re + term.re, sum.im + term.im};
        }
        y[q * rest + k] = sum;
      }
    }
  }

 private:
  std::size_t size_;
  std::vector<Root> roots_, terms_;
};

}  // namespace

std::vector<Root> host_dft(const std::vector<Root>& x) {
  std::vector<Root> y(x.size());
  if (!x.empty()) Dft(x.size()).run(x.data(), 1, x.size(), y.data());
  return y;
}

}  // namespace vd::fft
