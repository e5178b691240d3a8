// Images in CUDA C++: a struct by value for each image argument, which the backend fills, and functions of it for the ops
// of the kernel.
#pragma once

#include <cstdint>
#include <string>

#include "codegen/module.h"

namespace vd::codegen {

// Parameter of an image that a kernel samples: texture objects, and what a sampler has and they lack.
struct CudaSampledImage {
  uint64_t texture = 0;
  uint64_t fetch = 0;                                    // for loads
  int32_t width = 0, height = 0, depth = 0, levels = 0;  // of level 0; depth or layers
  float unit_x = 0, unit_y = 0, unit_z = 0;              // 1 / width and so on
  uint32_t flags = 0;                                    // number of channels, and those below
  uint32_t border[4] = {};                               // bits of a texel outside, with kCudaBordered
};
inline constexpr uint32_t kCudaMirrored = 8;   // one mirrored image lies beside the image
inline constexpr uint32_t kCudaBordered = 16;  // the kernel puts the border's color
static_assert(sizeof(CudaSampledImage) == 64);

// Parameter of one level of an image that a kernel loads and stores.
struct CudaStorageImage {
  uint64_t surface = 0;
  int32_t width = 0, height = 0, depth = 0;
};
static_assert(sizeof(CudaStorageImage) == 24);

// The type of the parameter.
const char* cuda_image_type(ir::Type image);
// Dialect::image_function.
std::string cuda_image_function(const Module& module, const ImageFunction& function);
// The types of parameters, and all functions that the kernel calls.
std::string cuda_images(const Module& module);

}  // namespace vd::codegen
