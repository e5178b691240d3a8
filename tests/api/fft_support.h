// Helpers for tests of transforms through the C API: a context, buffers of numbers, a transform by its definition.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <limits>
#include <string>
#include <vector>

#include "api/numbers.h"
#include "support/argument.h"

namespace api {

inline Numbers dft(const Numbers& x, int sign) {
  Numbers y(x.size());
  for (size_t k = 0; k < x.size(); ++k) {
    std::complex<double> sum;
    for (size_t n = 0; n < x.size(); ++n) {
      const double angle =
          sign * 2 * 3.14159265358979323846 * static_cast<double>(n * k % x.size()) / static_cast<double>(x.size());
      sum += std::complex<double>(x[n]) * std::polar(1.0, angle);
    }
    y[k] = std::complex<float>(sum);
  }
  return y;
}

// Overrides the planner's choices while it lives.
struct Tuned {
  explicit Tuned(const char* words) { setenv("VKDISPATCH_FFT_TUNE", words, 1); }
  ~Tuned() { unsetenv("VKDISPATCH_FFT_TUNE"); }
  Tuned(const Tuned&) = delete;
  Tuned& operator=(const Tuned&) = delete;
};

class FftTest : public NumbersTest {
 protected:
  void SetUp() override {
    vd_context_desc desc = VD_CONTEXT_DESC_INIT;
    desc.backend = VD_BACKEND_HOST;
    ASSERT_TRUE(ok(vd_context_create(&desc, context_.out())));
  }

  // The element's place among the results of several kernels, which a map has to find itself.
  static vd_value place_of(vd_builder* builder, const vd_fft_element& element, const vd_fft_desc& desc) {
    uint64_t place = element.filter_index;
    for (uint32_t i = 0; i < desc.rank; ++i) place *= desc.shape[i];
    if (place == 0) return 0;
    const auto number = static_cast<uint32_t>(place);
    vd_value operands[] = {element.index, 0}, sum = 0;
    EXPECT_TRUE(ok(vd_builder_constant(builder, VD_TYPE_U32, &number, sizeof(number), &operands[1])));
    EXPECT_TRUE(ok(vd_builder_emit(builder, VD_OP_ADD, 0, operands, 2, 0, 0, &sum)));
    return sum;
  }
  // A plan whose output map stores what `value` makes of an element's number.
  using Written = std::function<vd_value(vd_builder*, const vd_fft_element&, vd_value number)>;
  void map_output(const vd_fft_desc& desc, Plan& plan, const Written& value) {
    Own<vd_fft_gen> gen;
    ASSERT_TRUE(ok(vd_fft_gen_create(context_, &desc, gen.out())));
    vd_value target = 0;
    for (;;) {
      vd_fft_element element = VD_FFT_ELEMENT_INIT;
      Builder builder;
      ASSERT_TRUE(ok(vd_fft_gen_next(gen, &element, builder.out())));
      if (element.point == VD_FFT_POINT_DONE) break;
      if (element.point == VD_FFT_POINT_ARGUMENTS) {
        ASSERT_TRUE(ok(declare_argument(builder, VD_ARGUMENT_BUFFER, VD_TYPE_COMPLEX_F32, "target", &target)));
        continue;
      }
      ASSERT_EQ(element.point, VD_FFT_POINT_WRITE);
      vd_value number = 0;
      ASSERT_TRUE(ok(vd_builder_emit(builder, VD_OP_LOAD, 0, &element.value, 1, 0, 0, &number)));
      ASSERT_TRUE(ok(vd_fft_gen_write(gen, target, place_of(builder, element, desc), value(builder, element, number))));
    }
    ASSERT_TRUE(ok(vd_fft_gen_finish(gen, plan.out())));
  }
  static vd_fft_desc rows(uint64_t count, uint64_t n) {
    vd_fft_desc desc = VD_FFT_DESC_INIT;
    desc.rank = 2;
    desc.shape[0] = count;
    desc.shape[1] = n;
    return desc;
  }
  // `count` arrays, each of `stride` lines of n elements side by side.
  static vd_fft_desc columns(uint64_t count, uint64_t n, uint64_t stride) {
    vd_fft_desc desc = VD_FFT_DESC_INIT;
    desc.rank = 3;
    desc.shape[0] = count, desc.shape[1] = n, desc.shape[2] = stride;
    desc.axis_count = 1;
    desc.axes[0] = 1;
    return desc;
  }
  static std::string text_of(const vd_plan* plan) {
    Blob text;
    EXPECT_TRUE(ok(vd_plan_explain(plan, text.out())));
    return static_cast<const char*>(vd_blob_data(text, nullptr));
  }
  static Numbers numbers(size_t count) {
    Numbers data(count);
    for (size_t i = 0; i < count; ++i) data[i] = {static_cast<float>(i % 7) - 3, static_cast<float>((i * i) % 11) / 4};
    return data;
  }
  static void expect_near(const Numbers& got, const Numbers& want) {
    ASSERT_EQ(got.size(), want.size());
    for (size_t i = 0; i < got.size(); ++i) EXPECT_LT(std::abs(got[i] - want[i]), 2e-4) << i;
  }
};

}  // namespace api
