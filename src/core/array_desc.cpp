#include "core/array_desc.h"

#include <algorithm>

#include "core/error.h"

namespace vd {

void check_shape(uint32_t rank, const uint64_t (&shape)[VD_MAX_DIMS]) {
  if (rank == 0 || rank > VD_MAX_DIMS)
    fail(VD_ERR_INVALID, "desc->rank ({}) is not between 1 and {}", rank, VD_MAX_DIMS);
  uint64_t size = 1;
  for (uint32_t i = 0; i < rank; ++i) {
    if (shape[i] == 0) fail(VD_ERR_INVALID, "desc->shape[{}] (0) is not at least 1", i);
    if (shape[i] > kMostElements / size) fail(VD_ERR_INVALID, "desc->shape has more than 2^40 elements");
    size *= shape[i];
  }
}

std::vector<uint32_t> read_axes(const int32_t (&axes)[VD_MAX_DIMS], uint32_t count, uint32_t rank) {
  if (count > rank) fail(VD_ERR_INVALID, "desc->axis_count ({}) is more than desc->rank ({})", count, rank);
  std::vector<uint32_t> found;
  for (uint32_t i = 0; i < count; ++i) {
    const int64_t given = axes[i], axis = given < 0 ? given + rank : given;
    if (axis < 0 || axis >= rank)
      fail(VD_ERR_INVALID, "desc->axes[{}] ({}) is not an axis of {} dimensions", i, given, rank);
    if (std::ranges::find(found, static_cast<uint32_t>(axis)) != found.end())
      fail(VD_ERR_INVALID, "desc->axes[{}] ({}) is given twice", i, given);
    found.push_back(static_cast<uint32_t>(axis));
  }
  return found;
}

bool read_strides(const int64_t (&strides)[VD_MAX_DIMS], uint32_t rank, const char* side,
                  std::array<uint64_t, VD_MAX_DIMS>& out) {
  out.fill(0);
  bool any = false;
  for (uint32_t i = 0; i < rank; ++i) {
    if (strides[i] < 0)
      fail(VD_ERR_UNSUPPORTED,
           "desc->{}_strides[{}] ({}) is negative, and the first element of a buffer is the lowest one", side, i,
           strides[i]);
    out[i] = static_cast<uint64_t>(strides[i]);
    any = any || strides[i] != 0;
  }
  return any;
}

}  // namespace vd
