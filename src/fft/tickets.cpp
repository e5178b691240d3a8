#include "fft/tickets.h"

#include <algorithm>
#include <numeric>

#include "fft/candidate.h"
#include "fft/rating.h"
#include "fft/record.h"
#include "fft/workgroups.h"

namespace vd::fft {
namespace {

// Shared memory through which invocations are told their ticket, beside what the passes take.
constexpr uint32_t kTicketBytes = 16;

// The pass in workgroups of this size, with more lines or fewer; by planes where shared memory is too short otherwise.
bool resize(PlannedPass& pass, const Limits& limits, uint32_t size) {
  if (pass.layout.workgroup_size() == size && shared_bytes(pass.desc, pass.layout) <= limits.shared_bytes) return true;
  Candidate candidate = candidate_of(pass.layout);
  if (size % candidate.radices.invocations != 0) return false;
  candidate.lines = size / candidate.radices.invocations;
  Layout layout;
  bool fits = lay_out_scored(pass.desc, limits, candidate, layout);
  if (!fits && !candidate.planar) {
    candidate.planar = true;
    fits = lay_out_scored(pass.desc, limits, candidate, layout);
  }
  if (fits) pass.layout = layout;
  return fits;
}

// Gives both passes workgroups of one size, near that of the larger ones.
bool make_equal(PlannedPass& first, PlannedPass& second, Limits limits) {
  limits.shared_bytes -= std::min(limits.shared_bytes, kTicketBytes);
  const uint32_t step = std::lcm(first.layout.radices.invocations, second.layout.radices.invocations);
  const uint32_t sizes[] = {first.layout.workgroup_size(), second.layout.workgroup_size()};
  const auto takes = [&](uint32_t size) {
    if (size == 0 || size % step != 0 || size > limits.invocations) return false;
    PlannedPass a = first, b = second;
    if (!resize(a, limits, size) || !resize(b, limits, size)) return false;
    first = std::move(a);
    second = std::move(b);
    return true;
  };
  if (takes(std::max(sizes[0], sizes[1])) || takes(std::min(sizes[0], sizes[1]))) return true;
  for (uint32_t size = std::max(sizes[0], sizes[1]) / step * step; size != 0; size -= step)
    if (takes(size)) return true;
  for (uint32_t size = std::max(sizes[0], sizes[1]) / step * step + step; size <= limits.invocations; size += step)
    if (takes(size)) return true;
  return false;
}

// Workgroups of a bundle of lines.
uint32_t tiles_of(const PlannedPass& pass, uint32_t outer, Layout& out) {
  PassDesc bundle = pass.desc;
  bundle.batches.resize(bundle.batches.size() - outer);
  count_groups(bundle, out);
  return static_cast<uint32_t>(out.group_count);
}

}  // namespace

bool may_take_tickets(const Plan& plan, const Limits& limits) {
  if (!plan.between || plan.between->batches == 0 || plan.passes.size() != 2 || !limits.traits.orders_workgroups ||
      !limits.traits.waits_in_loops)
    return false;
  return std::ranges::all_of(plan.passes, [&](const PlannedPass& pass) {
    return pass.layout.radices.cluster == 1 && pass.layout.ahead == 0 &&
           pass.desc.batches.size() > plan.between->batches;
  });
}

void take_tickets(Plan& plan, const Limits& limits) {
  if (!may_take_tickets(plan, limits)) return;
  const int tuned = limits.tuning.tickets;
  const uint32_t wished = tuned < 0 ? plan.passes.front().layout.tickets : static_cast<uint32_t>(tuned);
  if (wished == 0) return;
  const Plan::Between& between = *plan.between;
  PlannedPass first = plan.passes.front(), second = plan.passes.back();
  if (!make_equal(first, second, limits)) return;

  const uint64_t slot_bytes = between.part * 2 * ir::scalar_size(first.desc.compute);
  Layout::Ring ring;
  ring.order.slots = wished;
  if (wished == 1) {
    const double cached = records(limits).constants.ring_bytes / static_cast<double>(slot_bytes);
    ring.order.slots = static_cast<uint32_t>(std::clamp(cached, 2.0, static_cast<double>(kMostSlots)));
  }
  ring.order.tiles = {tiles_of(first, between.batches, first.layout), tiles_of(second, between.batches, second.layout)};
  ring.bundles = line_count(std::span(first.desc.batches).last(between.batches));
  ring.batches = between.batches;
  ring.slot = between.part;
  ring.coherent = !limits.traits.fences_order_all;

  Layout both = first.layout;
  both.group_count = ring.order.tickets(ring.bundles);
  both.lines = std::max(first.layout.lines, second.layout.lines);
  if (!has_room(limits, both)) return;
  number_groups(first.desc, limits, both);
  const auto share = [&](Layout& layout, uint32_t tiles) {
    layout.ring = ring;
    layout.group_count = tiles * ring.bundles;
    layout.workgroups = both.workgroups;
  };
  share(first.layout, ring.order.tiles[0]);
  share(second.layout, ring.order.tiles[1]);
  // The kernel is one: what bounds its registers and shared memory has to suit both passes.
  first.layout.min_workgroups = std::min(first.layout.min_workgroups, second.layout.min_workgroups);
  first.layout.carveout = std::max(first.layout.carveout, second.layout.carveout);
  plan.passes = {std::move(first), std::move(second)};
  plan.workspace_size = std::min<uint64_t>(ring.order.slots, ring.bundles) * slot_bytes;
}

}  // namespace vd::fft
