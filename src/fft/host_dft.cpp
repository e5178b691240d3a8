#include "fft/host_dft.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "core/thread_pool.h"

namespace vd::fft {
namespace {

// Longer lines are an array of shorter ones, which stay in a processor's cache.
constexpr std::size_t kMostInCache = 4096;
// Neighbours of an array that are transformed together, since they share lines of the cache.
constexpr std::size_t kNeighbours = 8;

Root times(const Root& a, const Root& w) { return {a.re * w.re - a.im * w.im, a.re * w.im + a.im * w.re}; }
Root plus(const Root& a, const Root& b) { return {a.re + b.re, a.im + b.im}; }
Root minus(const Root& a, const Root& b) { return {a.re - b.re, a.im - b.im}; }
Root conj(const Root& w) { return {w.re, -w.im}; }

// Prime factors, and 4 in place of two 2.
std::vector<std::size_t> factors_of(std::size_t n) {
  std::vector<std::size_t> factors;
  for (std::size_t f = 4; n % f == 0; n /= f) factors.push_back(f);
  for (std::size_t f = 2; f * f <= n; ++f) {
    for (; n % f == 0; n /= f) factors.push_back(f);
  }
  if (n > 1) factors.push_back(n);
  return factors;
}

// One line, by its factors: as many lines of the rest, interleaved, and sums over them.
class CachedLine {
 public:
  explicit CachedLine(std::size_t size) : size_(size), factors_(factors_of(size)) {
    roots_.reserve(size);
    for (std::size_t i = 0; i < size; ++i) roots_.push_back(conj(root(i, size)));
  }

  void run(const Root* x, Root* y) const {
    std::vector<Root> terms(factors_.empty() ? 1 : *std::ranges::max_element(factors_));
    run(x, 1, size_, 0, y, terms.data());
  }

 private:
  // y[0..n) of x[0], x[stride], ..., where `level` factors have been taken from the size.
  void run(const Root* x, std::size_t stride, std::size_t n, std::size_t level, Root* y, Root* terms) const {
    if (n == 1) {
      *y = *x;
      return;
    }
    const std::size_t factor = factors_[level], rest = n / factor;
    for (std::size_t i = 0; i < factor; ++i) {
      if (rest == 1)
        y[i] = x[i * stride];
      else
        run(x + i * stride, stride * factor, rest, level + 1, y + i * rest, terms);
    }
    for (std::size_t k = 0; k < rest; ++k) {
      terms[0] = y[k];
      for (std::size_t i = 1; i < factor; ++i) terms[i] = times(y[i * rest + k], roots_[i * k * stride]);
      sum(factor, terms, y + k, rest);
    }
  }

  void sum(std::size_t factor, const Root* terms, Root* y, std::size_t rest) const {
    if (factor == 2) {
      y[0] = plus(terms[0], terms[1]);
      y[rest] = minus(terms[0], terms[1]);
    } else if (factor == 4) {
      const Root a = plus(terms[0], terms[2]), b = minus(terms[0], terms[2]);
      const Root c = plus(terms[1], terms[3]), d = minus(terms[1], terms[3]);
      y[0] = plus(a, c);
      y[rest] = {b.re + d.im, b.im - d.re};
      y[2 * rest] = minus(a, c);
      y[3 * rest] = {b.re - d.im, b.im + d.re};
    } else {
      for (std::size_t q = 0; q < factor; ++q) {
        Root all = terms[0];
        for (std::size_t i = 1; i < factor; ++i)
          all = plus(all, times(terms[i], roots_[i * q % factor * (size_ / factor)]));
        y[q * rest] = all;
      }
    }
  }

  const std::size_t size_;
  const std::vector<std::size_t> factors_;
  std::vector<Root> roots_;
};

// A divisor near the root of n: the rows of an array of n elements.
std::size_t rows_of(std::size_t n) {
  std::size_t rows = 1;
  for (std::size_t left = n; const std::size_t f : factors_of(n)) {
    if (rows >= left / f) break;
    rows *= f;
    left /= f;
  }
  return rows;
}

// With elements j = j1 * columns + j2 and results k = k1 + rows * k2: the columns, a root for each element, the rows.
void run_array(const std::vector<Root>& x, std::size_t rows, std::vector<Root>& y) {
  const std::size_t columns = x.size() / rows;
  const CachedLine along_column(rows), along_row(columns);
  const RootTable roots(x.size());
  std::vector<Root> between(x.size());
  ThreadPool pool(0, "vd-fft");
  pool.for_each((columns + kNeighbours - 1) / kNeighbours, [&](std::size_t block) {
    const std::size_t first = block * kNeighbours, count = std::min(kNeighbours, columns - first);
    std::vector<Root> in(rows * count), out(rows * count);
    for (std::size_t j1 = 0; j1 < rows; ++j1) {
      for (std::size_t c = 0; c < count; ++c) in[c * rows + j1] = x[j1 * columns + first + c];
    }
    for (std::size_t c = 0; c < count; ++c) along_column.run(&in[c * rows], &out[c * rows]);
    for (std::size_t k1 = 0; k1 < rows; ++k1) {
      for (std::size_t c = 0; c < count; ++c)
        between[k1 * columns + first + c] = times(out[c * rows + k1], conj(roots[(first + c) * k1]));
    }
  });
  pool.for_each((rows + kNeighbours - 1) / kNeighbours, [&](std::size_t block) {
    const std::size_t first = block * kNeighbours, count = std::min(kNeighbours, rows - first);
    std::vector<Root> out(columns * count);
    for (std::size_t r = 0; r < count; ++r) along_row.run(&between[(first + r) * columns], &out[r * columns]);
    for (std::size_t k2 = 0; k2 < columns; ++k2) {
      for (std::size_t r = 0; r < count; ++r) y[first + r + rows * k2] = out[r * columns + k2];
    }
  });
}

}  // namespace

std::vector<Root> host_dft(const std::vector<Root>& x) {
  std::vector<Root> y(x.size());
  if (x.empty()) return y;
  if (const std::size_t rows = rows_of(x.size()); x.size() > kMostInCache && rows > 1)
    run_array(x, rows, y);
  else
    CachedLine(x.size()).run(x.data(), y.data());
  return y;
}

}  // namespace vd::fft
