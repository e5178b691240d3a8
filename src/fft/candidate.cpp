#include "fft/candidate.h"

#include <algorithm>
#include <bit>

#include "fft/rader.h"
#include "fft/record.h"
#include "fft/workgroups.h"

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

void choose_staging(const PassDesc& desc, const Limits& limits, bool columns, Candidate& out) {
  const Tuning& t = limits.tuning;
  const bool few = out.radices.invocations < kStagedThreads && desc.n > 1;
  const auto wish = [&](int tuned) { return tuned < 0 ? few : tuned != 0; };
  if (columns || demands(desc).whole_lines) return;
  out.staged_in = wish(t.staged_in) && desc.source->is_row(desc);
  out.staged_out = wish(t.staged_out) && desc.copies == 1 && desc.target->is_row(desc);
}

// Neighbouring lines are closer than the neighbours of a line.
bool are_columns(const PassDesc& desc, const Side& side, uint64_t Batch::*stride) {
  const uint64_t first = desc.batches.empty() ? 1 : desc.batches.front().count;
  const uint64_t along = side.stride * std::max<uint64_t>(side.split, 1);
  return first > 1 && along != 1 && (desc.is_split(side, 0) ? side.stride : desc.batches.front().*stride) < along;
}

// Lines that are read as rows and written as columns, or the other way round: the last exchange may give the values to
// other invocations, so that neighbouring ones write neighbouring elements, too. It moves no byte more, but a workgroup
// needs several lines at once.
bool may_turn(const PassDesc& desc, const Limits& limits) {
  const Demands demanded = demands(desc);
  if (limits.tuning.turned == 0 || !is_smooth(desc.n) || demanded.back || demanded.whole_lines || desc.copies > 1)
    return false;
  return reads_columns(desc) != are_columns(desc, desc.target->side(), &Batch::out_stride);
}
// Shorter runs of a column than this are no better than single elements.
constexpr uint32_t kLeastRun = 32;
// Limits of an invocation's values that other candidates have, beside the usual ones.
constexpr uint32_t kRegistersTried[] = {4, 8, 12, 16, 24, 32};

// The lines of a workgroup, where memory is not short.
uint32_t usual_lines(const PassDesc& desc, const Limits& limits, const RadixPlan& radices, bool columns) {
  const Tuning& t = limits.tuning;
  const uint32_t invocations = radices.invocations, scalar_size = ir::scalar_size(desc.compute);
  const ColumnRules& rules = limits.traits.bounds_registers ? kBoundedColumns : kFreeColumns;
  const bool light = invocations < kStagedThreads && radices.registers <= kLightRegisters;
  const uint32_t workgroup_size = t.invocations != 0 ? t.invocations : light ? kLightGroupSize : kGroupSize;
  uint32_t wanted = std::max(1u, workgroup_size / invocations);
  if (columns && t.invocations == 0) {
    wanted = std::clamp(rules.invocations / invocations, rules.least_bytes / (2 * scalar_size),
                        kMostColumnBytes / (2 * scalar_size));
    // One workgroup that reads whole memory lines is better than two that read halves, if pairs fit.
    const uint32_t whole = kMemoryLine / (2 * scalar_size);
    if (limits.traits.bounds_registers && wanted < whole && whole * invocations <= limits.invocations &&
        uint64_t{desc.n} * kMemoryLine < limits.shared_bytes) {
      wanted = whole;
    }
  }
  uint32_t lines = std::bit_floor(std::min(wanted, std::max(1u, limits.invocations / invocations)));
  if (const Record* r = find_record(desc, limits, columns); r != nullptr && r->lines != 0 && t.invocations == 0)
    lines = r->lines;
  return t.lines != 0 ? t.lines : lines;
}

// Whether the exchange shall be planar, if both ways fit.
bool prefers_planes(const PassDesc& desc, const Limits& limits, const RadixPlan& radices, uint32_t lines,
                    bool columns) {
  if (limits.tuning.planar >= 0) return limits.tuning.planar != 0;
  if (const Record* r = find_record(desc, limits, columns); r != nullptr && r->planar >= 0) return r->planar != 0;
  const uint32_t scalar_size = ir::scalar_size(desc.compute);
  const ColumnRules& rules = limits.traits.bounds_registers ? kBoundedColumns : kFreeColumns;
  const uint64_t pair_bytes = uint64_t{desc.n} * lines * 2 * scalar_size;
  if (columns) {
    const bool alone = lines * radices.invocations > rules.invocations && lines * 2 * scalar_size >= kMemoryLine;
    return !alone && pair_bytes > rules.pair_bytes;
  }
  return !demands(desc).back && limits.traits.scarce_shared_memory &&
         (std::has_single_bit(desc.n) || pair_bytes > kLinePairBytes);
}

