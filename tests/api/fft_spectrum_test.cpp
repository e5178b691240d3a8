// Spectra in any order through the C API: round trips, products and filters along one axis and several, and refusals.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "api/fft_support.h"

namespace api {
namespace {

using testing::HasSubstr;

class FftSpectrumTest : public FftTest {
 protected:
  static vd_fft_desc array(const std::vector<uint64_t>& shape, const std::vector<int32_t>& axes) {
    vd_fft_desc desc = VD_FFT_DESC_INIT;
    desc.rank = static_cast<uint32_t>(shape.size());
    desc.axis_count = static_cast<uint32_t>(axes.size());
    std::ranges::copy(shape, desc.shape);
    std::ranges::copy(axes, desc.axes);
    desc.spectrum = VD_FFT_SPECTRUM_ANY;
    return desc;
  }
  static vd_fft_desc back(vd_fft_desc desc) {
    desc.direction = VD_FFT_DIRECTION_INVERSE;
    if (desc.kind == VD_FFT_KIND_R2C) desc.kind = VD_FFT_KIND_C2R;
    std::reverse(desc.axes, desc.axes + desc.axis_count);
    return desc;
  }
  static vd_fft_desc natural(vd_fft_desc desc) {
    desc.spectrum = VD_FFT_SPECTRUM_NATURAL;
    return desc;
  }

