// Reads a vd_image_region.
#pragma once

#include "api/desc.h"
#include "runtime/image.h"

namespace vd::api {

inline vd_image::Region read_region(const vd_image& image, const vd_image_region* region, const char* name) {
  return region == nullptr ? image.whole() : image.region(read_desc(region, name), name);
}

}  // namespace vd::api
