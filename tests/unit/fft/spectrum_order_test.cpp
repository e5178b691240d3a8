// Spectra in the order that passes leave: written, read, and as filters, against a DFT in long double.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <numeric>

#include "core/error.h"
#include "fft/spectrum_order.h"
#include "support/samples.h"
#include "unit/fft/convolution.h"
#include "unit/fft/counted.h"
#include "unit/fft/support.h"

namespace vd::fft::test {
namespace {

using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

using Of = SpectrumOrder::Of;

// The place of number k.
uint64_t place_of(uint64_t k, const std::vector<uint64_t>& factors) {
  uint64_t place = 0;
  for (const uint64_t factor : factors) {
    place = place * factor + k % factor;
    k /= factor;
  }
  return place;
}

std::vector<Exact> in_order(const std::vector<Exact>& natural, const std::vector<uint64_t>& factors) {
  std::vector<Exact> moved(natural.size());
  for (uint64_t k = 0; k < natural.size(); ++k) moved[place_of(k, factors)] = natural[k];
  return moved;
}

Problem ordered(Problem p, Of of, const Limits& limits) {
  p.order = SpectrumOrder{of, order_factors(p.n, p.compute, limits)};
  return p;
}

// Lines of a problem whose sides have the same strides: of columns where its elements are not adjacent.
std::vector<std::vector<uint64_t>> places(const Problem& p) {
  std::vector<std::vector<uint64_t>> all{{}};
  for (uint64_t i = 0; i < p.n; ++i) all[0].push_back(i * p.in.stride);
  for (const Batch& b : p.batches) {
    std::vector<std::vector<uint64_t>> more;
    for (const std::vector<uint64_t>& line : all) {
      for (uint64_t i = 0; i < b.count; ++i) {
        more.push_back(line);
        for (uint64_t& at : more.back()) at += i * b.in_stride;
      }
    }
    all = more;
  }
  return all;
}

// Transforms random lines into the order, or from it, in place or apart, and compares each.
template <class T = float>
void expect_ordered(Host& host, Problem p, const Limits& limits, bool apart = false) {
  const Of of = p.sign < 0 ? Of::Output : Of::Input;
  p = ordered(p, of, limits);
  const std::vector<uint64_t>& factors = p.order->factors;
  ASSERT_THAT(factors, Not(IsEmpty()));
  const auto lines = places(p);
  const std::vector<Exact> data = random_values(lines.size() * p.n, test_seed());
  std::vector<Exact> given(data.size());
  std::vector<std::vector<Exact>> want;
  for (const auto& line : lines) {
    std::vector<Exact> x;
    for (const uint64_t at : line) x.push_back(data[at]);
    want.push_back(exact_dft(x, p.sign));
    if (of == Of::Output) want.back() = in_order(want.back(), factors);
    if (of == Of::Input) x = in_order(x, factors);
    for (uint64_t i = 0; i < p.n; ++i) given[line[i]] = x[i];
  }
  auto from = host.buffer(flat<T>(given)), to = host.buffer(std::vector<T>(2 * given.size()));
  if (apart) {
    p.in.argument = 1;
    p.inputs = {{"from", ir::Type::complex(p.compute)}};
  }
  const Program program = make_program(p, limits);
  EXPECT_EQ(program.passes.size(), factors.size());
  EXPECT_EQ(program.workspace_size, 0u) << program.text();
  if (apart) {
    host.run(program, {to.get(), from.get()});
    EXPECT_EQ(host.read<T>(*from), flat<T>(given));
  } else {
    host.run(program, {from.get()});
  }
  const std::vector<Exact> result = unflat(host.read<T>(apart ? *to : *from));
  for (size_t i = 0; i < lines.size(); ++i) {
    std::vector<Exact> got;
    for (const uint64_t at : lines[i]) got.push_back(result[at]);
    ASSERT_LE(distance(got, want[i]), bound(p.n, p.compute)) << "line " << i << "\n" << program.text();
    // The control: in natural order it is another one.
    ASSERT_GT(distance(got, in_order(want[i], factors)), 0.5);
  }
}

TEST(SpectrumOrder, IsNaturalWhereThatTakesNoMore) {
  Host host;
  for (const ir::Scalar scalar : {ir::Scalar::F32, ir::Scalar::F64}) {
    EXPECT_THAT(order_factors(1024, scalar, host.limits()), IsEmpty());
    EXPECT_THAT(order_factors(65537, scalar, host.limits()), IsEmpty());
    EXPECT_THAT(order_factors(37 << 20, scalar, host.limits()), IsEmpty());
    EXPECT_THAT(order_factors(1, scalar, host.limits()), IsEmpty());
  }
}

TEST(SpectrumOrder, FollowsFromTheLength) {
  Host host;
  for (const uint64_t n : {uint64_t{1} << 20, uint64_t{30030} * 8, uint64_t{1} << 32}) {
    const std::vector<uint64_t> factors = order_factors(n, ir::Scalar::F32, host.limits());
    ASSERT_GE(factors.size(), 2u);
    EXPECT_EQ(std::accumulate(factors.begin(), factors.end(), uint64_t{1}, std::multiplies<>()), n);
    Limits few = host.limits();
    few.registers = 4;
    EXPECT_EQ(order_factors(n, ir::Scalar::F32, few), factors);
  }
}

TEST(SpectrumOrder, LinesAreWrittenInIt) {
  Host host;
  for (const int n : vd::test::some({1024, 1500, 3003})) {
    for (const uint32_t bytes : {512u, 128u}) {
      const Limits limits = small_limits(host, bytes);
      for (const bool apart : {false, true}) {
        expect_ordered(host, lines(n, 3), limits, apart);
        expect_ordered(host, columns(n, 5, 2), limits, apart);
        expect_ordered(host, columns(n, 2), limits, apart);
        if (HasFatalFailure()) return;
      }
    }
  }
  expect_ordered<double>(host, lines(1536, 2, -1, ir::Scalar::F64), small_limits(host, 512));
}

TEST(SpectrumOrder, LinesAreReadInIt) {
  Host host;
  for (const int n : vd::test::some({1024, 1500, 3003})) {
    for (const uint32_t bytes : {512u, 128u}) {
      const Limits limits = small_limits(host, bytes);
      for (const bool apart : {false, true}) {
        expect_ordered(host, lines(n, 3, 1), limits, apart);
        expect_ordered(host, columns(n, 5, 2, 1), limits, apart);
        expect_ordered(host, columns(n, 2, 1, 1), limits, apart);
        if (HasFatalFailure()) return;
      }
    }
  }
  expect_ordered<double>(host, lines(1536, 2, 1, ir::Scalar::F64), small_limits(host, 512));
}

// A filter that lies in the order gives the results of one that does not.
TEST(SpectrumOrder, FiltersAreReadInIt) {
  Host host;
  for (const uint32_t bytes : {512u, 128u}) {
    const Limits limits = small_limits(host, bytes);
    for (const int n : vd::test::some({1024, 1500, 3003})) {
      const uint64_t length = static_cast<uint64_t>(n);
      for (const Convolution& c : {Convolution{.n = length, .kernels = 3},
                                   Convolution{.n = length, .shared = true, .conjugate = true, .in_place = true},
                                   Convolution{.n = length, .count = 6, .columns = true},
                                   Convolution{.n = length, .kernels = 2, .shared = true, .columns = true}}) {
        const Problem natural = problem_of(c), p = ordered(natural, Of::Filter, limits);
        const std::vector<uint64_t>& factors = p.order->factors;
        const Program program = make_program(p, limits);
        SCOPED_TRACE(program.text());
        EXPECT_EQ(program.passes.size(), 2 * factors.size() - 1);
        EXPECT_EQ(program.workspace_size, 0u);
        const std::vector<Exact> data = random_values(length * c.count, test_seed());
        const std::vector<Exact> filters = random_values(p.filter.instance * c.kernels, test_seed() + 1);
        // Each line of the filters.
        std::vector<Exact> moved(filters.size());
        const uint64_t step = p.filter.stride;
        for (uint64_t i = 0; i < filters.size(); ++i) {
          const uint64_t k = i / step % length;
          moved[i - k * step + place_of(k, factors) * step] = filters[i];
        }
        std::vector<std::vector<float>> results;
        for (const auto& [problem, spectrum] : {std::pair{natural, filters}, std::pair{p, moved}}) {
          auto to = host.buffer(flat<float>(std::vector<Exact>(data.size() * c.kernels)));
          auto from = host.buffer(flat<float>(data)), by = host.buffer(flat<float>(spectrum));
          if (c.in_place) {
            host.run(make_program(problem, limits), {from.get(), by.get()});
            results.push_back(host.read<float>(*from));
          } else {
            host.run(make_program(problem, limits), {to.get(), from.get(), by.get()});
            results.push_back(host.read<float>(*to));
          }
        }
        ASSERT_LE(distance(unflat(results[1]), unflat(results[0])), 4 * bound(length, ir::Scalar::F32));
      }
    }
  }
}

// Neighbouring invocations read neighbouring elements of the filter, where those of a natural one are far apart.
TEST(SpectrumOrder, TakesALineTwoPassesThereAndThreeAround) {
  Host host;
  Limits limits = host.limits();
  limits.shared_bytes = 16384;
  const uint64_t n = 1 << 16;
  const auto runs = [](const Program& program) {
    std::vector<uint64_t> all;
    for (const Pass& pass : program.passes) {
      all.push_back(pass.layout.score.read_run);
      all.push_back(pass.layout.score.written_run);
    }
    return all;
  };
  const Program there = make_program(ordered(lines(n, 1), Of::Output, limits), limits);
  const Program back = make_program(ordered(lines(n, 1, 1), Of::Input, limits), limits);
  for (const Program* program : {&there, &back}) {
    EXPECT_EQ(program->passes.size(), 2u);
    EXPECT_EQ(program->workspace_size, 0u);
    EXPECT_THAT(runs(*program), Each(testing::Ge(uint64_t{kSector})));
    EXPECT_THAT(program->text(), HasSubstr("lower bound: a copy that reads 1048576 and writes 1048576 bytes"));
    for (const Pass& pass : program->passes) EXPECT_FALSE(pass.layout.turns()) << program->text();
  }
  const Program around = make_program(ordered(problem_of({.n = n, .count = 1}), Of::Filter, limits), limits);
  EXPECT_EQ(around.passes.size(), 3u);
  EXPECT_THAT(around.text(), HasSubstr("lower bound: a copy that reads 2097152 and writes 1572864 bytes"));
}

TEST(SpectrumOrder, MovesWhatItSays) {
  Host host(VD_CONTEXT_CHECKED);
  for (const uint64_t n : {600, 1024}) {
    for (const uint32_t bytes : {512u, 128u}) {
      const Limits limits = small_limits(host, bytes);
      for (const int sign : {-1, 1}) {
        for (const Problem& p : {lines(n, 5, sign), columns(n, 7, 3, sign)}) {
          uint64_t size = n;
          for (const Batch& b : p.batches) size *= b.count;
          auto data = host.buffer(std::vector<float>(2 * size));
          expect_traffic(host, ordered(p, sign < 0 ? Of::Output : Of::Input, limits), limits, {data.get()});
        }
      }
      for (const Convolution& c :
           {Convolution{.n = n, .kernels = 2, .shared = true}, Convolution{.n = n, .count = 5, .columns = true}}) {
        const Problem p = ordered(problem_of(c), Of::Filter, limits);
        auto to = host.buffer(std::vector<float>(2 * n * c.count * c.kernels));
        auto from = host.buffer(std::vector<float>(2 * n * c.count));
        auto filter = host.buffer(std::vector<float>(2 * p.filter.instance * c.kernels));
        expect_traffic(host, p, limits, {to.get(), from.get(), filter.get()});
      }
    }
  }
}

// A length whose factors do not fit with a caller's registers.
TEST(SpectrumOrder, IsRefusedWhereAFactorDoesNotFit) {
  Host host;
  Limits limits = small_limits(host, 8192);
  Problem p = ordered(lines(1 << 18, 1), Of::Output, limits);
  limits.registers = 2;
  try {
    make_program(p, limits);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), VD_ERR_UNSUPPORTED);
    EXPECT_THAT(error.what(), HasSubstr("lines of 262144 with a spectrum in any order take passes of 512 and 512"));
  }
}

}  // namespace
}  // namespace vd::fft::test