// Fewer values per invocation are better if they cost no stage, and more if a line has many invocations that wait for
// each other at many barriers.
constexpr uint32_t kFewRegisters = 12, kManyRegisters = 32;
constexpr uint32_t kMostLineThreads = 512, kManyLineThreads = 192, kManyStages = 4, kConvolveLineThreads = 256;

// A butterfly of a prime factor takes as many values. Of a large one, where a few more let the other stages have as
// many invocations.
constexpr uint32_t kLongPrime = 17, kLongPrimeRegisters = 32;

uint32_t least_registers(uint32_t registers, uint32_t prime) {
  if (prime >= kLongPrime) registers = std::min(2 * registers, std::max(registers, kLongPrimeRegisters));
  return std::max(registers, prime);
}

// `most`: radix.
RadixPlan usual_radices(const PassDesc& desc, const Limits& limits, uint32_t registers, bool columns,
                        uint32_t most = kUsualRadix) {
  const Tuning& t = limits.tuning;
  if (t.radix != 0) most = t.radix;
  const ButterflyForm form = t.butterflies == 1 ? ButterflyForm::Fewest : ButterflyForm::Fused;
  uint64_t product = 1;
  for (const uint32_t r : t.radices) product *= r;
  if (product == desc.n && !t.radices.empty() && t.line_threads != 0) {
    return make_radices(desc.n, t.radices, t.line_threads, form);
  }
  RadixPlan plan = choose_radices(desc.n, {registers, limits.invocations, form, most});
  const auto prime = static_cast<uint32_t>(largest_radix(desc.n));
  if (registers != least_registers(kUsualRegisters, prime) || t.registers != 0 || plan.stages.empty()) return plan;
  if (const Record* r = find_record(desc, limits, columns)) return make_radices(r->n, r->radices, r->invocations, form);
  if (columns) return plan;
  RadixPlan few = choose_radices(desc.n, {kFewRegisters, limits.invocations, form, most});
  if (!few.stages.empty() && few.stages.size() <= plan.stages.size() && few.invocations < kManyLineThreads) return few;
  if (plan.prime != 0) return plan;
  const bool many_threads =
      plan.invocations > kMostLineThreads ||
      (plan.stages.size() >= kManyStages && plan.invocations > kManyLineThreads) ||
      (demands(desc).back && limits.traits.bounds_registers && plan.invocations >= kConvolveLineThreads);
  if (!many_threads) return plan;
  if (limits.traits.scarce_shared_memory && takes_many_values(desc)) most = std::max(most, kMaxRadix);
  RadixPlan many = choose_radices(desc.n, {kManyRegisters, limits.invocations, form, most});
  return many.stages.size() <= plan.stages.size() ? many : plan;
}

// The most lines that a workgroup has.
uint32_t most_lines(const PassDesc& desc, const Limits& limits, const RadixPlan& radices, bool columns) {
  const uint64_t first = desc.batches.empty() ? 1 : desc.batches.front().count;
  const uint64_t available = columns ? first : line_count(desc.batches);
  uint32_t lines = usual_lines(desc, limits, radices, columns);
  while (lines / 2 >= available) lines /= 2;
  return lines;
}

// Adds the ways with these radices: fewer lines, and then planes, where memory is short.
void add_usual(const PassDesc& desc, const Limits& limits, Candidate candidate, std::vector<Candidate>& to) {
  const RadixPlan& radices = candidate.radices;
  const bool turned = candidate.turned, columns = turned || reads_columns(desc);
  const bool whole_lines = demands(desc).whole_lines;
  uint32_t lines = most_lines(desc, limits, radices, columns);
  choose_staging(desc, limits, columns, candidate);
  const Record* record = find_record(desc, limits, columns);
  const uint32_t parts = limits.tuning.parts != 0 ? limits.tuning.parts : record != nullptr ? record->parts : 1;
  candidate.parts = limits.pairs ? 1 : parts;
  const uint32_t least = turned ? kLeastRun / (2 * ir::scalar_size(desc.compute)) : 1;
  for (; lines >= least; lines /= 2) {
    candidate.lines = lines;
    if (whole_lines || candidate.staged_in || candidate.staged_out) {
      candidate.planar = false;
      to.push_back(candidate);
      if (lines > 1 || whole_lines) continue;
      candidate.staged_in = candidate.staged_out = false;
    }
    candidate.planar = prefers_planes(desc, limits, radices, lines, columns) && !limits.pairs;
    to.push_back(candidate);
    candidate.planar = !limits.pairs;
    if (radices.invocations > 1) to.push_back(candidate);
  }
}

