#include "fft/side.h"

#include <algorithm>

namespace vd::fft {

uint64_t reach_of(const Side& side, uint64_t length, std::span<const Batch> batches, uint64_t Batch::*stride,
                  uint32_t instances) {
  uint64_t end = std::min(length, side.high);
  if (side.mirror != 0) end = std::min(end, side.mirror / 2 + 1);
  if (end <= side.low) return 0;
  uint64_t last = side.offset + (end - 1) * side.stride + uint64_t{instances - 1} * side.instance;
  if (side.rows.count != 0) {
    const uint64_t rows = std::min(side.rows.count, side.rows.high);
    if (rows <= side.rows.low) return 0;
    last += (rows - 1) * side.rows.stride;
  }
  for (const Batch& batch : batches) last += (batch.count - 1) * (batch.*stride);
  return last + 1;
}

void Side::add_to(Hasher& hasher) const {
  hasher.add(argument).add(hidden).add(scalar).add(real).add(packed).add(stride).add(split);
  hasher.add(offset).add(instance).add(low).add(high).add(end).add(mirror);
  if (numbers != 0) hasher.add("numbers").add(numbers);
  if (rows.count != 0) hasher.add(rows.count).add(rows.stride).add(rows.low).add(rows.high);
}

uint64_t line_count(std::span<const Batch> batches) {
  uint64_t count = 1;
  for (const Batch& batch : batches) count *= batch.count;
  return count;
}

}  // namespace vd::fft
