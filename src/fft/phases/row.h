// The lines of a workgroup as one row of memory, with or without gaps, read and written through shared memory: where a line has few
// invocations, its own accesses would leave parts of the memory's lines unused.
#pragma once

#include <vector>

#include "fft/tile.h"

namespace vd::fft {

// Whether lines are one batch with adjacent elements, and read whole, or from their half spectrum. What is written of
// them may end earlier.
bool is_read_row(const PassDesc& desc, const Side& side);
bool is_written_row(const PassDesc& desc, const Side& side);

// Address in the row of a position of the invocation's line, or of another one's.
Value row_address(Tile& tile, const Position& position);
Value row_address(Tile& tile, const Position& position, Value line);
// The values of tile.slots.
std::vector<Complex> load_row(Tile& tile, const Side& side);
void store_row(Tile& tile, const Side& side, double scale);
// Puts the values of tile.slots into the row, and takes them from it.
void put_in_row(Tile& tile, double scale);
std::vector<Complex> take_from_row(Tile& tile);

}  // namespace vd::fft