uint32_t least_registers(const PassDesc& desc, const Limits& limits) {
  return least_registers(limits.tuning.registers != 0 ? limits.tuning.registers : limits.registers,
                         static_cast<uint32_t>(largest_radix(desc.n)));
}

// While parts before its own go through memory, a value waits in registers: those of half a multiprocessor hold the
// lines.
constexpr uint32_t kUsualRegistersTotal = 65536;

bool registers_hold(const PassDesc& desc, const Limits& limits, uint32_t lines) {
  const uint32_t words = std::max(2 * ir::scalar_size(desc.compute) / 4, 1u);
  const uint32_t all = limits.registers_total != 0 ? limits.registers_total : kUsualRegistersTotal;
  return uint64_t{desc.n} * lines * words <= all / 2;
}

// Columns where nothing bounds the registers but a workgroup's size: one of 512 invocations, of 32 values each, is alone
// on its multiprocessor, yet its runs of memory are two to four times as long. Its exchange goes in as few parts as fit.
// Elsewhere nothing was measured, and drivers of CPUs take seconds to compile such a kernel.
constexpr uint32_t kLongColumn = 512, kAloneInvocations = 512;

void add_long_columns(const PassDesc& desc, const Limits& limits, std::vector<Candidate>& to) {
  if (limits.traits.bounds_registers || !limits.traits.scarce_shared_memory || limits.registers_total == 0 ||
      limits.pairs || desc.n <= kLongColumn || limits.registers != kUsualRegisters || !limits.tuning.leaves_sizes() ||
      !reads_columns(desc) || !is_smooth(desc.n) || !takes_many_values(desc))
    return;
  Candidate candidate;
  candidate.planar = true;
  candidate.radices = usual_radices(desc, limits, kManyRegisters, true, kMaxRadix);
  const uint32_t invocations = candidate.radices.invocations;
  if (candidate.radices.stages.empty() || invocations == 1) return;
  uint32_t lines = std::bit_floor(std::min(kAloneInvocations, limits.invocations) / invocations);
  lines = std::min(lines, kMemoryLine / 8);
  while (lines / 2 >= desc.batches.front().count) lines /= 2;
  if (lines * 8 < kLeastRun || lines <= most_lines(desc, limits, candidate.radices, true) / 2) return;
  candidate.lines = lines;
  for (candidate.parts = 1; candidate.parts <= 4; candidate.parts *= 2) {
    if (registers_hold(desc, limits, lines)) to.push_back(candidate);
  }
}

}  // namespace

bool reads_columns(const PassDesc& desc) { return are_columns(desc, desc.source->side(), &Batch::in_stride); }

std::vector<Candidate> usual_candidates(const PassDesc& desc, const Limits& limits, bool many_registers) {
  const uint32_t registers = least_registers(desc, limits) * (many_registers ? 2 : 1);
  std::vector<Candidate> all;
  // A convolution's plan has no opposite.
  if (!is_smooth(desc.n) && demands(desc).back) return all;
  if (!many_registers) add_long_columns(desc, limits, all);
  for (const bool turned : {true, false}) {
    if (turned && !may_turn(desc, limits)) continue;
    Candidate candidate;
    candidate.turned = turned;
    candidate.radices = usual_radices(desc, limits, registers, turned || reads_columns(desc));
    if (!candidate.radices.stages.empty()) add_usual(desc, limits, candidate, all);
  }
  return all;
}

std::vector<Candidate> candidates_in_parts(const PassDesc& desc, const Limits& limits) {
  if (!limits.traits.scarce_shared_memory || limits.pairs || limits.tuning.parts != 0 || demands(desc).whole_lines ||
      !is_smooth(desc.n))
    return {};
  const bool columns = reads_columns(desc);
  std::vector<Candidate> all;
  Candidate candidate;
  candidate.planar = true;
  candidate.radices = usual_radices(desc, limits, 2 * least_registers(desc, limits), columns, kMaxRadix);
  if (candidate.radices.stages.empty()) return {};
  // More rows of a workgroup gain nothing, while runs of columns are to stay long.
  const uint32_t least = columns ? kLeastRun / (2 * ir::scalar_size(desc.compute)) : 1;
  uint32_t lines = columns ? most_lines(desc, limits, candidate.radices, columns) : 1;
  for (; lines >= least && lines > 0; lines /= 2) {
    candidate.lines = lines;
    for (candidate.parts = 2; candidate.parts <= 4 && registers_hold(desc, limits, lines); candidate.parts *= 2)
      all.push_back(candidate);
  }
  return all;
}

