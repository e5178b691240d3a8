// The form of passes: factorisations, exchanges, printed source, and the pulled generator.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <set>

#include "codegen/glslang.h"
#include "codegen/print.h"
#include "core/error.h"
#include "fft/host_dft.h"
#include "fft/rader.h"
#include "unit/fft/support.h"

namespace vd::fft::test {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Root, IsExactWhereItCanBe) {
  for (const uint64_t n : {4, 8, 12, 1024}) {
    EXPECT_EQ(root(0, n).re, 1);
    EXPECT_EQ(root(n / 4, n).re, 0);
    EXPECT_EQ(root(n / 2, n).im, 0);
    EXPECT_EQ(root(3 * n / 4, n).im, -1);
  }
  for (const uint64_t n : {3, 7, 16, 1000, 99991}) {
    for (uint64_t k = 0; k < n; k += 1 + n / 50) {
      const long double angle =
          2 * 3.14159265358979323846264338327950288L * static_cast<long double>(k) / static_cast<long double>(n);
      EXPECT_NEAR(root(k, n).re, static_cast<double>(std::cos(angle)), 1e-16) << k << "/" << n;
      EXPECT_NEAR(root(k, n).im, static_cast<double>(std::sin(angle)), 1e-16) << k << "/" << n;
    }
  }
}

TEST(Roots, OfATableAreThoseOfTheFunction) {
  for (const uint64_t n : {1u, 2u, 3u, 34u, 4097u, 8388602u}) {
    const RootTable roots(n);
    for (uint64_t k = 0; k < n; k += 1 + n / 500) {
      EXPECT_NEAR(roots[k].re, root(k, n).re, 2e-16) << k << "/" << n;
      EXPECT_NEAR(roots[k].im, root(k, n).im, 2e-16) << k << "/" << n;
    }
  }
}

TEST(HostDft, IsExactToDoublePrecision) {
  for (const size_t n : {1, 2, 12, 17, 34, 720, 1001, 2187, 4096, 5005, 6561, 8192, 10010}) {
    const std::vector<Exact> x = random_values(n, 4);
    std::vector<Root> values;
    for (const Exact& v : x) values.push_back({static_cast<double>(v.real()), static_cast<double>(v.imag())});
    std::vector<Exact> got;
    for (const Root& v : host_dft(values)) got.push_back({v.re, v.im});
    EXPECT_LE(distance(got, exact_dft(x, -1)), bound(n, ir::Scalar::F64)) << n;
  }
  EXPECT_TRUE(host_dft({}).empty());
}

TEST(Radices, CoverEverySmoothLengthThatFits) {
  for (uint32_t n = 1; n <= 4096; ++n) {
    if (!is_smooth(n)) continue;
    const uint32_t registers = largest_prime(n) > 16 ? 32 : 16;
    const RadixPlan plan = choose_radices(n, {registers, 1024});
    ASSERT_FALSE(plan.stages.empty()) << n;
    uint64_t product = 1;
    for (const Stage& stage : plan.stages) {
      EXPECT_EQ(stage.span, product);
      product *= stage.radix;
      EXPECT_GE(uint64_t{stage.rounds} * plan.invocations * stage.radix, n);
      EXPECT_LE(stage.rounds * stage.radix, registers);
    }
    EXPECT_EQ(product, n);
  }
}

