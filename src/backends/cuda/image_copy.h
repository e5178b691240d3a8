// Copies of boxes of texels between images and buffers.
#pragma once

#include <string>

#include "backends/checks.h"
#include "backends/cuda/api.h"

namespace vd::cuda {

bool is_of_boxes(const backends::Command& command);
CUDA_MEMCPY3D box_parameters(const backends::Command& command, const backends::CommandView& view);
// In messages.
std::string box_text(const CUDA_MEMCPY3D& boxes);

}  // namespace vd::cuda
