// Roots of unity, rounded once: the angle is reduced to an eighth of a turn as whole numbers before any sine is taken.
#pragma once

#include <cstdint>
#include <vector>

namespace vd::fft {

struct Root {
  double re, im;
};

// exp(2 pi i k / n), for n up to 2^60; exact where cosine and sine are.
Root root(uint64_t k, uint64_t n);

// The same before it is rounded, for sums of several.
struct LongRoot {
  long double re, im;
};
LongRoot long_root(uint64_t k, uint64_t n);

// root(k, n) for many k below n, each as a product of two that are kept. Exact to about a unit in the last place.
class RootTable {
 public:
  explicit RootTable(uint64_t n);
  Root operator[](uint64_t k) const;

 private:
  uint32_t shift_;
  std::vector<LongRoot> fine_, coarse_;
};

}  // namespace vd::fft
