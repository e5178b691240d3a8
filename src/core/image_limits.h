// Limits that a device reports for images whose texels lie in buffers (ir/passes/lower_images.h).
#pragma once

#include <algorithm>
#include <iterator>

#include "vkdispatch.h"

namespace vd {

inline void report_buffer_images(vd_device_info& info) {
  info.features |= VD_FEATURE_IMAGES;
  constexpr uint32_t kExtents[] = {32768, 32768, 4096};
  std::copy(std::begin(kExtents), std::end(kExtents), info.max_image_extent);
  info.max_image_layers = 4096;
}

}  // namespace vd
