// Images as the header defines them, in double, for tests: formats, sampling by the Vulkan specification (1.3, "Texel
// Filtering" and "Wrapping Operation"), and mip levels. Shares nothing with the library but its header.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "vkdispatch.h"

namespace vd::test {

using Texel = std::array<double, 4>;

struct Format {
  vd_format number;
  const char* name;
  char kind;  // 'n' for 0 to 1 in a byte, 'f', 'i' or 'u'
  uint32_t channels, bytes;

  uint32_t size() const { return channels * bytes; }
  bool floats() const { return kind == 'n' || kind == 'f'; }
  vd_type channel() const { return floats() ? VD_TYPE_F32 : kind == 'i' ? VD_TYPE_I32 : VD_TYPE_U32; }
};

inline const std::vector<Format>& all_formats() {
#define VD_TEST_FORMATS(prefix, channels)                                 \
  {VD_FORMAT_##prefix##8_UNORM, #prefix "8_unorm", 'n', channels, 1},     \
      {VD_FORMAT_##prefix##8_U8, #prefix "8_u8", 'u', channels, 1},       \
      {VD_FORMAT_##prefix##8_I8, #prefix "8_i8", 'i', channels, 1},       \
      {VD_FORMAT_##prefix##16_U16, #prefix "16_u16", 'u', channels, 2},   \
      {VD_FORMAT_##prefix##16_I16, #prefix "16_i16", 'i', channels, 2},   \
      {VD_FORMAT_##prefix##16_F16, #prefix "16_f16", 'f', channels, 2},   \
      {VD_FORMAT_##prefix##32_U32, #prefix "32_u32", 'u', channels, 4},   \
      {VD_FORMAT_##prefix##32_I32, #prefix "32_i32", 'i', channels, 4}, { \
    VD_FORMAT_##prefix##32_F32, #prefix "32_f32", 'f', channels, 4        \
  }
  static const std::vector<Format> all = {VD_TEST_FORMATS(R, 1), VD_TEST_FORMATS(RG, 2), VD_TEST_FORMATS(RGBA, 4)};
#undef VD_TEST_FORMATS
  return all;
}
inline const Format& format_of(vd_format number) { return *std::ranges::find(all_formats(), number, &Format::number); }

inline double decode_channel(const Format& format, const std::byte* at) {
  uint32_t bits = 0;
  std::memcpy(&bits, at, format.bytes);
  switch (format.kind) {
    case 'n':
      return bits / 255.0;
    case 'u':
      return bits;
    case 'i':
      return format.bytes == 1   ? static_cast<int8_t>(bits)
             : format.bytes == 2 ? static_cast<int16_t>(bits)
                                 : static_cast<int32_t>(bits);
    default:
      if (format.bytes == 2) {
        const int exponent = bits >> 10 & 31;
        const double fraction = bits & 1023;
        const double magnitude = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
        return (bits & 0x8000) != 0 ? -magnitude : magnitude;
      }
      float value = 0;
      std::memcpy(&value, &bits, 4);
      return value;
  }
}

// Kernels compute places in the levels above the first, and levels with a bias, in f32.
inline constexpr double kClose = 1e-4;

// All levels of an image, as its bytes.
class ImageReference {
 public:
  ImageReference(const Format& format, uint32_t dimensions, std::array<uint32_t, 3> extent, uint32_t layers,
                 uint32_t levels)
      : format_(format), dimensions_(dimensions), extent_(extent), layers_(layers), bytes_(levels) {
    for (uint32_t level = 0; level < levels; ++level) bytes_[level].resize(size(level));
  }

  const Format& format() const { return format_; }
  uint32_t dimensions() const { return dimensions_; }
  uint32_t layers() const { return layers_; }
  uint32_t levels() const { return static_cast<uint32_t>(bytes_.size()); }
  uint32_t extent(uint32_t axis, uint32_t level) const { return std::max(extent_[axis] >> level, 1u); }
  // Depth and layers are one axis.
  uint32_t slices(uint32_t level) const { return layers_ != 0 ? layers_ : extent(2, level); }
  uint64_t size(uint32_t level) const {
    return uint64_t{extent(0, level)} * extent(1, level) * slices(level) * format_.size();
  }
  std::vector<std::byte>& bytes(uint32_t level) { return bytes_[level]; }
  std::byte* at(uint32_t level, uint32_t x, uint32_t y, uint32_t z) {
    return bytes_[level].data() + ((uint64_t{z} * extent(1, level) + y) * extent(0, level) + x) * format_.size();
  }
  Texel load(uint32_t level, uint32_t x, uint32_t y, uint32_t z) {
    Texel texel{0, 0, 0, 1};
    for (uint32_t c = 0; c < format_.channels; ++c)
      texel[c] = decode_channel(format_, at(level, x, y, z) + c * format_.bytes);
    return texel;
  }

  struct Sample {
    Texel texel{};
    bool close = false;  // to where another texel or level is the nearest
  };
  // `at` in texels of level 0, the layer last.
  Sample sample(const vd_sampler_desc& how, const std::vector<double>& at, double level) {
    Sample result;
    const double highest = how.max_lod == 0 ? 1000 : std::max<double>(how.max_lod, 0);
    const double lod = std::min(std::max(level + how.mip_lod_bias, double{how.min_lod}), highest);
    const bool linear = (lod <= 0 ? how.mag_filter : how.min_filter) == VD_FILTER_LINEAR;
    const double exact = std::min(std::max(lod, 0.0), levels() - 1.0);
    const bool rounded = how.mip_lod_bias != 0;
    if (rounded && std::abs(lod) < kClose && lod != 0 && how.mag_filter != how.min_filter) result.close = true;
    if (how.mip_filter == VD_FILTER_LINEAR) {
      const auto lower = static_cast<uint32_t>(std::floor(exact));
      const double rest = exact - lower;
      const Texel a = of_level(how, at, lower, linear, result.close);
      if (rest == 0) {
        result.texel = a;
      } else {
        const Texel b = of_level(how, at, lower + 1, linear, result.close);
        for (int c = 0; c < 4; ++c) result.texel[c] = a[c] * (1 - rest) + b[c] * rest;
      }
    } else {
      const double nearest = std::ceil(exact - 0.5);
      if (rounded && std::abs(exact - std::floor(exact) - 0.5) < kClose) result.close = true;
      result.texel = of_level(how, at, static_cast<uint32_t>(nearest), linear, result.close);
    }
    return result;
  }

  // The mean of what texel (x, y, z) of a level covers in the level before.
  Texel mean(uint32_t level, uint32_t x, uint32_t y, uint32_t z) {
    Texel sum{};
    const std::array<uint32_t, 3> place{x, y, z};
    std::array<std::vector<std::pair<uint32_t, double>>, 3> taps;
    for (uint32_t axis = 0; axis < 3; ++axis) {
      if (axis >= dimensions_) {
        taps[axis] = {{place[axis], 1.0}};
        continue;
      }
      const double n = extent(axis, level - 1), m = extent(axis, level);
      const double begin = place[axis] * n / m, end = (place[axis] + 1) * n / m;
      for (auto t = static_cast<uint32_t>(begin); t < end - 1e-9; ++t)
        taps[axis].emplace_back(t, (std::min(end, t + 1.0) - std::max<double>(begin, t)) * m / n);
    }
    for (const auto& [tz, wz] : taps[2])
      for (const auto& [ty, wy] : taps[1])
        for (const auto& [tx, wx] : taps[0]) {
          const Texel texel = load(level - 1, tx, ty, tz);
          for (int c = 0; c < 4; ++c) sum[c] += texel[c] * wx * wy * wz;
        }
    return sum;
  }

 private:
  // The texel that stands for one at i of n, or -1 for the border.
  static int64_t wrap(vd_address_mode mode, int64_t i, int64_t n) {
    const auto modulo = [](int64_t a, int64_t b) { return (a % b + b) % b; };
    switch (mode) {
      case VD_ADDRESS_REPEAT:
        return modulo(i, n);
      case VD_ADDRESS_MIRRORED_REPEAT: {
        const int64_t at = modulo(i, 2 * n) - n;
        return n - 1 - (at >= 0 ? at : -(1 + at));
      }
      case VD_ADDRESS_CLAMP_TO_EDGE:
        return std::clamp<int64_t>(i, 0, n - 1);
      case VD_ADDRESS_CLAMP_TO_BORDER:
        return i < 0 || i >= n ? -1 : i;
      default:
        return std::clamp<int64_t>(i >= 0 ? i : -(1 + i), 0, n - 1);
    }
  }

  Texel border(vd_border_color color) const {
    const bool white = color == VD_BORDER_FLOAT_OPAQUE_WHITE || color == VD_BORDER_INT_OPAQUE_WHITE;
    const bool opaque = white || color == VD_BORDER_FLOAT_OPAQUE_BLACK || color == VD_BORDER_INT_OPAQUE_BLACK;
    const double one = white ? 1 : 0;
    Texel texel{one, one, one, opaque ? 1.0 : 0.0};
    // Channels that the format lacks are the same on the border.
    for (uint32_t c = format_.channels; c < 4; ++c) texel[c] = c == 3 ? 1 : 0;
    return texel;
  }

  Texel of_level(const vd_sampler_desc& how, const std::vector<double>& at, uint32_t level, bool linear, bool& close) {
    std::array<std::array<int64_t, 2>, 3> texels{};
    std::array<std::array<double, 2>, 3> weights{{{1, 0}, {1, 0}, {1, 0}}};
    for (uint32_t axis = 0; axis < dimensions_; ++axis) {
      const double edge = (at[axis] + 0.5) * extent(axis, level) / extent(axis, 0);
      const double place = linear ? edge - 0.5 : edge;
      const auto first = static_cast<int64_t>(std::floor(place));
      const double rest = place - static_cast<double>(first);
      if (!linear && level != 0 && (rest < kClose || rest > 1 - kClose)) close = true;
      texels[axis] = {wrap(how.address_mode, first, extent(axis, level)),
                      wrap(how.address_mode, first + 1, extent(axis, level))};
      if (linear) weights[axis] = {1 - rest, rest};
    }
    if (layers_ != 0) {
      const double layer = std::nearbyint(at[dimensions_]);
      texels[2][0] = std::clamp<int64_t>(static_cast<int64_t>(layer), 0, layers_ - 1);
    }
    Texel sum{};
    for (uint32_t corner = 0; corner < 8; ++corner) {
      double weight = 1;
      std::array<int64_t, 3> place{};
      for (uint32_t axis = 0; axis < 3; ++axis) {
        weight *= weights[axis][corner >> axis & 1];
        place[axis] = texels[axis][corner >> axis & 1];
      }
      if (weight == 0) continue;
      const bool outside = std::ranges::any_of(place, [](int64_t i) { return i < 0; });
      const Texel texel = outside ? border(how.border_color)
                                  : load(level, static_cast<uint32_t>(place[0]), static_cast<uint32_t>(place[1]),
                                         static_cast<uint32_t>(place[2]));
      for (int c = 0; c < 4; ++c) sum[c] += texel[c] * weight;
    }
    return sum;
  }

  const Format format_;
  const uint32_t dimensions_;
  const std::array<uint32_t, 3> extent_;
  const uint32_t layers_;
  std::vector<std::vector<std::byte>> bytes_;
};

}  // namespace vd::test
