#include "primitives/reduce_layout.h"

#include <algorithm>
#include <bit>

#include "core/count_of.h"
#include "core/error.h"
#include "core/traits.h"

namespace vd::primitives {
namespace {

// A workgroup of a reduction does little between its loads, so two workgroups, each with half of a multiprocessor's
// invocations, keep the memory busy, and few workgroups leave few partial results to combine.
constexpr uint32_t kGroupSize = 512, kGroupsPerProcessor = 2;
// Accesses that an invocation has in flight at once, wide ones and narrow ones.
constexpr uint32_t kUnroll = 4, kUnrollNarrow = 8;
// Least number of elements per invocation for a result to be split over workgroups: a split costs a ticket and a second
// read of the parts.
constexpr uint64_t kLeastItems = 16;
// If the device does not report its number, that of a large one.
constexpr uint32_t kUnknownProcessors = 128;
// Neighbouring results per workgroup: a full line of the cache.
constexpr uint32_t kColumns = 32;

uint64_t ceil_div(uint64_t a, uint64_t b) { return (a + b - 1) / b; }

}  // namespace

ReduceLimits reduce_limits(const vd_device_info& info, const vd_reduce_desc& desc) {
  ReduceLimits limits;
  const Traits traits = traits_of(info);
  const uint32_t most = most_invocations(info);
  limits.invocations = std::min(most, kGroupSize);
  if (desc.workgroup_size != 0) {
    if (desc.workgroup_size > most) {
      fail(VD_ERR_INVALID, "desc->workgroup_size ({}) is more than device \"{}\" takes ({})", desc.workgroup_size,
           info.name, most);
    }
    limits.invocations = desc.workgroup_size;
  }
  std::copy_n(info.max_workgroup_count, 3, limits.workgroups.begin());
  limits.shared_bytes = info.max_shared_memory_size;
  constexpr vd_features kNeeded =
      VD_FEATURE_SUBGROUP_BASIC | VD_FEATURE_SUBGROUP_ARITHMETIC | VD_FEATURE_SUBGROUP_SHUFFLE;
  const bool subgroups = (info.features & kNeeded) == kNeeded && (desc.builder_flags & VD_BUILDER_NO_SUBGROUP) == 0 &&
                         std::has_single_bit(info.subgroup_size) && traits.full_subgroups;
  limits.subgroup = subgroups ? info.subgroup_size : 0;
  limits.multiprocessors = info.multiprocessor_count != 0 ? info.multiprocessor_count : kUnknownProcessors;
  // The last workgroup reads the others' parts. A launch that fails leaves the counter of tickets at some value, and
  // later ones would find it there.
  limits.ticket = traits.orders_workgroups && traits.completes_launches && (desc.flags & VD_REDUCE_TWO_PASSES) == 0;
  limits.wide = (info.features & VD_FEATURE_I64) != 0;
  return limits;
}

ReduceLayout choose_layout(const Reduction& r, const ReduceLimits& limits, bool may_split) {
  ReduceLayout l;
  const uint64_t count = r.count(), outputs = r.outputs();
  const uint64_t bytes = std::max<uint64_t>(r.identity.size(), 1);
  uint64_t most = std::min<uint64_t>(limits.invocations, limits.shared_bytes / 2 / bytes);
  l.workgroup_size = static_cast<uint32_t>(std::bit_floor(std::max<uint64_t>(most, 1)));
  l.wide = std::max({r.reach(), r.out_reach(), count, outputs}) > uint64_t{1} << 31;
  if (l.wide && !limits.wide)
    fail(VD_ERR_UNSUPPORTED, "the array reaches to element {}, past the limit ({}) of a device without 64-bit integers",
         std::max(r.reach(), r.out_reach()) - 1, uint64_t{1} << 31);
  const uint32_t enough = limits.multiprocessors * kGroupsPerProcessor;

  const uint64_t kept_stride = r.kept.empty() ? ~uint64_t{0} : r.kept.front().stride;
  l.columns = kept_stride < r.reduced.front().stride && outputs > 1;
  uint64_t units = count;
  if (!l.columns) {
    // Rows. A map is called element by element; accesses of several need their alignment in each row.
    const uint32_t scalar = ir::scalar_size(r.in.scalar());
    const uint32_t wide = std::min(4u, 16 / scalar);
    bool aligned =
        !r.mapped && r.in.is_scalar() && r.reduced.size() == 1 && r.reduced.front().stride == 1 && r.offset % wide == 0;
    for (const Dim& dim : r.kept) aligned = aligned && dim.stride % wide == 0;
    if (aligned && count >= wide) l.vector = wide;
    units = ceil_div(count, l.vector);
    l.lanes = static_cast<uint32_t>(std::min<uint64_t>(std::bit_ceil(units), l.workgroup_size));
  } else {
    // As many columns as a line of the cache has; as many as invocations if there are more columns than the device
    // holds at once.
    uint32_t slots = std::min(kColumns, l.workgroup_size);
    if (outputs / l.workgroup_size >= 2 * enough) slots = l.workgroup_size;
    slots = static_cast<uint32_t>(std::min<uint64_t>(slots, std::bit_ceil(outputs)));
    l.lanes = static_cast<uint32_t>(std::min<uint64_t>(l.workgroup_size / slots, std::bit_ceil(count)));
  }
  l.tiles = ceil_div(outputs, l.slots());
  // Workgroups without neighbours need not be full.
  if (l.tiles == 1 && !l.columns) {
    const uint64_t needed = std::bit_ceil(outputs) * l.lanes;
    const uint64_t least = std::max<uint64_t>(limits.subgroup, 1);
    l.workgroup_size = static_cast<uint32_t>(std::min<uint64_t>(l.workgroup_size, std::max(needed, least)));
  }
  l.subgroup = limits.subgroup;
  // A shuffle takes no matrix.
  l.subgroups =
      !r.type.is_matrix() && limits.subgroup > 1 && !l.columns && l.workgroup_size >= limits.subgroup && l.lanes > 1;

  const bool whole = l.columns || l.lanes == l.workgroup_size;
  if (may_split && whole && l.tiles < enough) {
    const uint64_t useful = ceil_div(count, uint64_t{l.lanes} * kLeastItems);
    l.width = static_cast<uint32_t>(std::clamp<uint64_t>(useful, 1, std::max<uint64_t>(enough / l.tiles, 1)));
  }
  // CUDA has no access to halves that other workgroups are guaranteed to see.
  l.ticket = limits.ticket && l.width > 1 && r.type.scalar() != ir::Scalar::F16;
  if (units > l.step()) l.unroll = l.vector > 1 || bytes > 8 ? kUnroll : kUnrollNarrow;

  const uint64_t total = l.tiles * l.width;
  l.workgroups[0] = static_cast<uint32_t>(std::min<uint64_t>(total, limits.workgroups[0]));
  l.workgroups[1] = static_cast<uint32_t>(ceil_div(total, l.workgroups[0]));
  if (l.workgroups[1] > limits.workgroups[1])
    fail(VD_ERR_UNSUPPORTED, "{} results are more than the device has groups for", outputs);
  return l;
}

std::string ReduceLayout::text() const {
  std::string text =
      fmt::format("{} per workgroup, {} of them per result, {}, {} per access", count_of(workgroup_size, "invocation"),
                  lanes, columns ? "columns" : "rows", count_of(vector, "element"));
  if (subgroups) text += fmt::format(", subgroups of {}", subgroup);
  text += ", " + count_of(tiles * width, "workgroup");
  if (width > 1)
    text += fmt::format(", {} workgroups per result{}", width, ticket ? ", the last to finish combines them" : "");
  return text;
}

}  // namespace vd::primitives
