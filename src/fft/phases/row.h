// The lines of a workgroup as one row of memory, read and written through shared memory: where a line has few
// invocations, its own accesses would leave parts of the memory's lines unused.
#pragma once

#include <vector>

#include "fft/tile.h"

namespace vd::fft {

// Whether lines follow each other without a gap and are all read or written: a workgroup's lines are then one row.
bool is_row(const PassDesc& desc, const Side& side, uint64_t Batch::*stride);

// Address of a position of the invocation's line in the row.
Value row_address(Tile& tile, const Position& position);
// The values of tile.slots.
std::vector<Complex> load_row(Tile& tile, const Side& side);
void store_row(Tile& tile, const Side& side, double scale);
// Puts the values of tile.slots into the row, and takes them from it.
void put_in_row(Tile& tile, double scale);
std::vector<Complex> take_from_row(Tile& tile);

}  // namespace vd::fft
