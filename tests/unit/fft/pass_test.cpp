// What passes look like: factorisations, exchanges, printed source, and the pulled generator.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>

#include "codegen/glslang.h"
#include "codegen/print.h"
#include "core/error.h"
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

TEST(Radices, CoverEverySmoothLengthThatFits) {
  for (uint32_t n = 1; n <= 4096; ++n) {
    if (!is_smooth(n)) continue;
    const RadixPlan plan = choose_radices(n, {16, 1024});
    ASSERT_FALSE(plan.stages.empty()) << n;
    uint64_t product = 1;
    for (const Stage& stage : plan.stages) {
      EXPECT_EQ(stage.span, product);
      product *= stage.radix;
      EXPECT_GE(uint64_t{stage.rounds} * plan.threads * stage.radix, n);
      EXPECT_LE(stage.rounds * stage.radix, 16u);
    }
    EXPECT_EQ(product, n);
  }
}

TEST(Radices, OfPowersOfTwo) {
  EXPECT_EQ(choose_radices(4096, {16, 1024}).text(), "16x16x16");
  EXPECT_EQ(choose_radices(16, {16, 1024}).threads, 1u);
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

TEST(Layout, KeepsToTheLimits) {
  for (const uint64_t n : {16, 60, 512, 1024, 4096}) {
    Layout layout;
    PassDesc desc;
    desc.n = static_cast<uint32_t>(n);
    desc.in.stride = desc.out.stride = 64;
    desc.batches = {{64, 1, 1}};
    Limits limits;
    limits.threads = 1024;
    limits.shared_bytes = 48 << 10;
    ASSERT_TRUE(choose_layout(desc, limits, layout)) << n;
    EXPECT_TRUE(layout.columns);
    EXPECT_LE(layout.group_size(), limits.threads);
    EXPECT_LE(uint64_t{layout.exchange.elements} * (layout.exchange.planar ? 4 : 8), limits.shared_bytes);
  }
  Layout layout;
  PassDesc desc;
  desc.n = 4096;
  desc.batches = {{64, 4096, 4096}};
  EXPECT_FALSE(choose_layout(desc, {.shared_bytes = 4096}, layout));
}

TEST(Source, CompilesAndTakesNoSineFromTheDevice) {
  Limits limits;
  limits.threads = 1024;
  limits.shared_bytes = 48 << 10;
  std::vector<Problem> problems{lines(16, 1000),
                                lines(4096, 100),
                                lines(1001, 7, 1),
                                columns(1024, 100),
                                lines(17, 5),
                                lines(1 << 17, 2),
                                lines(240, 3, -1, ir::Scalar::F64)};
  problems.push_back(lines(100, 9));
  problems.back().in.real = true;
  problems.back().out.high = 51;
  problems.back().batches = {{9, 102, 51}};
  int number = 0;
  for (const Problem& p : problems) {
    for (const bool planar : {false, true}) {
      limits.planar = planar;
      for (const Pass& pass : make_program(p, limits).passes) {
        const std::string cuda = codegen::print(pass.kernel, VD_LANGUAGE_CUDA).text;
        EXPECT_THAT(cuda, Not(HasSubstr("sin")));
        EXPECT_THAT(cuda, HasSubstr(fmt::format("__launch_bounds__({}", pass.layout.group_size())));
        const std::string opencl = codegen::print(pass.kernel, VD_LANGUAGE_OPENCL).text;
        EXPECT_FALSE(opencl.empty());
        // tests/kernels has other compilers look at them.
        if (const char* folder = std::getenv("VD_FFT_SOURCES")) {
          const std::string path = fmt::format("{}/{}", folder, ++number);
          std::ofstream(path + ".cu") << cuda;
          std::ofstream(path + ".cl") << opencl;
        }
        const std::string glsl = codegen::print(pass.kernel, VD_LANGUAGE_GLSL).text;
#if VD_HAVE_VULKAN
        EXPECT_FALSE(codegen::compile_glsl(glsl, "fft").empty());
#endif
      }
    }
  }
}

// A map is written between two calls of next(), element by element.
TEST(Programmer, HandsOutEveryElementOfEveryMap) {
  Host host;
  Limits small = host.limits();
  small.shared_bytes = 1024;
  small.threads = 32;
  for (const uint64_t n : {15, 64, 17, 600}) {
    for (const Limits& limits : {host.limits(), small}) {
      Problem p = lines(n, 3);
      p.outputs.clear();
      p.maps.input = p.maps.output = p.applied.input = p.applied.output = true;
      Programmer programmer(p, limits, [](const vd_builder_desc& d) { return make_ref<ir::Builder>(d); });
      Value out = 0, in = 0, factor = 0;
      uint32_t reads = 0, writes = 0;
      const auto real = [&](Value v) {
        ir::Builder& b = programmer.builder();
        return b.emit(VD_OP_CONSTRUCT, ir::Type::complex(ir::Scalar::F32), {&v, 1}, 0, 0);
      };
      for (Element e; programmer.next(e);) {
        ir::Builder& b = programmer.builder();
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
            programmer.generator().write(e, out, 0, emit(VD_OP_LOAD, {e.value}));
            break;
          default:
            FAIL();
        }
      }
      const Program program = programmer.finish();
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

TEST(Programmer, IsNotFinishedBeforeItsElements) {
  Problem p = lines(16, 1);
  p.outputs.clear();
  p.maps.output = p.applied.output = true;
  Programmer programmer(p, Limits{}, [](const vd_builder_desc& d) { return make_ref<ir::Builder>(d); });
  Element e;
  ASSERT_TRUE(programmer.next(e));
  EXPECT_THROW(programmer.finish(), Error);
}

}  // namespace
}  // namespace vd::fft::test
