// Whether two elements of a strided array have the same address, and whether two arrays share a byte.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "vkdispatch.h"

namespace vd {

struct StridedDim {
  uint32_t index = 0;  // the caller's
  uint64_t count = 1, stride = 0;
};

struct Overlap {
  StridedDim dim, over;  // `dim` steps to bytes that `over` covers, with its nested dimensions
};

// The first dimension whose step does not lead past all that the dimensions of smaller strides reach. That also finds
// interleavings in which no two elements overlap; only a search could distinguish them.
class Overlaps {
 public:
  void add(const StridedDim& dim) {
    if (dim.count > 1) dims_[count_++] = dim;
  }
  std::optional<Overlap> find() {
    const auto end = dims_.begin() + count_;
    std::sort(dims_.begin(), end, [](const StridedDim& a, const StridedDim& b) {
      return a.stride != b.stride ? a.stride < b.stride : a.index > b.index;
    });
    uint64_t reach = 0;
    for (uint32_t i = 0; i < count_; ++i) {
      const StridedDim& dim = dims_[i];
      if (i > 0 && dim.stride <= reach) return Overlap{dim, dims_[i - 1]};
      const uint64_t most = ~uint64_t{0} - reach;
      reach = dim.stride > most / (dim.count - 1) ? ~uint64_t{0} : reach + (dim.count - 1) * dim.stride;
    }
    return {};
  }

 private:
  std::array<StridedDim, VD_MAX_DIMS> dims_{};
  uint32_t count_ = 0;
};

// Elements of `size` bytes from `begin` on; strides count bytes. All are below 2^61.
struct StridedBytes {
  uint64_t begin = 0, size = 1;
  std::vector<StridedDim> dims;
};

// Whether an element of one array shares a byte with one of the other. The search is limited: the result is also true
// for two arrays for which it would take too long.
bool share_bytes(const StridedBytes& a, const StridedBytes& b);

}  // namespace vd