// A large prime's stages: each place between two of them has one value, also those of the convolution.
TEST(Radices, OfLargePrimes) {
  for (const uint32_t n : {37, 74, 61 * 12, 101, 257, 1009, 2017, 8191, 37 * 37, 41 * 61, 37 * 43 * 6}) {
    for (const bool ordered : {false, true}) {
      const RadixPlan chosen = choose_radices(n, {16, 1024}), plan = ordered ? in_order(chosen, true, true) : chosen;
      ASSERT_FALSE(plan.stages.empty()) << n;
      ASSERT_TRUE(plan.convolves()) << n;
      EXPECT_LE(chosen.registers, 16u) << n;
      for (uint32_t s = 0; s < plan.stages.size(); ++s) {
        const Stage& stage = plan.stages[s];
        for (const bool outputs : {false, true}) {
          std::set<uint32_t> places;
          for (uint32_t b = 0; b < plan.butterflies(stage); ++b) {
            for (uint32_t r = 0; r < stage.radix; ++r)
              places.insert(outputs ? plan.output_place(s, b, r) : plan.input_place(s, b, r));
          }
          EXPECT_EQ(places.size(), plan.size(stage)) << plan.text();
          EXPECT_LT(*places.rbegin(), n) << plan.text();
        }
      }
    }
  }
  for (const uint32_t n : {83, 37 * 83, 37 * 37 * 37}) EXPECT_TRUE(choose_radices(n, {16, 1024}).stages.empty()) << n;
}

TEST(Radices, OfPowersOfTwo) {
  EXPECT_EQ(choose_radices(4096, {16, 1024}).text(), "16x16x16");
  EXPECT_EQ(choose_radices(16, {16, 1024}).invocations, 1u);
  EXPECT_TRUE(choose_radices(1 << 20, {16, 1024}).stages.empty());
}

TEST(Exchange, GivesEachElementAWordOfItsOwn) {
  for (const uint32_t n : {32, 60, 256, 1000, 4096}) {
    for (const bool columns : {false, true}) {
      for (const uint32_t lines : {1u, 4u}) {
        Exchange layout;
        const RadixPlan plan = choose_radices(n, {16, 1024});
        ASSERT_TRUE(choose_exchange(plan, {1u << 20, lines, columns, true, 4}, layout));
        std::set<uint32_t> words;
        for (uint32_t line = 0; line < lines; ++line) {
          for (uint32_t p = 0; p < n; ++p) words.insert(layout.word(p) * layout.step + line * layout.pitch);
        }
        EXPECT_EQ(words.size(), n * lines);
        EXPECT_LT(*words.rbegin(), layout.elements);
        EXPECT_LT(layout.conflicts, n >= 256 ? 2.0 : 2.6) << n << " lines " << lines << " columns " << columns;
      }
    }
  }
}

// The layout's count of conflicts against one by the definition, for what each exchange writes and reads.
TEST(Exchange, CountsBankConflicts) {
  for (const uint32_t n : {256, 512, 1024, 4096}) {
    const RadixPlan plan = choose_radices(n, {16, 1024});
    Exchange plain, chosen;
    ASSERT_TRUE(choose_exchange(plan, {1u << 20, 1, false, false, 4}, chosen));
    plain.elements = n;
    const auto cycles = [&](const Exchange& layout) {
      double sum = 0, accesses = 0;
      for (const RadixPlan& p : {plan, plan.reversed()}) {
        for (size_t s = 0; s + 1 < p.stages.size(); ++s) {
          for (uint32_t slot = 0; slot < p.stages[s].radix * p.stages[s].rounds; ++slot) {
            for (uint32_t half = 0; half + 16 <= std::min(p.invocations, 128u); half += 16) {
              std::map<uint32_t, std::set<uint32_t>> banks;
              for (uint32_t lane = half; lane < half + 16; ++lane) {
                const Stage& stage = p.stages[s];
                const uint32_t b = lane + p.invocations * (slot / stage.radix), j = b % stage.span;
                if (b >= p.butterflies(stage)) continue;
                const uint32_t at = layout.word((b - j) * stage.radix + j + slot % stage.radix * stage.span);
                banks[at % 16].insert(at);
              }
              size_t most = 0;
              for (const auto& [bank, words] : banks) most = std::max(most, words.size());
              sum += static_cast<double>(most);
              accesses += most == 0 ? 0 : 1;
            }
          }
        }
      }
      return sum / accesses;
    };
    EXPECT_LE(cycles(chosen), 2.01) << n;
    EXPECT_LT(cycles(chosen), cycles(plain)) << n;
  }
}

