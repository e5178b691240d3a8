// Transforms of the engine run on the host device, and a reference in long double.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include "backends/backend.h"
#include "fft/program.h"
#include "support/queue/commands.h"
#include "support/samples.h"

namespace vd::fft::test {

using Exact = std::complex<long double>;

// exp(2 pi i k / n).
inline Exact exact_root(size_t k, size_t n) {
  const long double angle =
      2 * 3.14159265358979323846264338327950288L * static_cast<long double>(k) / static_cast<long double>(n);
  return {std::cos(angle), std::sin(angle)};
}

// The same for each k, kept for the next line of that length.
inline const std::vector<Exact>& exact_roots(size_t n) {
  static std::map<size_t, std::vector<Exact>> all;
  std::vector<Exact>& roots = all[n];
  for (size_t k = roots.size(); k < n; ++k) roots.push_back(exact_root(k, n));
  return roots;
}

// Adds a * b, or a * conj(b), without the special cases of C++'s product, which take three quarters of its time.
inline void add_product(Exact& sum, const Exact& a, const Exact& b, int sign) {
  const long double im = sign < 0 ? -b.imag() : b.imag();
  sum = {sum.real() + (a.real() * b.real() - a.imag() * im), sum.imag() + (a.real() * im + a.imag() * b.real())};
}

// y[k] = sum over i of x[i * stride] * exp(sign * 2 pi i k i / n), by the definition through each prime factor. The roots
// are those of a multiple of n.
inline void exact_dft(const Exact* x, size_t stride, size_t n, int sign, const std::vector<Exact>& roots, Exact* y) {
  if (n == 1) {
    *y = *x;
    return;
  }
  size_t factor = 2;
  while (n % factor != 0) ++factor;
  const size_t rest = n / factor, step = roots.size() / n;
  for (size_t i = 0; i < factor; ++i) exact_dft(x + i * stride, stride * factor, rest, sign, roots, y + i * rest);
  std::vector<Exact> parts(factor);
  for (size_t j = 0; j < rest; ++j) {
    for (size_t i = 0; i < factor; ++i) parts[i] = y[i * rest + j];
    for (size_t k = j; k < n; k += rest) {
      Exact sum = 0;
      for (size_t i = 0, turn = 0; i < factor; ++i, turn = turn + k < n ? turn + k : turn + k - n)
        add_product(sum, parts[i], roots[turn * step], sign);
      y[k] = sum;
    }
  }
}

inline std::vector<Exact> exact_dft(const std::vector<Exact>& x, int sign) {
  std::vector<Exact> y(x.size());
  if (!x.empty()) exact_dft(x.data(), 1, x.size(), sign, exact_roots(x.size()), y.data());
  return y;
}

inline uint32_t test_seed() {
  const char* text = std::getenv("VD_TEST_SEED");
  return text != nullptr ? static_cast<uint32_t>(std::strtoul(text, nullptr, 10)) : 20240611u;
}
inline std::vector<Exact> random_values(size_t n, uint32_t seed, bool real = false) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> one(-1, 1);
  std::vector<Exact> values(n);
  for (Exact& v : values) v = {one(random), real ? 0.0f : one(random)};
  return values;
}

// Relative L2 distance.
inline double distance(const std::vector<Exact>& got, const std::vector<Exact>& want) {
  EXPECT_EQ(got.size(), want.size());
  long double error = 0, norm = 0;
  for (size_t i = 0; i < std::min(got.size(), want.size()); ++i) {
    error += std::norm(got[i] - want[i]);
    norm += std::norm(want[i]);
  }
  return static_cast<double>(std::sqrt(error / std::max(norm, 1e-300L)));
}

// The bound of rounding errors.
inline double bound(uint64_t n, ir::Scalar scalar) {
  const double epsilon = scalar == ir::Scalar::F64 ? 0x1p-53 : scalar == ir::Scalar::F32 ? 0x1p-24 : 0x1p-11;
  return epsilon * (1.5 + 0.6 * std::sqrt(std::log2(static_cast<double>(n) + 1)) + 0.25 * std::log2(n + 1.0));
}

// Buffers of complex or real numbers as floats or doubles, and programs over them.
class Host {
 public:
  explicit Host(vd_context_flags flags = 0, uint32_t threads = 2) {
    backends::DeviceOptions options;
    options.thread_count = threads;
    options.flags = flags;
    device_ = backends::get_backend(VD_BACKEND_HOST).make_device(0, options);
  }

  Limits limits() const {
    Limits limits;
    limits.shared_bytes = device_->info().max_shared_memory_size;
    limits.invocations = device_->info().max_workgroup_invocations;
    return limits;
  }

