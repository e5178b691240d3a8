#include "fft/factor.h"

#include <fmt/format.h>

#include <bit>

namespace vd::fft {

Factor twiddle_factor(Table& table, uint64_t n, bool conjugate) {
  Factor f;
  f.kind = Factor::Kind::Product;
  f.conjugate = conjugate;
  f.period = n;
  f.steps = 1u << ((std::bit_width(n) + 1) / 2);
  const auto roots = [n](uint64_t step) {
    return [n, step](uint64_t i) {
      const Root w = root(i * step, n);
      return Root{w.re, -w.im};
    };
  };
  f.fine = table.add(fmt::format("fine {}", n), f.steps, roots(1));
  f.coarse = table.add(fmt::format("coarse {}", n), n / f.steps + 1, roots(f.steps));
  return f;
}

Factor table_factor(uint64_t first, bool conjugate) {
  Factor f;
  f.conjugate = conjugate;
  f.first = first;
  return f;
}

}  // namespace vd::fft
