// Lines of several passes, and convolutions along every length, against a DFT in long double.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <numeric>

#include "core/error.h"
#include "fft/split_length.h"
#include "ir/emitter.h"
#include "unit/fft/convolution.h"
#include "unit/fft/counted.h"
#include "unit/fft/support.h"

namespace vd::fft::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

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
      for (const uint64_t count : {3, 5})
        if (bytes == 128) expect_transform(host, columns(n, count, 2, 1), small_limits(host, bytes));
      if (HasFatalFailure()) return;
    }
  }
  // A chirp and back: twice as many, less one.
  EXPECT_EQ(passes(lines(4099, 2), small_limits(host, 256)), 5u);
  expect_transform(host, lines(4099, 2), small_limits(host, 256));
  for (const uint64_t count : {3, 8}) expect_transform(host, columns(1009, count, 2, 1), small_limits(host, 128));
  Problem p = lines(1536, 2, -1, ir::Scalar::F64);
  expect_transform<double>(host, p, small_limits(host, 128));
}

TEST(Planner, FactorsThatAreAskedFor) {
  Host host;
  Limits limits = host.limits();
  limits.tuning = Tuning::parse("strategy=four_step,factors=8x15x4");
  const auto factors = [&](uint64_t n) {
    std::vector<uint32_t> all;
    for (const Pass& pass : make_program(lines(n, 2), limits).passes) all.push_back(pass.desc.n);
    return all;
  };
  EXPECT_THAT(factors(480), ElementsAre(8, 15, 4));
  EXPECT_THAT(factors(60), ElementsAre(6, 10));  // the planner's
  expect_transform(host, lines(480, 3), limits);
  expect_transform(host, columns(480, 6), limits);
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

TEST(Planner, MovesWhatItSays) {
  Host host(VD_CONTEXT_CHECKED);
  const auto expect = [&](const Problem& p, const Limits& limits) {
    uint64_t size = p.n;
    for (const Batch& b : p.batches) size *= b.count;
    auto data = host.buffer(std::vector<float>(2 * size + 64));
    expect_traffic(host, p, limits, {data.get()});
  };
  for (const int n : vd::test::some({60, 17, 1, 12, 16, 256, 600, 1024, 4096})) {
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
    limits.invocations = 1024;
    limits.shared_bytes = 32768;
    const Program program = make_program(lines(n, 1), limits);
    EXPECT_EQ(program.passes.size(), 3u) << n;
    // Its rows are whole sectors.
    EXPECT_GE(program.workspace_size, 8 * n);
    EXPECT_LE(program.workspace_size, 8 * n + n / 50);
  }
  EXPECT_THROW(make_program(lines((uint64_t{1} << 32) + 1, 1), host.limits()), Error);
  try {
    make_program(lines((uint64_t{1} << 31) + 11, 1), host.limits());
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("the length (2147483659) has a prime factor above 31"));
  }
  // One factor has the prime; no line is longer than these.
  EXPECT_NO_THROW(make_program(lines(uint64_t{37} << 26, 1), host.limits()));
  EXPECT_NO_THROW(make_program(lines(uint64_t{83} << 25, 1), host.limits()));
}

