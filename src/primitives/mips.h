// The mip levels of an image, each computed from the one before: a texel is the mean of the part that it covers.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/graph.h"
#include "runtime/image.h"

namespace vd::primitives {

vd_ticket generate_mips(vd_image& image, uint32_t queue, const runtime::Waits& waits);
// Gives the number of the last node.
uint32_t record_mips(vd_graph& graph, vd_image& image);

}  // namespace vd::primitives
