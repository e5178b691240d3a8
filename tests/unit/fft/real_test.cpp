// Real lines and their half spectra, by each way that a workgroup takes them, against a DFT in long double: apart and in
// place, with gaps, offsets and counts that workgroups do not divide. What is not a line's stays as it was.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/samples.h"
#include "unit/fft/support.h"

namespace vd::fft::test {
namespace {

using testing::HasSubstr;

// Lines of `count`, each at `real_at(line)` and `half_at(line)`: in floats, and in complex numbers.
struct RealArray {
  uint64_t n = 1, count = 1;
  bool back = false, apart = false;
  uint64_t gap = 0, offset = 0;  // in complex numbers; where sides are apart, one float more
  uint64_t half() const { return n / 2 + 1; }
  uint64_t half_pitch() const { return half() + gap; }
  uint64_t real_pitch() const { return apart ? n + gap : 2 * half_pitch(); }
  uint64_t real_offset() const { return apart ? offset : 2 * offset; }
  uint64_t floats() const { return 2 * (offset + count * half_pitch()) + n; }
};

Problem real_problem(const RealArray& l) {
  Problem p = lines(l.n, l.count, l.back ? 1 : -1);
  (l.back ? p.out : p.in).real = true;
  if (l.back) p.in.mirror = l.n;
  if (!l.back) p.out.high = l.half();
  p.in.offset = l.back ? l.offset : l.real_offset();
  p.out.offset = l.back ? l.real_offset() : l.offset;
  const uint64_t real = l.real_pitch(), half = l.half_pitch();
  p.batches = {{l.count, l.back ? half : real, l.back ? real : half}};
  if (!l.apart) return p;
  p.in.argument = 1;
  const ir::Type complex = ir::Type::complex(ir::Scalar::F32), single(ir::Scalar::F32);
  p.outputs = {{"output", l.back ? single : complex}};
  p.inputs = {{"input", l.back ? complex : single}};
  return p;
}

void expect_lines(Host& host, const RealArray& l, const Limits& limits) {
  SCOPED_TRACE(fmt::format("{} of {}, {}, {}, gap {}, offset {}", l.count, l.n, l.back ? "back" : "there",
                           l.apart ? "apart" : "in place", l.gap, l.offset));
  const std::vector<Exact> data = random_values(l.n * l.count, test_seed(), true);
  const auto line_of = [&](uint64_t line) {
    const auto begin = data.begin() + static_cast<ptrdiff_t>(line * l.n);
    return std::vector<Exact>(begin, begin + static_cast<ptrdiff_t>(l.n));
  };
  std::vector<float> before(l.floats(), 7), reals = before, halves = before;
  for (uint64_t line = 0; line < l.count; ++line) {
    const std::vector<Exact> x = line_of(line), y = exact_dft(x, -1);
    for (uint64_t i = 0; i < l.n; ++i)
      reals[l.real_offset() + line * l.real_pitch() + i] = static_cast<float>(x[i].real());
    for (uint64_t k = 0; k < l.half(); ++k) {
      const uint64_t at = 2 * (l.offset + line * l.half_pitch() + k);
      halves[at] = static_cast<float>(y[k].real());
      halves[at + 1] = static_cast<float>(y[k].imag());
    }
  }
  const auto in = host.buffer(l.back ? halves : reals), out = host.buffer(before);
  Problem p = real_problem(l);
  if (l.back) p.scale = 1.0 / static_cast<double>(l.n);
  const Program program = make_program(p, limits);
  host.run(program, l.apart ? std::vector{out.get(), in.get()} : std::vector{in.get()});
  const std::vector<float> got = host.read<float>(l.apart ? *out : *in);
  std::vector<float> rest = l.apart ? before : l.back ? halves : reals, untouched = got;
  for (uint64_t line = 0; line < l.count; ++line) {
    const uint64_t begin = l.back ? l.real_offset() + line * l.real_pitch() : 2 * (l.offset + line * l.half_pitch());
    const uint64_t end = begin + (l.back ? l.n : 2 * l.half());
    const std::vector<float>& want = l.back ? reals : halves;
    long double error = 0, norm = 0;
    for (uint64_t i = begin; i < end; ++i) {
      error += std::pow(static_cast<long double>(got[i]) - want[i], 2);
      norm += std::pow(static_cast<long double>(want[i]), 2);
      rest[i] = untouched[i] = 0;
    }
    ASSERT_LE(std::sqrt(error / std::max(norm, 1e-30L)), 3 * bound(l.n, ir::Scalar::F32)) << line << program.text();
  }
  EXPECT_EQ(untouched, rest) << program.text();
}

TEST(RealLines, OfEveryShortLength) {
  Host host;
  for (uint64_t n = 1; n <= 140; n += vd::test::kSanitized ? 7 : 1) {
    for (const bool back : {false, true}) {
      for (const bool apart : {false, true})
        expect_lines(host, {.n = n, .count = 5 + 14 * (n % 3), .back = back, .apart = apart}, host.limits());
      expect_lines(host, {.n = n, .count = 7, .back = back, .apart = n % 2 == 0, .gap = 3, .offset = 5}, host.limits());
    }
    if (HasFailure()) return;
  }
}

// Each way, on a device that finds accesses outside of arrays and races.
TEST(RealLines, ByEveryWay) {
  const size_t step = vd::test::kSanitized ? 11 : 1;
  size_t number = 0;
  Host host(VD_CONTEXT_CHECKED);
  for (const char* words :
       {"", "staged_in=0,staged_out=0", "staged_in=1", "staged_out=1", "staged_in=0", "staged_out=0", "lines=1",
        "registers=4", "registers=4,lines=8", "planar=1", "strategy=one_pass",
        "strategy=one_pass,staged_in=0,staged_out=0", "strategy=one_pass,registers=4"}) {
    SCOPED_TRACE(words);
    Limits limits = host.limits();
    limits.tuning = Tuning::parse(words);
    for (const uint64_t n : {2, 6, 15, 26, 34, 64, 75}) {
      for (const bool back : {false, true}) {
        for (const uint64_t count : {1, 6, 19}) {
          if (number++ % step != 0) continue;
          expect_lines(host, {.n = n, .count = count, .back = back}, limits);
          expect_lines(host, {.n = n, .count = count, .back = back, .apart = true, .gap = 1, .offset = 3}, limits);
          if (HasFailure()) return;
        }
      }
    }
  }
}

// A workgroup's neighbours have neighbouring elements, although a line has few invocations.
TEST(RealLines, AreRows) {
  Host host;
  for (const uint64_t n : {8, 15, 64, 75, 100, 128}) {
    for (const bool back : {false, true}) {
      const Program program = make_program(real_problem({.n = n, .count = 500, .back = back}), host.limits());
      EXPECT_THAT(program.text(), HasSubstr("staged reads and writes"));
      EXPECT_EQ(program.text().find("packed real lines") != std::string::npos, n % 2 == 0);
      const Score& score = program.passes.front().layout.score;
      EXPECT_GE(std::min(score.read_run, score.written_run), kSector) << program.text();
    }
  }
}

// The bits of a line are the same wherever it is among others.
TEST(RealLines, DoNotDependOnTheirNeighbours) {
  Host host;
  for (const uint64_t n : {15, 64, 75, 128}) {
    for (const bool back : {false, true}) {
      const RealArray one{.n = n, .count = 1, .back = back}, many{.n = n, .count = 21, .back = back};
      const uint64_t pitch = 2 * one.half();
      const std::vector<float> data = flat<float>(random_values(one.half(), test_seed()));
      std::vector<float> all = flat<float>(random_values(many.half() * many.count, test_seed() + 1));
      for (const uint64_t line : {0, 7, 20})
        std::ranges::copy(data, all.begin() + static_cast<ptrdiff_t>(line * pitch));
      const auto run = [&](const RealArray& l, const std::vector<float>& values) {
        const auto memory = host.buffer(values);
        host.run(make_program(real_problem(l), host.limits()), {memory.get()});
        return host.read<float>(*memory);
      };
      const std::vector<float> results = run(many, all);
      for (const uint64_t line : {7, 20}) {
        for (uint64_t i = 0; i < (back ? n : pitch); ++i) ASSERT_EQ(results[line * pitch + i], results[i]) << n;
      }
    }
  }
}

}  // namespace
}  // namespace vd::fft::test
