#include "fft/access.h"

#include <algorithm>

namespace vd::fft {
namespace {

uint64_t element_size(const Side& side) { return ir::scalar_size(side.scalar) * (side.real && !side.packed ? 1u : 2u); }

// `slice`: the neighbours along a line that a workgroup of a cluster has. `dealt`: those of a row of two axes that
// neighbouring invocations have; 0: in order.
uint64_t run_of(const PassDesc& desc, const Layout& layout, const Side& side, LineOrder order, uint64_t Batch::*stride,
                uint32_t slice, uint32_t dealt = 0) {
  const uint64_t element = element_size(side);
  const uint64_t end = std::min({side.length(desc.n), side.high, side.end});
  const uint64_t there = end > side.low ? end - side.low : 0;
  const uint64_t along = side.stride * std::max<uint64_t>(side.split, 1);
  const uint64_t first = desc.batches.empty() ? 1 : desc.batches.front().count;
  const uint64_t across = first == 1 || desc.is_split(side, 0) ? side.stride : desc.batches.front().*stride;
  const uint64_t lanes = std::min(layout.radices.invocations, slice == 0 || dealt != 0 ? ~0u : slice);
  // One invocation has a whole line, so neighbours have the same element of neighbouring lines.
  const bool by_lines = order == LineOrder::Columns || lanes == 1;
  const uint64_t lines = std::min<uint64_t>(demands(desc).mirrored ? layout.lines / 2 : layout.lines, first);
  if (!by_lines && side.rows.count != 0) {
    const bool adjoin = along == 1 && side.rows.stride == side.length(desc.n) && side.mirror == 0;
    const uint64_t neighbours = dealt != 0 ? dealt : adjoin ? lanes : std::min(lanes, side.length(desc.n));
    return (along == 1 ? std::clamp<uint64_t>(there, 1, neighbours) : 1) * element;
  }
  if (!by_lines) return (along == 1 ? std::clamp<uint64_t>(there, 1, lanes) : 1) * element;
  if (across != 1) return element;
  return (along == lines ? lines * lanes : lines) * element;
}

// The same where lines are a row, `moved` bytes in all.
uint64_t run_of_row(const PassDesc& desc, const Layout& layout, const Side& side, uint64_t moved,
                    uint64_t Batch::*stride) {
  const uint64_t element = element_size(side), line = moved / line_count(desc.batches);
  const bool adjoin = line == desc.batches.front().*stride * element;
  return std::min(layout.workgroup_size() * element, adjoin ? line * layout.lines : line);
}

}  // namespace

uint64_t read_run(const PassDesc& desc, const Layout& layout) {
  const Side& side = desc.source->side();
  if (layout.staged_in) return run_of_row(desc, layout, side, desc.source->traffic(desc).read, &Batch::in_stride);
  return run_of(desc, layout, side, layout.orders.front(), &Batch::in_stride, layout.radices.stages.front().slice);
}

uint64_t written_run(const PassDesc& desc, const Layout& layout) {
  const Side& side = desc.target->side();
  if (layout.staged_out) return run_of_row(desc, layout, side, desc.target->traffic(desc).written, &Batch::out_stride);
  const bool back = demands(desc).back;
  const Stage& last = back ? layout.radices.stages.front() : layout.radices.stages.back();
  return run_of(desc, layout, side, layout.orders.back(), &Batch::out_stride, last.slice,
                back ? 0 : layout.radices.written_neighbours());
}

}  // namespace vd::fft
