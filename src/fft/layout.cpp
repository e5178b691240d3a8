#include "fft/layout.h"

#include <algorithm>
#include <bit>
#include <initializer_list>

#include "core/error.h"

namespace vd::fft {
namespace {

// Invocations that a workgroup should have: enough to hide latency, few enough that several workgroups share a
// multiprocessor.
constexpr uint32_t kGroupSize = 128;
// Smaller limits for lines staged through shared memory, whose invocations have little to do between barriers.
constexpr uint32_t kLightGroupSize = 64, kLightRegisters = 8;
// A workgroup of columns reads as many adjacent bytes as it can with this many invocations. If nothing bounds the
// registers, a larger workgroup would be alone on its multiprocessor.
struct ColumnRules {
  uint32_t invocations, least_bytes;
  // Bytes per workgroup from which exchanges are planar: shared memory reduces the L1, which holds the loads in flight.
  uint32_t pair_bytes;
};
constexpr ColumnRules kBoundedColumns{512, 64, 32768}, kFreeColumns{256, 32, 36864};
constexpr uint32_t kMemoryLine = 128, kMostColumnBytes = 256;
// Lines switch to planar exchange from this many bytes per workgroup.
constexpr uint32_t kLinePairBytes = 26624;

// With fewer invocations per line, its accesses leave parts of the memory's lines unused.
constexpr uint32_t kStagedThreads = 16;

void choose_staging(const PassDesc& desc, const Limits& limits, Layout& out) {
  const Tuning& t = limits.tuning;
  const bool few = out.radices.invocations < kStagedThreads && desc.n > 1;
  const auto wish = [&](int tuned) { return tuned < 0 ? few : tuned != 0; };
  if (out.whole_lines) return;
  out.staged_in = wish(t.staged_in) && !out.columns && desc.source->is_row(desc);
  out.staged_out = wish(t.staged_out) && !out.columns && desc.copies == 1 && desc.target->is_row(desc);
}

// Neighbouring lines are closer than the neighbours of a line.
bool are_columns(const PassDesc& desc, const Side& side, uint64_t Batch::*stride) {
  const uint64_t first = desc.batches.empty() ? 1 : desc.batches.front().count;
  const uint64_t along = side.stride * std::max<uint64_t>(side.split, 1);
  return first > 1 && along != 1 && (side.split != 0 ? side.stride : desc.batches.front().*stride) < along;
}
bool are_columns(const PassDesc& desc) { return are_columns(desc, desc.source->side(), &Batch::in_stride); }

// Lines that are read as rows and written as columns, or the other way round: the last exchange may give the values to
// other invocations, so that neighbouring ones write neighbouring elements, too. It moves no byte more, but a workgroup
// needs several lines at once. No measurement has decided yet where that is faster.
bool may_turn(const PassDesc& desc, const Limits& limits) {
  const Demands demanded = demands(desc);
  if (limits.tuning.turned <= 0 || demanded.back || demanded.whole_lines || desc.copies > 1) return false;
  return are_columns(desc) != are_columns(desc, desc.target->side(), &Batch::out_stride);
}
// Shorter runs of a column than this are no better than single elements.
constexpr uint32_t kLeastRun = 32;

constexpr uint32_t kUsualRegisters = 16;

// A layout that was faster in measurements on an H200 (docs/performance.md) than the rules' choice.
struct Record {
  enum class Where : uint8_t { Any, Bounded, Free };
  uint32_t n;
  bool columns;
  Where where;  // whether the compiler keeps registers bounded
  std::initializer_list<uint32_t> radices;
  uint32_t invocations, lines;  // lines 0: as the rules say
  bool real = false;            // of real lines alone
};
using Where = Record::Where;
const Record kRecords[] = {
    {16, false, Where::Any, {4, 4}, 2, 32},          {30, false, Where::Free, {15, 2}, 2, 16},
    {128, false, Where::Any, {16, 8}, 8, 4},         {243, false, Where::Any, {9, 9, 3}, 27, 2},
    {256, false, Where::Any, {16, 16}, 16, 4, true}, {256, false, Where::Any, {8, 8, 4}, 32, 2},
    {360, false, Where::Any, {15, 8, 3}, 24, 2},     {512, false, Where::Any, {8, 8, 8}, 64, 1},
    {720, false, Where::Free, {15, 12, 4}, 60, 1},   {1024, false, Where::Any, {8, 8, 4, 4}, 128, 1},
    {64, true, Where::Free, {16, 4}, 4, 0},          {512, true, Where::Free, {16, 8, 4}, 32, 0},
    {1024, true, Where::Any, {16, 16, 4}, 64, 0},    {1920, false, Where::Any, {12, 10, 4, 4}, 192, 0},
};

// `columns`: a workgroup's lines are neighbours along the first batch.
const Record* find_record(const PassDesc& desc, const Limits& limits, bool columns) {
  const Tuning& t = limits.tuning;
  if (limits.registers != kUsualRegisters || t.registers != 0 || !t.radices.empty()) return nullptr;
  const Demands demanded = demands(desc);
  if (desc.compute != ir::Scalar::F32 || demanded.whole_lines || (demanded.back && !columns)) return nullptr;
  for (const Record& r : kRecords) {
    if (r.real && !demanded.real) continue;
    if (r.n != desc.n || r.columns != columns || r.invocations * std::max(r.lines, 1u) > limits.invocations) continue;
    if (r.where == Where::Any || (r.where == Where::Bounded) == limits.traits.bounds_registers) return &r;
  }
  return nullptr;
}

// The number of workgroups that a multiprocessor shall hold, and the part of its L1 that they take as shared memory.
// Registers are the limit: 64 per invocation suffice for 16 values in single precision; otherwise the compiler takes
// more and halves the loads in flight.
constexpr uint32_t kMostCarveout = 65;

// A multiprocessor's registers belong to its parts, among which it distributes the warps of all workgroups; a warp gets
// them in eights for each lane: 25 workgroups of two warps leave 32 to an invocation, 24 leave 40.
constexpr uint32_t kParts = 4, kWarp = 32, kRegisterStep = 8;

uint32_t most_groups(uint32_t registers, uint32_t words, uint32_t size) {
  uint32_t workgroups = std::clamp(registers / (words * size), 1u, 2048 / std::min(size, 2048u));
  const auto left = [&] {
    const uint32_t warps = (workgroups * size / kWarp + kParts - 1) / kParts;
    return registers / kParts / kWarp / warps / kRegisterStep * kRegisterStep;
  };
  while (workgroups > 1 && left() < words) --workgroups;
  return workgroups;
}

void choose_occupancy(const PassDesc& desc, const Limits& limits, Layout& out) {
  const Tuning& t = limits.tuning;
  const uint32_t values = out.radices.registers, size = (out.workgroup_size() + 31) / 32 * 32;
  const Demands demanded = demands(desc);
  uint32_t words = values <= 8 ? 40 : values <= 12 ? 56 : values <= 16 ? 64 : values <= 20 ? 80 : 128;
  if (demanded.back && values <= 16 && !out.columns) words += 8;
  words += demanded.words;
  const uint32_t workgroups = std::min(most_groups(limits.registers_total, words, size), 32u);
  if (limits.registers_total != 0 && desc.compute == ir::Scalar::F32 && !demanded.mapped && values <= 32)
    out.min_workgroups = workgroups;
  if (t.min_workgroups != 0) out.min_workgroups = t.min_workgroups;
  const bool staged = out.has_stage();
  uint32_t elements = out.radices.invocations > 1 ? out.exchange.elements : 0;
  if (staged) elements = std::max(elements, out.stage.elements);
  const uint64_t bytes = uint64_t{elements} * ir::scalar_size(desc.compute) * (out.exchange.planar && !staged ? 1 : 2);
  if (limits.shared_total != 0 && bytes != 0) {
    const uint64_t percent = (100 * workgroups * (bytes + 1024) + limits.shared_total - 1) / limits.shared_total;
    const uint64_t least = (100 * (bytes + 1024) + limits.shared_total - 1) / limits.shared_total;
    out.carveout = static_cast<uint32_t>(
                       std::min<uint64_t>(std::max<uint64_t>(std::min<uint64_t>(percent, kMostCarveout), least), 100)) +
                   1;
  }
  if (t.carveout >= 0) out.carveout = static_cast<uint32_t>(t.carveout + 1);
}

bool with_radices(const PassDesc& desc, const Limits& limits, bool turned, Layout& out) {
  const Tuning& t = limits.tuning;
  const Demands demanded = demands(desc);
  out.wide = limits.traits.wide_addresses;
  out.whole_lines = demanded.whole_lines;
  const uint32_t invocations = out.radices.invocations;
  const ColumnRules& rules = limits.traits.bounds_registers ? kBoundedColumns : kFreeColumns;
  const uint64_t first = desc.batches.empty() ? 1 : desc.batches.front().count;
  const bool read_columns = are_columns(desc);
  if (turned && (invocations == 1 || out.radices.stages.size() == 1)) return false;  // no exchange
  out.columns = read_columns || turned;
  out.orders = {read_columns ? LineOrder::Columns : LineOrder::Lines};
  if (turned) {
    out.orders.push_back(read_columns ? LineOrder::Lines : LineOrder::Columns);
    out.radices.stages.back().assignment = 1;
  }
  const uint32_t scalar_size = ir::scalar_size(desc.compute);
  const bool light = invocations < kStagedThreads && out.radices.registers <= kLightRegisters;
  const uint32_t workgroup_size = t.invocations != 0 ? t.invocations : light ? kLightGroupSize : kGroupSize;
  uint32_t wanted = std::max(1u, workgroup_size / invocations);
  if (out.columns && t.invocations == 0) {
    wanted = std::clamp(rules.invocations / invocations, rules.least_bytes / (2 * scalar_size),
                        kMostColumnBytes / (2 * scalar_size));
    // One workgroup that reads whole memory lines is better than two that read halves, if pairs fit.
    const uint32_t whole = kMemoryLine / (2 * scalar_size);
    if (limits.traits.bounds_registers && wanted < whole && whole * invocations <= limits.invocations &&
        uint64_t{desc.n} * kMemoryLine < limits.shared_bytes) {
      wanted = whole;
    }
  }
  const uint64_t available = out.columns ? first : line_count(desc.batches);
  uint32_t lines = std::bit_floor(std::min(wanted, std::max(1u, limits.invocations / invocations)));
  if (const Record* r = find_record(desc, limits, out.columns); r != nullptr && r->lines != 0 && t.invocations == 0)
    lines = r->lines;
  if (t.lines != 0) lines = t.lines;
  while (lines / 2 >= available) lines /= 2;
  choose_staging(desc, limits, out);
  // Fewer lines, and then planes, where memory is short.
  const uint32_t least = turned ? kLeastRun / (2 * scalar_size) : 1;
  for (; lines >= least; lines /= 2) {
    const bool alone = lines * invocations > rules.invocations && lines * 2 * scalar_size >= kMemoryLine;
    const uint64_t pair_bytes = uint64_t{desc.n} * lines * 2 * scalar_size;
    const bool planes = out.columns     ? !alone && pair_bytes > rules.pair_bytes
                        : demanded.back ? false
                                        : limits.traits.scarce_shared_memory &&
                                              (std::has_single_bit(desc.n) || pair_bytes > kLinePairBytes);
    const bool prefer = t.planar >= 0 ? t.planar != 0 : planes;
    if (out.has_stage()) {
      out.stage = choose_row(out.radices, lines);
      const ExchangeLimits room{limits.shared_bytes, lines, false, false, scalar_size, t.swizzle != 0};
      if (uint64_t{out.stage.elements} * 2 * scalar_size <= limits.shared_bytes &&
          (invocations == 1 || choose_exchange(out.radices, room, out.exchange))) {
        out.lines = lines;
        return true;
      }
      if (lines > 1) continue;
      if (out.whole_lines) return false;
      out.staged_in = out.staged_out = false;
    }
    for (const bool planar : {prefer && !limits.pairs, !limits.pairs}) {
      const ExchangeLimits room{limits.shared_bytes, lines, read_columns, planar, scalar_size, t.swizzle != 0, turned};
      if (invocations == 1 || choose_exchange(out.radices, room, out.exchange)) {
        out.lines = lines;
        return true;
      }
    }
  }
  return false;
}

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

void number_groups(const PassDesc& desc, const Limits& limits, Layout& out) {
  const uint64_t all = line_count(desc.batches);
  const uint64_t first = out.columns ? desc.batches.front().count : all;
  out.tiles = (first + out.lines - 1) / out.lines;
  out.group_count = out.columns ? out.tiles * (all / first) : out.tiles;
  uint64_t rest = out.group_count;
  for (int axis = 0; axis < 3; ++axis) {
    const uint64_t most = std::min<uint64_t>(limits.workgroups[axis], 1u << 30);
    uint64_t room = 1;
    for (int later = axis + 1; later < 3; ++later) room *= std::min<uint64_t>(limits.workgroups[later], 1u << 20);
    const uint64_t rows = row_count(rest, most, room);
    out.workgroups[axis] = static_cast<uint32_t>((rest + rows - 1) / rows);
    rest = rows;
  }
  if (rest > 1)
    fail(VD_ERR_UNSUPPORTED, "{} lines make more workgroups ({}) than the device takes ({} by {} by {}).", all,
         out.group_count, limits.workgroups[0], limits.workgroups[1], limits.workgroups[2]);
  // The numbers of workgroups and of lines, including those of workgroups beyond the last line.
  const uint64_t numbered = uint64_t{out.workgroups[0]} * out.workgroups[1] * out.workgroups[2];
  if (numbered > kMostLines / out.lines)
    fail(VD_ERR_UNSUPPORTED, "{} lines in workgroups of {} do not fit in 32 bits.", all, out.lines);
}

// Fewer values per invocation are better if they cost no stage, and more if a line has many invocations that wait for
// each other at many barriers.
constexpr uint32_t kFewRegisters = 12, kManyRegisters = 32;
constexpr uint32_t kMostLineThreads = 512, kManyLineThreads = 192, kManyStages = 4, kConvolveLineThreads = 256;

RadixPlan choose_plan(const PassDesc& desc, const Limits& limits, uint32_t registers, bool columns) {
  const Tuning& t = limits.tuning;
  const ButterflyForm form = t.butterflies == 1 ? ButterflyForm::Fewest : ButterflyForm::Fused;
  uint64_t product = 1;
  for (const uint32_t r : t.radices) product *= r;
  if (product == desc.n && !t.radices.empty() && t.line_threads != 0) {
    return make_radices(desc.n, t.radices, t.line_threads, form);
  }
  RadixPlan plan = choose_radices(desc.n, {registers, limits.invocations, form});
  if (registers != kUsualRegisters || t.registers != 0 || plan.stages.empty()) return plan;
  if (const Record* r = find_record(desc, limits, columns)) return make_radices(r->n, r->radices, r->invocations, form);
  if (columns) return plan;
  RadixPlan few = choose_radices(desc.n, {kFewRegisters, limits.invocations, form});
  if (!few.stages.empty() && few.stages.size() <= plan.stages.size() && few.invocations < kManyLineThreads) return few;
  const bool many_threads =
      plan.invocations > kMostLineThreads ||
      (plan.stages.size() >= kManyStages && plan.invocations > kManyLineThreads) ||
      (demands(desc).back && limits.traits.bounds_registers && plan.invocations >= kConvolveLineThreads);
  if (!many_threads) return plan;
  RadixPlan many = choose_radices(desc.n, {kManyRegisters, limits.invocations, form});
  return many.stages.size() <= plan.stages.size() ? many : plan;
}

}  // namespace

bool choose_layout(const PassDesc& desc, const Limits& limits, Layout& out) {
  const Tuning& t = limits.tuning;
  // A butterfly of a prime factor takes as many.
  const uint32_t least =
      std::max(t.registers != 0 ? t.registers : limits.registers, static_cast<uint32_t>(largest_prime(desc.n)));
  for (const uint32_t registers : {least, 2 * least}) {
    for (const bool turned : {true, false}) {
      if (turned && !may_turn(desc, limits)) continue;
      out = {};
      out.radices = choose_plan(desc, limits, registers, turned || are_columns(desc));
      if (out.radices.stages.empty() || !with_radices(desc, limits, turned, out)) continue;
      number_groups(desc, limits, out);
      choose_occupancy(desc, limits, out);
      return true;
    }
  }
  return false;
}

}  // namespace vd::fft
