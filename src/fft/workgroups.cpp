#include "fft/workgroups.h"

#include <algorithm>

#include "core/error.h"
#include "fft/ahead.h"

namespace vd::fft {
namespace {

// The number of workgroups that a multiprocessor shall hold, and the part of its L1 that they take as shared memory.
// Registers are the limit: 64 per invocation suffice for 16 values in single precision; otherwise the compiler takes
// more and halves the loads in flight.
constexpr uint32_t kMostCarveout = 65;
// Bytes of shared memory that a workgroup takes beside its own.
constexpr uint32_t kGroupBytes = 1024;

// Most values of an invocation with mixed radices for which the compiler is told how many workgroups to leave room for.
constexpr uint32_t kMostBounded = 48;

constexpr uint32_t kParts = 4;  // of a multiprocessor

uint32_t most_groups(uint32_t registers, uint32_t words, uint32_t size) {
  uint32_t workgroups = std::clamp(registers / (words * size), 1u, 2048 / std::min(size, 2048u));
  while (workgroups > 1 && invocation_registers(registers, workgroups * size) < words) --workgroups;
  return workgroups;
}

// Whether two workgroups of `size` with mixed radices are worth a few words of each invocation: alone, one takes a quarter
// longer. Both leave enough of the L1. Exchanges in planes, while which more values wait, were slower so.
bool may_spill(const Limits& limits, const Layout& layout, uint32_t size, uint32_t words, uint64_t bytes) {
  const bool row = has_mixed_stage(layout.radices) && layout.radices.axis == 0 && layout.radices.cluster == 1;
  return row && !layout.exchange.planar && limits.registers_total != 0 && 2 * size <= 2048 &&
         invocation_registers(limits.registers_total, 2 * size) + kFewWords >= words &&
         3 * (bytes + kGroupBytes) <= limits.shared_total;
}

}  // namespace

uint32_t invocation_registers(uint32_t registers, uint32_t invocations) {
  const uint32_t warps = (invocations + kWarp - 1) / kWarp, each = (warps + kParts - 1) / kParts;
  return registers / kParts / kWarp / each / kRegisterStep * kRegisterStep;
}

uint32_t mixed_words(const RadixPlan& plan) {
  const bool once = std::ranges::all_of(plan.stages, [](const Stage& stage) { return stage.rounds == 1; });
  uint32_t least = plan.registers <= 20 && once ? 72 : 80;
  if (plan.axis != 0) least = plan.registers <= 20 ? 64 : 96;
  return std::max(least, round_up(2 * plan.registers + 16, kRegisterStep));
}

uint32_t register_words(const PassDesc& desc, const Layout& layout) {
  const uint32_t values = layout.radices.registers;
  const Demands demanded = demands(desc);
  uint32_t words = values <= 8 ? 40 : values <= 12 ? 56 : values <= 16 ? 64 : values <= 20 ? 80 : 128;
  if (has_mixed_stage(layout.radices)) {
    const RadixPlan& plan = layout.radices;
    words = mixed_words(plan);
    // A third round of a stage takes some for its places.
    if (plan.axis == 0 && std::ranges::any_of(plan.stages, [](const Stage& stage) { return stage.rounds > 2; }))
      words += 16;
  }
  // Two axes of a tile have few roots.
  if (layout.radices.axis != 0 && values > 12 && values <= 18) words = 56;
  if (demanded.back && values <= 16 && !layout.columns) words += 8;
  // Places of a convolution.
  if (layout.radices.convolves() && values <= 8) words = 48;
  // Sums of a long prime beside another stage's values.
  const uint32_t first = layout.radices.stages.front().radix;
  if (is_long_prime(first) && values > first && values <= 20) words = 96;
  return words + demanded.words;
}

uint64_t shared_bytes(const PassDesc& desc, const Layout& layout) {
  const uint64_t bytes =
      uint64_t{layout.shared_elements()} * ir::scalar_size(desc.compute) * (layout.shares_reals() ? 1 : 2);
  return layout.ahead == 0 ? bytes : (bytes + 15) / 16 * 16 + ahead_bytes(desc, layout);
}

uint32_t resident_groups(const PassDesc& desc, const Limits& limits, const Layout& layout) {
  const uint32_t size = round_up(layout.workgroup_size(), kWarp), words = register_words(desc, layout);
  uint32_t groups = std::min(most_groups(limits.registers_total, words, size), 32u);
  const uint64_t bytes = shared_bytes(desc, layout);
  if (groups == 1 && may_spill(limits, layout, size, words, bytes)) groups = 2;
  if (layout.ahead == 0 || limits.shared_total == 0) return groups;
  return static_cast<uint32_t>(std::clamp<uint64_t>(limits.shared_total / (bytes + kGroupBytes), 1, groups));
}

void choose_occupancy(const PassDesc& desc, const Limits& limits, Layout& out) {
  const Tuning& t = limits.tuning;
  const uint32_t values = out.radices.registers;
  const Demands demanded = demands(desc);
  uint32_t workgroups = resident_groups(desc, limits, out);
  if (limits.registers_total != 0 && desc.compute == ir::Scalar::F32 && !demanded.mapped &&
      values <= (has_mixed_stage(out.radices) ? kMostBounded : kMaxRadix))
    out.min_workgroups = workgroups;
  if (t.min_workgroups != 0) workgroups = out.min_workgroups = t.min_workgroups;
  const uint64_t bytes = shared_bytes(desc, out);
  if (limits.shared_total != 0 && bytes != 0) {
    const uint64_t percent = (100 * workgroups * (bytes + kGroupBytes) + limits.shared_total - 1) / limits.shared_total;
    const uint64_t least = (100 * (bytes + kGroupBytes) + limits.shared_total - 1) / limits.shared_total;
    out.carveout = static_cast<uint32_t>(
                       std::min<uint64_t>(std::max<uint64_t>(std::min<uint64_t>(percent, kMostCarveout), least), 100)) +
                   1;
  }
  if (t.carveout >= 0) out.carveout = static_cast<uint32_t>(t.carveout + 1);
}

namespace {

// The number of rows of at most `most` workgroups: few, at most `room`, and if possible such that no workgroup is
// beyond the last line, since such a workgroup takes as long as the others.
constexpr uint64_t kMostRowsTried = 4096;
// Kernels count them in 32 bits.
constexpr uint64_t kMostLines = uint64_t{1} << 32;

uint64_t row_count(uint64_t workgroups, uint64_t most, uint64_t room) {
  const uint64_t least = (workgroups + most - 1) / most;
  for (uint64_t rows = least; rows <= std::min({room, 2 * least, least + kMostRowsTried}); ++rows) {
    if (workgroups % rows == 0) return rows;
  }
  return least;
}

}  // namespace

void count_groups(const PassDesc& desc, Layout& out) {
  const uint64_t all = line_count(desc.batches);
  const uint64_t first = out.columns ? desc.batches.front().count : all;
  // Halves of workgroups take half of the lines, with the one in the middle.
  const bool mirrored = demands(desc).mirrored;
  const uint64_t lines = mirrored ? out.lines / 2 : out.lines, taken = mirrored ? first / 2 + 1 : first;
  out.tiles = (taken + lines - 1) / lines;
  out.group_count = out.columns ? out.tiles * (all / first) : out.tiles;
}

bool has_room(const Limits& limits, const Layout& layout) {
  uint64_t room = 1;
  for (const uint32_t most : limits.workgroups) room *= std::min<uint64_t>(most, 1u << 20);
  const uint64_t count = layout.group_count * layout.radices.cluster;
  return 2 * count <= room && 2 * count <= kMostLines / layout.lines;
}

void number_groups(const PassDesc& desc, const Limits& limits, Layout& out) {
  const uint64_t all = line_count(desc.batches);
  uint64_t rest = out.ahead != 0 ? count_ahead_groups(desc, limits, out) : out.group_count;
  for (int axis = 0; axis < 3; ++axis) {
    const uint32_t together = axis == 0 ? out.radices.cluster : 1;
    const uint64_t most = std::min<uint64_t>(limits.workgroups[axis], 1u << 30) / together;
    uint64_t room = 1;
    for (int later = axis + 1; later < 3; ++later) room *= std::min<uint64_t>(limits.workgroups[later], 1u << 20);
    const uint64_t rows = row_count(rest, most, room);
    out.workgroups[axis] = static_cast<uint32_t>((rest + rows - 1) / rows) * together;
    rest = rows;
  }
  if (rest > 1)
    fail(VD_ERR_UNSUPPORTED, "{} lines make more workgroups ({}) than the device takes ({} by {} by {}).", all,
         out.group_count, limits.workgroups[0], limits.workgroups[1], limits.workgroups[2]);
  // The numbers of workgroups and of lines, including those of workgroups beyond the last line.
  uint64_t numbered = uint64_t{out.workgroups[0]} * out.workgroups[1] * out.workgroups[2];
  if (out.ahead != 0) numbered += out.group_count;  // a workgroup counts to behind the last tile
  if (numbered > kMostLines / out.lines)
    fail(VD_ERR_UNSUPPORTED, "{} lines in workgroups of {} do not fit in 32 bits.", all, out.lines);
}

}  // namespace vd::fft