  // The result of a plan in place.
  Numbers run(const vd_fft_desc& desc, const Numbers& data) {
    Plan plan;
    if (!ok(vd_plan_create_fft(context_, &desc, plan.out()))) return {};
    Buffer held = buffer(data);
    launch(plan, {&held});
    return read(held, data.size());
  }
  Numbers convolved(vd_fft_desc desc, const Numbers& data, const Numbers& filter) {
    desc.flags |= VD_FFT_CONVOLVE;
    Plan plan;
    if (!ok(vd_plan_create_fft(context_, &desc, plan.out()))) return {};
    Buffer held = buffer(data), by = buffer(filter);
    launch(plan, {&held, &by});
    return read(held, data.size());
  }
  void launch(Plan& plan, const std::vector<Buffer*>& buffers) {
    std::vector<vd_binding> bindings;
    for (Buffer* one : buffers) bindings.push_back(VD_BINDING_OF(*one, 0, VD_WHOLE_SIZE));
    vd_launch_desc desc = VD_LAUNCH_DESC_INIT;
    desc.bindings = bindings.data();
    desc.binding_count = static_cast<uint32_t>(bindings.size());
    EXPECT_TRUE(ok(vd_plan_launch(plan, &desc, nullptr)));
  }
  static Numbers times(Numbers a, const Numbers& b) {
    for (size_t i = 0; i < a.size(); ++i) a[i] *= b[i];
    return a;
  }
  static double difference(const Numbers& a, const Numbers& b) {
    double most = 0;
    for (size_t i = 0; i < a.size(); ++i) most = std::max<double>(most, std::abs(a[i] - b[i]));
    return most;
  }
  // A filter of a few numbers, whose spectrum is of the data's size.
  static Numbers filter(size_t count) {
    Numbers all(count);
    for (size_t i = 0; i < count; i += 1 + count / 5) all[i] = {1.0f / static_cast<float>(i + 2), 0.25f};
    return all;
  }
};

// Along each axis, and along several: the same as with natural spectra, which do not lie in the same way.
TEST_F(FftSpectrumTest, ProductsAndFilters) {
  const Tuned small("shared=128");
  for (const auto& [shape, axes] : std::vector<std::pair<std::vector<uint64_t>, std::vector<int32_t>>>{
           {{3, 240}, {1}}, {{240, 5}, {0}}, {{240, 2}, {0}}, {{2, 40, 48}, {1, 2}}, {{40, 3, 48}, {2, 0}}}) {
    const vd_fft_desc desc = array(shape, axes);
    uint64_t size = 1;
    for (const uint64_t n : shape) size *= n;
    const Numbers data = numbers(size), few = filter(size);
    const Numbers spectrum = run(desc, data), by = run(desc, few);
    const Numbers plain = run(natural(desc), data), plain_by = run(natural(desc), few);
    EXPECT_GT(difference(spectrum, plain), 1);
    expect_near(run(back(desc), spectrum), data);
    const Numbers want = run(natural(back(desc)), times(plain, plain_by));
    expect_near(run(back(desc), times(spectrum, by)), want);
    expect_near(convolved(desc, data, by), want);
    EXPECT_GT(difference(convolved(natural(desc), data, by), want), 0.1);
  }
}

// Real lines have natural spectra; the other axes need not.
TEST_F(FftSpectrumTest, OfRealLines) {
  const Tuned small("shared=128");
  vd_fft_desc desc = array({40, 60}, {1, 0});
  desc.kind = VD_FFT_KIND_R2C;
  const size_t count = 40 * 31;
  Numbers data = numbers(count);
  for (size_t row = 0; row < 40; ++row) data[row * 31 + 30] = {};  // behind the reals
  Numbers spectrum = run(desc, data), round = run(back(desc), spectrum);
  for (size_t row = 0; row < 40; ++row) round[row * 31 + 30] = {};
  expect_near(round, data);
  EXPECT_GT(difference(spectrum, run(natural(desc), data)), 1);
  desc.axis_count = 1;
  EXPECT_EQ(run(desc, data), run(natural(desc), data));
}

TEST_F(FftSpectrumTest, IsNaturalOfShortLines) {
  const vd_fft_desc desc = array({3, 240}, {1});
  EXPECT_EQ(run(desc, numbers(720)), run(natural(desc), numbers(720)));
}

// A map gets the frequency, and the place where an inverse transform reads it.
TEST_F(FftSpectrumTest, MapsGetFrequencies) {
  const Tuned small("shared=128");
  vd_fft_desc desc = array({2, 240}, {1});
  desc.flags = VD_FFT_OUT_OF_PLACE | VD_FFT_MAP_OUTPUT;
  Plan plan;
  map_output(desc, plan, [&](vd_builder* builder, const vd_fft_element& element, vd_value number) {
    vd_value zero = 0, kept = 0, most = 0;
    const uint32_t bins = 7;
    const vd_value same[] = {number, number};
    EXPECT_TRUE(ok(vd_builder_emit(builder, VD_OP_SUB, 0, same, 2, 0, 0, &zero)));
    EXPECT_TRUE(ok(vd_builder_constant(builder, VD_TYPE_U32, &bins, sizeof(bins), &most)));
    const vd_value below[] = {element.position, most};
    EXPECT_TRUE(ok(vd_builder_emit(builder, VD_OP_LT, 0, below, 2, 0, 0, &kept)));
    const vd_value chosen[] = {kept, number, zero};
    EXPECT_TRUE(ok(vd_builder_emit(builder, VD_OP_SELECT, 0, chosen, 3, 0, 0, &kept)));
    return kept;
  });
  const Numbers data = numbers(480);
  Buffer from = buffer(data), to = buffer(Numbers(480));
  launch(plan, {&to, &from});
  desc.flags = 0;
  Numbers want = run(natural(desc), data);
  for (size_t i = 0; i < want.size(); ++i) want[i] *= i % 240 < 7 ? 1.0f : 0.0f;
  expect_near(run(back(desc), read(to, 480)), run(natural(back(desc)), want));
}

TEST_F(FftSpectrumTest, Refusals) {
  const auto refused = [&](const vd_fft_desc& desc, const char* message) {
    Plan plan;
    EXPECT_EQ(vd_plan_create_fft(context_, &desc, plan.out()), VD_ERR_INVALID);
    EXPECT_THAT(vd_last_error(), HasSubstr(message));
  };
  vd_fft_desc desc = array({3, 240}, {1});
  desc.out_low[1] = 1;
  refused(desc, "desc->out_low[1] and out_high[1] are a range of the spectrum, which desc->spectrum (1) puts in any");
  desc.out_low[1] = 0, desc.in_high[1] = 100;
  refused(back(desc), "desc->in_low[1] and in_high[1] are a range of the spectrum");
  Plan plan, whole;
  EXPECT_TRUE(ok(vd_plan_create_fft(context_, &desc, plan.out())));
  desc.out_high[1] = 240;  // all of it
  EXPECT_TRUE(ok(vd_plan_create_fft(context_, &desc, whole.out())));
  // The first pass overwrites the bytes that the filter would have.
  const Tuned small("shared=128");
  desc = array({3, 240}, {1});
  desc.flags = VD_FFT_CONVOLVE;
  Plan around;
  ASSERT_TRUE(ok(vd_plan_create_fft(context_, &desc, around.out())));
  Buffer held = buffer(numbers(720));
  const vd_binding twice[] = {VD_BINDING_OF(held, 0, VD_WHOLE_SIZE), VD_BINDING_OF(held, 0, VD_WHOLE_SIZE)};
  vd_launch_desc launch = VD_LAUNCH_DESC_INIT;
  launch.bindings = twice;
  launch.binding_count = 2;
  EXPECT_EQ(vd_plan_launch(around, &launch, nullptr), VD_ERR_INVALID);
  EXPECT_THAT(vd_last_error(), HasSubstr("share bytes"));
  desc.spectrum = static_cast<vd_fft_spectrum>(2);
  refused(desc, "desc->spectrum (2) is unknown");
}

}  // namespace
}  // namespace api
