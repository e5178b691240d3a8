// A complex number that values are multiplied by on their way: where they are read or written, or between two
// transforms.
#pragma once

#include <cstdint>
#include <vector>

#include "fft/table.h"

namespace vd::fft {

struct Factor {
  enum class Kind : uint8_t { Table, Position, Product };
  Kind kind = Kind::Table;
  bool conjugate = false;
  uint64_t first = 0;   // Table: element first + (element number) of the constants. Position: + (position in the pass)
  uint64_t period = 0;  // Product: exp(-2 pi i position * coordinate / period), that of the interleaved batches,
  uint64_t fine = 0;    //   as element fine + index % steps times element coarse + index / steps
  uint64_t coarse = 0;
  uint32_t steps = 1;
};

using Factors = std::vector<Factor>;

// exp(-2 pi i position * coordinate / n), or its conjugate, whose constants are added to the table.
Factor twiddle_factor(Table& table, uint64_t n, bool conjugate);
// Elements of the table, from `first` on.
Factor table_factor(uint64_t first, bool conjugate);

}  // namespace vd::fft