  template <class T>
  std::unique_ptr<backends::Memory> buffer(const std::vector<T>& data) {
    auto memory = device_->make_memory(std::max<size_t>(data.size(), 1) * sizeof(T), false, "test");
    if (!data.empty()) vd::test::write(device_->queue(0), {memory.get(), 0, data.size() * sizeof(T)}, data.data());
    return memory;
  }
  std::unique_ptr<backends::Memory> space(size_t bytes) { return device_->make_memory(bytes, false, "test"); }
  template <class T>
  std::vector<T> read(backends::Memory& memory) {
    std::vector<T> data(memory.size() / sizeof(T));
    device_->queue(0).read({&memory, 0, data.size() * sizeof(T)}, data.data());
    return data;
  }

  // `before` and `after` each pass, with all that it may touch but the constants.
  using Watch = std::function<void(const Pass&, const std::vector<backends::Memory*>&)>;

  void run(const Program& program, std::vector<backends::Memory*> buffers, const Watch& before = {},
           const Watch& after = {}) {
    auto constants = buffer(program.constants->parts.at(0).bytes);
    auto workspace = device_->make_memory(std::max<uint64_t>(program.workspace_size, 16), false, "workspace");
    uint64_t value = 0;
    std::vector<std::shared_ptr<backends::Module>> modules;
    std::vector<std::unique_ptr<backends::Memory>> counters;
    for (const Pass& pass : program.passes) {
      modules.push_back(
          device_->make_module({&pass.kernel->code, nullptr, pass.kernel->code.attributes.workgroup_size, "fft"}));
      backends::CommandList list;
      backends::Command command;
      command.module = modules.back().get();
      command.workgroups = pass.layout.workgroups;
      std::vector<backends::Memory*> bound = buffers;
      if (pass.workspace) bound.push_back(workspace.get());
      const std::vector<backends::Memory*> touched = bound;
      if (pass.counters() != 0) {
        counters.push_back(buffer(std::vector<uint32_t>(pass.counters())));
        bound.push_back(counters.back().get());
      }
      bound.push_back(constants.get());
      command.binding_count = static_cast<uint32_t>(bound.size());
      for (backends::Memory* m : bound) list.ranges.push_back({m, 0, m->size()});
      list.values = pass.values;
      command.values_size = static_cast<uint32_t>(pass.values.size());
      list.commands.push_back(command);
      if (before) before(pass, touched);
      value = device_->queue(0).submit(list);
      if (!after) continue;
      device_->queue(0).wait(value, ~uint64_t{0});
      after(pass, touched);
    }
    device_->queue(0).wait(value, ~uint64_t{0});
    // The last workgroup resets them.
    for (const auto& memory : counters) {
      for (const uint32_t counter : read<uint32_t>(*memory)) ASSERT_EQ(counter, 0u) << program.text();
    }
  }

 private:
  std::unique_ptr<backends::Device> device_;
};

// Limits with little shared memory, so that short lines take many passes.
inline Limits small_limits(const Host& host, uint32_t shared_bytes) {
  Limits limits = host.limits();
  limits.shared_bytes = shared_bytes;
  limits.invocations = 32;
  return limits;
}

template <class T>
std::vector<T> flat(const std::vector<Exact>& values) {
  std::vector<T> out;
  for (const Exact& v : values) {
    out.push_back(static_cast<T>(v.real()));
    out.push_back(static_cast<T>(v.imag()));
  }
  return out;
}
template <class T>
std::vector<Exact> unflat(const std::vector<T>& values) {
  std::vector<Exact> out;
  for (size_t i = 0; i + 1 < values.size(); i += 2) out.push_back({values[i], values[i + 1]});
  return out;
}

// One pass, of a kernel with no table of its own.
inline Program program_of(ir::Kernel kernel) {
  Program program;
  program.passes.emplace_back().kernel = make_ref<vd_kernel>(std::move(kernel), Hash128{});
  Constants constants;
  constants.parts.push_back({0, std::vector<std::byte>(16)});
  program.constants = std::make_shared<const Constants>(std::move(constants));
  return program;
}

// One line after the other, in place.
inline Problem lines(uint64_t n, uint64_t count, int sign = -1, ir::Scalar scalar = ir::Scalar::F32) {
  Problem p;
  p.n = n;
  p.sign = sign;
  p.compute = p.in.scalar = p.out.scalar = scalar;
  p.batches.push_back({count, n, n});
  p.outputs.push_back({"data", ir::Type::complex(scalar)});
  return p;
}
// Columns of `count` in a matrix of n rows, in place.
inline Problem planes(uint32_t rows, uint64_t n, uint64_t count) {
  Problem p = lines(n, count);
  p.rows = rows;
  p.in.rows = p.out.rows = {rows, n};
  p.batches = {{count, rows * n, rows * n}};
  return p;
}

