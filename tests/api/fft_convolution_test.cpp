// Convolutions of the C API: along every length and several axes, with several kernels.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include "api/fft_support.h"

namespace api {
namespace {

// Lengths of several prime factors, in any place, with one kernel for all and with one each.
TEST_F(FftTest, ConvolutionsAlongEveryLength) {
  for (const uint64_t n : {17, 34, 323, 502}) {
    for (const uint32_t axis : {0u, 1u, 2u}) {
      for (const vd_fft_flags shared : {0u, uint32_t{VD_FFT_SHARED_FILTER}}) {
        SCOPED_TRACE(fmt::format("{} along axis {}, flags {}", n, axis, shared));
        vd_fft_desc desc = VD_FFT_DESC_INIT;
        desc.rank = 3;
        desc.shape[0] = 2, desc.shape[1] = 3, desc.shape[2] = 2;
        desc.shape[axis] = n;
        desc.axis_count = 1;
        desc.axes[0] = static_cast<int32_t>(axis);
        desc.flags = VD_FFT_CONVOLVE | VD_FFT_OUT_OF_PLACE | shared;
        desc.filter_count = 2;
        const uint64_t size = desc.shape[0] * desc.shape[1] * desc.shape[2];
        uint64_t kernel = 1, step = 1;
        for (uint32_t i = shared != 0 ? axis : 0; i < 3; ++i) kernel *= desc.shape[i];
        for (uint32_t i = axis + 1; i < 3; ++i) step *= desc.shape[i];
        // A turning phase moves the lines around, by one step and by three.
        const Numbers data = numbers(size);
        Numbers kernels(2 * kernel), want(2 * size);
        for (size_t i = 0; i < kernels.size(); ++i) {
          const uint64_t bin = i % kernel / step % n * (i < kernel ? 1 : 3) % n;
          kernels[i] = std::complex<float>(
              std::polar(1.0, -2 * 3.14159265358979323846 * static_cast<double>(bin) / static_cast<double>(n)));
        }
        for (size_t i = 0; i < want.size(); ++i) {
          const uint64_t at = i % size, place = at / step % n, from = (place + n - (i < size ? 1 : 3)) % n;
          want[i] = data[at - place * step + from * step];
        }
        Plan plan;
        ASSERT_TRUE(ok(vd_plan_create_fft(context_, &desc, plan.out())));
        Buffer to = buffer(Numbers(2 * size)), from = buffer(data), by = buffer(kernels);
        const vd_binding bindings[] = {VD_BINDING_OF(to, 0, VD_WHOLE_SIZE), VD_BINDING_OF(from, 0, VD_WHOLE_SIZE),
                                       VD_BINDING_OF(by, 0, VD_WHOLE_SIZE)};
        vd_launch_desc launch = VD_LAUNCH_DESC_INIT;
        launch.bindings = bindings;
        launch.binding_count = 3;
        ASSERT_TRUE(ok(vd_plan_launch(plan, &launch, nullptr)));
        expect_near(read(to, 2 * size), want);
      }
    }
  }
}

// Convolutions of images and volumes: forward along all axes but the last, forward and back along the last, back along
// the others. Each kernel shifts the signal in another way.
TEST_F(FftTest, ConvolutionsAlongSeveralAxes) {
  struct Case {
    std::vector<int32_t> axes;
    vd_fft_kind kind;
    vd_fft_flags flags;
    uint32_t kernels;
    bool maps;
    vd_fft_direction direction = VD_FFT_DIRECTION_FORWARD;
  };
  constexpr vd_fft_flags kApart = VD_FFT_OUT_OF_PLACE, kShared = VD_FFT_SHARED_FILTER;
  const std::vector<Case> cases{
      {{2, 1}, VD_FFT_KIND_C2C, 0, 1, false},
      {{1, 2}, VD_FFT_KIND_C2C, kApart | VD_FFT_CONJUGATE, 3, false},
      {{2, 1}, VD_FFT_KIND_C2C, kApart | kShared, 2, false},
      {{0, 2, 1}, VD_FFT_KIND_C2C, 0, 2, false, VD_FFT_DIRECTION_INVERSE},
      {{2, 1}, VD_FFT_KIND_R2C, kApart | kShared, 2, false},
      {{2, 0, 1}, VD_FFT_KIND_R2C, kApart, 1, false},
      {{2, 1}, VD_FFT_KIND_C2C, kApart, 2, true},
  };
  for (const uint64_t side : {4, 17}) {
    for (const Case& c : cases) {
      SCOPED_TRACE(fmt::format("side {}, {} axes, first {}, kind {}, flags {:#x}, {} kernels", side, c.axes.size(),
                               c.axes[0], static_cast<int>(c.kind), c.flags, c.kernels));
      vd_fft_desc desc = VD_FFT_DESC_INIT;
      desc.kind = c.kind;
      desc.direction = c.direction;
      desc.flags = c.flags | VD_FFT_CONVOLVE | (c.maps ? VD_FFT_MAP_OUTPUT : 0);
      desc.rank = 3;
      desc.shape[0] = 3, desc.shape[1] = side, desc.shape[2] = 6;
      desc.axis_count = static_cast<uint32_t>(c.axes.size());
      std::copy(c.axes.begin(), c.axes.end(), desc.axes);
      desc.filter_count = c.kernels;
      const bool real = c.kind == VD_FFT_KIND_R2C, apart = (c.flags & kApart) != 0;
      const bool shared = (c.flags & kShared) != 0;
      const bool turned = ((c.flags & VD_FFT_CONJUGATE) != 0) != (c.direction == VD_FFT_DIRECTION_INVERSE);
      const auto steps = [&](size_t dim, uint32_t k) -> uint64_t {
        return std::ranges::find(c.axes, static_cast<int32_t>(dim)) == c.axes.end() ? 0 : (dim + k) % 3;
      };
      const uint64_t bins = real ? 4 : 6, planes = shared ? 1 : 3, size = 3 * side * 6;
      Numbers kernels;
      for (uint32_t k = 0; k < c.kernels; ++k) {
        for (uint64_t i = 0; i < planes * side * bins; ++i) {
          const double angle = static_cast<double>(steps(2, k) * (i % bins)) / 6 +
                               static_cast<double>(steps(1, k) * (i / bins % side)) / static_cast<double>(side) +
                               static_cast<double>(steps(0, k) * (i / bins / side)) / 3;
          kernels.push_back(std::complex<float>(std::polar(1.0, -2 * 3.14159265358979323846 * angle)));
        }
      }
      // Real arrays are taken two numbers at a time.
      const Numbers data = numbers(real ? size / 2 : size);
      const auto* reals = reinterpret_cast<const float*>(data.data());
      Numbers want(data.size() * c.kernels);
      auto* wanted = reinterpret_cast<float*>(want.data());
      const auto from = [&](uint64_t at, uint64_t n, uint64_t by) {
        return turned ? (at + by) % n : (at + n - by) % n;
      };
      for (uint64_t i = 0; i < size * c.kernels; ++i) {
        const auto k = static_cast<uint32_t>(i / size);
        const uint64_t x = from(i % 6, 6, steps(2, k)), y = from(i / 6 % side, side, steps(1, k)),
                       z = from(i / 6 / side % 3, 3, steps(0, k)), at = (z * side + y) * 6 + x;
        if (real) {
          wanted[i] = reals[at];
        } else {
          want[i] = data[at] * (c.maps ? static_cast<float>(k + 1) : 1.0f);
        }
      }
      Plan plan;
      if (c.maps) {
        map_output(desc, plan, [&](vd_builder* builder, const vd_fft_element& element, vd_value number) {
          EXPECT_EQ(element.filter_count, c.kernels);
          // As many times as the kernel's number says.
          vd_value sum = number;
          for (uint32_t i = 0; i < element.filter_index; ++i) {
            const vd_value operands[] = {sum, number};
            EXPECT_TRUE(ok(vd_builder_emit(builder, VD_OP_ADD, 0, operands, 2, 0, 0, &sum)));
          }
          return sum;
        });
      } else {
        ASSERT_TRUE(ok(vd_plan_create_fft(context_, &desc, plan.out())));
      }
      Numbers room(want.size());
      if (!apart) std::copy(data.begin(), data.end(), room.begin());
      Buffer to = buffer(room), input = buffer(data), by = buffer(kernels);
      std::vector<vd_binding> bindings{VD_BINDING_OF(to, 0, VD_WHOLE_SIZE)};
      if (apart) bindings.push_back(VD_BINDING_OF(input, 0, VD_WHOLE_SIZE));
      bindings.push_back(VD_BINDING_OF(by, 0, VD_WHOLE_SIZE));
      vd_launch_desc launch = VD_LAUNCH_DESC_INIT;
      launch.bindings = bindings.data();
      launch.binding_count = static_cast<uint32_t>(bindings.size());
      ASSERT_TRUE(ok(vd_plan_launch(plan, &launch, nullptr)));
      expect_near(read(to, want.size()), want);
    }
  }
}

}  // namespace
}  // namespace api