// A caller's cap gives way where a length cannot be had with it, and where a line would not fit.
TEST(Planner, EveryLengthWithFewRegisters) {
  Host host;
  for (const uint32_t registers : {2u, 3u, 4u}) {
    Limits limits = host.limits();
    limits.registers = registers;
    for (const Limits& least : {limits, [&] {
                                  Limits few = limits;
                                  few.invocations = 128, few.shared_bytes = 16384;
                                  return few;
                                }()}) {
      for (const int n : vd::test::some({1001, 97, 7, 11, 13, 17, 88, 240, 1009, 2048, 4096, 15015})) {
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
  for (const uint64_t n : {4096, 3375, 34, 1009}) expect_real_lines(host, n, 2, small_limits(host, 128));
  // Packed as complex lines of half the length in two passes, and in three; with an odd number of rows, too.
  for (const int n : vd::test::some({4096, 3000, 5000, 1350 * 2, 15625 * 2, 30030})) {
    for (const uint32_t bytes : {8192u, 2048u, 1024u}) {
      Limits limits = small_limits(host, bytes);
      limits.invocations = 256;
      expect_real_lines(host, static_cast<uint64_t>(n), 3, limits);
    }
  }
  Limits limits = host.limits();
  limits.shared_bytes = 8192;
  for (const bool back : {false, true}) {
    const Program program = make_program(real_lines(16384, 3, back), limits);
    ASSERT_EQ(program.passes.size(), 2u);
    // Half of what a complex line takes.
    EXPECT_EQ(program.workspace_size, 3 * 8192u * 8);
    const PassDesc& in_pairs = program.passes[back ? 0 : 1].desc;
    EXPECT_TRUE(demands(in_pairs).mirrored);
    EXPECT_EQ(back ? traffic(in_pairs).read : traffic(in_pairs).written, 3 * 8193u * 8);
  }
}

// ---- Convolutions

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
      for (const uint64_t count : {3, 6})
        expect_convolution(
            host, {.n = length, .count = count, .kernels = 2, .shared = true, .columns = true, .conjugate = true},
            limits);
      expect_convolution(host, {.n = length, .count = 4, .kernels = 2, .columns = true}, limits);
      expect_convolution(host, {.n = length, .kernels = 2, .real = true, .high = 100}, limits);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(Planner, SaysWhatConvolutionsMove) {
  Host host;
  // Two lines of 37, three filters of one line: forward, times the filters, and back.
  const Program one = make_program(problem_of({.n = 37, .count = 2, .kernels = 3, .shared = true}), host.limits());
  ASSERT_EQ(one.passes.size(), 2u);
  const uint64_t line = 37 * 8;
  EXPECT_EQ(traffic(one.passes[0].desc).read, 2 * line + 3 * line);
  EXPECT_EQ(traffic(one.passes[0].desc).written, 6 * line);
  EXPECT_EQ(traffic(one.passes[1].desc).read, 6 * line);
  EXPECT_EQ(traffic(one.passes[1].desc).written, 6 * line);
  EXPECT_EQ(one.workspace_size, 6 * line);
  EXPECT_THAT(one.text(), HasSubstr("multiplied by 3 filters"));
  const Program split = make_program(problem_of({.n = 1000, .count = 2, .kernels = 3}), small_limits(host, 512));
  ASSERT_EQ(split.passes.size(), 3u);
  EXPECT_EQ(traffic(split.passes[1].desc).read, 16000u + 3 * 16000);
  EXPECT_EQ(traffic(split.passes[2].desc).read, 48000u);
  EXPECT_EQ(split.workspace_size, 48000u);
}

TEST(Planner, ConvolutionsMoveWhatTheySay) {
  Host host(VD_CONTEXT_CHECKED);
  for (const uint64_t n : vd::test::some<uint64_t>({600, 16, 17, 36, 34})) {
    for (const Limits& limits : {host.limits(), small_limits(host, 128)}) {
      for (const Convolution& c :
           {Convolution{.n = n}, Convolution{.n = n, .kernels = 3, .shared = true},
            Convolution{.n = n, .kernels = 2, .columns = true}, Convolution{.n = n, .kernels = 2, .real = true}}) {
        const Problem p = problem_of(c);
        const size_t all = c.n * c.count * (c.real ? 1 : 2);
        auto to = host.buffer(std::vector<float>(all * c.kernels)), from = host.buffer(std::vector<float>(all));
        auto kernel = host.buffer(std::vector<float>(2 * p.filter.instance * c.kernels));
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
      p.outputs.clear(), p.filters.clear();
      p.in.argument = 0;
      p.maps = p.applied = {.output = true, .filter = true};
      ProgramWriter writer(p, limits, [](const vd_builder_desc& d) { return make_ref<ir::Builder>(d); });
      Value out = 0;
      for (Element e; writer.next(e);) {
        ir::Builder& b = writer.builder();
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
        const bool middle = e.point == Point::Filter;
        const double by = e.instance + (middle ? 1 : 2);
        const Value factor = emit(VD_OP_CONST, {}, ir::scalar_bits_of(ir::Scalar::F32, by), ir::kF32);
        const Value re = emit(VD_OP_MUL, {emit(VD_OP_INDEX, {value, emit(VD_OP_CONST, {}, 0, ir::kU32)}), factor});
        Value im = emit(VD_OP_MUL, {emit(VD_OP_INDEX, {value, emit(VD_OP_CONST, {}, 1, ir::kU32)}), factor});
        const Value both = b.emit(VD_OP_CONSTRUCT, ir::Type::complex(ir::Scalar::F32), std::vector{re, im}, 0, 0);
        if (!middle) {
          writer.generator().write(e, out, 0, both);
          continue;
        }
        const Value kept = emit(VD_OP_LT, {e.position, emit(VD_OP_CONST, {}, 5 * (e.instance + 1), ir::kU32)});
        const Value zero = emit(VD_OP_CONST, {}, 0, ir::kF32);
        const Value none = b.emit(VD_OP_CONSTRUCT, ir::Type::complex(ir::Scalar::F32), std::vector{zero, zero}, 0, 0);
        emit(VD_OP_STORE, {e.value, emit(VD_OP_SELECT, {kept, both, none})});
      }
      const Program program = writer.finish();
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
