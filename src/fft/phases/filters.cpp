#include "fft/phases/filters.h"

#include <algorithm>

namespace vd::fft {

uint64_t filter_bytes(const PassDesc& desc, const Filters& filters, uint64_t end) {
  if (filters.mapped) return 0;
  const Side& side = filters.side;
  uint64_t elements = std::min(side.length(desc.n), end);
  if (side.mirror != 0) elements = side.mirror / 2 + 1;
  if (side.rows.count != 0) elements *= side.rows.count;
  for (size_t i = 0; i < desc.batches.size(); ++i)
    elements *= desc.batches[i].filter_stride != 0 && !desc.is_split(side, i) ? desc.batches[i].count : 1;
  return filters.count * elements * ir::scalar_size(side.scalar) * 2;
}

Complex times_filter(Tile& tile, const Filters& filters, Complex value, Value at, Value number) {
  const Complex filter = tile.load(filters.side, at, number);
  return filters.conjugate ? tile.c.mul_conj(value, filter) : tile.c.mul(value, filter);
}

}  // namespace vd::fft
