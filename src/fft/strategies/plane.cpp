// Two axes of planes. If planes fit a workgroup, or those of a cluster where that is asked for, one pass: its transform
// goes along the far axis and then along the near one, in one plan of radices, and so leaves columns where there were
// rows. Otherwise a pass along each axis, where both may share a dispatch (tickets.h).
#include "fft/strategies/cluster.h"
#include "fft/strategies/four_step_passes.h"
#include "fft/strategies/strategy.h"

namespace vd::fft {
namespace {

bool is_whole(const Side& side, uint64_t n) {
  return !side.real && side.mirror == 0 && side.low == 0 && side.high >= n && side.rows.low == 0 &&
         side.rows.high >= side.rows.count;
}

// Rows, then columns, with planes of the workspace between.
bool plan_axes(Planner& planner, const Line& plane) {
  const uint64_t far = plane.rows, near = plane.n / plane.rows;
  if (!is_whole(plane.read.side, near) || !is_whole(plane.write.side, near) || !has_stages(far, plane.compute) ||
      !has_stages(near, plane.compute))
    return false;
  const uint64_t row = whole_sectors(near, plane.compute), part = far * row;
  const Rows in = plane.read.side.rows, out = plane.write.side.rows;
  Line rows = plane, columns = plane;
  rows.rows = columns.rows = 0;
  rows.read.side.rows = columns.write.side.rows = {};
  rows.name += "_rows";
  rows.n = near;
  rows.write = {.side = planner.workspace(planner.kept())};
  rows.batches = {{far, in.stride, row, 0}};
  columns.name += "_columns";
  columns.n = far;
  columns.read = {.side = rows.write.side};
  columns.read.side.stride = row;
  columns.write.side.stride = out.stride;
  columns.batches = {{near, 1, plane.write.side.stride, 0}};
  uint64_t packed = part;
  for (const Batch& batch : plane.batches) {
    rows.batches.push_back({batch.count, batch.in_stride, packed, 0});
    columns.batches.push_back({batch.count, packed, batch.out_stride, 0});
    packed *= batch.count;
  }
  planner.reserve(packed);
  const size_t before = planner.pass_count();
  if (!planner.add(one_pass(rows)) || !planner.add(one_pass(columns))) {
    planner.drop_passes_from(before);
    return false;
  }
  planner.set_between({static_cast<uint32_t>(plane.batches.size()), part});
  return true;
}

}  // namespace

bool plan_plane(Planner& planner, const Line& line) {
  if (line.rows == 0) return false;
  if (line.axes_apart) return plan_axes(planner, line);
  planner.refuse("planes do not fit a workgroup.");
  if (!is_smooth(line.n) || line.n >= kLongestLine) return false;
  return (may_share_planes(planner.limits) && planner.add_shared(one_pass(line))) || planner.add(one_pass(line));
}

}  // namespace vd::fft
