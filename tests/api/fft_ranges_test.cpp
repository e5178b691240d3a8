// Parts of a transform: what is not given counts as zero and is not read, what is not wanted is not computed. And
// kernels with strides of their own.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <complex>
#include <limits>

#include "api/support.h"

namespace api {
namespace {

using Floats = std::vector<float>;
constexpr float kNothing = std::numeric_limits<float>::quiet_NaN();

struct Box {
  std::array<uint64_t, 3> low{}, high{};  // high 0: to the end
  bool has(size_t dim, uint64_t i) const { return i >= low[dim] && (high[dim] == 0 || i < high[dim]); }
};

class FftRanges : public testing::Test {
 protected:
  void SetUp() override { context_ = host_context(); }

  Floats run(const vd_fft_desc& desc, const std::vector<Floats*>& arrays) {
    Plan plan;
    EXPECT_OK(vd_plan_create_fft(context_, &desc, plan.out()));
    std::vector<Buffer> buffers;
    std::vector<vd_binding> bindings;
    for (const Floats* array : arrays) {
      buffers.push_back(make_buffer(context_, *array));
      bindings.push_back(VD_BINDING_OF(buffers.back(), 0, VD_WHOLE_SIZE));
    }
    vd_launch_desc launch = VD_LAUNCH_DESC_INIT;
    launch.bindings = bindings.data();
    launch.binding_count = static_cast<uint32_t>(bindings.size());
    EXPECT_OK(vd_plan_launch(plan, &launch, nullptr));
    return read<float>(buffers.front(), arrays.front()->size());
  }

  // The same as of the whole, with zeros where nothing is given; and there is nothing (no number) where it must not
  // read.
  void expect_part(vd_fft_desc desc, const Box& given, const Box& wanted) {
    const bool real_in = desc.kind == VD_FFT_KIND_R2C, real_out = desc.kind == VD_FFT_KIND_C2R;
    const uint64_t half = desc.shape[2] / 2 + 1;
    const bool apart = (desc.flags & VD_FFT_OUT_OF_PLACE) != 0;
    const bool mixed = desc.kind != VD_FFT_KIND_C2C;
    // Elements of a row in memory and of the array, and floats of an element.
    const auto row = [&](bool real) {
      return !mixed || !real ? (mixed ? half : desc.shape[2]) : apart ? desc.shape[2] : 2 * half;
    };
    const auto length = [&](bool real) { return mixed && !real ? half : desc.shape[2]; };
    const size_t in_floats = real_in ? 1 : 2, out_floats = real_out ? 1 : 2;
    const size_t rows = desc.shape[0] * desc.shape[1];
    const size_t size = rows * std::max(row(real_in) * in_floats, row(real_out) * out_floats);
    Floats whole(size), part(size, kNothing);
    for (size_t i = 0; i < rows * length(real_in); ++i) {
      const size_t x = i % length(real_in), line = i / length(real_in), y = line % desc.shape[1],
                   z = line / desc.shape[1];
      if (!given.has(0, z) || !given.has(1, y) || !given.has(2, x)) continue;
      for (size_t f = 0; f < in_floats; ++f) {
        const size_t at = (line * row(real_in) + x) * in_floats + f;
        whole[at] = part[at] = static_cast<float>((3 * i + 7 * f) % 17) - 8;
      }
    }
    Floats out(size, kNothing);
    const auto of = [&](Floats& from) {
      return apart ? std::vector<Floats*>{&out, &from} : std::vector<Floats*>{&from};
    };
    const Floats expected = run(desc, of(whole));
    for (size_t d = 0; d < 3; ++d) {
      desc.in_low[d] = given.low[d], desc.in_high[d] = given.high[d];
      desc.out_low[d] = wanted.low[d], desc.out_high[d] = wanted.high[d];
    }
    const Floats got = run(desc, of(part));
    for (size_t i = 0; i < rows * length(real_out); ++i) {
      const size_t x = i % length(real_out), line = i / length(real_out), y = line % desc.shape[1],
                   z = line / desc.shape[1];
      const bool is_wanted = wanted.has(0, z) && wanted.has(1, y) && wanted.has(2, x);
      for (size_t f = 0; f < out_floats; ++f) {
        const size_t at = (line * row(real_out) + x) * out_floats + f;
        if (is_wanted) {
          ASSERT_NEAR(got[at], expected[at], 1e-3) << z << ' ' << y << ' ' << x;
        } else if (apart && desc.axis_count == 1) {
          ASSERT_TRUE(std::isnan(got[at])) << z << ' ' << y << ' ' << x << " was written";
        }
      }
    }
  }

