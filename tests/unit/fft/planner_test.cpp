// Lines of several passes, and convolutions along every length, against a DFT in long double.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <numeric>

#include "backends/host/memory.h"
#include "core/error.h"
#include "ir/emitter.h"
#include "unit/fft/support.h"

namespace vd::fft::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// What a workgroup takes is up to the caller, so that short lines take many passes.
Limits small_limits(const Host& host, uint32_t shared_bytes) {
  Limits limits = host.limits();
  limits.shared_bytes = shared_bytes;
  limits.threads = 32;
  return limits;
}

TEST(Planner, SplitsLengthsEvenly) {
  EXPECT_THAT(split_length(1 << 20, 4096, 2), ElementsAre(1024, 1024));
  EXPECT_THAT(split_length(30030, 4096, 2), ElementsAre(165, 182));
  EXPECT_THAT(split_length(1 << 20, 512, 2), IsEmpty());
  EXPECT_THAT(split_length(1 << 20, 512, 3), ElementsAre(64, 128, 128));
  EXPECT_THAT(split_length(13 * 13 * 13 * 13, 100, 4), ElementsAre(13, 13, 13, 13));
  EXPECT_THAT(split_length(13 * 13 * 13 * 13, 100, 3), IsEmpty());
  EXPECT_THAT(split_length(uint64_t{1} << 32, 4096, 3), ElementsAre(1024, 2048, 2048));
  for (const uint64_t n : {5040, 46656, 15015, 65536, 98304}) {
    for (const uint32_t parts : {2, 3, 4}) {
      const std::vector<uint64_t> factors = split_length(n, n, parts);
      ASSERT_EQ(factors.size(), parts);
      EXPECT_EQ(std::accumulate(factors.begin(), factors.end(), uint64_t{1}, std::multiplies<>()), n);
      EXPECT_TRUE(std::is_sorted(factors.begin(), factors.end()));
    }
  }
}

TEST(Planner, AsManyPassesAsALineTakes) {
  Host host;
  const auto passes = [&](const Problem& p, const Limits& limits) { return make_program(p, limits).passes.size(); };
  EXPECT_EQ(passes(lines(1000, 2), small_limits(host, 512)), 2u);
  EXPECT_EQ(passes(lines(30000, 2), small_limits(host, 256)), 3u);
  EXPECT_EQ(passes(lines(65536, 2), small_limits(host, 128)), 4u);
  for (const int n : vd::test::some({30000, 8192, 15015})) {
    for (const uint32_t bytes : {128u, 256u}) {
      expect_transform(host, lines(n, 2), small_limits(host, bytes));
      if (bytes == 128) expect_transform(host, columns(n, 3, 2, 1), small_limits(host, bytes));
      if (HasFatalFailure()) return;
    }
  }
  // A chirp and back: twice as many, less one.
  EXPECT_EQ(passes(lines(4099, 2), small_limits(host, 256)), 5u);
  expect_transform(host, lines(4099, 2), small_limits(host, 256));
  expect_transform(host, columns(1009, 3, 2, 1), small_limits(host, 128));
  Problem p = lines(1536, 2, -1, ir::Scalar::F64);
  expect_transform<double>(host, p, small_limits(host, 128));
}

// Each pass reads and writes all numbers once.
TEST(Planner, SaysWhatIsMoved) {
  Host host;
  const Program program = make_program(lines(30000, 2), small_limits(host, 256));
  EXPECT_EQ(program.workspace_size, 480000u);
  for (const Pass& pass : program.passes) {
    EXPECT_EQ(traffic(pass.desc).read, 480000u) << pass.desc.name;
    EXPECT_EQ(traffic(pass.desc).written, 480000u) << pass.desc.name;
  }
  EXPECT_THAT(program.text(), HasSubstr("fft_columns_2"));
  EXPECT_THAT(program.text(), HasSubstr("reads 1440000 and writes 1440000 bytes"));
}

