// Tiles that are read ahead, on every backend. The emulated CUDA driver copies as late as it may, so that a wait which a
// kernel lacks is noticed.
#include <gmock/gmock.h>

#include <string>

#include "api/fft_support.h"
#include "api/shared_context.h"

namespace api {
namespace {

class FftAhead : public FftTest, public testing::WithParamInterface<vd_backend> {
 protected:
  void SetUp() override {
    context_ = shared_context(GetParam());
    if (context_ == nullptr) GTEST_SKIP() << vd_last_error();
  }

  // Transforms `count` arrays of n lines of `stride` elements, in place, by tiles that are read ahead.
  void expect_transform(uint64_t count, uint64_t n, uint64_t stride, bool inverse) {
    SCOPED_TRACE(fmt::format("{} x {} x {}", count, n, stride));
    vd_fft_desc desc = columns(count, n, stride);
    desc.direction = inverse ? VD_FFT_DIRECTION_INVERSE : VD_FFT_DIRECTION_FORWARD;
    const Numbers data = numbers(count * n * stride);
    Plan plan;
    ASSERT_OK(vd_plan_create_fft(context_, &desc, plan.out()));
    EXPECT_THAT(text_of(plan), testing::HasSubstr("tiles read ahead by"));
    Buffer b = buffer(data);
    ASSERT_OK(launch_whole(plan, {b}));
    const Numbers got = read(b, data.size());
    for (uint64_t line = 0; line < count * stride; ++line) {
      Numbers from(n), to(n);
      const uint64_t first = line / stride * stride * n + line % stride;
      for (uint64_t i = 0; i < n; ++i) from[i] = data[first + i * stride], to[i] = got[first + i * stride];
      Numbers want = dft(from, inverse ? 1 : -1);
      double error = 0, norm = 0;
      for (uint64_t i = 0; i < n; ++i) {
        if (inverse) want[i] /= static_cast<float>(n);
        error += std::norm(std::complex<double>(to[i]) - std::complex<double>(want[i]));
        norm += std::norm(std::complex<double>(want[i]));
      }
      ASSERT_LT(std::sqrt(error / norm), 1e-6) << "line " << line;
    }
  }
};

TEST_P(FftAhead, ColumnsAndLines) {
  for (const char* words : {"ahead=1,groups=3", "ahead=1,groups=2,planar=1"}) {
    SCOPED_TRACE(words);
    const Tuned tuned(words);
    expect_transform(2, 64, 19, false);
    expect_transform(7, 256, 1, true);
  }
}

// Two filters, there and back; each result is the data moved by 1 or 3 numbers.
TEST_P(FftAhead, Convolution) {
  constexpr uint64_t kCount = 5, kLength = 128, kSize = kCount * kLength;
  const Tuned tuned("ahead=1,groups=2,lines=1,staged_in=0,staged_out=0");
  vd_fft_desc desc = rows(kCount, kLength);
  desc.flags = VD_FFT_CONVOLVE | VD_FFT_OUT_OF_PLACE | VD_FFT_SHARED_FILTER;
  desc.filter_count = 2;
  const Numbers data = numbers(kSize);
  Numbers filters(2 * kLength), want(2 * kSize);
  for (size_t i = 0; i < filters.size(); ++i) {
    const uint64_t bin = i % kLength * (i < kLength ? 1 : 3) % kLength;
    const double turn = 2 * 3.14159265358979323846 * static_cast<double>(bin) / kLength;
    filters[i] = std::complex<float>(std::polar(1.0, -turn));
  }
  for (size_t i = 0; i < want.size(); ++i) {
    const uint64_t at = i % kSize, place = at % kLength, from = (place + kLength - (i < kSize ? 1 : 3)) % kLength;
    want[i] = data[at - place + from];
  }
  Buffer to = buffer(Numbers(2 * kSize)), from = buffer(data), by = buffer(filters);
  Plan plan;
  ASSERT_OK(vd_plan_create_fft(context_, &desc, plan.out()));
  EXPECT_THAT(text_of(plan), testing::HasSubstr("tiles read ahead by"));
  ASSERT_OK(launch_whole(plan, {to, from, by}));
  expect_near(read(to, 2 * kSize), want);
}

// A map of the caller's writes each element, and the kernel goes from tile to tile.
TEST_P(FftAhead, WrittenByAMap) {
  const Tuned tuned("ahead=1,groups=2,lines=1,staged_in=0");
  const vd_fft_desc desc = [] {
    vd_fft_desc made = rows(5, 128);
    made.flags = VD_FFT_MAP_OUTPUT | VD_FFT_OUT_OF_PLACE;
    return made;
  }();
  Plan plan;
  map_output(desc, plan, [](vd_builder* builder, const vd_fft_element&, vd_value number) {
    vd_value twice = 0;
    const vd_value operands[] = {number, number};
    EXPECT_OK(vd_builder_emit(builder, VD_OP_ADD, 0, operands, 2, 0, 0, &twice));
    return twice;
  });
  EXPECT_THAT(text_of(plan), testing::HasSubstr("tiles read ahead by"));
  const Numbers data = numbers(5 * 128);
  Buffer to = buffer(Numbers(data.size())), from = buffer(data);
  ASSERT_OK(launch_whole(plan, {to, from}));
  Numbers want;
  for (size_t line = 0; line < 5; ++line) {
    Numbers one = dft(
        Numbers(data.begin() + static_cast<long>(line * 128), data.begin() + static_cast<long>(line * 128 + 128)), -1);
    for (const auto& v : one) want.push_back(v + v);
  }
  expect_near(read(to, want.size()), want);
}

INSTANTIATE_TEST_SUITE_P(InTurn, FftAhead, each_backend(), backend_name);

}  // namespace
}  // namespace api
