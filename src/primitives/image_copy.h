// Copies between buffers and parts of images, and from image to image.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/graph.h"
#include "runtime/image.h"

namespace vd::primitives {

// An array in a buffer, in bytes: its first texel, and from one row and from one slice to the next. Of an image, also
// the part of its level.
struct TexelArray {
  vd_buffer* buffer = nullptr;
  uint64_t first = 0, row = 0, slice = 0;
  const vd_image* image = nullptr;
  backends::Box box;
};

// Part of a level.
TexelArray texels_of(const vd_image& image, const vd_image::Region& region);
// As many texels without gaps; throws VD_ERR_INVALID unless they lie in the buffer at an offset that may be.
TexelArray texels_of(vd_buffer& buffer, const char* offset_name, uint64_t offset, const vd_image& image,
                     const vd_image::Region& region);

// A copy that was checked: both sides are of one context and do not overlap.
struct ImageCopy {
  TexelArray from, to;
  uint32_t texel_size = 0;
  vd_image::Extent extent{};  // in texels
};
ImageCopy copy_into(vd_image& image, const vd_image::Region& region, vd_buffer& source, uint64_t offset);
ImageCopy copy_out_of(vd_image& image, const vd_image::Region& region, vd_buffer& destination, uint64_t offset);
ImageCopy copy_between(vd_image& source, const vd_image::Region& region, vd_image& destination,
                       const vd_image::Region& to);

vd_ticket run(const ImageCopy& copy, uint32_t queue, const runtime::Waits& waits);
uint32_t record(vd_graph& graph, const ImageCopy& copy);

// From and to host memory of the region's size.
void write(vd_image& image, const vd_image::Region& region, const void* data, uint32_t queue);
void read(vd_image& image, const vd_image::Region& region, void* data, uint32_t queue);

}  // namespace vd::primitives