// Runs a program on a device that counts what kernels touch. It also finds what lies outside of buffers, what is read
// before it is written, and races.
void expect_traffic(Host& host, const Problem& p, const Limits& limits, std::vector<backends::Memory*> buffers) {
  const Program program = make_program(p, limits);
  SCOPED_TRACE(program.text());
  const auto of = [](backends::Memory* memory) { return static_cast<host::Memory*>(memory); };
  uint64_t read = 0, written = 0;
  size_t passes = 0;
  host.run(
      program, std::move(buffers),
      [&](const Pass&, const std::vector<backends::Memory*>& all) {
        for (backends::Memory* memory : all) of(memory)->watch();
      },
      [&](const Pass& pass, const std::vector<backends::Memory*>& all) {
        host::Memory::Touched sum;
        for (backends::Memory* memory : all) {
          sum.read += of(memory)->touched().read;
          sum.written += of(memory)->touched().written;
        }
        EXPECT_EQ(sum.read, traffic(pass.desc).read) << pass.desc.name;
        EXPECT_EQ(sum.written, traffic(pass.desc).written) << pass.desc.name;
        read += sum.read, written += sum.written;
        ++passes;
      });
  EXPECT_THAT(program.text(), HasSubstr(fmt::format("reads {} and writes {} bytes\n", read, written)));
  const std::string text = program.text();
  size_t said = 0;
  for (size_t at = 0; (at = text.find(" values a thread", at)) != std::string::npos; ++at) ++said;
  EXPECT_EQ(said, passes);
}

TEST(Planner, MovesWhatItSays) {
  Host host(VD_CONTEXT_CHECKED);
  const auto expect = [&](const Problem& p, const Limits& limits) {
    uint64_t size = p.n;
    for (const Batch& b : p.batches) size *= b.count;
    auto data = host.buffer(std::vector<float>(2 * size + 64));
    expect_traffic(host, p, limits, {data.get()});
  };
  for (const uint64_t n : {1, 12, 16, 17, 60, 256, 600, 1024, 4096}) {
    for (const Limits& limits : {host.limits(), small_limits(host, 128)}) {
      expect(lines(n, 5), limits);
      expect(columns(n, 7, 3), limits);
      Problem part = lines(n, 3);
      part.in.low = n / 5, part.in.high = n - n / 4;
      part.out.low = n / 3;
      expect(part, limits);
      for (const bool back : {false, true}) {
        const uint64_t half = n / 2 + 1;
        Problem real = lines(n, 3, back ? 1 : -1);
        (back ? real.out : real.in).real = true;
        if (back) real.in.mirror = n;
        if (!back) real.out.high = half;
        real.batches = {{3, back ? half : 2 * half, back ? 2 * half : half}};
        expect(real, limits);
      }
    }
  }
}

// No memory holds such lines here: their passes are planned all the same.
TEST(Planner, TheLongestLines) {
  Host host;
  for (const uint64_t n :
       vd::test::some({uint64_t{1} << 32, uint64_t{3486784401}, uint64_t{13} << 28, uint64_t{3607203600}})) {
    Limits limits = host.limits();
    limits.threads = 1024;
    limits.shared_bytes = 32768;
    const Program program = make_program(lines(n, 1), limits);
    EXPECT_EQ(program.passes.size(), 3u) << n;
    EXPECT_EQ(program.workspace_size, 8 * n);
  }
  EXPECT_THROW(make_program(lines((uint64_t{1} << 32) + 1, 1), host.limits()), Error);
  try {
    make_program(lines((uint64_t{1} << 31) + 11, 1), host.limits());
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("the length (2147483659) has a prime factor above 13"));
  }
}

// A caller's cap gives way where a length cannot be had with it, and where a line would not fit.
TEST(Planner, EveryLengthWithFewRegisters) {
  Host host;
  for (const uint32_t registers : {2u, 3u, 4u}) {
    Limits limits = host.limits();
    limits.registers = registers;
    for (const Limits& least : {limits, [&] {
                                  Limits few = limits;
                                  few.threads = 128, few.shared_bytes = 16384;
                                  return few;
                                }()}) {
      for (const uint64_t n : {7, 11, 13, 17, 88, 97, 240, 1001, 1009, 2048, 4096, 15015}) {
        const Program program = make_program(lines(n, 2), least);
        for (const Pass& pass : program.passes) {
          const uint64_t prime = largest_prime(pass.desc.n);
          EXPECT_LE(pass.layout.radices.registers, 2 * std::max<uint64_t>(registers, prime)) << program.text();
        }
        if (n < 1000 || registers == 2) expect_transform(host, lines(n, 2), least);
        if (HasFatalFailure()) return;
      }
      for (const uint64_t n : vd::test::some({uint64_t{1} << 32, uint64_t{815730721}, uint64_t{3486784401},
                                              uint64_t{3607203600}, uint64_t{2357947691}}))
        EXPECT_NO_THROW(make_program(lines(n, 1), least)) << n;
    }
  }
}

