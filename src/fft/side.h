// The layout of lines in memory: the side of a pass that is read, or written. Strides and offsets count elements of the
// side's own kind: scalars on a real side.
#pragma once

#include <cstdint>
#include <span>

#include "core/hash.h"
#include "ir/type.h"

namespace vd::fft {

// A dimension that the transform does not touch; the first has the smallest stride.
struct Batch {
  uint64_t count = 1;
  uint64_t in_stride = 0, out_stride = 0, filter_stride = 0;
};

// The other axis of a tile of two: that of its rows' numbers.
struct Rows {
  uint64_t count = 0;  // 0: there is one axis
  uint64_t stride = 0;
  uint64_t low = 0, high = ~0ull;  // rows that exist
};

struct Side {
  uint32_t argument = 0;  // which of the buffers that the pass declares itself
  bool hidden = false;    // or which of its hidden ones
  ir::Scalar scalar = ir::Scalar::F32;
  bool real = false;     // real numbers, not complex ones
  bool packed = false;   // pairs of neighbouring reals as complex numbers, in which strides count
  uint64_t stride = 1;   // between neighbours of a line
  uint64_t split = 0;    // not 0: the lines of the first batch (or several) interleave to one, whose element number
                         // position * split + coordinate is `position` in what follows
  uint64_t numbers = 0;  // not 0: the same numbers of elements as such a split's, of lines that lie by themselves
  uint64_t offset = 0;
  uint64_t instance = 0;           // between the arrays of several kernels
  uint64_t low = 0, high = ~0ull;  // elements that exist: others read as zero, and are not written
  uint64_t end = ~0ull;            // no line beyond it, except the padding of a longer transform
  uint64_t mirror = 0;             // half spectrum of a real line of this length: elements past its half are conjugates

  Rows rows{};  // of two axes, of which all else here describes the near one

  // Elements of a line, of which a pass transforms `n`: of a row, where there are several.
  uint64_t length(uint64_t n) const { return rows.count != 0 ? n / rows.count : n * (split != 0 ? split : 1); }
  // Whether `low` and `high` leave out elements of a stored half, and so the same of the other half.
  bool mirrors_range() const { return mirror != 0 && (low != 0 || high <= mirror / 2); }
  // All that it is. Keys of what was measured, which are kept on disk, follow from the order.
  void add_to(Hasher& hasher) const;
};

// Elements that indices of 32 bits reach.
constexpr uint64_t kReach32 = uint64_t{1} << 31;

// The largest address of a side, plus one; 0 where it has no elements. `length` is a line's.
uint64_t reach_of(const Side& side, uint64_t length, std::span<const Batch> batches, uint64_t Batch::*stride,
                  uint32_t instances);
uint64_t line_count(std::span<const Batch> batches);

}  // namespace vd::fft
