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
  const auto conj = [](Root w) { return Root{w.re, -w.im}; };
  f.fine = table.add(fmt::format("fine {}", n), f.steps, [&](uint64_t i) { return conj(root(i, n)); });
  f.coarse =
      table.add(fmt::format("coarse {}", n), n / f.steps + 1, [&](uint64_t i) { return conj(root(i * f.steps, n)); });
  return f;
}

Factor table_factor(uint64_t first, bool conjugate) {
  Factor f;
  f.conjugate = conjugate;
  f.first = first;
  return f;
}

}  // namespace vd::fft
