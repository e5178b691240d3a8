// Lines that the workgroups of a cluster share: on devices with clusters, of which the emulated CUDA driver has one.
#include <gmock/gmock.h>

#include <string>

#include "api/fft_support.h"
#include "api/shared_context.h"

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
    std::vector<vd_binding> bindings;
    for (vd_buffer* b : buffers) bindings.push_back(VD_BINDING_OF(b, 0, VD_WHOLE_SIZE));
    vd_launch_desc launch = VD_LAUNCH_DESC_INIT;
    launch.bindings = bindings.data();
    launch.binding_count = static_cast<uint32_t>(bindings.size());
    EXPECT_OK(vd_plan_launch(plan, &launch, nullptr));
    Blob text;
    EXPECT_OK(vd_plan_explain(plan, text.out()));
    return static_cast<const char*>(vd_blob_data(text, nullptr));
  }

  // Transforms `count` arrays of n lines of `stride` elements, in place, and compares with the definition.
  std::string transform(uint64_t count, uint64_t n, uint64_t stride, bool inverse) {
    vd_fft_desc desc = VD_FFT_DESC_INIT;
    desc.rank = 3;
    desc.shape[0] = count, desc.shape[1] = n, desc.shape[2] = stride;
    desc.axis_count = 1;
    desc.axes[0] = 1;
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

 private:
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

// The exchange between workgroups as the first, the last and one in between; with several butterflies of an invocation,
// and with more invocations than butterflies.
TEST_F(FftCluster, ShortLines) {
  for (const auto& [words, n, cluster] :
       {Case{"cluster=2,registers=8", 64, 2}, Case{"cluster=2,planar=1,registers=16", 256, 2},
        Case{"cluster=4,registers=16", 256, 4}, Case{"cluster=8,radices=8x8x8,line_threads=16", 512, 8},
        Case{"cluster=2,radices=4x4x4x4,line_threads=16,crossing=0", 256, 2},
        Case{"cluster=2,radices=4x4x4x4,line_threads=32,crossing=1", 256, 2},
        Case{"cluster=4,radices=4x4x4x4,line_threads=8,crossing=2,planar=1", 256, 4},
        Case{"cluster=2,radices=10x6x5,line_threads=20", 300, 2},
        Case{"cluster=3,radices=9x6x5,line_threads=12", 270, 3}}) {
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
       {Case{"cluster=2", 16384, 2}, Case{"cluster=4", 32768, 4}, Case{"cluster=4,crossing=1,planar=1", 32768, 4},
        Case{"cluster=4,radices=16x16x16x16,line_threads=512", 65536, 4}, Case{"cluster=8", 65536, 8}}) {
    SCOPED_TRACE(words);
    const Tuned tuned(words);
    EXPECT_THAT(transform(1, n, 1, cluster == 8), testing::HasSubstr(fmt::format("in a cluster of {} w", cluster)));
    if (HasFatalFailure()) return;
  }
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

// The tuning is no error where a cluster cannot be.
TEST_F(FftCluster, LinesThatNoneMayShare) {
  const Tuned tuned("cluster=4");
  EXPECT_THAT(transform(3, 45, 1, false), testing::Not(testing::HasSubstr("cluster")));
  EXPECT_THAT(transform(3, 67, 1, false), testing::Not(testing::HasSubstr("cluster")));
}

}  // namespace
}  // namespace api
