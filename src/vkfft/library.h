// VkFFT itself, behind our own configuration: no other file sees its types.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "backends/vulkan/gpu.h"
#include "vkfft/tape.h"

namespace vd::vkfft {

enum class Precision { Half, Single, Double, DoubleInSingleMemory };

struct Settings {
  static constexpr uint32_t kMaxDims = 4;
  uint32_t rank = 0;
  std::array<uint64_t, kMaxDims> shape{};  // the fastest dimension first
  std::array<bool, kMaxDims> skipped{};    // dimensions that are not transformed
  uint64_t batches = 1;
  Precision precision = Precision::Single;
  bool real = false;
  bool inverse = false;
  bool normalize = false;
  bool convolve = false;
  uint32_t features = 1;  // independent arrays, each with a kernel of its own
  // Elements from `left` to `right` of each dimension are zero.
  std::array<uint64_t, kMaxDims> left{}, right{};
  bool spectrum_zeros = false;  // zeros of the spectrum
  // Arguments of the plan, kNone if absent, and their sizes in bytes.
  static constexpr uint32_t kNone = ~0u;
  uint32_t input = kNone, kernel = kNone;  // the output is argument 0
  std::vector<uint64_t> sizes;
};

// Records the transform. Throws with VkFFT's own code and the failure on the tape.
const Commands& record(Tape& tape, const vulkan::Gpu& gpu, const Settings& settings);

// "1.3.4"
std::string library_version();

}  // namespace vd::vkfft