std::vector<Candidate> other_candidates(const PassDesc& desc, const Limits& limits) {
  if (!is_smooth(desc.n)) return {};  // no measurement has shown yet what a convolution's stages take
  const ButterflyForm form = limits.tuning.butterflies == 1 ? ButterflyForm::Fewest : ButterflyForm::Fused;
  const bool scarce = limits.traits.scarce_shared_memory && !limits.pairs;
  const bool whole_lines = demands(desc).whole_lines;
  std::vector<RadixPlan> plans;
  const auto add = [&](RadixPlan plan) {
    const auto same = [&](const RadixPlan& other) {
      return other.invocations == plan.invocations && other.text() == plan.text();
    };
    if (!plan.stages.empty() && std::ranges::none_of(plans, same)) plans.push_back(std::move(plan));
  };
  for (const uint32_t registers : kRegistersTried) {
    add(choose_radices(desc.n, {registers, limits.invocations, form}));
    if (registers > kUsualRadix) add(choose_radices(desc.n, {registers, limits.invocations, form, kMaxRadix}));
  }
  std::vector<Candidate> all;
  for (const bool turned : {false, true}) {
    if (turned && !may_turn(desc, limits)) continue;
    const bool columns = turned || reads_columns(desc);
    const uint64_t first = desc.batches.empty() ? 1 : desc.batches.front().count;
    const uint64_t available = columns ? first : line_count(desc.batches);
    const uint32_t least = turned ? kLeastRun / (2 * ir::scalar_size(desc.compute)) : 1;
    for (const RadixPlan& plan : plans) {
      Candidate candidate;
      candidate.radices = plan;
      candidate.turned = turned;
      choose_staging(desc, limits, columns, candidate);
      const bool staged = candidate.staged_in || candidate.staged_out || whole_lines;
      for (uint32_t lines = least; lines * plan.invocations <= limits.invocations && lines / 2 < available;
           lines *= 2) {
        candidate.lines = lines;
        candidate.planar = false;
        candidate.parts = 1;
        all.push_back(candidate);
        if (plan.invocations == 1 || staged || limits.pairs) continue;
        candidate.planar = true;
        for (; candidate.parts <= (scarce ? 4u : 1u); candidate.parts *= 2) {
          if (candidate.parts == 1 || registers_hold(desc, limits, lines)) all.push_back(candidate);
        }
      }
    }
  }
  return all;
}

bool draft(const PassDesc& desc, const Limits& limits, const Candidate& candidate, Layout& out) {
  const bool read_columns = reads_columns(desc);
  out = {};
  out.radices = candidate.radices;
  out.lines = candidate.lines;
  out.wide = limits.traits.wide_addresses;
  out.whole_lines = demands(desc).whole_lines;
  out.staged_in = candidate.staged_in;
  out.staged_out = candidate.staged_out;
  out.columns = read_columns || candidate.turned;
  out.orders = {read_columns ? LineOrder::Columns : LineOrder::Lines};
  // Neighbouring invocations have neighbouring elements, unless they come from a row, or are of columns.
  if (out.radices.prime != 0 && candidate.parts > 1) return false;
  if (out.radices.prime != 0)
    out.radices = in_order(out.radices, !out.columns && !out.staged_in, !out.columns && !out.staged_out);
  const bool exchanges = out.radices.invocations > 1 && out.radices.stages.size() > 1;
  if (desc.mirrored && (!out.columns || out.lines % 2 != 0)) return false;
  if (demands(desc).pairs && !(desc.mirrored && exchanges)) return false;
  if (candidate.turned) {
    if (!exchanges) return false;
    out.orders.push_back(read_columns ? LineOrder::Lines : LineOrder::Columns);
    out.radices.stages.back().assignment = 1;
  }
  out.exchange.planar = candidate.planar;
  out.exchange.parts = candidate.parts;
  out.stage.elements = desc.n * out.lines;
  out.exchange.elements = out.stage.elements / candidate.parts;
  count_groups(desc, out);
  return shared_bytes(desc, out) <= limits.shared_bytes;
}

bool lay_out(const PassDesc& desc, const Limits& limits, const Candidate& candidate, Layout& out) {
  if (!draft(desc, limits, candidate, out)) return false;
  const uint32_t scalar_size = ir::scalar_size(desc.compute);
  const bool columns = out.orders.front() == LineOrder::Columns;
  ExchangeLimits room{limits.shared_bytes,        out.lines,        columns,        candidate.planar, scalar_size,
                      limits.tuning.swizzle != 0, candidate.turned, candidate.parts};
  out.exchange = out.stage = {};
  if (out.has_stage()) {
    out.stage = choose_row(out.radices, out.lines);
    if (uint64_t{out.stage.elements} * 2 * scalar_size > limits.shared_bytes) return false;
    room.columns = room.planar = room.turned = false;
  }
  if (out.radices.invocations > 1 && !choose_exchange(out.radices, room, out.exchange)) return false;
  choose_occupancy(desc, limits, out);
  return true;
}

}  // namespace vd::fft
