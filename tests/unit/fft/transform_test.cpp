// Whole transforms on the host device against a DFT in long double.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "core/error.h"
#include "devices.h"
#include "fft/transform.h"
#include "unit/fft/convolution.h"
#include "unit/fft/support.h"

namespace vd::fft::test {
namespace {

std::vector<uint32_t> sample(bool smooth, uint32_t most, size_t few) {
  std::vector<uint32_t> all;
  for (uint32_t n = 1; n <= most; ++n) {
    if (is_smooth(n) == smooth) all.push_back(n);
  }
  std::mt19937 random(test_seed());
  if (const size_t count = vd::test::samples(few, all.size()); all.size() > count) {
    // The short ones, where every butterfly shows, always.
    std::shuffle(all.begin() + std::min<ptrdiff_t>(32, static_cast<ptrdiff_t>(count)), all.end(), random);
    all.resize(count);
  }
  return all;
}

TEST(Transform, EverySmoothLengthForward) {
  Host host;
  for (const uint32_t n : sample(true, 2100, 90)) {
    expect_transform(host, lines(n, 3), host.limits());
    if (HasFatalFailure()) return;
  }
}

TEST(Transform, EverySmoothLengthBackwardAlongColumns) {
  Host host;
  for (const uint32_t n : sample(true, 2100, 60)) {
    Problem p = columns(n, 7, 2, 1);
    p.scale = 1.0 / n;
    expect_transform(host, p, host.limits());
    if (HasFatalFailure()) return;
  }
}

TEST(Transform, OtherLengthsByBluestein) {
  Host host;
  for (const uint32_t n : sample(false, 2100, 60)) {
    expect_transform(host, lines(n, 2, n % 3 == 0 ? 1 : -1), host.limits());
    if (HasFatalFailure()) return;
  }
}

// VD_TEST_LENGTH repeats it.
TEST(Transform, ALengthThatNoOtherRunMayHaveTried) {
  Host host;
  std::random_device random;
  const char* given = std::getenv("VD_TEST_LENGTH");
  const auto n = given != nullptr ? static_cast<uint32_t>(std::strtoul(given, nullptr, 10))
                                  : std::uniform_int_distribution<uint32_t>(1, 2100)(random);
  std::printf("VD_TEST_LENGTH=%u\n", n);
  expect_transform(host, lines(n, 1), host.limits());
  expect_transform(host, columns(n, 2, 1, 1), host.limits());
}

TEST(Transform, BatchCounts) {
  Host host;
  for (const uint64_t count : {1, 2, 31, 127, 257}) {
    expect_transform(host, lines(16, count), host.limits());
    expect_transform(host, lines(60, count), host.limits());
    expect_transform(host, columns(8, count, 3), host.limits());
    expect_transform(host, columns(36, count, 2), host.limits());
  }
}

TEST(Transform, MoreGroupsThanAnAxisTakes) {
  Host host;
  Limits limits = host.limits();
  limits.workgroups = {7, 5, 3};
  expect_transform(host, lines(128, 101), limits);
  expect_transform(host, columns(128, 101, 1), limits);
}

TEST(Transform, InDouble) {
  Host host;
  for (const uint32_t n : {1, 2, 3, 5, 7, 11, 13, 16, 17, 30, 97, 210, 256, 1000, 1001, 2048}) {
    expect_transform<double>(host, lines(n, 3, -1, ir::Scalar::F64), host.limits());
  }
}

// Lines that do not fit a workgroup take two passes, or three around a multiplication.
TEST(Transform, LongLines) {
  Host host;
  Limits limits = host.limits();
  limits.shared_bytes = 2048;
  limits.invocations = 64;
  for (const int n : vd::test::some({1024, 1000, 2187, 4096, 5005, 15015})) {
    expect_transform(host, lines(n, 3), limits);
    expect_transform(host, columns(n, 5, 2, 1), limits);
  }
  // A factor that takes a convolution, or a chirp; and neither.
  for (const auto& [n, passes] : {std::pair{37 * 128, 2u},
                                  {74 * 125, 2u},
                                  {83 * 64, 2u},
                                  {83 * 864, 3u},
                                  {37 * 82, 2u},
                                  {37 * 41 * 8, 2u},
                                  {37 * 166, 3u}}) {
    expect_transform(host, lines(n, 2), limits);
    if (n < 10000) expect_transform(host, columns(n, 5, 2, 1), limits);
    EXPECT_EQ(make_program(lines(n, 3), limits).passes.size(), passes) << n;
  }
  for (const int n : vd::test::some({1009, 2017})) {
    expect_transform(host, lines(n, 3), limits);
    expect_transform(host, columns(n, 3, 2, 1), limits);
  }
}

TEST(Transform, LongLinesOfADevice) {
  Host host;
  for (const int n : vd::test::some({32768, 65536, 30030})) expect_transform(host, lines(n, 2), host.limits());
  expect_transform(host, lines(4099, 1), host.limits());
}

// Stages of 18 to 30 values, forward and back, in one workgroup of an H200: 6250 is 25x25x10, 9261 is 21x21x21, and 19200
// takes two rounds of 20. In parts, as Vulkan's smaller shared memory wants them, too.
TEST(Transform, MixedRadices) {
  Host host;
  for (const vd_backend backend : {VD_BACKEND_CUDA, VD_BACKEND_VULKAN}) {
    const Limits limits = device_limits(h200(backend), 0);
    for (const uint64_t n : {3000, 5082, 6250, 9261, 13720, 19200}) {
      const Problem p = lines(n, 264, n % 4 == 0 ? 1 : -1);
      Table table;
      const auto plan = make_plan(p, limits, table);
      ASSERT_EQ(plan.passes.size(), 1u) << n;
      const Layout& layout = plan.passes.front().layout;
      EXPECT_TRUE(has_mixed_stage(layout.radices)) << n << " " << layout.radices.text();
      Limits fixed = host.limits();
      fixed.shared_bytes = limits.shared_bytes;
      fixed.tuning = Tuning::parse(fmt::format("radices={},line_threads={},lines={},planar={},parts={}",
                                               layout.radices.text(), layout.radices.invocations, layout.lines,
                                               layout.exchange.planar ? 1 : 0, layout.exchange.parts));
      expect_transform(host, lines(n, 2, p.sign), fixed);
    }
  }
}

TEST(Transform, LimitsAreTheDevices) {
  vd_device_info device = VD_DEVICE_INFO_INIT;
  device.max_workgroup_invocations = 1024;
  device.max_workgroup_size[0] = 512;
  device.max_shared_memory_size = 49152;
  device.max_shared_memory_opt_in = 232448;
  device.backend = VD_BACKEND_CUDA;
  Limits limits = device_limits(device, 0);
  EXPECT_EQ(limits.invocations, 512u);
  EXPECT_EQ(limits.shared_bytes, 232448u);
  EXPECT_TRUE(limits.traits.bounds_registers && limits.traits.wide_addresses && !limits.traits.scarce_shared_memory);
  device.backend = VD_BACKEND_VULKAN;
  limits = device_limits(device, 0);
  EXPECT_TRUE(!limits.traits.bounds_registers && !limits.traits.wide_addresses && limits.traits.scarce_shared_memory);
}

TEST(Transform, PlanesAndFewRegisters) {
  Host host;
  Limits limits = host.limits();
  limits.traits.scarce_shared_memory = true;
  limits.registers = 8;
  for (const uint32_t n : {12, 64, 1000, 1024, 600}) {
    expect_transform(host, lines(n, 5), limits);
    expect_transform(host, columns(n, 5), limits);
  }
}

// The planner's choices for other devices or lengths, all on the host.
TEST(Transform, EveryStrategy) {
  Host host;
  const std::vector<int> lengths =
      vd::test::kSanitized ? std::vector<int>{30, 74} : std::vector<int>{8, 30, 61, 64, 74, 243, 360, 512, 1009, 1024};
  for (const char* words :
       {"staged_in=1,staged_out=1", "staged_in=1,staged_out=0", "staged_in=0,staged_out=1", "planar=1,swizzle=0",
        "planar=0", "registers=32,lines=3", "registers=8,threads=256", "strategy=four_step"}) {
    for (const bool wide : {false, true}) {
      Limits limits = host.limits();
      limits.tuning = Tuning::parse(words);
      limits.traits.wide_addresses = limits.traits.bounds_registers = wide;
      limits.shared_total = 233472;
      limits.registers_total = 65536;
      for (const int n : lengths) {
        expect_transform(host, lines(n, 7), limits);
        expect_transform(host, columns(n, 5, 2, 1), limits);
        if (HasFatalFailure()) return;
      }
    }
  }
}

// The last pass of a long line reads rows and writes columns, the last exchange in between: so does a transform that
// transposes.
TEST(Transform, LinesReadOneWayAndWrittenTheOther) {
  for (const vd_context_flags flags : {vd_context_flags{0}, vd_context_flags{VD_CONTEXT_CHECKED}}) {
    Host host(flags);
    const auto turned = [](const Problem& p, const Limits& limits) {
      size_t count = 0;
      for (const Pass& pass : make_program(p, limits).passes) count += pass.layout.turns() ? 1 : 0;
      return count;
    };
    for (const char* words : {"", "planar=1", "planar=0,swizzle=0"}) {
      if (flags != 0 && words[0] != 0) break;
      Limits limits = host.limits();
      limits.shared_bytes = 8192;
      limits.tuning = Tuning::parse(words);
      for (const int n : vd::test::some({4096, 15015})) {
        EXPECT_EQ(turned(lines(n, 3), limits), 1u) << n;
        expect_transform(host, lines(n, 3), limits);
        expect_transform(host, columns(n, 3, 2, 1), limits);
        if (HasFatalFailure()) return;
      }
      limits = host.limits();
      limits.tuning = Tuning::parse(words);
      for (const uint64_t n : {60, 243, 256, 1000}) {
        for (const bool back : {false, true}) {
          const uint64_t count = 21;
          Problem p = lines(n, count);
          (back ? p.in : p.out).stride = count;
          if (back) p.batches = {{count, 1, n}};
          if (!back) p.batches = {{count, n, 1}};
          p.in.argument = 1;
          p.inputs = {{"from", ir::Type::complex(ir::Scalar::F32)}};
          EXPECT_EQ(turned(p, limits), 1u) << n;
          const std::vector<Exact> data = random_values(n * count, 9);
          auto from = host.buffer(flat<float>(data)), to = host.space(n * count * 8);
          host.run(make_program(p, limits), {to.get(), from.get()});
          const std::vector<Exact> result = unflat(host.read<float>(*to));
          for (uint64_t line = 0; line < count; ++line) {
            std::vector<Exact> want, got;
            for (uint64_t i = 0; i < n; ++i) {
              want.push_back(data[back ? i * count + line : line * n + i]);
              got.push_back(result[back ? line * n + i : i * count + line]);
            }
            ASSERT_LE(distance(got, exact_dft(want, -1)), bound(n, ir::Scalar::F32)) << n << ", line " << line;
          }
        }
      }
    }
  }
}

// An exchange through a part of the memory that a line takes, for every number of parts: those of which a butterfly's
// inputs are a multiple, and others, by fewer and by more invocations than a part has butterflies.
TEST(Transform, ExchangesInParts) {
  for (const vd_context_flags flags : {vd_context_flags{0}, vd_context_flags{VD_CONTEXT_CHECKED}}) {
    Host host(flags);
    const std::vector<uint64_t> lengths = flags != 0 || vd::test::kSanitized
                                              ? std::vector<uint64_t>{60, 243}
                                              : std::vector<uint64_t>{26, 60, 243, 512, 900, 1001, 1024, 1920, 2187};
    for (const char* words :
         vd::test::some({"parts=2", "parts=4", "parts=2,planar=1", "parts=4,planar=1,swizzle=0",
                         "parts=2,planar=1,registers=32,radix=32", "parts=4,planar=0,registers=32,radix=32",
                         "parts=2,registers=8,threads=256", "parts=4,planar=1,turned=1"})) {
      for (const bool wide : {false, true}) {
        Limits limits = host.limits();
        limits.tuning = Tuning::parse(words);
        limits.traits.wide_addresses = wide;
        for (const uint64_t n : lengths) {
          for (const Pass& pass : make_program(lines(n, 7), limits).passes) {
            const Layout& l = pass.layout;
            if (l.radices.invocations == 1) continue;
            EXPECT_EQ(l.exchange.parts, limits.tuning.parts) << words << ", n " << n;
            // Whole inputs, at most one more than their share, and padding.
            const uint64_t least = n / l.exchange.parts, inputs = l.radices.stages.back().radix;
            EXPECT_LE(l.exchange.elements, l.lines * (std::max(least + n / inputs, n / 2) + 16) * 5 / 4) << words;
          }
          expect_transform(host, lines(n, 7), limits);
          expect_transform(host, columns(n, 5, 2, 1), limits);
          expect_convolution(host, {.n = n, .shared = true, .conjugate = false, .in_place = true}, limits);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

// A line goes in as few parts as it must where shared memory is scarce; if registers do not hold it, it takes several
// passes.
TEST(Transform, LinesThatFitInPartsAlone) {
  Host host;
  Limits limits = host.limits();
  limits.traits.scarce_shared_memory = true;
  const auto parts = [&](const Problem& p) {
    const Program program = make_program(p, limits);
    EXPECT_LE(program.passes.front().kernel->code.shared_size, limits.shared_bytes);
    return program.passes.size() == 1 ? program.passes.front().layout.exchange.parts : 0;
  };
  for (const uint64_t n : vd::test::some({1024, 1000, 2187, 4096})) {
    for (const uint32_t most : {1u, 2u, 4u}) {
      // Two of three inputs are more than a half, and two of five more than a quarter.
      limits.shared_bytes = static_cast<uint32_t>(n * 4 * (most == 1 ? 1.25 : most == 2 ? 0.75 : 0.45));
      EXPECT_EQ(parts(lines(n, 3)), most) << n;
      expect_transform(host, lines(n, 3), limits);
      expect_transform(host, lines(n, 2, 1), limits);
    }
    limits.shared_bytes = static_cast<uint32_t>(n / 2);
    EXPECT_EQ(parts(lines(n, 3)), 0u) << n;
    expect_transform(host, lines(n, 3), limits);
  }
  limits.shared_bytes = 49152;
  EXPECT_EQ(parts(lines(8192, 2)), 1u);
  EXPECT_EQ(parts(lines(16384, 2)), 2u);
  EXPECT_EQ(parts(lines(8192, 2, -1, ir::Scalar::F64)), 2u);
  expect_transform(host, lines(16384, 2), limits);
  limits.shared_bytes = 1 << 16;
  EXPECT_EQ(parts(lines(32768, 2)), 0u);
  limits.traits.scarce_shared_memory = false;
  limits.shared_bytes = 49152;
  EXPECT_EQ(parts(lines(16384, 2)), 0u);
}

// Columns with long runs: more of them by an exchange in parts, where nothing but the values takes registers.
TEST(Transform, ColumnsInParts) {
  Host host;
  Limits limits = host.limits();
  limits.traits.scarce_shared_memory = true;
  limits.invocations = 1024;
  limits.shared_bytes = 49152;
  EXPECT_EQ(make_program(columns(1024, 20), limits).passes.front().layout.exchange.parts, 1u);
  limits.registers_total = 65536;
  const auto of = [&](const Problem& p) { return make_program(p, limits).passes.front().layout; };
  for (const auto& [n, lines, parts] : {std::array<uint32_t, 3>{1024, 16, 2}, {2048, 8, 2}, {4096, 4, 2}}) {
    const Layout layout = of(columns(n, 20));
    EXPECT_EQ(layout.lines, lines) << n;
    EXPECT_EQ(layout.exchange.parts, parts) << n;
    EXPECT_EQ(layout.workgroup_size(), 512u) << n;
    expect_transform(host, columns(n, 20), limits);
  }
  expect_transform(host, columns(1000, 21, 2, 1), limits);
  EXPECT_EQ(of(columns(1024, 3)).lines, 4u);
  EXPECT_EQ(of(columns(1024, 20)).exchange.parts, 2u);
  EXPECT_EQ(of(problem_of({.n = 1024, .count = 20, .columns = true, .in_place = true})).exchange.parts, 1u);
  limits.traits.bounds_registers = true;
  limits.traits.scarce_shared_memory = false;
  limits.shared_bytes = 232448;
  EXPECT_EQ(of(columns(1024, 20)).radices.text(), "32x32");
  EXPECT_EQ(of(columns(4096, 20)).exchange.parts, 2u);
  EXPECT_EQ(of(lines(16384, 2)).radices.text(), "32x32x16");
}

// A checked device finds reads of unwritten memory, accesses outside of buffers, and races.
TEST(Transform, OnACheckedDevice) {
  Host host(VD_CONTEXT_CHECKED);
  for (const uint32_t n : {3, 16, 17, 30, 55, 78, 105, 243, 512, 600}) {
    for (const uint64_t count : {1, 3, 7}) {
      expect_transform(host, lines(n, count), host.limits());
      expect_transform(host, columns(n, count, 2, 1), host.limits());
      if (HasFatalFailure()) return;
    }
  }
}

TEST(Transform, GivenRadices) {
  Host host;
  for (const char* words :
       {"radices=16x16x4,line_threads=64", "radices=4x16x16,line_threads=32", "radices=8x8x4x4,line_threads=128",
        "radices=2x8x16x4,line_threads=100", "radices=32x32,line_threads=32", "radices=4x32x8,line_threads=30",
        "radices=32x32,line_threads=16,planar=1,parts=2"}) {
    Limits limits = host.limits();
    limits.tuning = Tuning::parse(words);
    expect_transform(host, lines(1024, 3), limits);
    expect_transform(host, lines(1024, 3, 1), limits);
  }
}

TEST(Transform, BothFormsOfButterflies) {
  Host host;
  for (const char* words : {"butterflies=fewest", "butterflies=fused"}) {
    Limits limits = host.limits();
    limits.tuning = Tuning::parse(words);
    for (const uint32_t n : {25, 49, 81, 100, 121, 169, 196, 225, 256, 1001}) {
      expect_transform(host, lines(n, 3), limits);
      expect_transform(host, columns(n, 3, 2, 1), limits);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(Transform, RangesAreNotRead) {
  Host host;
  for (const uint64_t n : {12, 60, 256, 97}) {
    Problem p = lines(n, 2);
    p.in.low = 3;
    p.in.high = 9;
    std::vector<Exact> data = random_values(2 * n, 5);
    for (size_t i = 0; i < data.size(); ++i) {
      if (i % n < 3 || i % n >= 9) data[i] = {NAN, NAN};
    }
    auto memory = host.buffer(flat<float>(data));
    host.run(make_program(p, host.limits()), {memory.get()});
    const std::vector<Exact> got = unflat(host.read<float>(*memory));
    for (size_t line = 0; line < 2; ++line) {
      std::vector<Exact> want(n);
      for (size_t i = 3; i < 9; ++i) want[i] = data[line * n + i];
      EXPECT_LE(distance({got.begin() + static_cast<long>(line * n), got.begin() + static_cast<long>((line + 1) * n)},
                         exact_dft(want, -1)),
                bound(n, ir::Scalar::F32) * 3)
          << n;
    }
  }
}

TEST(Transform, RealToComplexAndBack) {
  Host host;
  Limits small = host.limits();
  small.shared_bytes = 1024;
  small.invocations = 32;
  for (const uint64_t n : {1, 2, 3, 8, 9, 30, 64, 97, 100, 1000, 1001}) {
    for (const Limits& limits : {host.limits(), small}) expect_real_lines(host, n, 5, limits);
  }
}

// Rows with gaps between them, of which less is wanted: the rest stays as it was.
TEST(Transform, RowsThatEndEarly) {
  Host host;
  for (const uint64_t n : {8, 15, 60}) {
    const uint64_t wanted = n - 3, pitch = n + 2, count = 19;
    Problem p = lines(n, count);
    p.out.high = wanted;
    p.batches = {{count, pitch, pitch}};
    const Program program = make_program(p, host.limits());
    EXPECT_THAT(program.text(), testing::HasSubstr("staged reads and writes"));
    const std::vector<Exact> data = random_values(pitch * count, test_seed());
    const auto memory = host.buffer(flat<float>(data));
    host.run(program, {memory.get()});
    const std::vector<Exact> got = unflat(host.read<float>(*memory));
    for (uint64_t line = 0; line < count; ++line) {
      const auto part = [&](const std::vector<Exact>& all, uint64_t begin, uint64_t end) {
        const auto first = all.begin() + static_cast<ptrdiff_t>(line * pitch);
        return std::vector<Exact>(first + static_cast<ptrdiff_t>(begin), first + static_cast<ptrdiff_t>(end));
      };
      std::vector<Exact> want = exact_dft(part(data, 0, n), -1);
      want.resize(wanted);
      EXPECT_LE(distance(part(got, 0, wanted), want), 2 * bound(n, ir::Scalar::F32)) << program.text();
      EXPECT_LE(distance(part(got, wanted, pitch), part(data, wanted, pitch)), 1e-7) << n;
    }
  }
}

// Numbers beyond the part of a row that is given are zeros, whatever is there.
TEST(Transform, RowsThatAreReadInPart) {
  Host host;
  for (const uint64_t n : {8, 15, 60}) {
    Problem p = lines(n, 19);
    p.in.high = n / 2;
    std::vector<Exact> data = random_values(n * 19, test_seed());
    const auto memory = host.buffer(flat<float>(data));
    host.run(make_program(p, host.limits()), {memory.get()});
    const std::vector<Exact> got = unflat(host.read<float>(*memory));
    for (uint64_t first = 0; first < data.size(); first += n) {
      std::vector<Exact> line(n),
          result(got.begin() + static_cast<ptrdiff_t>(first), got.begin() + static_cast<ptrdiff_t>(first + n));
      std::copy_n(data.begin() + static_cast<ptrdiff_t>(first), n / 2, line.begin());
      EXPECT_LE(distance(result, exact_dft(line, -1)), bound(n, ir::Scalar::F32)) << n;
    }
  }
}

// A strategy that is asked for goes before the others, where it can.
TEST(Transform, StrategiesThatAreAskedFor) {
  Host host;
  const auto text = [&](const Problem& p, const char* words) {
    Limits limits = host.limits();
    limits.tuning = Tuning::parse(words);
    expect_real_lines(host, 1024, 3, limits);
    return make_program(p, limits).text();
  };
  Problem real = lines(1024, 3);
  real.in.real = true;
  real.out.high = 513;
  real.batches = {{3, 1026, 513}};
  EXPECT_THAT(text(real, ""), testing::HasSubstr("packed real lines"));
  EXPECT_THAT(text(real, "strategy=one_pass"), testing::Not(testing::HasSubstr("packed real lines")));
  EXPECT_THAT(text(real, "strategy=four_step"), testing::HasSubstr("fft_rows"));
  EXPECT_THAT(text(lines(60, 3), "strategy=four_step"), testing::HasSubstr("fft_rows"));
  EXPECT_THAT(text(lines(37, 3), ""), testing::HasSubstr("fft: 37(6x6), "));
  EXPECT_THAT(text(lines(74, 3), ""), testing::HasSubstr("fft: 37(6x6)x2, "));
  EXPECT_THAT(text(lines(1517, 3), ""), testing::HasSubstr("fft: 37(9x4)x41(10x4), "));
  // 82 has the prime factor 41; so has the second of two primes less one; three primes; and one that is asked for.
  EXPECT_THAT(text(lines(83, 3), "strategy=one_pass"), testing::HasSubstr("chirp's filter"));
  EXPECT_THAT(text(lines(3071, 3), ""), testing::HasSubstr("chirp's filter"));
  EXPECT_THAT(text(lines(56129, 1), ""), testing::Not(testing::HasSubstr("37(")));
  EXPECT_THAT(text(lines(37, 3), "strategy=chirp"), testing::HasSubstr("chirp's filter"));
  // A chirp of 256 numbers costs less than a convolution of 126.
  EXPECT_THAT(text(lines(127, 3), ""), testing::HasSubstr("chirp's filter"));
  EXPECT_THAT(text(lines(127, 3), "strategy=rader"), testing::HasSubstr("fft: 127("));
}

// The radices of a prime's convolution, and the invocations of a line.
TEST(Transform, ConvolvesAPrimeAsTheTuningSays) {
  Host host;
  Limits limits = host.limits();
  const auto tuned = [&](const char* words) {
    limits.tuning = Tuning::parse(words);
    return make_program(lines(122, 4), limits).passes.front().layout.radices;
  };
  const RadixPlan plan = tuned("strategy=rader,radices=61(15x4)x2,line_threads=4,lines=4");
  EXPECT_EQ(plan.text(), "61(15x4)x2");
  EXPECT_EQ(plan.invocations, 4u);
  expect_transform(host, lines(122, 4), limits);
  // Two primes, in either order.
  for (const char* radices : {"37(6x6)x41(10x4)x2", "41(8x5)x37(12x3)x2"}) {
    limits.tuning = Tuning::parse(std::string("strategy=rader,line_threads=100,lines=2,radices=") + radices);
    EXPECT_EQ(make_program(lines(3034, 4), limits).passes.front().layout.radices.text(), radices);
    expect_transform(host, lines(3034, 4), limits);
    expect_transform(host, lines(3034, 4, 1), limits);
  }
  // Not of this length.
  for (const char* other : {"strategy=rader,radices=61(15x4),line_threads=4,lines=4",
                            "strategy=rader,radices=61(15x3)x2,line_threads=4,lines=4",
                            "strategy=rader,radices=61(15x4)x2,line_threads=1,lines=4"})
    EXPECT_NE(tuned(other).text(), "61(15x4)x2") << other;
  for (const char* wrong : {"radices=61(15x4", "radices=61(15y4)", "radices=0(15x4)x", "radices=61)15x4(",
                            "radices=(4)", "radices=37(6x6)41(10x4)", "radices=37(6x6)x41(10x4)x43(7x6)"})
    EXPECT_THROW(Tuning::parse(wrong), Error) << wrong;
}

// Forward, times a spectrum that all lines share, and back: in one pass, or in three.
TEST(Transform, Convolution) {
  Host host;
  Limits small = host.limits();
  small.shared_bytes = 1024;
  small.invocations = 32;
  for (const uint64_t n : {1, 6, 16, 36, 100, 1024, 1000}) {
    for (const Limits& limits : {host.limits(), small}) {
      for (const bool conjugate : {true, false}) {
        expect_convolution(host, {.n = n, .shared = true, .conjugate = conjugate, .in_place = true}, limits);
      }
    }
  }
}

TEST(Transform, HalfStorageWithSinglePrecisionInside) {
  Host host;
  Problem p = lines(240, 2);
  p.in.scalar = p.out.scalar = ir::Scalar::F16;
  p.outputs[0].element = ir::Type::complex(ir::Scalar::F16);
  auto memory = host.buffer(std::vector<uint16_t>(2 * 480, 0x3c00));  // 1 + i
  host.run(make_program(p, host.limits()), {memory.get()});
  const auto got = host.read<uint16_t>(*memory);
  for (size_t i = 0; i < got.size(); ++i) ASSERT_EQ(got[i], i / 2 % 240 == 0 ? 0x5b80 : got[i] & 0x8000) << i;  // 240
}

TEST(Transform, LengthsThatAreNone) {
  EXPECT_THROW(make_program(lines(0, 1), Limits{}), Error);
  EXPECT_THROW(make_program(lines(uint64_t{1} << 33, 1), Limits{}), Error);
}

}  // namespace
}  // namespace vd::fft::test
