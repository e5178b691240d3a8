// The filters of a convolution, by which a spectrum is multiplied.
#pragma once

#include "fft/tile.h"

namespace vd::fft {

struct Filters {
  Side side;  // side.instance: between filters
  uint32_t count = 1;
  bool conjugate = true;  // multiply by the conjugates
  bool mapped = false;    // the caller multiplies
};

// Bytes that are read; one filter for all lines is read once, as far as memory is concerned. `end`: numbers from there
// on are not wanted.
uint64_t filter_bytes(const PassDesc& desc, const Filters& filters, uint64_t end);
// A value times the filters' element at this address.
Complex times_filter(Tile& tile, const Filters& filters, Complex value, Value at, Value number);

}  // namespace vd::fft
