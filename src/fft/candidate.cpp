#include "fft/candidate.h"

#include <algorithm>

#include "fft/ahead.h"
#include "fft/few_stages.h"
#include "fft/rader.h"
#include "fft/workgroups.h"

namespace vd::fft {
namespace {

constexpr uint32_t kStagedThreads = 16;
constexpr uint32_t kLeastRun = 32;  // bytes
constexpr uint32_t kUsualRegistersTotal = 65536;
constexpr uint32_t kLargestMixed = 13;
constexpr uint32_t kLeastClusterLoad = 4;  // bytes

// Neighbouring lines are closer than the neighbours of a line.
bool are_columns(const PassDesc& desc, const Side& side, uint64_t Batch::*stride) {
  const uint64_t first = desc.batches.empty() ? 1 : desc.batches.front().count;
  const uint64_t along = side.stride * std::max<uint64_t>(side.split, 1);
  return first > 1 && along != 1 && (desc.is_split(side, 0) ? side.stride : desc.batches.front().*stride) < along;
}

bool stages_in(const PassDesc& desc, bool columns) { return !columns && desc.source->is_row(desc); }
bool stages_out(const PassDesc& desc, bool columns) {
  return !columns && desc.copies == 1 && desc.target->is_row(desc);
}

// Whether the workgroups of a cluster may share its lines.
bool takes_cluster(const PassDesc& desc, const Limits& limits, const Candidate& candidate) {
  const uint32_t bytes = ir::scalar_size(desc.compute) * (candidate.planar ? 1 : 2);
  const Demands demanded = demands(desc);
  return candidate.radices.cluster <= limits.cluster && candidate.radices.invocations > 1 && !candidate.turned &&
         !candidate.staged_in && !candidate.staged_out && candidate.parts == 1 && !demanded.whole_lines &&
         !demanded.mirrored && bytes >= kLeastClusterLoad;
}

// Whether the pass's phases, and what the device and the caller allow, leave the candidate possible.
bool is_taken(const PassDesc& desc, const Limits& limits, const Candidate& candidate) {
  const RadixPlan& plan = candidate.radices;
  const Demands demanded = demands(desc);
  const bool columns = candidate.turned || reads_columns(desc), parts = candidate.parts > 1;
  const bool exchanges = plan.invocations > 1 && plan.stages.size() > 1;
  if (uint64_t{plan.invocations} * candidate.lines > limits.invocations) return false;
  if (candidate.turned && (!exchanges || !may_turn(desc, limits))) return false;
  if ((candidate.staged_in && !stages_in(desc, columns)) || (candidate.staged_out && !stages_out(desc, columns)))
    return false;
  if ((limits.pairs || demanded.pairs) && (candidate.planar || parts)) return false;
  if (plan.axis != desc.rows || (parts && plan.convolves())) return false;
  if (plan.cluster > 1 && !takes_cluster(desc, limits, candidate)) return false;
  if (demanded.mirrored && (!columns || candidate.lines % 2 != 0)) return false;
  if (candidate.ahead && !may_read_ahead(desc, candidate)) return false;
  return !demanded.pairs || (demanded.mirrored && exchanges);
}

}  // namespace

bool reads_columns(const PassDesc& desc) { return are_columns(desc, desc.source->side(), &Batch::in_stride); }

bool takes_many_values(const PassDesc& desc) {
  const Demands demanded = demands(desc);
  return desc.compute == ir::Scalar::F32 && !demanded.back && !demanded.mapped && !demanded.whole_lines &&
         !demanded.real && !demanded.factors && demanded.words == 0 && desc.copies == 1;
}

bool convolves_rows(const PassDesc& desc, const Limits& limits) {
  const Demands demanded = demands(desc);
  return may_have_few_stages(limits, desc.compute) && demanded.back && !demanded.mapped && !demanded.whole_lines &&
         !demanded.real && desc.rows == 0 && desc.copies == 1 && !reads_columns(desc) && is_smooth(desc.n);
}

uint32_t mixed_prime(const PassDesc& desc) {
  return takes_many_values(desc) && !reads_columns(desc) ? kLargestMixed : 0;
}

// Lines that are read as rows and written as columns, or the other way round: the last exchange may give the values to
// other invocations, so that neighbouring ones write neighbouring elements, too. It moves no byte more, but a workgroup
// needs several lines at once.
bool may_turn(const PassDesc& desc, const Limits& limits) {
  const Demands demanded = demands(desc);
  if (limits.tuning.turned == 0 || desc.rows != 0 || !is_smooth(desc.n) || demanded.back || demanded.whole_lines ||
      desc.copies > 1)
    return false;
  return reads_columns(desc) != are_columns(desc, desc.target->side(), &Batch::out_stride);
}

bool registers_hold(const PassDesc& desc, const Limits& limits, const Candidate& candidate) {
  const uint32_t words = std::max(2 * ir::scalar_size(desc.compute) / 4, 1u);
  const uint32_t all = limits.registers_total != 0 ? limits.registers_total : kUsualRegistersTotal;
  if (uint64_t{desc.n} * candidate.lines * words <= all / 2) return true;
  const RadixPlan& plan = candidate.radices;
  return limits.registers_total != 0 && has_mixed_stage(plan) &&
         mixed_words(plan) <= invocation_registers(all, candidate.lines * plan.invocations) + kFewWords;
}

void choose_staging(const PassDesc& desc, const Limits& limits, Candidate& candidate) {
  const bool few = candidate.radices.invocations < kStagedThreads && desc.n > 1;
  const bool columns = candidate.turned || reads_columns(desc);
  const auto wish = [&](int tuned) { return tuned < 0 ? few : tuned != 0; };
  candidate.staged_in = wish(limits.tuning.staged_in) && stages_in(desc, columns);
  candidate.staged_out = wish(limits.tuning.staged_out) && stages_out(desc, columns);
}

uint32_t least_columns(const PassDesc& desc) { return kLeastRun / (2 * ir::scalar_size(desc.compute)); }

uint64_t available_lines(const PassDesc& desc, bool columns) {
  return !columns ? line_count(desc.batches) : desc.batches.empty() ? 1 : desc.batches.front().count;
}

Candidate candidate_of(const Layout& layout) {
  return {.radices = layout.radices,
          .lines = layout.lines,
          .turned = layout.turns(),
          .staged_in = layout.staged_in,
          .staged_out = layout.staged_out,
          .planar = layout.exchange.planar,
          .parts = layout.exchange.parts,
          .ahead = layout.ahead != 0,
          .tickets = layout.tickets};
}

bool draft(const PassDesc& desc, const Limits& limits, const Candidate& candidate, Layout& out) {
  if (!is_taken(desc, limits, candidate)) return false;
  const bool read_columns = reads_columns(desc);
  out = {};
  out.radices = candidate.radices;
  out.lines = candidate.lines;
  out.wide = limits.tuning.wide < 0 ? limits.traits.wide_addresses : limits.tuning.wide != 0;
  out.whole_lines = demands(desc).whole_lines;
  out.staged_in = candidate.staged_in;
  out.staged_out = candidate.staged_out;
  out.columns = read_columns || candidate.turned;
  out.orders = {read_columns ? LineOrder::Columns : LineOrder::Lines};
  // Neighbouring invocations have neighbouring elements, unless they come from a row, or are of columns.
  if (out.radices.convolves())
    out.radices = in_order(out.radices, !out.columns && !out.staged_in, !out.columns && !out.staged_out);
  if (candidate.turned) {
    out.orders.push_back(read_columns ? LineOrder::Lines : LineOrder::Columns);
    out.radices.stages.back().assignment = 1;
  }
  if (candidate.ahead) out.ahead = values_ahead(desc, out.radices);
  if (candidate.ahead && out.ahead == 0) return false;
  out.exchange.planar = candidate.planar;
  out.exchange.parts = candidate.parts;
  out.tickets = candidate.tickets;
  out.stage.elements = out.radices.n * out.lines;
  out.exchange.elements = out.stage.elements / candidate.parts;
  count_groups(desc, out);
  return shared_bytes(desc, out) <= limits.shared_bytes;
}

bool lay_out(const PassDesc& desc, const Limits& limits, const Candidate& candidate, Layout& out) {
  if (!draft(desc, limits, candidate, out)) return false;
  const uint32_t scalar_size = ir::scalar_size(desc.compute);
  const bool columns = out.orders.front() == LineOrder::Columns;
  const auto bytes = static_cast<uint32_t>((limits.shared_bytes - ahead_bytes(desc, out)) / 16 * 16);
  ExchangeLimits room{
      bytes,          out.lines, columns, candidate.planar, scalar_size, limits.tuning.swizzle != 0, candidate.turned,
      candidate.parts};
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
