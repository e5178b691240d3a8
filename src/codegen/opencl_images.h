// Images in OpenCL C: copies of images whose texels lie in buffers (ir/passes/lower_images.h), which units of the device
// sample.
#pragma once

#include <string>

#include "codegen/module.h"

namespace vd::codegen {

// The parameters behind all others: a sampler without a filter, then each image and its sampler. "" without images.
std::string opencl_image_parameters(const Module& module);
// Dialect::image_function, of kOpImageRead.
std::string opencl_image_function(const Module& module, const ImageFunction& function);
// All functions that the kernel calls.
std::string opencl_images(const Module& module);

}  // namespace vd::codegen
