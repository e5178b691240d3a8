// A line's bits, wherever it lies: at each place of an array, in place and not, on every backend.
#include <gmock/gmock.h>

#include <bit>
#include <string>

#include "api/fft_support.h"
#include "api/shared_context.h"

namespace api {
namespace {

class FftBits : public FftTest, public testing::WithParamInterface<vd_backend> {
 protected:
  void SetUp() override {
    context_ = shared_context(GetParam());
    if (context_ == nullptr) GTEST_SKIP() << vd_last_error();
  }

  Plan make(const vd_fft_desc& desc) {
    Plan plan;
    EXPECT_OK(vd_plan_create_fft(context_, &desc, plan.out()));
    return plan;
  }
  std::vector<uint64_t> bits(vd_buffer* from, size_t count) {
    std::vector<uint64_t> all;
    for (const std::complex<float>& number : read(from, count)) all.push_back(std::bit_cast<uint64_t>(number));
    return all;
  }
  // The same line three times among others. `part`: of explain().
  void expect_same(uint64_t n, const char* words, const char* part) {
    constexpr uint64_t kLines = 19;
    const uint64_t places[] = {0, 6, kLines - 1};
    const Tuned tuned(words);
    Numbers data = numbers(kLines * n);  // of a short period
    for (uint64_t i = 0; i < data.size(); ++i) data[i] *= 1 + static_cast<float>(i) / 1000;
    for (const uint64_t line : places) std::copy_n(data.begin(), n, data.begin() + static_cast<ptrdiff_t>(line * n));
    vd_fft_desc desc = rows(kLines, n);
    const Plan in_place = make(desc);
    EXPECT_THAT(text_of(in_place), testing::HasSubstr(part));
    desc.flags = VD_FFT_OUT_OF_PLACE;
    const Plan apart = make(desc);
    const Buffer both = buffer(data), from = buffer(data), to = buffer(data);
    ASSERT_OK(launch_whole(in_place, {both}));
    ASSERT_OK(launch_whole(apart, {to, from}));
    const std::vector<uint64_t> got = bits(both, data.size());
    EXPECT_EQ(got, bits(to, data.size())) << text_of(in_place) << text_of(apart);
    for (const uint64_t line : places) {
      for (uint64_t i = 0; i < n; ++i) ASSERT_EQ(got[line * n + i], got[i]) << "line " << line << text_of(in_place);
    }
  }
};

TEST_P(FftBits, InOnePass) { expect_same(60, "", "12x5"); }
TEST_P(FftBits, OfAPrimesConvolution) { expect_same(37, "", "37(6x6)"); }
TEST_P(FftBits, OfAChirp) { expect_same(83, "", "chirp's filter"); }
TEST_P(FftBits, InSeveralPasses) { expect_same(243, "strategy=four_step", "fft_243_rows"); }

INSTANTIATE_TEST_SUITE_P(All, FftBits, each_backend(), backend_name);

}  // namespace
}  // namespace api
