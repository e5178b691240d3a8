#include "fft/access.h"

#include <algorithm>

namespace vd::fft {
namespace {

// `slice`: the neighbours along a line that a workgroup of a cluster has. `dealt`: those of a row of two axes that
// neighbouring invocations have; 0: in order.
uint64_t run_of(const PassDesc& desc, const Layout& layout, const Side& side, LineOrder order, bool row,
                uint64_t Batch::*stride, uint32_t slice, uint32_t dealt = 0) {
  const uint64_t element = uint64_t{ir::scalar_size(side.scalar)} * (side.real && !side.packed ? 1 : 2);
  const uint64_t end = std::min({side.length(desc.n), side.high, side.end});
  const uint64_t there = end > side.low ? end - side.low : 0;
  if (row) return std::min<uint64_t>(layout.workgroup_size(), uint64_t{desc.n} * layout.lines) * element;
  const uint64_t along = side.stride * std::max<uint64_t>(side.split, 1);
  const uint64_t across = desc.batches.empty() || desc.is_split(side, 0) ? side.stride : desc.batches.front().*stride;
  const uint64_t lanes = std::min(layout.radices.invocations, slice == 0 ? ~0u : slice);
  // One invocation has a whole line, so neighbours have the same element of neighbouring lines.
  const bool by_lines = order == LineOrder::Columns || lanes == 1;
  const uint64_t first = desc.batches.empty() ? 1 : desc.batches.front().count;
  const uint64_t lines = std::min<uint64_t>(desc.mirrored ? layout.lines / 2 : layout.lines, first);
  if (!by_lines && side.rows.count != 0) {
    const bool adjoin = along == 1 && side.rows.stride == side.length(desc.n) && side.mirror == 0;
    const uint64_t neighbours = dealt != 0 ? dealt : adjoin ? lanes : std::min(lanes, side.length(desc.n));
    return (along == 1 ? std::clamp<uint64_t>(there, 1, neighbours) : 1) * element;
  }
  if (!by_lines) return (along == 1 ? std::clamp<uint64_t>(there, 1, lanes) : 1) * element;
  if (across != 1) return element;
  return (along == lines ? lines * lanes : lines) * element;
}

}  // namespace

uint64_t read_run(const PassDesc& desc, const Layout& layout) {
  return run_of(desc, layout, desc.source->side(), layout.orders.front(), layout.staged_in, &Batch::in_stride,
                layout.radices.stages.front().slice);
}

uint64_t written_run(const PassDesc& desc, const Layout& layout) {
  const bool back = demands(desc).back;
  const Stage& last = back ? layout.radices.stages.front() : layout.radices.stages.back();
  return run_of(desc, layout, desc.target->side(), layout.orders.back(), layout.staged_out, &Batch::out_stride,
                last.slice, back ? 0 : last.neighbours);
}

}  // namespace vd::fft