  static vd_fft_desc desc_of(vd_fft_kind kind, vd_fft_flags flags, std::initializer_list<int32_t> axes) {
    vd_fft_desc desc = VD_FFT_DESC_INIT;
    desc.kind = kind;
    desc.flags = flags;
    desc.rank = 3;
    desc.shape[0] = 6, desc.shape[1] = 10, desc.shape[2] = 12;
    for (const int32_t axis : axes) desc.axes[desc.axis_count++] = axis;
    return desc;
  }

  Context context_;
};

TEST_F(FftRanges, OneAxisInEachDirection) {
  for (const vd_fft_flags flags : {0u, uint32_t{VD_FFT_OUT_OF_PLACE}}) {
    for (int32_t axis = 0; axis < 3; ++axis) {
      SCOPED_TRACE(fmt::format("axis {}, flags {}", axis, flags));
      Box given, wanted;
      given.low[static_cast<size_t>(axis)] = 1, given.high[static_cast<size_t>(axis)] = 5;
      wanted.low[static_cast<size_t>(axis)] = 2, wanted.high[static_cast<size_t>(axis)] = 4;
      const vd_fft_desc desc = desc_of(VD_FFT_KIND_C2C, flags, {axis});
      expect_part(desc, given, {});
      expect_part(desc, {}, wanted);
      expect_part(desc, given, wanted);
    }
  }
}

TEST_F(FftRanges, SeveralAxesInAnyOrder) {
  const Box given{{1, 2, 0}, {4, 9, 7}}, wanted{{0, 3, 5}, {2, 4, 12}};
  for (const auto& [flags, direction] : {std::pair{0u, VD_FFT_DIRECTION_FORWARD},
                                         {uint32_t{VD_FFT_OUT_OF_PLACE}, VD_FFT_DIRECTION_FORWARD},
                                         {0u, VD_FFT_DIRECTION_INVERSE}}) {
    for (const auto& axes : {std::array{0, 1, 2}, {2, 1, 0}, {1, 2, 0}, {2, 0, 1}}) {
      SCOPED_TRACE(fmt::format("axes {} {} {}, flags {}, direction {}", axes[0], axes[1], axes[2], flags,
                               static_cast<int>(direction)));
      vd_fft_desc desc = desc_of(VD_FFT_KIND_C2C, flags, {axes[0], axes[1], axes[2]});
      desc.direction = direction;
      expect_part(desc, given, {});
      expect_part(desc, {}, wanted);
      expect_part(desc, given, wanted);
    }
  }
  // With two axes, the third dimension is a batch.
  expect_part(desc_of(VD_FFT_KIND_C2C, 0, {0, 2}), {{1, 0, 3}, {2, 0, 4}}, {{5, 0, 0}, {6, 0, 1}});
}

TEST_F(FftRanges, RealLines) {
  for (const vd_fft_flags flags : {0u, uint32_t{VD_FFT_OUT_OF_PLACE}}) {
    SCOPED_TRACE(flags);
    expect_part(desc_of(VD_FFT_KIND_R2C, flags, {2}), {{0, 0, 3}, {0, 0, 9}}, {{0, 0, 2}, {0, 0, 5}});
    expect_part(desc_of(VD_FFT_KIND_R2C, flags, {2, 1, 0}), {{1, 2, 3}, {4, 9, 9}}, {{0, 1, 2}, {3, 5, 5}});
    expect_part(desc_of(VD_FFT_KIND_C2R, flags, {2}), {{0, 0, 1}, {0, 0, 4}}, {{0, 0, 2}, {0, 0, 11}});
    expect_part(desc_of(VD_FFT_KIND_C2R, flags, {0, 1, 2}), {{1, 2, 1}, {4, 9, 4}}, {{0, 1, 2}, {3, 5, 11}});
  }
}

// All numbers of a half spectrum, spelled out, are all; fewer are fewer. Of even and odd lines.
TEST_F(FftRanges, PartsOfHalfSpectra) {
  for (const uint64_t n : {2, 3, 7, 8, 9, 12, 64, 1024}) {
    const uint64_t half = n / 2 + 1;
    for (const uint64_t low : {uint64_t{0}, half / 2, half - 1}) {
      for (const uint64_t high : {low + 1, half - 1, half}) {
        if (high <= low) continue;
        SCOPED_TRACE(fmt::format("{}: {} to {}", n, low, high));
        vd_fft_desc desc = desc_of(VD_FFT_KIND_C2R, 0, {2});
        desc.shape[2] = n;
        expect_part(desc, {{0, 0, low}, {0, 0, high}}, {});
        desc.flags = VD_FFT_OUT_OF_PLACE;
        expect_part(desc, {{0, 0, low}, {0, 0, high}}, {});
        desc.kind = VD_FFT_KIND_R2C;
        expect_part(desc, {}, {{0, 0, low}, {0, 0, high}});
      }
    }
  }
}

// Ranges of a convolution along several axes: the given part of the signal and the wanted part of the result.
TEST_F(FftRanges, ConvolutionsOfImages) {
  for (const uint64_t side : {10, 17}) {
    for (const vd_fft_kind kind : {VD_FFT_KIND_C2C, VD_FFT_KIND_R2C}) {
      SCOPED_TRACE(fmt::format("side {}, kind {}", side, static_cast<int>(kind)));
      vd_fft_desc desc = desc_of(kind, VD_FFT_CONVOLVE | VD_FFT_OUT_OF_PLACE, {2, 1});
      desc.shape[0] = 2, desc.shape[1] = side;
      const size_t floats = kind == VD_FFT_KIND_R2C ? 1 : 2, size = 2 * side * 12;
      const Box given{{0, 2, 3}, {2, 9, 11}}, wanted{{0, 1, 0}, {2, 8, 5}};
      Floats whole(size * floats), part(size * floats, kNothing), out(size * floats, kNothing);
      for (size_t i = 0; i < whole.size(); ++i) {
        const size_t x = i / floats % 12, y = i / floats / 12 % side;
        if (given.has(2, x) && given.has(1, y)) whole[i] = part[i] = static_cast<float>(i * i % 13);
      }
      Floats kernel(2 * 2 * side * (floats == 1 ? 7 : 12));
      for (size_t i = 0; i < kernel.size(); ++i) kernel[i] = static_cast<float>(i % 7) - 3;
      const Floats expected = run(desc, {&out, &whole, &kernel});
      for (size_t d = 1; d < 3; ++d) {
        desc.in_low[d] = given.low[d], desc.in_high[d] = given.high[d];
        desc.out_low[d] = wanted.low[d], desc.out_high[d] = wanted.high[d];
      }
      const Floats got = run(desc, {&out, &part, &kernel});
      for (size_t i = 0; i < got.size(); ++i) {
        const size_t x = i / floats % 12, y = i / floats / 12 % side;
        if (wanted.has(2, x) && wanted.has(1, y)) {
          ASSERT_NEAR(got[i], expected[i], 1e-3) << y << ' ' << x;
        } else {
          ASSERT_TRUE(std::isnan(got[i])) << y << ' ' << x << " was written";
        }
      }
    }
  }
}

// A filter with other strides in memory, with a gap before and between its numbers.
TEST_F(FftRanges, KernelsWithStrides) {
  for (const vd_fft_flags shared : {0u, uint32_t{VD_FFT_SHARED_FILTER}}) {
    for (const auto& [kernels, n] : {std::pair{1u, uint64_t{8}}, {2u, 8}, {2u, 34}}) {
      SCOPED_TRACE(fmt::format("flags {}, {} kernels of {}", shared, kernels, n));
      vd_fft_desc desc = VD_FFT_DESC_INIT;
      desc.flags = VD_FFT_CONVOLVE | VD_FFT_OUT_OF_PLACE | shared;
      desc.rank = 2;
      desc.shape[0] = 3, desc.shape[1] = n;
      desc.filter_count = kernels;
      const uint64_t lines = shared != 0 ? 1 : 3;
      Floats data(2 * 3 * n), packed(2 * lines * n * kernels), out(2 * 3 * n * kernels);
      for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<float>(i * i % 13);
      for (size_t i = 0; i < packed.size(); ++i) packed[i] = static_cast<float>(i % 7) - 3;
      const Floats expected = run(desc, {&out, &data, &packed});
      // Columns are adjacent, two numbers apart.
      desc.filter_strides[1] = 2 * lines, desc.filter_strides[0] = 2;
      desc.filter_offset = 5;
      Floats spread(2 * (5 + 2 * lines * n * kernels), kNothing);
      for (size_t k = 0; k < kernels; ++k) {
        for (size_t line = 0; line < lines; ++line) {
          for (size_t x = 0; x < n; ++x) {
            for (size_t f = 0; f < 2; ++f)
              spread[2 * (5 + k * 2 * lines * n + x * 2 * lines + 2 * line) + f] =
                  packed[2 * ((k * lines + line) * n + x) + f];
          }
        }
      }
      EXPECT_EQ(run(desc, {&out, &data, &spread}), expected);
    }
  }
}

}  // namespace
}  // namespace api