// An address that is mostly known is the same address.
TEST(Exchange, KnownPartsOfAddressesAreTheWholes) {
  for (const uint32_t amount : {4u, 16u, 32u, 128u}) {
    Exchange layout;
    layout.kind = Exchange::Kind::Padded;
    layout.amount = amount;
    for (const uint32_t block : {0u, 8u, 16u, 64u, 96u}) {
      for (const uint32_t within : {1u, 5u, 8u, 16u}) {
        if (block != 0 && within > block) continue;
        for (const uint32_t offset : {0u, 1u, 4u, 8u, 16u, 40u, 128u}) {
          for (uint32_t base = 0; base < 2 * std::max(block, 1u) + within; ++base) {
            const uint32_t j = block == 0 ? base : base % block;
            if (j >= within) continue;
            auto builder = make_ref<ir::Builder>(vd_builder_desc VD_BUILDER_DESC_INIT);
            ComplexWriter code(*builder, ir::Scalar::F32);
            const Value at = layout.address(code, {code.index(base), offset, block, within}, code.index(0));
            uint64_t known = 0;
            ASSERT_TRUE(code.is_known(at, known));
            EXPECT_EQ(known, layout.word(base + offset)) << amount << " " << block << " " << within << " " << offset;
          }
        }
      }
    }
  }
}

TEST(Tuning, ReadsWords) {
  const Tuning t =
      Tuning::parse("radices=16x8,line_threads=8,planar=0,carveout=50,min_workgroups=3,lines=2,shared=512");
  EXPECT_EQ(t.radices, (std::vector<uint32_t>{16, 8}));
  EXPECT_EQ(t.line_threads, 8u);
  EXPECT_EQ(t.planar, 0);
  EXPECT_EQ(t.staged_in, -1);
  EXPECT_EQ(t.carveout, 50);
  EXPECT_EQ(t.shared, 512u);
  EXPECT_EQ(t.butterflies, -1);
  EXPECT_EQ(Tuning::parse("butterflies=fewest").butterflies, 1);
  EXPECT_EQ(Tuning::parse("butterflies=fused,lines=2").butterflies, 0);
  EXPECT_EQ(Tuning::parse("strategy=four_step,lines=2").strategy, "four_step");
  EXPECT_THAT(Tuning::parse("factors=16x32,lines=2").factors, testing::ElementsAre(16, 32));
  EXPECT_EQ(Tuning::parse("parts=4,radix=32").parts, 4u);
  EXPECT_EQ(Tuning::parse("parts=4,radix=32").radix, 32u);
  for (const char* words : {"parts=0", "parts=3", "parts=8", "radix=1", "radix=33", "radix=64"})
    EXPECT_THROW(Tuning::parse(words), Error) << words;
  EXPECT_THROW(Tuning::parse("strategy=five_step"), Error);
  EXPECT_THROW(Tuning::parse("butterflies=1"), Error);
  EXPECT_THROW(Tuning::parse("planar"), Error);
  EXPECT_THROW(Tuning::parse("planes=1"), Error);
  EXPECT_THROW(Tuning::parse("lines=x"), Error);
  const std::pair<const char*, const char*> messages[] = {
      {"groups=2147483648", "\"groups=2147483648\" is not a number of at most 1048576."},
      {"wide=-1", "\"wide=-1\" is not a number of at most 1048576."},
      {"carveout=101", "\"carveout=101\" is not a number of at most 100."},
      {"radices=2x64", "\"radices=2x64\" has 64, which is no radix."},
  };
  for (const auto& [words, message] : messages) {
    try {
      Tuning::parse(words);
      ADD_FAILURE() << words << " is taken";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr(message));
    }
  }
  for (const char* words : {"\x1b[2J=1", "lines=\x1b[2J", "\x1b[2J", "butterflies=\x1b[2J"}) {
    try {
      Tuning::parse(words);
      ADD_FAILURE() << "taken";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("\\x1b[2J")) << "a terminal obeys it";
    }
  }
}

// A device like the one of docs/performance.md.
Limits large_limits() {
  Limits limits;
  limits.invocations = 1024;
  limits.shared_bytes = 232448;
  limits.shared_total = 233472;
  limits.registers_total = 65536;
  limits.traits.wide_addresses = limits.traits.bounds_registers = true;
  return limits;
}

