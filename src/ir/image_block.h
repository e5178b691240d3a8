// The values with which the runtime tells a kernel of an image, one block an image argument, behind the user's own
// values: of one whose texels lie in a buffer (passes/lower_images.h), and of one that units of the device sample.
#pragma once

#include <array>
#include <cstdint>

namespace vd::ir {

inline constexpr uint32_t kMaxImageLevels = 16;

// For an image that a kernel loads and stores: the one level that is bound.
struct StorageImageBlock {
  std::array<int32_t, 4> size{};   // width, height, depth or layers, levels of the image
  std::array<uint32_t, 4> from{};  // number of the level's first texel; zeros
};

// Flags of a sampled image: ways that take fewer instructions, with the same result.
inline constexpr uint32_t kNearestWithoutLevel = 1;  // samples without a level take the nearest texel of level 0
inline constexpr uint32_t kNearestAtAnyLevel = 2;    // all samples do
inline constexpr uint32_t kOneWord = 4;              // a texel is one channel of 32 bits
inline constexpr uint32_t kByUnit = 8;               // level 0 is sampled by units of the device
inline constexpr uint32_t kLinearByUnit = 16;        // and samples without a level are linear ones of level 0
inline constexpr uint32_t kEdgesRepeat = 32;         // a place outside has the nearest texel of the edge

// Whether samples without a level are level 0's alone, by units.
constexpr bool is_sampled_at_base(uint32_t flags) {
  return (flags & kByUnit) != 0 && (flags & (kNearestWithoutLevel | kLinearByUnit)) != 0;
}

// For an image that a kernel samples.
struct SampledImageBlock {
  std::array<int32_t, 4> size{};      // of level 0, as above
  std::array<uint32_t, 4> texel{};    // number of channels, bits of one, its vd::Channel, flags below
  std::array<uint32_t, 4> sampler{};  // vd_filter: magnifying, minifying, between levels; vd_address_mode
  std::array<float, 4> level{};       // bias, lowest, highest, 0
  std::array<uint32_t, 4> border{};   // bits of a texel's channels
  std::array<std::array<uint32_t, 4>, kMaxImageLevels / 4> from{};  // number of each level's first texel
  std::array<float, 4> unit{};  // 1, or 1 / size where places for units are from 0 to 1: where they repeat
};

// For an image that units of the device sample (passes/exact_samples.h).
struct SampleBlock {
  uint32_t flags = 0;                       // those below, and the vd_address_mode
  float bias = 0, lowest = 0, highest = 0;  // of the level of detail
  std::array<uint32_t, 4> border{};         // bits of a texel outside
};

// Flags of the block.
inline constexpr uint32_t kNearestMagnified = 1;  // samples that magnify take the nearest texel
inline constexpr uint32_t kNearestMinified = 2;
inline constexpr uint32_t kNearestLevel = 4;
inline constexpr uint32_t kAddressModeShift = 8;

}  // namespace vd::ir
