// Fields that the descriptors of transforms and reductions share: shape, axes, strides.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "vkdispatch.h"

namespace vd {

constexpr uint64_t kMostElements = uint64_t{1} << 40;

// Throws for a rank or a shape that none has.
void check_shape(uint32_t rank, const uint64_t (&shape)[VD_MAX_DIMS]);
// The axes as they are given, the negative ones counted from the end.
std::vector<uint32_t> read_axes(const int32_t (&axes)[VD_MAX_DIMS], uint32_t count, uint32_t rank);
// Whether there are any strides; else the array is packed. `side` is the field's, as "in".
bool read_strides(const int64_t (&strides)[VD_MAX_DIMS], uint32_t rank, const char* side,
                  std::array<uint64_t, VD_MAX_DIMS>& out);

}  // namespace vd