TEST(Layout, ChoosesAStrategyForEachShape) {
  const Limits limits = large_limits();
  const auto of = [&](const Problem& p) {
    Program program = make_program(p, limits);
    return std::pair(program.passes[0].layout, program.text());
  };
  EXPECT_TRUE(of(lines(16, 100)).first.staged_in);
  EXPECT_THAT(of(lines(16, 100)).second, HasSubstr("staged reads and writes"));
  EXPECT_FALSE(of(lines(1024, 100)).first.staged_out);
  EXPECT_EQ(of(columns(1024, 1024)).first.lines, 16u);
  EXPECT_FALSE(of(columns(1024, 1024)).first.exchange.planar);
  EXPECT_TRUE(of(columns(512, 512)).first.exchange.planar);
  EXPECT_EQ(of(columns(512, 512)).first.min_workgroups, 2u);
  EXPECT_EQ(of(lines(4096, 100)).first.min_workgroups, 4u);
  EXPECT_EQ(of(lines(64, 100)).first.min_workgroups, 24u);  // 25 leave 32 registers for 8 values, 24 leave 40
  EXPECT_GT(of(lines(4096, 100)).first.carveout, 60u);
  EXPECT_EQ(of(lines(3125, 100)).first.radices.invocations, 125u);
  EXPECT_EQ(of(lines(256, 100)).first.radices.text(), "8x8x4");  // a record
  EXPECT_EQ(of(lines(256, 100)).first.lines, 2u);
  Problem real = lines(1024, 3);
  real.in.real = true;
  real.out.high = 513;
  real.batches = {{3, 1026, 513}};
  EXPECT_THAT(of(real).second, HasSubstr("packed real lines"));
  Problem short_real = real;
  short_real.n = 256;
  short_real.out.high = 129;
  short_real.batches = {{3, 258, 129}};
  EXPECT_THAT(of(short_real).second, HasSubstr("16x8, "));
  EXPECT_THAT(of(short_real).second, HasSubstr("packed real lines"));
  short_real.in.offset = 1;                                 // no pair of reals is there
  EXPECT_EQ(of(short_real).first.radices.text(), "16x16");  // not what complex lines have
  EXPECT_THAT(of(real).second, HasSubstr("reads 12288 and writes 12312 bytes"));
  EXPECT_THAT(of(lines(64, 10)).second, HasSubstr("a copy that reads 5120 and writes 5120 bytes"));
}

// Neighbouring invocations read neighbouring elements of rows, and write those of columns, in runs
// of 64 bytes where a workgroup has the invocations for them.
TEST(Layout, TurnsLinesInTheLastExchange) {
  Limits limits = large_limits(), whole = large_limits();
  whole.tuning = Tuning::parse("turned=0");
  for (const uint64_t n : {uint64_t{1} << 16, uint64_t{1} << 20, uint64_t{1} << 24, uint64_t{1000000}}) {
    const Program program = make_program(lines(n, 4), limits);
    const Layout& last = program.passes.back().layout;
    EXPECT_TRUE(last.turns());
    EXPECT_GE(last.lines, n < 1 << 24 ? 8u : 4u) << program.text();
    EXPECT_EQ(last.radices.stages.front().assignment, 0u);
    EXPECT_EQ(last.radices.stages.back().assignment, 1u);
    EXPECT_THAT(program.text(), HasSubstr("read as lines and written as columns"));
    for (size_t i = 0; i + 1 < program.passes.size(); ++i) EXPECT_FALSE(program.passes[i].layout.turns());
  }
  EXPECT_THAT(make_program(lines(1 << 20, 4), whole).text(), Not(HasSubstr("written as columns")));
  EXPECT_FALSE(make_program(lines(1024, 100), limits).passes[0].layout.turns());
  EXPECT_FALSE(make_program(columns(1024, 100), limits).passes[0].layout.turns());
}

