// Lines that the workgroups of a cluster share: on devices with clusters, of which the emulated CUDA driver has one.
#include <gmock/gmock.h>

#include <string>

#include "api/fft_support.h"
#include "api/shared_context.h"
#include "support/turns.h"

namespace api {
namespace {

constexpr double kTurn = 2 * 3.14159265358979323846;

class FftCluster : public FftTest {
 protected:
  void SetUp() override {
    context_ = shared_context(VD_BACKEND_CUDA);
    if (context_ == nullptr) GTEST_SKIP() << vd_last_error();
    vd_device_info info = VD_DEVICE_INFO_INIT;
    ASSERT_OK(vd_context_get_device(context_, 0, &info));
    if ((info.features & VD_FEATURE_CLUSTERS) == 0) GTEST_SKIP() << info.name << " has no clusters";
  }

  // Runs a plan, and gives the words of its explanation.
  std::string run(const vd_fft_desc& desc, std::initializer_list<vd_buffer*> buffers) {
    Plan plan;
    EXPECT_OK(vd_plan_create_fft(context_, &desc, plan.out()));
    EXPECT_OK(launch_whole(plan, buffers));
    return text_of(plan);
  }

  static vd_fft_desc planes(uint64_t count, uint64_t rows, uint64_t n) {
    vd_fft_desc desc = columns(count, rows, n);
    desc.axis_count = 2;
    desc.axes[0] = 2, desc.axes[1] = 1;
    return desc;
  }

  // Transforms `count` arrays of n lines of `stride` elements, in place, and compares with the definition.
  std::string transform(uint64_t count, uint64_t n, uint64_t stride, bool inverse,
                        vd_fft_tune tune = VD_FFT_TUNE_NONE) {
    vd_fft_desc desc = columns(count, n, stride);
    desc.tune = tune;
    desc.direction = inverse ? VD_FFT_DIRECTION_INVERSE : VD_FFT_DIRECTION_FORWARD;
    const Numbers data = numbers(count * n * stride);
    Buffer b = buffer(data);
    std::string text = run(desc, {b});
    const Numbers got = read(b, data.size());
    for (uint64_t line = 0; line < count * stride; ++line) {
      Numbers from(n), to(n);
      const uint64_t first = line / stride * stride * n + line % stride;
      for (uint64_t i = 0; i < n; ++i) from[i] = data[first + i * stride], to[i] = got[first + i * stride];
      expect_line(from, to, inverse);
    }
    return text;
  }

  // Transforms planes, and compares with a DFT in double precision along each axis.
  std::string transform_planes(uint64_t count, uint64_t rows, uint64_t n, vd_fft_direction direction, bool apart,
                               vd_fft_tune tune = VD_FFT_TUNE_NONE) {
    vd_fft_desc desc = planes(count, rows, n);
    desc.direction = direction;
    desc.tune = tune;
    desc.flags = apart ? VD_FFT_OUT_OF_PLACE : 0;
    const uint64_t plane = rows * n;
    const Numbers data = numbers(count * plane);
    Buffer from = buffer(data), to = buffer(Numbers(data.size()));
    std::string text = apart ? run(desc, {to, from}) : run(desc, {from});
    const Numbers got = read(apart ? to : from, data.size());
    for (uint64_t i = 0; i < count; ++i) {
      std::vector<Exact> x(data.begin() + static_cast<ptrdiff_t>(i * plane),
                           data.begin() + static_cast<ptrdiff_t>((i + 1) * plane));
      const bool inverse = direction == VD_FFT_DIRECTION_INVERSE;
      for (uint64_t row = 0; row < rows; ++row) transform_line(&x[row * n], n, 1, inverse);
      for (uint64_t column = 0; column < n; ++column) transform_line(&x[column], rows, n, inverse);
      double error = 0, norm = 0;
      for (uint64_t k = 0; k < plane; ++k) {
        error += std::norm(Exact(got[i * plane + k]) - x[k]);
        norm += std::norm(x[k]);
      }
      EXPECT_LT(std::sqrt(error / norm), 1e-6) << rows << " by " << n << ": " << text;
    }
    return text;
  }

