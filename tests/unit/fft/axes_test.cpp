// Two axes of a tile in one pass, against a DFT in long double along each.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fft/transform.h"
#include "unit/fft/support.h"

namespace vd::fft::test {
namespace {

using testing::HasSubstr;

struct Planes {
  uint64_t count = 1, rows = 1, n = 1;
  uint64_t size() const { return count * rows * n; }
};

vd_fft_desc describe(const Planes& planes) {
  vd_fft_desc desc = VD_FFT_DESC_INIT;
  desc.rank = 3;
  const uint64_t shape[] = {planes.count, planes.rows, planes.n};
  std::ranges::copy(shape, desc.shape);
  desc.axis_count = 2;
  desc.axes[0] = 2;
  desc.axes[1] = 1;
  return desc;
}

// The transform of one plane, in order of its rows.
std::vector<Exact> exact_plane(std::vector<Exact> x, uint64_t rows, uint64_t n, int sign) {
  const auto along = [&](uint64_t count, uint64_t lines, uint64_t step, uint64_t apart) {
    for (uint64_t line = 0; line < lines; ++line) {
      std::vector<Exact> one;
      for (uint64_t i = 0; i < count; ++i) one.push_back(x[line * apart + i * step]);
      one = exact_dft(one, sign);
      for (uint64_t i = 0; i < count; ++i) x[line * apart + i * step] = one[i];
    }
  };
  along(n, rows, 1, n);
  along(rows, n, n, 1);
  return x;
}

std::vector<Exact> part(const std::vector<Exact>& all, uint64_t first, uint64_t count) {
  return {all.begin() + static_cast<ptrdiff_t>(first), all.begin() + static_cast<ptrdiff_t>(first + count)};
}

// The program of a descriptor that is done in one.
Program one_program(const vd_fft_desc& desc, const Limits& limits) {
  const std::vector<Problem> problems = read_transform(desc, limits);
  EXPECT_EQ(problems.size(), 1u);
  Program program = make_program(problems.front(), limits);
  EXPECT_EQ(program.passes.size(), 1u);
  return program;
}

Limits limits_of(const Host& host, const char* tuning = "") {
  Limits limits = host.limits();
  limits.tuning = Tuning::parse(tuning);
  return limits;
}

void expect_planes(Host& host, const Planes& planes, const Limits& limits, bool inverse = false, bool apart = false) {
  SCOPED_TRACE(fmt::format("{} of {} by {}", planes.count, planes.rows, planes.n));
  vd_fft_desc desc = describe(planes);
  desc.direction = inverse ? VD_FFT_DIRECTION_INVERSE : VD_FFT_DIRECTION_FORWARD;
  desc.flags = apart ? VD_FFT_OUT_OF_PLACE : 0;
  const Program program = one_program(desc, limits);
  EXPECT_THAT(program.text(), HasSubstr(fmt::format(", two axes of {} by {}", planes.rows, planes.n)));
  const uint64_t plane = planes.rows * planes.n;
  EXPECT_EQ(traffic(program.passes[0].desc).read, planes.size() * 8);
  EXPECT_EQ(traffic(program.passes[0].desc).written, planes.size() * 8);
  const std::vector<Exact> data = random_values(planes.size(), test_seed());
  const auto in = host.buffer(flat<float>(data)), out = host.buffer(std::vector<float>(2 * planes.size()));
  host.run(program, apart ? std::vector{out.get(), in.get()} : std::vector{in.get()});
  const std::vector<Exact> got = unflat(host.read<float>(apart ? *out : *in));
  for (uint64_t i = 0; i < planes.count; ++i) {
    std::vector<Exact> want = exact_plane(part(data, i * plane, plane), planes.rows, planes.n, inverse ? 1 : -1);
    for (Exact& v : want) v /= inverse ? static_cast<long double>(plane) : 1;
    ASSERT_LE(distance(part(got, i * plane, plane), want), bound(plane, ir::Scalar::F32)) << program.text();
  }
}

TEST(Axes, OfPlanesInOnePass) {
  Host host;
  const Limits limits = limits_of(host);
  const std::vector<uint64_t> lengths = vd::test::kSanitized
                                            ? std::vector<uint64_t>{8, 15, 44}
                                            : std::vector<uint64_t>{8, 12, 15, 16, 17, 20, 27, 31, 32, 44, 60, 64};
  for (const uint64_t rows : lengths) {
    for (const uint64_t n : lengths) {
      if (n == 17 || n == 31 || rows * n > 4096) continue;  // no 4 neighbours are written together
      expect_planes(host, {2, rows, n}, limits, (rows + n) % 3 == 0, n % 4 == 0);
      if (testing::Test::HasFailure()) return;
    }
  }
}

TEST(Axes, ByEveryWorkgroup) {
  Host host;
  for (const char* tuning :
       vd::test::some({"registers=4", "planar=1,parts=2,lines=1", "registers=8", "registers=32", "lines=1", "lines=2",
                       "lines=4", "planar=0", "planar=1", "butterflies=fewest", "ahead=1,groups=2,lines=1"})) {
    SCOPED_TRACE(tuning);
    for (const auto& [rows, n] : {std::pair{16u, 16u}, {24u, 20u}, {9u, 32u}, {32u, 15u}}) {
      expect_planes(host, {5, rows, n}, limits_of(host, tuning));
      if (testing::Test::HasFailure()) return;
    }
  }
}

// All that problems do to the first of some buffers of random numbers.
std::vector<float> run_all(Host& host, const std::vector<Problem>& problems, const Limits& limits, size_t buffers,
                           uint64_t elements) {
  std::vector<std::unique_ptr<backends::Memory>> memory;
  std::vector<backends::Memory*> bound;
  for (size_t i = 0; i < buffers; ++i) {
    const auto seed = static_cast<uint32_t>(test_seed() + i);
    memory.push_back(host.buffer(flat<float>(random_values(elements, seed))));
    bound.push_back(memory.back().get());
  }
  // A program's workspace is its own, so that of several problems lasts as long as they do.
  for (const Problem& problem : problems) host.run(make_program(problem, limits), bound);
  return host.read<float>(*memory.front());
}

// Whether one pass gives what two or three do, which others compare with a DFT. The first `buffers` take all that there
// is, of `elements` complex numbers each.
// Of rows of `row` floats, the first `there` count.
void expect_same(Host& host, const vd_fft_desc& desc, size_t buffers, uint64_t elements, uint64_t row = 1,
                 uint64_t there = 1) {
  const std::vector<Problem> joined = read_transform(desc, limits_of(host, "strategy=plane"));
  const Limits one = limits_of(host, "strategy=one_pass");
  ASSERT_EQ(joined.size(), 1u);
  EXPECT_EQ(make_program(joined.front(), limits_of(host)).workspace_size, 0u);
  std::vector<float> got = run_all(host, joined, limits_of(host), buffers, elements);
  std::vector<float> want = run_all(host, read_transform(desc, one), one, buffers, elements);
  for (size_t i = 0; i < got.size(); ++i) {
    if (i % row >= there) got[i] = want[i] = 0;
  }
  EXPECT_NE(want, run_all(host, {}, one, buffers, elements));
  EXPECT_LE(distance(unflat(got), unflat(want)), 4e-7) << make_program(joined.front(), limits_of(host)).text();
}

TEST(Axes, OfRealPlanes) {
  Host host;
  for (const auto& [rows, n] : {std::pair{16u, 16u}, {12u, 20u}, {9u, 15u}, {20u, 9u}, {8u, 64u}}) {
    for (const bool back : {false, true}) {
      SCOPED_TRACE(fmt::format("{} by {} {}", rows, n, back));
      vd_fft_desc desc = describe({3, rows, n});
      desc.kind = back ? VD_FFT_KIND_C2R : VD_FFT_KIND_R2C;
      if (back) std::swap(desc.axes[0], desc.axes[1]);
      const uint64_t row = 2 * (n / 2 + 1);
      expect_same(host, desc, 1, 3 * rows * row / 2, row, back ? n : row);
      desc.flags = VD_FFT_OUT_OF_PLACE;
      if (!back) expect_same(host, desc, 2, 3 * rows * (n / 2 + 1));
    }
  }
}

TEST(Axes, OfStridesAndRanges) {
  Host host;
  for (const auto& [rows, n] : {std::pair{16u, 16u}, {12u, 20u}, {15u, 9u}}) {
    vd_fft_desc desc = describe({3, rows, n});
    const int64_t pitch = n + 3, plane = pitch * (rows + 1);
    const int64_t strides[] = {plane, pitch, 1};
    std::ranges::copy(strides, desc.in_strides);
    std::ranges::copy(strides, desc.out_strides);
    desc.in_offset = desc.out_offset = 5;
    expect_same(host, desc, 1, 3 * plane + 5);
    desc.flags = VD_FFT_OUT_OF_PLACE;
    desc.in_low[2] = 2, desc.in_high[2] = n - 3;
    desc.in_low[1] = 1, desc.in_high[1] = rows / 2;
    expect_same(host, desc, 2, 3 * plane + 5);
  }
}

// Numbers that are not wanted stay as they were, which between two passes they do not.
TEST(Axes, WriteWhatIsWanted) {
  Host host;
  vd_fft_desc desc = describe({1, 16, 20});
  desc.flags = VD_FFT_OUT_OF_PLACE;
  desc.out_low[2] = 3, desc.out_high[2] = 11;
  desc.out_low[1] = 5, desc.out_high[1] = 9;
  const std::vector<Problem> all = read_transform(desc, limits_of(host, "strategy=plane"));
  ASSERT_EQ(all.size(), 1u);
  const std::vector<Exact> before = unflat(run_all(host, {}, host.limits(), 2, 320));
  const std::vector<Exact> got = unflat(run_all(host, all, host.limits(), 2, 320));
  const std::vector<Exact> data = random_values(320, test_seed() + 1);
  const std::vector<Exact> want = exact_plane(data, 16, 20, -1);
  for (uint64_t row = 0; row < 16; ++row) {
    for (uint64_t i = 0; i < 20; ++i) {
      const bool wanted = row >= 5 && row < 9 && i >= 3 && i < 11;
      const Exact& like = wanted ? want[row * 20 + i] : before[row * 20 + i];
      ASSERT_LE(std::abs(got[row * 20 + i] - like), wanted ? 1e-4L : 0) << row << " " << i;
    }
  }
  const Traffic moved = traffic(make_program(all.front(), host.limits()).passes[0].desc);
  EXPECT_EQ(moved.read, 320u * 8);
  EXPECT_EQ(moved.written, 32u * 8);
}

void expect_convolved(Host& host, const vd_fft_desc& desc) {
  const Problem p = read_transform(desc, limits_of(host, "strategy=plane")).front();
  const Program program = make_program(p, limits_of(host));
  ASSERT_EQ(program.passes.size(), 1u);
  const uint64_t count = desc.shape[0], rows = p.rows, n = p.n, plane = rows * n;
  const bool real = desc.kind == VD_FFT_KIND_R2C;
  const auto numbers = [&](const std::vector<Exact>& values) {
    std::vector<float> all = flat<float>(values);
    for (size_t i = 0; real && i < values.size(); ++i) all[i] = all[2 * i];
    if (real) all.resize(values.size());
    return all;
  };
  const std::vector<Exact> data = random_values(count * plane, 5, real);
  const std::vector<Exact> filter = random_values(p.filter.instance * p.instances, 6);
  const auto in = host.buffer(numbers(data)), by = host.buffer(flat<float>(filter));
  const auto out = host.buffer(std::vector<float>(2 * p.instances * count * plane));
  host.run(program, {out.get(), in.get(), by.get()});
  const std::vector<float> result = host.read<float>(*out);
  for (uint32_t k = 0; k < p.instances; ++k) {
    for (uint64_t i = 0; i < count; ++i) {
      std::vector<Exact> want = exact_plane(part(data, i * plane, plane), rows, n, -1);
      for (uint64_t row = 0; row < rows; ++row) {
        for (uint64_t number = 0; number < n; ++number) {
          const bool over = real && number > n / 2;
          const uint64_t at = (over ? (rows - row) % rows : row) * p.filter.rows.stride + (over ? n - number : number);
          Exact factor = filter[k * p.filter.instance + i * p.batches[0].filter_stride + at];
          if (over != p.conjugate) factor = std::conj(factor);
          want[row * n + number] *= factor;
        }
      }
      want = exact_plane(want, rows, n, 1);
      std::vector<Exact> got;
      for (uint64_t j = 0; j < plane; ++j) {
        const uint64_t place = k * p.out.instance + i * plane + j;
        got.push_back(real ? Exact(result[place]) : Exact(result[2 * place], result[2 * place + 1]));
        want[j] = Exact(want[j].real(), real ? 0 : want[j].imag()) / static_cast<long double>(plane);
      }
      ASSERT_LE(distance(got, want), 2 * bound(plane, ir::Scalar::F32)) << k << " " << i << "\n" << program.text();
    }
  }
}

TEST(Axes, OfConvolutions) {
  Host host;
  for (const auto& [rows, n] : {std::pair{16u, 16u}, {12u, 20u}, {9u, 15u}}) {
    for (const bool real : {false, true}) {
      for (const uint32_t filters : {1u, 3u}) {
        for (const vd_fft_flags flags : {vd_fft_flags{0}, vd_fft_flags{VD_FFT_SHARED_FILTER | VD_FFT_CONJUGATE}}) {
          SCOPED_TRACE(fmt::format("{} by {} real {} filters {} flags {}", rows, n, real, filters, flags));
          vd_fft_desc desc = describe({2, rows, n});
          desc.flags = flags | VD_FFT_CONVOLVE | VD_FFT_OUT_OF_PLACE;
          desc.filter_count = filters;
          if (real) desc.kind = VD_FFT_KIND_R2C;
          expect_convolved(host, desc);
          if (testing::Test::HasFailure()) return;
        }
      }
    }
  }
}

}  // namespace
}  // namespace vd::fft::test