TEST(Layout, KeepsToTheLimits) {
  for (const uint64_t n : {16, 60, 512, 1024, 4096}) {
    Layout layout;
    PassDesc desc;
    desc.n = static_cast<uint32_t>(n);
    Side side;
    side.stride = 64;
    desc.source = std::make_shared<Read>(Reading{side});
    desc.target = std::make_shared<Write>(Writing{side});
    desc.batches = {{64, 1, 1}};
    Limits limits;
    limits.invocations = 1024;
    limits.shared_bytes = 48 << 10;
    ASSERT_TRUE(choose_layout(desc, limits, layout)) << n;
    EXPECT_TRUE(layout.columns);
    EXPECT_LE(layout.workgroup_size(), limits.invocations);
    EXPECT_LE(uint64_t{layout.exchange.elements} * (layout.exchange.planar ? 4 : 8), limits.shared_bytes);
  }
  Layout layout;
  PassDesc desc;
  desc.n = 4096;
  desc.source = std::make_shared<Read>(Reading{});
  desc.target = std::make_shared<Write>(Writing{});
  desc.batches = {{64, 4096, 4096}};
  EXPECT_FALSE(choose_layout(desc, {.shared_bytes = 4096}, layout));
}

TEST(Source, CompilesAndTakesNoSineFromTheDevice) {
  Limits limits;
  limits.invocations = 1024;
  limits.shared_bytes = 48 << 10;
  std::vector<Problem> problems{
      lines(16, 1000), lines(4096, 100),  lines(1001, 7, 1), columns(1024, 100),
      lines(17, 5),    lines(1 << 17, 2), lines(1 << 26, 1), lines(240, 3, -1, ir::Scalar::F64)};
  problems.push_back(lines(100, 9));
  problems.back().in.real = true;
  problems.back().out.high = 51;
  problems.back().batches = {{9, 102, 51}};
  // A line of a large prime, two kernels of real lines.
  Problem convolution = lines(34, 5);
  convolution.convolve = true;
  convolution.instances = 2;
  convolution.in.real = convolution.out.real = true;
  convolution.out.instance = 170;
  convolution.filter.mirror = 34;
  convolution.filter.argument = 1;
  convolution.filter.instance = 18;
  convolution.filters.push_back({"kernel", ir::Type::complex(ir::Scalar::F32)});
  problems.push_back(convolution);
  int number = 0;
  for (const Problem& p : problems) {
    for (const char* words : {"planar=0", "planar=1", "turned=0"}) {
      limits.tuning = Tuning::parse(words);
      if (limits.tuning.turned == 0 && p.n != 1 << 17) continue;
      for (const Pass& pass : make_program(p, limits).passes) {
        const std::string cuda = codegen::print(pass.kernel->code, VD_LANGUAGE_CUDA).text;
        EXPECT_THAT(cuda, Not(HasSubstr("sin")));
        EXPECT_THAT(cuda, HasSubstr(fmt::format("__launch_bounds__({}", pass.layout.workgroup_size())));
        const std::string opencl = codegen::print(pass.kernel->code, VD_LANGUAGE_OPENCL).text;
        EXPECT_FALSE(opencl.empty());
        // tests/kernels has other compilers look at them.
        if (const char* folder = std::getenv("VD_FFT_SOURCES")) {
          const std::string path = fmt::format("{}/{}", folder, ++number);
          std::ofstream(path + ".cu") << cuda;
          std::ofstream(path + ".cl") << opencl;
        }
        const std::string glsl = codegen::print(pass.kernel->code, VD_LANGUAGE_GLSL).text;
#if VD_HAVE_VULKAN
        EXPECT_FALSE(codegen::compile_glsl(glsl, "fft").empty());
#endif
      }
    }
  }
}

// They are a loop, so that neither source nor compile time grows with them.
TEST(Source, IsNoLongerForMoreKernels) {
  const auto length = [](uint32_t kernels) {
    Problem p = lines(60, 4);
    p.convolve = true;
    p.instances = kernels;
    p.out.instance = p.filter.instance = 240;
    p.filter.argument = 1;
    p.filters.push_back({"kernel", ir::Type::complex(ir::Scalar::F32)});
    const Program program = make_program(p, Limits{});
    EXPECT_EQ(program.passes.size(), 1u);
    return codegen::print(program.passes[0].kernel->code, VD_LANGUAGE_OPENCL).text.size();
  };
  EXPECT_LT(length(64), length(2) + 100);
}