TEST(Planner, RealLinesOfManyPasses) {
  Host host;
  const Limits limits = small_limits(host, 128);
  for (const uint64_t n : {uint64_t{4096}, uint64_t{3375}, uint64_t{34}, uint64_t{1009}}) {
    const uint64_t half = n / 2 + 1, count = 2;
    Problem p = lines(n, count);
    p.in.real = true;
    p.out.high = half;
    p.batches = {{count, 2 * half, half}};
    const std::vector<Exact> data = random_values(n * count, 3, true);
    std::vector<float> padded(2 * half * count, NAN);
    for (size_t i = 0; i < data.size(); ++i) padded[i / n * 2 * half + i % n] = static_cast<float>(data[i].real());
    auto memory = host.buffer(padded);
    host.run(make_program(p, limits), {memory.get()});
    const std::vector<Exact> got = unflat(host.read<float>(*memory));
    for (size_t line = 0; line < count; ++line) {
      std::vector<Exact> want =
          exact_dft({data.begin() + static_cast<long>(line * n), data.begin() + static_cast<long>((line + 1) * n)}, -1);
      want.resize(half);
      const auto first = got.begin() + static_cast<long>(line * half);
      EXPECT_LE(distance({first, first + static_cast<long>(half)}, want), bound(n, ir::Scalar::F32) * 3) << n;
    }
    Problem back = lines(n, count, 1);
    back.scale = 1.0 / static_cast<double>(n);
    back.in.mirror = n;
    back.out.real = true;
    back.batches = {{count, half, 2 * half}};
    host.run(make_program(back, limits), {memory.get()});
    const std::vector<float> real = host.read<float>(*memory);
    std::vector<Exact> result(data.size());
    for (size_t i = 0; i < data.size(); ++i) result[i] = real[i / n * 2 * half + i % n];
    EXPECT_LE(distance(result, data), bound(n, ir::Scalar::F32) * 5) << n;
  }
}

// ---- Convolutions

struct Convolution {
  uint64_t n;
  uint64_t count = 3;    // lines
  uint32_t kernels = 1;  // for each line, or for all
  bool shared = false;   // one row of a kernel for all lines
  bool columns = false;  // lines side by side
  bool conjugate = false;
  bool real = false;
  ir::Scalar scalar = ir::Scalar::F32;
  uint64_t high = ~uint64_t{0};  // of the output
};

Problem problem_of(const Convolution& c) {
  Problem p = lines(c.n, c.count, -1, c.scalar);
  const uint64_t bins = c.real ? c.n / 2 + 1 : c.n;
  p.convolve = true;
  p.conjugate = c.conjugate;
  p.instances = c.kernels;
  p.scale = 1.0 / static_cast<double>(c.n);
  const uint64_t step = c.columns ? c.count : 1, line = c.columns ? 1 : c.n;
  p.in.stride = p.out.stride = step;
  p.middle.stride = c.columns && !c.shared ? c.count : 1;
  p.batches = {{c.count, line, line, c.shared ? 0 : c.columns ? 1 : bins}};
  p.in.argument = 1;
  p.middle.argument = 2;
  p.in.real = p.out.real = c.real;
  if (c.real) p.middle.mirror = c.n;
  p.out.instance = c.n * c.count;
  p.middle.instance = bins * (c.shared ? 1 : c.count);
  p.middle.scalar = c.scalar;
  p.out.high = c.high;
  const ir::Type type = c.real ? ir::Type(c.scalar) : ir::Type::complex(c.scalar);
  p.outputs = {{"result", type}};
  p.inputs = {{"data", type}};
  p.middles = {{"kernel", ir::Type::complex(c.scalar)}};
  return p;
}

