// The elements of a workgroup's lines, dealt to its invocations one after the other: where a line has few invocations,
// neighbours together have longer runs of memory than those of one line.
#pragma once

#include <vector>

#include "fft/tile.h"

namespace vd::fft {

// An element; of invocations that lack one, the last.
struct Dealt {
  Value line, position;  // which line of the workgroup, and where along it
  Value start;           // address of the line's position 0 on a side; of the last line, if this one does not exist
  Value there;           // condition that the invocation has an element; 0: it has
  Value exists;          // the same, and that the line exists
};

// Whether lines are one batch on the side, with adjacent elements from the first on, of which each line has `count`.
bool is_dealt(const PassDesc& desc, const Side& side, uint64_t Batch::*stride, uint64_t count);

// Whether the last workgroup has fewer lines than the others.
bool is_partial(const Tile& tile);
// The number of lines behind one of a partial tile.
Value lines_behind(Tile& tile, Value line);
// The first `count` elements of each line.
std::vector<Dealt> deal(Tile& tile, const Side& side, uint64_t Batch::*stride, uint32_t count);

}  // namespace vd::fft
