// Descriptors that a transform cannot be made of, and their messages.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include "api/fft_support.h"
#include "support/argument.h"
#include "support/samples.h"

namespace api {
namespace {

// Lavapipe binds 128 MiB of a buffer at most, and zeros fill twice the lines' length. Without buffer addresses no launch
// could run such a plan.
TEST_F(FftTest, AWorkspaceThatTheDeviceDoesNotBind) {
  vd_context_desc wish = VD_CONTEXT_DESC_INIT;
  wish.backend = VD_BACKEND_VULKAN;
  wish.flags = VD_CONTEXT_USE_CPU;
  if (vd_context_create(&wish, context_.out()) < 0) GTEST_SKIP() << vd_last_error();
  vd_device_info info = VD_DEVICE_INFO_INIT;
  ASSERT_OK(vd_context_get_device(context_, 0, &info));
  const Tuned small("shared=4096");
  constexpr uint64_t kPrime = 4099;  // a chirp of several passes
  vd_fft_desc desc = rows(info.max_storage_buffer_range / (kPrime * 8) * 3 / 4, kPrime);
  Plan plan;
  if ((info.features & VD_FEATURE_BUFFER_ADDRESS) != 0) {
    if (info.max_storage_buffer_range > uint64_t{1} << 30) GTEST_SKIP() << "the device binds more than is tested here";
    ASSERT_OK(vd_plan_create_fft(context_, &desc, plan.out()));
    if (!vd::test::full_form()) return;
    const Numbers data = numbers(desc.shape[0] * kPrime);
    const Buffer there = buffer(data);
    const vd_binding bindings[] = {VD_BINDING_OF(there, 0, VD_WHOLE_SIZE)};
    vd_launch_desc launch = VD_LAUNCH_DESC_INIT;
    launch.bindings = bindings;
    launch.binding_count = 1;
    ASSERT_OK(vd_plan_launch(plan, &launch, nullptr));
    const Numbers got = read(there, data.size());
    for (const uint64_t line : {uint64_t{0}, desc.shape[0] * 2 / 3, desc.shape[0] - 1}) {
      const auto of = [&](const Numbers& all) {
        const auto first = all.begin() + static_cast<std::ptrdiff_t>(line * kPrime);
        return Numbers(first, first + kPrime);
      };
      const Numbers want = dft(of(data), -1), is = of(got);
      for (size_t k = 0; k < kPrime; ++k) ASSERT_LT(std::abs(is[k] - want[k]), 5e-3) << line << " " << k;
    }
    return;
  }
  EXPECT_EQ(vd_plan_create_fft(context_, &desc, plan.out()), VD_ERR_UNSUPPORTED);
  EXPECT_THAT(vd_last_error(), testing::HasSubstr("the fft workspace takes"));
  EXPECT_THAT(vd_last_error(), testing::HasSubstr(fmt::format("binds ({})", info.max_storage_buffer_range)));
}

TEST_F(FftTest, AnOutputMapNeedsAnInput) {
  vd_fft_desc desc = rows(2, 8);
  desc.flags = VD_FFT_MAP_OUTPUT;
  Own<vd_fft_gen> gen;
  EXPECT_FAILS(vd_fft_gen_create(context_, &desc, gen.out()), VD_ERR_INVALID,
               "vd_fft_gen_create: with VD_FFT_MAP_OUTPUT and no input map the input is an argument: set "
               "VD_FFT_OUT_OF_PLACE.");
}

TEST_F(FftTest, WrongWishesAreNamed) {
  const auto refused = [&](const vd_fft_desc& desc, vd_status status, const char* message) {
    Plan plan;
    EXPECT_EQ(vd_plan_create_fft(context_, &desc, plan.out()), status);
    EXPECT_THAT(vd_last_error(), testing::HasSubstr(message));
  };
  vd_fft_desc desc = rows(2, 8);
  desc.rank = 0;
  refused(desc, VD_ERR_INVALID, "desc->rank (0)");
  desc = rows(2, 0);
  refused(desc, VD_ERR_INVALID, "desc->shape[1] (0)");
  desc = rows(2, 8);
  desc.axis_count = 3;
  desc.axes[1] = 1;
  refused(desc, VD_ERR_INVALID, "desc->axis_count (3) is more than desc->rank (2).");
  desc.axis_count = 9;
  refused(desc, VD_ERR_INVALID, "desc->axis_count (9) is more than desc->rank (2).");
  desc = rows(2, 8);
  desc.scale = std::numeric_limits<double>::quiet_NaN();
  refused(desc, VD_ERR_INVALID, "desc->scale (nan) is not a finite number.");
  desc.scale = -std::numeric_limits<double>::infinity();
  refused(desc, VD_ERR_INVALID, "desc->scale (-inf) is not a finite number.");
  desc = rows(2, 8);
  desc.axis_count = 1;
  desc.axes[0] = -3;
  refused(desc, VD_ERR_INVALID, "desc->axes[0] (-3)");
  desc = rows(2, 8);
  desc.flags = VD_FFT_CONJUGATE;
  refused(desc, VD_ERR_INVALID, "without VD_FFT_CONVOLVE");
  desc.flags = VD_FFT_MAP_INPUT;
  refused(desc, VD_ERR_INVALID, "map bits");
  desc.flags = 1u << 20;
  refused(desc, VD_ERR_INVALID, "unknown bits");
  desc = rows(2, (uint64_t{1} << 32) + 2);
  refused(desc, VD_ERR_UNSUPPORTED, "desc->shape[1] (4294967298) is past the limit (2^32) of an axis that is");
  desc = rows(1, (uint64_t{1} << 31) + 11);
  refused(desc, VD_ERR_UNSUPPORTED, "the length (2147483659) has a prime factor above 31, and twice as much");
  desc = rows(2, 8);
  desc.in_low[1] = 3;
  desc.in_high[1] = 9;
  refused(desc, VD_ERR_INVALID, "desc->in_low[1] (3) and in_high[1] (9) are not a range within 0 to 8.");
  desc = rows(2, 8);
  desc.out_low[1] = 8;
  refused(desc, VD_ERR_INVALID, "desc->out_low[1] (8) and out_high[1] (0) are not a range within 0 to 8.");
  desc = rows(2, 8);
  desc.kind = VD_FFT_KIND_R2C;
  desc.out_low[1] = 6;
  refused(desc, VD_ERR_INVALID, "desc->out_low[1] (6) and out_high[1] (0) are not a range within 0 to 5.");
  desc = rows(2, 8);
  desc.in_high[0] = 1;
  refused(desc, VD_ERR_INVALID, "desc->in_low[0] and in_high[0] are given for a dimension that is not transformed.");
  desc = rows(2, 8);
  desc.filter_strides[1] = 1;
  refused(desc, VD_ERR_INVALID, "desc->filter_strides or filter_offset (0) are given without a filter to read.");
  for (const vd_fft_flags flags : {vd_fft_flags{0}, vd_fft_flags{VD_FFT_OUT_OF_PLACE}}) {
    desc = rows(4, 8);
    desc.flags = flags;
    desc.out_strides[0] = desc.out_strides[1] = 1;
    refused(desc, VD_ERR_INVALID, "desc->out_strides[0] (1) puts results at addresses of dimension 1 (8 of stride 1).");
  }
  // Rows of reals do not overlap, but those of their spectra do.
  desc = rows(4, 8);
  desc.kind = VD_FFT_KIND_C2R;
  desc.out_strides[0] = 8, desc.out_strides[1] = 1;
  refused(desc, VD_ERR_INVALID, "desc->in_strides[0] (4) puts elements at addresses of dimension 1 (5 of stride 1).");
  // Unwanted elements are not written.
  desc = rows(4, 8);
  desc.flags = VD_FFT_OUT_OF_PLACE;
  desc.out_strides[0] = 3, desc.out_strides[1] = 1;
  desc.out_high[1] = 3;
  Plan part;
  EXPECT_TRUE(ok(vd_plan_create_fft(context_, &desc, part.out())));
  desc = rows(2, 8);
  desc.in_strides[0] = -8, desc.in_strides[1] = 1;
  refused(desc, VD_ERR_UNSUPPORTED,
          "desc->in_strides[0] (-8) is negative, and the first element of a buffer is the lowest one.");
  desc = rows(2, 8);
  desc.compute_type = VD_TYPE_F32;
  refused(desc, VD_ERR_INVALID, "desc->compute_type");
  desc = rows(2, 8);
  desc.kind = VD_FFT_KIND_R2C;
  desc.axis_count = 1;
  desc.axes[0] = 0;
  refused(desc, VD_ERR_INVALID, "last axis");
}

// In place there is one array: a layout of one side is that of both, and two that differ are refused.
// Kernels number lines in 32 bits; a line of more would be one from the beginning again.
TEST_F(FftTest, MoreLinesThanNumbersAreRefused) {
  const uint64_t most = uint64_t{1} << 32;
  for (const uint64_t n : {1, 2, 12}) {
    Plan plan;
    vd_fft_desc desc = rows(most, n);
    EXPECT_OK(vd_plan_create_fft(context_, &desc, plan.out()));
    desc.shape[0] = most + 1;
    EXPECT_EQ(vd_plan_create_fft(context_, &desc, plan.out()), VD_ERR_UNSUPPORTED);
    EXPECT_THAT(vd_last_error(), testing::HasSubstr("4294967297 lines in workgroups of"));
    // Columns.
    desc.shape[0] = n, desc.shape[1] = most + 1;
    desc.axis_count = 1, desc.axes[0] = 0;
    EXPECT_EQ(vd_plan_create_fft(context_, &desc, plan.out()), VD_ERR_UNSUPPORTED);
    EXPECT_THAT(vd_last_error(), testing::HasSubstr("4294967297 lines in workgroups of"));
  }
}

// Values of another builder, and some that are no buffer.
TEST_F(FftTest, TheGeneratorChecksItsOperands) {
  vd_fft_desc desc = rows(2, 8);
  desc.flags = VD_FFT_MAP_INPUT | VD_FFT_MAP_OUTPUT;
  Own<vd_fft_gen> gen;
  ASSERT_TRUE(ok(vd_fft_gen_create(context_, &desc, gen.out())));
  vd_fft_element element = VD_FFT_ELEMENT_INIT;
  vd_value argument = 0;
  while (element.point != VD_FFT_POINT_READ) {
    Own<vd_builder> builder;
    ASSERT_TRUE(ok(vd_fft_gen_next(gen, &element, builder.out())));
    if (element.point == VD_FFT_POINT_ARGUMENTS) {
      ASSERT_TRUE(ok(declare_argument(builder, VD_ARGUMENT_BUFFER, VD_TYPE_COMPLEX_F32,
                                      element.part == VD_FFT_MAP_INPUT ? "x" : "y", &argument)));
    }
  }
  const auto refused = [&](vd_value buffer, vd_value index, vd_value into, const char* message) {
    EXPECT_EQ(vd_fft_gen_read(gen, buffer, index, into), VD_ERR_INVALID) << message;
    EXPECT_THAT(vd_last_error(), testing::HasSubstr(message));
  };
  const vd_value foreign = uint64_t{0x3FFFF400} << 32 | 77777;
  refused(foreign, 0, 0, "is not a value of this builder; ");
  refused(0, 0, 0, "buffer (0) is not a value of this builder: the call that gives it failed, or was not made; ");
  refused(element.index, 0, 0, "is not a buffer argument.");
  refused(argument, foreign, 0, "is not a value of this builder; ");
  refused(argument, 0, foreign, "is not a value of this builder; ");
  EXPECT_TRUE(ok(vd_fft_gen_read(gen, argument, 0, 0)));
}

// Strides and offsets whose sums or products would wrap around.
TEST_F(FftTest, WhatLiesTooFarIsRefused) {
  const auto refused = [&](const vd_fft_desc& desc, const char* message) {
    Plan plan;
    EXPECT_EQ(vd_plan_create_fft(context_, &desc, plan.out()), VD_ERR_INVALID);
    EXPECT_THAT(vd_last_error(), testing::HasSubstr(message));
  };
  vd_fft_desc desc = rows(5, 8);
  desc.in_strides[0] = int64_t{1} << 62, desc.in_strides[1] = 1;
  refused(desc, "desc->in_strides[0] (4611686018427387904) times 4 reaches past the limit (1099511627776 elements)");
  desc = rows(2, 8);
  desc.out_strides[0] = 8, desc.out_strides[1] = int64_t{1} << 61;
  refused(desc, "desc->out_strides[1] (2305843009213693952) times 7 reaches past the limit (1099511627776 elements)");
  desc = rows(2, 8);
  desc.in_offset = ~uint64_t{0} - 3;
  refused(desc, "desc->in_offset (18446744073709551612) is past the limit (1099511627776 elements)");
  desc = rows(2, 8);
  desc.out_offset = uint64_t{1} << 40;
  refused(desc, "desc->out_offset (1099511627776) is past the limit (1099511627776 elements)");
  desc = rows(1, 8);
  desc.flags = VD_FFT_CONVOLVE;
  desc.filter_count = 16;
  desc.out_strides[0] = int64_t{1} << 60, desc.out_strides[1] = 1;
  refused(desc, "desc->out_strides[0] (1152921504606846976) times 1 for 16 filters is past the limit");
  // Elements at a stride of one element overlap, unless filters follow each other.
  desc = rows(1, 8);
  desc.flags = VD_FFT_CONVOLVE;
  desc.filter_strides[0] = int64_t{1} << 60, desc.filter_strides[1] = 1;
  Plan plan;
  EXPECT_OK(vd_plan_create_fft(context_, &desc, plan.out()));
  desc.filter_count = 2;
  refused(desc, "desc->filter_count (2) filters of 1152921504606846976 elements are past the limit");
}

}  // namespace
}  // namespace api