template <class T = float>
void expect_convolution(Host& host, const Convolution& c, const Limits& limits) {
  const uint64_t bins = c.real ? c.n / 2 + 1 : c.n, all = c.n * c.count;
  const Problem p = problem_of(c);
  const Program program = make_program(p, limits);
  const std::vector<Exact> data = random_values(all, test_seed(), c.real);
  std::vector<Exact> kernel = random_values(p.middle.instance * c.kernels, test_seed() + 1);
  const auto numbers = [&](const std::vector<Exact>& values) {
    std::vector<T> out = flat<T>(values);
    for (size_t i = 0; c.real && i < values.size(); ++i) out[i] = out[2 * i];
    if (c.real) out.resize(values.size());
    return out;
  };
  auto from = host.buffer(numbers(data)), spectrum = host.buffer(flat<T>(kernel));
  auto to = host.buffer(numbers(std::vector<Exact>(all * c.kernels, Exact(7))));
  host.run(program, {to.get(), from.get(), spectrum.get()});
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
        Exact factor = kernel[k * p.middle.instance + place];
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

TEST(Planner, ConvolutionsOfEveryClassOfLengths) {
  Host host;
  for (const int n : vd::test::some({17, 34, 19, 323, 502, 97, 289, 1009, 4036, 2 * 17 * 19})) {
    const uint64_t length = static_cast<uint64_t>(n);
    expect_convolution(host, {.n = length}, host.limits());
    expect_convolution(host, {.n = length, .kernels = 3, .shared = true, .conjugate = true}, host.limits());
    if (n > 1000) continue;
    expect_convolution(host, {.n = length, .columns = true, .conjugate = true}, host.limits());
    expect_convolution(host, {.n = length, .kernels = 2, .real = true}, host.limits());
    if (HasFatalFailure()) return;
  }
  expect_convolution<double>(host, {.n = 323, .kernels = 2, .scalar = ir::Scalar::F64}, host.limits());
  expect_convolution(host, {.n = 323, .kernels = 2, .high = 30}, host.limits());
}

TEST(Planner, ConvolutionsOfLinesInSeveralPasses) {
  Host host;
  for (const uint32_t bytes : {512u, 128u}) {
    const Limits limits = small_limits(host, bytes);
    for (const int n : vd::test::some({1024, 1000, 3003, 1009, 502})) {
      const uint64_t length = static_cast<uint64_t>(n);
      expect_convolution(host, {.n = length, .kernels = 3}, limits);
      expect_convolution(host, {.n = length, .kernels = 2, .shared = true, .columns = true, .conjugate = true}, limits);
      expect_convolution(host, {.n = length, .kernels = 2, .real = true, .high = 100}, limits);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(Planner, SaysWhatConvolutionsMove) {
  Host host;
  // Two lines of 17, three kernels of one line: there, times the kernels, and back.
  const Program one = make_program(problem_of({.n = 17, .count = 2, .kernels = 3, .shared = true}), host.limits());
  ASSERT_EQ(one.passes.size(), 2u);
  const uint64_t line = 17 * 8;
  EXPECT_EQ(traffic(one.passes[0].desc).read, 2 * line + 3 * line);
  EXPECT_EQ(traffic(one.passes[0].desc).written, 6 * line);
  EXPECT_EQ(traffic(one.passes[1].desc).read, 6 * line);
  EXPECT_EQ(traffic(one.passes[1].desc).written, 6 * line);
  EXPECT_EQ(one.workspace_size, 6 * line);
  EXPECT_THAT(one.text(), HasSubstr("times 3 kernels"));
  const Program split = make_program(problem_of({.n = 1000, .count = 2, .kernels = 3}), small_limits(host, 512));
  ASSERT_EQ(split.passes.size(), 3u);
  EXPECT_EQ(traffic(split.passes[1].desc).read, 16000u + 3 * 16000);
  EXPECT_EQ(traffic(split.passes[2].desc).read, 48000u);
  EXPECT_EQ(split.workspace_size, 48000u);
}

TEST(Planner, ConvolutionsMoveWhatTheySay) {
  Host host(VD_CONTEXT_CHECKED);
  for (const uint64_t n : {16, 17, 36, 34, 600}) {
    for (const Limits& limits : {host.limits(), small_limits(host, 128)}) {
      for (const Convolution& c :
           {Convolution{.n = n}, Convolution{.n = n, .kernels = 3, .shared = true},
            Convolution{.n = n, .kernels = 2, .columns = true}, Convolution{.n = n, .kernels = 2, .real = true}}) {
        const Problem p = problem_of(c);
        const size_t all = c.n * c.count * (c.real ? 1 : 2);
        auto to = host.buffer(std::vector<float>(all * c.kernels)), from = host.buffer(std::vector<float>(all));
        auto kernel = host.buffer(std::vector<float>(2 * p.middle.instance * c.kernels));
        expect_traffic(host, p, limits, {to.get(), from.get(), kernel.get()});
      }
    }
  }
}

// Maps of the kernel and of the output, which know the number of the kernel while they are traced.
TEST(Planner, MapsOfSeveralKernels) {
  Host host;
  for (const uint64_t n : {uint64_t{20}, uint64_t{34}, uint64_t{600}, uint64_t{502}}) {
    for (const Limits& limits : {host.limits(), small_limits(host, 128)}) {
      const uint32_t kernels = 3;
      Problem p = problem_of({.n = n, .count = 2, .kernels = kernels});
      p.outputs.clear(), p.middles.clear();
      p.in.argument = 0;
      p.maps = p.applied = {.output = true, .middle = true};
      Programmer programmer(p, limits, [](const vd_builder_desc& d) { return make_ref<ir::Builder>(d); });
      Value out = 0;
      for (Element e; programmer.next(e);) {
        ir::Builder& b = programmer.builder();
        if (e.point == Point::Arguments) {
          if (e.part == 0) out = b.argument(VD_ARGUMENT_BUFFER, ir::Type::complex(ir::Scalar::F32), "out");
          continue;
        }
        const auto emit = [&](vd_op op, std::vector<Value> operands, uint64_t bits = 0, ir::Type type = {}) {
          return b.emit(op, type, operands, bits, 0);
        };
        const Value value = emit(VD_OP_LOAD, {e.value});
        ASSERT_LT(e.instance, kernels);
        // Bin k of kernel i: times (i + 1), and i bins only; the output times (i + 2).
        const bool middle = e.point == Point::Middle;
        const double by = e.instance + (middle ? 1 : 2);
        const Value factor = emit(VD_OP_CONST, {}, ir::scalar_bits_of(ir::Scalar::F32, by), ir::kF32);
        const Value re = emit(VD_OP_MUL, {emit(VD_OP_INDEX, {value, emit(VD_OP_CONST, {}, 0, ir::kU32)}), factor});
        Value im = emit(VD_OP_MUL, {emit(VD_OP_INDEX, {value, emit(VD_OP_CONST, {}, 1, ir::kU32)}), factor});
        const Value both = b.emit(VD_OP_CONSTRUCT, ir::Type::complex(ir::Scalar::F32), std::vector{re, im}, 0, 0);
        if (!middle) {
          programmer.generator().write(e, out, 0, both);
          continue;
        }
        const Value kept = emit(VD_OP_LT, {e.position, emit(VD_OP_CONST, {}, 5 * (e.instance + 1), ir::kU32)});
        const Value zero = emit(VD_OP_CONST, {}, 0, ir::kF32);
        const Value none = b.emit(VD_OP_CONSTRUCT, ir::Type::complex(ir::Scalar::F32), std::vector{zero, zero}, 0, 0);
        emit(VD_OP_STORE, {e.value, emit(VD_OP_SELECT, {kept, both, none})});
      }
      const Program program = programmer.finish();
      const std::vector<Exact> data = random_values(2 * n, 11);
      auto from = host.buffer(flat<float>(data)), to = host.space(kernels * 2 * n * 8);
      host.run(program, {to.get(), from.get()});
      const std::vector<Exact> got = unflat(host.read<float>(*to));
      for (size_t i = 0; i < 2 * kernels; ++i) {
        const size_t k = i / 2, line = i % 2;
        const auto first = static_cast<long>(line * n);
        std::vector<Exact> want = exact_dft({data.begin() + first, data.begin() + first + static_cast<long>(n)}, -1);
        for (size_t bin = 0; bin < n; ++bin) want[bin] *= bin < 5 * (k + 1) ? static_cast<long double>(k + 1) : 0;
        want = exact_dft(want, 1);
        for (Exact& v : want) v *= static_cast<long double>(k + 2) / static_cast<long double>(n);
        const auto start = got.begin() + static_cast<long>(i * n);
        EXPECT_LE(distance({start, start + static_cast<long>(n)}, want), bound(n, ir::Scalar::F32) * 12)
            << n << ", kernel " << k << ", line " << line << "\n"
            << program.text();
      }
    }
  }
}

}  // namespace
}  // namespace vd::fft::test