 private:
  using Exact = std::complex<double>;

  // By the definition.
  static void transform_line(Exact* x, uint64_t n, uint64_t stride, bool inverse) {
    std::vector<Exact> roots(n), y(n);
    for (uint64_t i = 0; i < n; ++i)
      roots[i] = std::polar(1.0, (inverse ? kTurn : -kTurn) * static_cast<double>(i) / static_cast<double>(n));
    for (uint64_t k = 0; k < n; ++k) {
      for (uint64_t i = 0, turn = 0; i < n; ++i, turn = turn + k < n ? turn + k : turn + k - n) {
        const Exact a = x[i * stride], b = roots[turn];
        y[k] += Exact(a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real());
      }
      if (inverse) y[k] /= static_cast<double>(n);
    }
    for (uint64_t k = 0; k < n; ++k) x[k * stride] = y[k];
  }

  // Short lines by all of their numbers, long ones by some.
  static void expect_line(const Numbers& from, const Numbers& to, bool inverse) {
    const size_t n = from.size(), step = n <= 1024 ? 1 : n / 13;
    double error = 0, norm = 0;
    for (size_t k = 0; k < n; k += step) {
      std::complex<double> sum;
      for (size_t i = 0; i < n; ++i) {
        const double angle = kTurn * static_cast<double>(i * k % n) / static_cast<double>(n);
        sum += std::complex<double>(from[i]) * std::polar(1.0, inverse ? angle : -angle);
      }
      if (inverse) sum /= static_cast<double>(n);
      error += std::norm(std::complex<double>(to[k]) - sum);
      norm += std::norm(sum);
    }
    ASSERT_LT(std::sqrt(error / norm), 1e-6) << n;
  }
};

struct Case {
  const char* words;
  uint64_t n;
  uint32_t cluster;
};

// Ways of an H200's records (src/fft/records).
constexpr const char* kRecorded32768 = "cluster=4,radices=16x32x8x8,line_threads=256,crossing=1";
constexpr const char* kRecorded65536 = "cluster=8,radices=16x16x32x8,line_threads=256,crossing=1";
constexpr const char* kRecordedColumns = "cluster=8,radices=32x16x16,line_threads=32,lines=8,crossing=1";
constexpr const char* kRecordedPlane = "radices=8x32x32x8,line_threads=256,crossing=1";

// The exchange between workgroups as the first, the last and one in between; with several butterflies of an invocation,
// and with more invocations than butterflies.
TEST_F(FftCluster, ShortLines) {
  for (const auto& [words, n, cluster] :
       vd::test::first_of<Case>({{"cluster=2,planar=1,registers=16", 256, 2},
                                 {"cluster=8,radices=8x8x8,line_threads=16", 512, 8},
                                 {"cluster=2,radices=4x4x4x4,line_threads=16,crossing=0", 256, 2},
                                 {"cluster=4,radices=4x4x4x4,line_threads=8,crossing=2,planar=1", 256, 4},
                                 {"cluster=3,radices=9x6x5,line_threads=12", 270, 3},
                                 {"cluster=2,registers=8", 64, 2},
                                 {"cluster=4,registers=16", 256, 4},
                                 {"cluster=2,radices=4x4x4x4,line_threads=32,crossing=1", 256, 2},
                                 {"cluster=2,radices=10x6x5,line_threads=20", 300, 2}},
                                5)) {
    SCOPED_TRACE(words);
    const Tuned tuned(words);
    const std::string shared = fmt::format("in a cluster of {} workgroups", cluster);
    EXPECT_THAT(transform(5, n, 1, false), testing::HasSubstr(shared));
    EXPECT_THAT(transform(2, n, 11, true), testing::HasSubstr(shared));
    if (HasFatalFailure()) return;
  }
}

// The lengths that clusters are for.
TEST_F(FftCluster, LongLines) {
  for (const auto& [words, n, cluster] :
       vd::test::first_of<Case>({{"cluster=2", 16384, 2},
                                 {"cluster=4,crossing=1,planar=1", 32768, 4},
                                 {"cluster=8", 65536, 8},
                                 {kRecorded32768, 32768, 4},
                                 {"cluster=4", 32768, 4},
                                 {"cluster=4,radices=16x16x16x16,line_threads=512", 65536, 4},
                                 {kRecorded65536, 65536, 8}},
                                4)) {
    SCOPED_TRACE(words);
    const Tuned tuned(words);
    EXPECT_THAT(transform(1, n, 1, cluster == 8), testing::HasSubstr(fmt::format("in a cluster of {} w", cluster)));
    if (HasFatalFailure()) return;
  }
  const Tuned tuned(kRecordedColumns);
  EXPECT_THAT(transform(1, 8192, 8, false), testing::HasSubstr("in a cluster of 8 w"));
}

// There and back, by two filters: turning phases move the lines around.
TEST_F(FftCluster, Convolutions) {
  constexpr uint64_t kCount = 3, kLength = 256, kSize = kCount * kLength;
  for (const char* words :
       {"cluster=2,radices=8x8x4,line_threads=16", "cluster=4,radices=4x8x8,line_threads=16,planar=1"}) {
    SCOPED_TRACE(words);
    const Tuned tuned(words);
    vd_fft_desc desc = rows(kCount, kLength);
    desc.flags = VD_FFT_CONVOLVE | VD_FFT_OUT_OF_PLACE | VD_FFT_SHARED_FILTER;
    desc.filter_count = 2;
    const Numbers data = numbers(kSize);
    Numbers filters(2 * kLength), want(2 * kSize);
    for (size_t i = 0; i < filters.size(); ++i) {
      const uint64_t bin = i % kLength * (i < kLength ? 1 : 3) % kLength;
      filters[i] = std::complex<float>(std::polar(1.0, -kTurn * static_cast<double>(bin) / kLength));
    }
    for (size_t i = 0; i < want.size(); ++i) {
      const uint64_t at = i % kSize, place = at % kLength, from = (place + kLength - (i < kSize ? 1 : 3)) % kLength;
      want[i] = data[at - place + from];
    }
    Buffer to = buffer(Numbers(2 * kSize)), from = buffer(data), by = buffer(filters);
    EXPECT_THAT(run(desc, {to, from, by}), testing::HasSubstr("in a cluster of"));
    expect_near(read(to, 2 * kSize), want);
  }
}

struct PlaneCase {
  const char* words;
  uint64_t rows, n;
  uint32_t cluster, crossing;
};

// The exchange between workgroups among the stages of the far axis, between both and among those of the near one; with
// several butterflies of an invocation, and with more invocations than butterflies.
TEST_F(FftCluster, Planes) {
  for (const auto& [words, rows, n, cluster, crossing] :
       vd::test::first_of<PlaneCase>({{"radices=4x4x4x4,line_threads=32,crossing=0", 16, 16, 2, 0},
                                      {"radices=4x4x4x4,line_threads=16,crossing=2,planar=1", 16, 16, 4, 2},
                                      {"radices=4x4x4x4,line_threads=20,crossing=1,lines=2", 16, 16, 2, 1},
                                      {"radices=8x8x8,line_threads=8", 64, 8, 8, 0},
                                      {"radices=8x8x4x2,line_threads=12,crossing=1", 64, 8, 2, 1},
                                      {"radices=6x5x6x6,line_threads=60", 30, 36, 3, 2},
                                      {"radices=4x4x4x4,line_threads=16,crossing=1", 16, 16, 4, 1},
                                      {"radices=4x4x4x4,line_threads=16,crossing=2", 16, 16, 2, 2},
                                      {"radices=4x4x4x4,line_threads=8,crossing=0", 16, 16, 4, 0},
                                      {"radices=8x8x8,line_threads=16", 8, 64, 4, 0},
                                      {"radices=4x8x4,line_threads=16,crossing=1", 32, 4, 2, 1},
                                      {"radices=5x6x4x5,line_threads=50", 30, 20, 2, 1},
                                      {"radices=6x6x4x3,line_threads=30", 36, 12, 2, 0},
                                      {"registers=8", 32, 32, 2, 0},
                                      {"registers=32", 32, 16, 2, 0}},
                                     6)) {
    const std::string all = fmt::format("strategy=plane,cluster={},{}", cluster, words);
    SCOPED_TRACE(all);
    const Tuned tuned(all.c_str());
    const auto shared =
        testing::AllOf(testing::HasSubstr(fmt::format(", two axes of {} by {}", rows, n)),
                       testing::HasSubstr(fmt::format(", each plane in a cluster of {} workgroups (exchange {} of ",
                                                      cluster, crossing + 1)));
    EXPECT_THAT(transform_planes(3, rows, n, VD_FFT_DIRECTION_FORWARD, false), shared);
    EXPECT_THAT(transform_planes(2, rows, n, VD_FFT_DIRECTION_INVERSE, true), shared);
    if (HasFailure()) return;
  }
}

// There and back in one pass, by two filters that move the planes around.
TEST_F(FftCluster, ConvolutionsOfPlanes) {
  constexpr uint64_t kCount = 2, kRows = 16, kLength = 32, kPlane = kRows * kLength, kSize = kCount * kPlane;
  for (const char* words :
       {"cluster=2,radices=4x4x4x8,line_threads=32,crossing=0", "cluster=4,radices=4x4x4x8,line_threads=32,crossing=1",
        "cluster=4,radices=4x4x4x8,line_threads=16,crossing=2,planar=1"}) {
    SCOPED_TRACE(words);
    const Tuned tuned(fmt::format("strategy=plane,{}", words).c_str());
    vd_fft_desc desc = planes(kCount, kRows, kLength);
    desc.flags = VD_FFT_CONVOLVE | VD_FFT_OUT_OF_PLACE | VD_FFT_SHARED_FILTER;
    desc.filter_count = 2;
    const auto down = [](uint64_t k) { return k == 0 ? 1 : 5; };
    const auto right = [](uint64_t k) { return k == 0 ? 3 : 7; };
    const Numbers data = numbers(kSize);
    Numbers filters(2 * kPlane), want(2 * kSize);
    for (uint64_t i = 0; i < filters.size(); ++i) {
      const uint64_t k = i / kPlane, row = i % kPlane / kLength, number = i % kLength;
      const double turns =
          static_cast<double>(row * down(k)) / kRows + static_cast<double>(number * right(k)) / kLength;
      filters[i] = std::complex<float>(std::polar(1.0, -kTurn * turns));
    }
    for (uint64_t i = 0; i < want.size(); ++i) {
      const uint64_t k = i / kSize, plane = i % kSize / kPlane, row = i % kPlane / kLength, number = i % kLength;
      const uint64_t from_row = (row + kRows - down(k)) % kRows, from = (number + kLength - right(k)) % kLength;
      want[i] = data[plane * kPlane + from_row * kLength + from];
    }
    Buffer to = buffer(Numbers(2 * kSize)), from = buffer(data), by = buffer(filters);
    EXPECT_THAT(run(desc, {to, from, by}), testing::HasSubstr("each plane in a cluster of"));
    expect_near(read(to, 2 * kSize), want);
  }
}

// Reals' half spectrum is that of the same numbers as complex ones. And back.
TEST_F(FftCluster, RealPlanes) {
  constexpr uint64_t kCount = 3, kRows = 16, kLength = 32, kBins = kLength / 2 + 1, kRowsInAll = kCount * kRows;
  const Tuned tuned("strategy=plane,cluster=4,radices=4x4x4x8,line_threads=32,crossing=0");
  const Numbers reals = numbers(kRowsInAll * kLength / 2);
  const auto* real = reinterpret_cast<const float*>(reals.data());
  Numbers wide;
  for (uint64_t i = 0; i < kRowsInAll * kLength; ++i) wide.emplace_back(real[i]);
  vd_fft_desc desc = planes(kCount, kRows, kLength);
  desc.flags = VD_FFT_OUT_OF_PLACE;
  Buffer from = buffer(reals), whole = buffer(wide), spectrum = buffer(Numbers(kRowsInAll * kLength));
  Buffer half = buffer(Numbers(kRowsInAll * kBins)), back = buffer(Numbers(reals.size()));
  run(desc, {spectrum, whole});
  desc.kind = VD_FFT_KIND_R2C;
  EXPECT_THAT(run(desc, {half, from}), testing::HasSubstr("each plane in a cluster of"));
  const Numbers all = read(spectrum, kRowsInAll * kLength);
  Numbers want;
  for (uint64_t i = 0; i < kRowsInAll * kBins; ++i) want.push_back(all[i / kBins * kLength + i % kBins]);
  expect_near(read(half, want.size()), want);
  desc.kind = VD_FFT_KIND_C2R;
  desc.axes[0] = 1, desc.axes[1] = 2;
  desc.direction = VD_FFT_DIRECTION_INVERSE;
  EXPECT_THAT(run(desc, {back, half}), testing::HasSubstr("each plane in a cluster of"));
  expect_near(read(back, reals.size()), reals);
}

// A plan that measured nothing anew says this. How many passes that were depends on what was faster.
const auto kFromTheCache = testing::ContainsRegex("tuned: 0 candidates measured, [1-9] pass(es)? from the cache");

// A cluster's pass is measured beside the two of the axes where planes do not fit a workgroup, and what was faster is
// kept.
TEST_F(FftCluster, PlanesAreMeasured) {
  if (vd::test::compiles_little()) GTEST_SKIP() << "in the long form: VD_TEST_FULL=1 compiles its candidates, too";
  const Tuned tuned("shared=1024");
  const auto transform = [&](vd_fft_tune tune) {
    return transform_planes(40, 32, 16, VD_FFT_DIRECTION_FORWARD, false, tune);
  };
  EXPECT_THAT(transform(VD_FFT_TUNE_NONE), testing::Not(testing::HasSubstr("cluster")));
  EXPECT_THAT(transform(VD_FFT_TUNE_BEST), testing::HasSubstr("tuned: "));
  EXPECT_THAT(transform(VD_FFT_TUNE_BEST), kFromTheCache);
}

TEST_F(FftCluster, ColumnsAreMeasured) {
  const Tuned tuned("shared=1024");
  EXPECT_THAT(transform(4, 256, 20, false), testing::Not(testing::HasSubstr("cluster")));
  const std::string text = transform(4, 256, 20, false, VD_FFT_TUNE_BEST);
  EXPECT_THAT(text, testing::HasSubstr("tuned: "));
  EXPECT_THAT(transform(4, 256, 20, false, VD_FFT_TUNE_BEST), kFromTheCache);
}

// The sizes that clusters are for.
TEST_F(FftCluster, LargePlanes) {
  for (const auto& [words, rows, n, cluster, crossing] :
       vd::test::first_of<PlaneCase>({{kRecordedPlane, 256, 256, 8, 1},
                                      {"registers=16", 128, 256, 4, 0},
                                      {"registers=16", 512, 128, 8, 0},
                                      {"registers=16", 160, 160, 8, 1}},
                                     2)) {
    const std::string all = fmt::format("strategy=plane,cluster={},{}", cluster, words);
    SCOPED_TRACE(all);
    const Tuned tuned(all.c_str());
    const auto way = crossing == 0 ? VD_FFT_DIRECTION_FORWARD : VD_FFT_DIRECTION_INVERSE;
    EXPECT_THAT(transform_planes(1, rows, n, way, rows == 160),
                testing::HasSubstr(fmt::format("each plane in a cluster of {} workgroups", cluster)));
    if (HasFailure()) return;
  }
}

// The tuning is no error where a cluster cannot be.
TEST_F(FftCluster, LinesThatNoneMayShare) {
  const Tuned tuned("cluster=4");
  EXPECT_THAT(transform(3, 45, 1, false), testing::Not(testing::HasSubstr("cluster")));
  EXPECT_THAT(transform(3, 67, 1, false), testing::Not(testing::HasSubstr("cluster")));
}

}  // namespace
}  // namespace api
