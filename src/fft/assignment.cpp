#include "fft/assignment.h"

namespace vd::fft {

namespace {

using What = LaunchNumber::What;

// The number of an invocation's workgroup, and the condition that lines are left for it.
void find_group(ComplexWriter& c, const Layout& layout, LaunchValues* values, Assignment& to) {
  to.group = c.index(0);
  if (layout.group_count == 1 && values == nullptr) return;
  uint64_t all = 1, below = 1;
  for (uint32_t axis = 0; axis < 3 && (axis == 0 || below < layout.group_count); ++axis) {
    // Workgroups of a cluster are neighbours along the first axis, and count as one.
    const uint32_t together = axis == 0 ? layout.radices.cluster : 1;
    const Value number = c.div(c.builtin(VD_BUILTIN_WORKGROUP_ID, axis), together);
    const What given = axis == 1 ? What::WorkgroupsOfRow : What::WorkgroupsOfPlane;
    const Value start =
        values == nullptr || axis == 0 ? c.mul(number, below) : c.emit(VD_OP_MUL, {number, values->get(given)});
    to.group = c.add(to.group, start);
    below *= layout.workgroups[axis] / together;
  }
  for (const uint32_t n : layout.workgroups) all *= n;
  all /= layout.radices.cluster;
  if (all == layout.group_count) return;
  const Value last = values != nullptr ? values->get(What::LastWorkgroup) : Value{0};
  to.exists = last != 0 ? c.emit(VD_OP_LE, {to.group, last}) : c.below(to.group, layout.group_count);
  to.group = c.emit(VD_OP_MIN, {to.group, last != 0 ? last : c.index(layout.group_count - 1)});
}

}  // namespace

Assignment find_assignment(ComplexWriter& c, const Layout& layout, LineOrder order, std::span<const Batch> batches,
                           bool mirrored, LaunchValues* values, Value tile, const Turn* turn) {
  const RadixPlan& radices = layout.radices;
  const uint32_t lines = layout.lines;
  // The counts of a bundle are known.
  const std::span<const Batch> bundles = batches.last(turn != nullptr ? layout.ring.batches : 0);
  batches = batches.first(batches.size() - bundles.size());
  if (batches.empty() || turn != nullptr) values = nullptr;
  Assignment assignment;
  if (turn != nullptr) tile = turn->tile;
  if (tile != 0) {
    assignment.group = tile;
  } else {
    find_group(c, layout, values, assignment);
  }
  const Value group = assignment.group;
  const Value invocation =
      layout.workgroup_size() == 1 ? c.index(0) : c.emit(VD_OP_BUILTIN, {}, ir::Type(), VD_BUILTIN_LOCAL_INDEX);
  if (radices.cluster > 1) assignment.lane.rank = c.emit(VD_OP_BUILTIN, {}, ir::Type(), VD_BUILTIN_CLUSTER_RANK);
  assignment.invocation = invocation;
  assignment.workgroup_exists = assignment.exists;
  // `given`: the count depends on the last batch's.
  const auto clamp = [&](Value number, uint64_t count, uint64_t possible, bool given) {
    if (possible <= count) return number;
    const Value last = given && values != nullptr ? values->get(What::LastLine) : Value{0};
    const Value exists = last != 0 ? c.emit(VD_OP_LE, {number, last}) : c.below(number, count);
    assignment.exists = c.both(assignment.exists, exists);
    return c.emit(VD_OP_MIN, {number, last != 0 ? last : c.index(count - 1)});
  };
  Value rest = 0;
  size_t first_batch = 0;
  if (order == LineOrder::Columns) {
    assignment.lane.line = lines == 1 ? c.index(0) : c.rem(invocation, lines);
    assignment.lane.lane = radices.invocations == 1 ? c.index(0) : c.div(invocation, lines);
  } else {
    assignment.lane.line = lines == 1 ? c.index(0) : c.div(invocation, radices.invocations);
    assignment.lane.lane = radices.invocations == 1 ? c.index(0) : c.rem(invocation, radices.invocations);
  }
  if (mirrored) {
    // Line 0 and the one in the middle are their own mirror images: those in the second half do not exist.
    const uint64_t count = batches[0].count, half = lines / 2;
    const Value first = c.add(c.mul(c.rem(group, layout.tiles), half), c.rem(assignment.lane.line, half));
    const Value line = clamp(first, count / 2 + 1, layout.tiles * half, false);
    const Value second = c.emit(VD_OP_GE, {assignment.lane.line, c.index(half)});
    Value alone = c.emit(VD_OP_EQ, {line, c.index(0)});
    if (count % 2 == 0) alone = c.emit(VD_OP_LOR, {alone, c.emit(VD_OP_EQ, {line, c.index(count / 2)})});
    const Value other = c.emit(VD_OP_SELECT, {alone, line, c.emit(VD_OP_SUB, {c.index(count), line})});
    assignment.coordinates.push_back(c.emit(VD_OP_SELECT, {second, other, line}));
    const Value twice = c.emit(VD_OP_LAND, {second, alone});
    assignment.exists = c.both(assignment.exists, c.emit(VD_OP_LNOT, {twice}));
    rest = c.div(group, layout.tiles);
    first_batch = 1;
  } else if (layout.columns) {
    const bool alone = batches.size() == 1;
    const Value along = alone && (values != nullptr || turn != nullptr) ? group : c.rem(group, layout.tiles);
    const Value column = c.add(c.mul(along, lines), assignment.lane.line);
    assignment.coordinates.push_back(clamp(column, batches[0].count, layout.tiles * lines, alone));
    if (!alone) rest = c.div(group, layout.tiles);
    first_batch = 1;
  } else {
    rest = clamp(c.add(c.mul(group, lines), assignment.lane.line), line_count(batches), layout.tiles * lines, true);
  }
  const auto divide = [&](std::span<const Batch> among) {
    for (size_t i = 0; i < among.size(); ++i) {
      const bool last = i + 1 == among.size();
      assignment.coordinates.push_back(last ? rest : c.rem(rest, among[i].count));
      if (!last) rest = c.div(rest, among[i].count);
    }
  };
  divide(batches.subspan(first_batch));
  if (turn != nullptr) rest = turn->bundle;
  divide(bundles);
  return assignment;
}

}  // namespace vd::fft