// A map is written between two calls of next(), element by element.
TEST(ProgramWriter, HandsOutEveryElementOfEveryMap) {
  Host host;
  Limits small = host.limits();
  small.shared_bytes = 1024;
  small.invocations = 32;
  for (const uint64_t n : {15, 64, 17, 600}) {
    for (const Limits& limits : {host.limits(), small}) {
      Problem p = lines(n, 3);
      p.outputs.clear();
      p.maps.input = p.maps.output = p.applied.input = p.applied.output = true;
      ProgramWriter writer(p, limits, [](const vd_builder_desc& d) { return make_ref<ir::Builder>(d); });
      Value out = 0, in = 0, factor = 0;
      uint32_t reads = 0, writes = 0;
      const auto real = [&](Value v) {
        ir::Builder& b = writer.builder();
        return b.emit(VD_OP_CONSTRUCT, ir::Type::complex(ir::Scalar::F32), {&v, 1}, 0, 0);
      };
      for (Element e; writer.next(e);) {
        ir::Builder& b = writer.builder();
        const auto emit = [&](vd_op op, std::vector<Value> operands) { return b.emit(op, ir::Type(), operands, 0, 0); };
        switch (e.point) {
          case Point::Arguments:
            if (e.part == 0) out = b.argument(VD_ARGUMENT_BUFFER, ir::Type::complex(ir::Scalar::F32), "out");
            if (e.part == 1) {
              in = b.argument(VD_ARGUMENT_BUFFER, ir::kF32, "in");
              factor = b.argument(VD_ARGUMENT_BUFFER, ir::kF32, "factor");
            }
            break;
          case Point::Read: {  // real input, times a number
            ++reads;
            const Value x = emit(VD_OP_MUL, {emit(VD_OP_INDEX, {in, e.address}),
                                             emit(VD_OP_INDEX, {factor, b.emit(VD_OP_CONST, ir::kU32, {}, 0, 0)})});
            emit(VD_OP_STORE, {e.value, real(x)});
            break;
          }
          case Point::Write:
            ++writes;
            writer.generator().write(e, out, 0, emit(VD_OP_LOAD, {e.value}));
            break;
          default:
            FAIL();
        }
      }
      const Program program = writer.finish();
      EXPECT_GE(reads, 1u);
      EXPECT_GE(writes, 1u);
      const std::vector<Exact> data = random_values(3 * n, 11, true);
      std::vector<float> floats;
      for (const Exact& v : data) floats.push_back(static_cast<float>(v.real()));
      auto from = host.buffer(floats), by = host.buffer(std::vector<float>{2}), to = host.space(3 * n * 8);
      host.run(program, {to.get(), from.get(), by.get()});
      const std::vector<Exact> got = unflat(host.read<float>(*to));
      for (size_t line = 0; line < 3; ++line) {
        const auto first = static_cast<long>(line * n), last = static_cast<long>((line + 1) * n);
        std::vector<Exact> want = exact_dft({data.begin() + first, data.begin() + last}, -1);
        for (Exact& v : want) v *= 2.0L;
        EXPECT_LE(distance({got.begin() + first, got.begin() + last}, want), bound(n, ir::Scalar::F32) * 3) << n;
      }
    }
  }
}

TEST(ProgramWriter, IsNotFinishedBeforeItsElements) {
  Problem p = lines(16, 1);
  p.outputs.clear();
  p.maps.output = p.applied.output = true;
  ProgramWriter writer(p, Limits{}, [](const vd_builder_desc& d) { return make_ref<ir::Builder>(d); });
  Element e;
  ASSERT_TRUE(writer.next(e));
  EXPECT_THROW(writer.finish(), Error);
}

}  // namespace
}  // namespace vd::fft::test