inline Problem columns(uint64_t n, uint64_t count, uint64_t outer = 1, int sign = -1) {
  Problem p = lines(n, 1, sign);
  p.in.stride = p.out.stride = count;
  p.batches = {{count, 1, 1}, {outer, n * count, n * count}};
  return p;
}

// Real lines and their half spectra, in place. Rows are padded to whole sectors of memory.
inline Problem real_lines(uint64_t n, uint64_t count, bool back) {
  const uint64_t half = (n / 2 + 1 + 3) / 4 * 4;
  Problem p = lines(n, count, back ? 1 : -1);
  (back ? p.out : p.in).real = true;
  if (back) p.in.mirror = n;
  if (!back) p.out.high = n / 2 + 1;
  p.batches = {{count, back ? half : 2 * half, back ? 2 * half : half}};
  return p;
}

// Transforms random data in place and compares each line.
template <class T = float>
void expect_transform(Host& host, const Problem& p, const Limits& limits, uint32_t seed = test_seed()) {
  uint64_t size = p.in.offset + (p.n - 1) * p.in.stride + 1;
  for (const Batch& b : p.batches) size += (b.count - 1) * b.in_stride;
  const std::vector<Exact> data = random_values(size, seed);
  auto memory = host.buffer(flat<T>(data));
  const Program program = make_program(p, limits);
  host.run(program, {memory.get()});
  const std::vector<Exact> result = unflat(host.read<T>(*memory));
  std::vector<uint64_t> starts{p.in.offset};
  for (const Batch& b : p.batches) {
    std::vector<uint64_t> more;
    for (const uint64_t s : starts) {
      for (uint64_t i = 0; i < b.count; ++i) more.push_back(s + i * b.in_stride);
    }
    starts = more;
  }
  for (const uint64_t start : starts) {
    std::vector<Exact> line(p.n), got(p.n);
    for (uint64_t i = 0; i < p.n; ++i) {
      line[i] = data[start + i * p.in.stride];
      got[i] = result[start + i * p.in.stride];
    }
    std::vector<Exact> want = exact_dft(line, p.sign);
    for (Exact& v : want) v *= static_cast<long double>(p.scale);
    const double limit = bound(p.n, p.compute) * (is_smooth(p.n) ? 1 : 3);
    ASSERT_LE(distance(got, want), limit) << "n " << p.n << ", line at " << start << "\n" << program.text();
  }
}

// Real lines and their half spectra, in one padded buffer as RFFT buffers have them: forward and back.
inline void expect_real_lines(Host& host, uint64_t n, uint64_t count, const Limits& limits) {
  const uint64_t half = n / 2 + 1;
  Problem p = lines(n, count);
  p.in.real = true;
  p.in.stride = 1;
  p.out.high = half;
  p.batches = {{count, 2 * half, half}};
  const std::vector<Exact> data = random_values(n * count, 3, true);
  std::vector<float> padded(2 * half * count, NAN);
  for (size_t i = 0; i < data.size(); ++i) padded[i / n * 2 * half + i % n] = static_cast<float>(data[i].real());
  auto memory = host.buffer(padded);
  host.run(make_program(p, limits), {memory.get()});
  std::vector<Exact> got = unflat(host.read<float>(*memory));
  for (size_t line = 0; line < count; ++line) {
    std::vector<Exact> want =
        exact_dft({data.begin() + static_cast<long>(line * n), data.begin() + static_cast<long>((line + 1) * n)}, -1);
    want.resize(half);
    EXPECT_LE(
        distance({got.begin() + static_cast<long>(line * half), got.begin() + static_cast<long>((line + 1) * half)},
                 want),
        bound(n, ir::Scalar::F32) * 3)
        << n;
    // Imaginary parts that a real line cannot have are not looked at.
    got[line * half] += Exact(0, 17);
    if (n % 2 == 0) got[line * half + half - 1] += Exact(0, -5);
  }
  Problem back = lines(n, count, 1);
  back.scale = 1.0 / static_cast<double>(n);
  back.in.mirror = n;
  back.out.real = true;
  back.batches = {{count, half, 2 * half}};
  memory = host.buffer(flat<float>(got));
  host.run(make_program(back, limits), {memory.get()});
  const std::vector<float> real = host.read<float>(*memory);
  std::vector<Exact> result(data.size());
  for (size_t i = 0; i < data.size(); ++i) result[i] = real[i / n * 2 * half + i % n];
  EXPECT_LE(distance(result, data), bound(n, ir::Scalar::F32) * 5) << n;
}

}  // namespace vd::fft::test
