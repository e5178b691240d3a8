// Convolutions of the engine run on the host device, beside transforms in long double.
#pragma once

#include <algorithm>
#include <vector>

#include "unit/fft/support.h"

namespace vd::fft::test {

struct Convolution {
  uint64_t n;
  uint64_t count = 3;    // lines
  uint32_t kernels = 1;  // for each line, or for all
  bool shared = false;   // one row of a kernel for all lines
  bool columns = false;  // lines side by side
  bool conjugate = false;
  bool real = false;
  bool in_place = false;
  ir::Scalar scalar = ir::Scalar::F32;
  uint64_t high = ~uint64_t{0};  // of the output
};

inline Problem problem_of(const Convolution& c) {
  Problem p = lines(c.n, c.count, -1, c.scalar);
  const uint64_t bins = c.real ? c.n / 2 + 1 : c.n;
  p.convolve = true;
  p.conjugate = c.conjugate;
  p.instances = c.kernels;
  p.scale = 1.0 / static_cast<double>(c.n);
  const uint64_t step = c.columns ? c.count : 1, line = c.columns ? 1 : c.n;
  p.in.stride = p.out.stride = step;
  p.filter.stride = c.columns && !c.shared ? c.count : 1;
  p.batches = {{c.count, line, line, c.shared ? 0 : c.columns ? 1 : bins}};
  p.in.argument = c.in_place ? 0 : 1;
  p.filter.argument = c.in_place ? 1 : 2;
  p.in.real = p.out.real = c.real;
  if (c.real) p.filter.mirror = c.n;
  p.out.instance = c.n * c.count;
  p.filter.instance = bins * (c.shared ? 1 : c.count);
  p.filter.scalar = c.scalar;
  p.out.high = c.high;
  const ir::Type type = c.real ? ir::Type(c.scalar) : ir::Type::complex(c.scalar);
  p.outputs = {{"result", type}};
  if (!c.in_place) p.inputs = {{"data", type}};
  p.filters = {{"kernel", ir::Type::complex(c.scalar)}};
  return p;
}

template <class T = float>
void expect_convolution(Host& host, const Convolution& c, const Limits& limits) {
  const uint64_t bins = c.real ? c.n / 2 + 1 : c.n, all = c.n * c.count;
  const Problem p = problem_of(c);
  const Program program = make_program(p, limits);
  const std::vector<Exact> data = random_values(all, test_seed(), c.real);
  std::vector<Exact> kernel = random_values(p.filter.instance * c.kernels, test_seed() + 1);
  const auto numbers = [&](const std::vector<Exact>& values) {
    std::vector<T> out = flat<T>(values);
    for (size_t i = 0; c.real && i < values.size(); ++i) out[i] = out[2 * i];
    if (c.real) out.resize(values.size());
    return out;
  };
  auto from = host.buffer(numbers(data)), spectrum = host.buffer(flat<T>(kernel));
  auto to =
      c.in_place ? host.buffer(numbers(data)) : host.buffer(numbers(std::vector<Exact>(all * c.kernels, Exact(7))));
  if (c.in_place) {
    host.run(program, {to.get(), spectrum.get()});
  } else {
    host.run(program, {to.get(), from.get(), spectrum.get()});
  }
  const std::vector<T> result = host.read<T>(*to);
  for (uint32_t k = 0; k < c.kernels; ++k) {
    for (uint64_t i = 0; i < c.count; ++i) {
      std::vector<Exact> line, got;
      const auto at = [&](uint64_t j) { return c.columns ? j * c.count + i : i * c.n + j; };
      for (uint64_t j = 0; j < c.n; ++j) {
        const size_t place = k * all + at(j);
        line.push_back(data[at(j)]);
        got.push_back(c.real ? Exact(result[place]) : Exact(result[2 * place], result[2 * place + 1]));
      }
      std::vector<Exact> want = exact_dft(line, -1);
      for (uint64_t j = 0; j < c.n; ++j) {
        const uint64_t bin = std::min(j, c.real ? c.n - j : j);
        const size_t place = c.shared ? bin : c.columns ? bin * c.count + i : i * bins + bin;
        Exact factor = kernel[k * p.filter.instance + place];
        if (c.real && (j == 0 || 2 * j == c.n)) factor = factor.real();
        if (bin != j) factor = std::conj(factor);
        want[j] *= c.conjugate ? std::conj(factor) : factor;
      }
      want = exact_dft(want, 1);
      for (uint64_t j = 0; j < c.n; ++j) {
        want[j] /= static_cast<long double>(c.n);
        if (j >= c.high) want[j] = c.real ? Exact(7) : Exact(7, 0);
      }
      ASSERT_LE(distance(got, want), bound(c.n, c.scalar) * (is_smooth(c.n) ? 3 : 6))
          << "n " << c.n << ", kernel " << k << ", line " << i << "\n"
          << program.text();
    }
  }
}

}  // namespace vd::fft::test
