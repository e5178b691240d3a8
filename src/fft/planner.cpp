#include "fft/planner.h"

#include <algorithm>
#include <cstddef>

#include "core/error.h"
#include "fft/choice.h"
#include "fft/record.h"
#include "fft/strategies/cluster.h"
#include "fft/strategies/strategy.h"
#include "fft/tickets.h"

namespace vd::fft {
namespace {

Line line_of(const Problem& problem) {
  Line line;
  line.name = problem.name;
  line.n = problem.n * std::max(problem.rows, 1u);
  line.rows = problem.rows;
  line.axes_apart = problem.axes_apart;
  line.sign = problem.sign;
  line.compute = problem.compute;
  line.batches = problem.batches;
  line.read = {problem.in, {}, problem.applied.input};
  if (problem.convolve) {
    line.product = Filters{problem.filter, problem.instances, problem.conjugate, problem.applied.filter};
  }
  line.write = {problem.out, {}, problem.scale, problem.applied.output};
  line.first_copy = problem.first_instance;
  line.order = problem.order;
  return line;
}

// Planes that fill the device, each alone on its multiprocessor, took 0.58 to 0.74 of their estimates where they were
// measured (docs/performance.md); the passes of single axes took theirs.
constexpr double kPlaneTime = 2.0 / 3;

bool is_poor(const PlannedPass& pass) {
  const Score& score = pass.layout.score;
  return score.spilled != 0 || std::min(score.read_run, score.written_run) < kSector;
}

// 0 if it is not known.
double time_of(std::span<const PlannedPass> passes) {
  double all = 0;
  for (const PlannedPass& pass : passes) {
    if (pass.layout.score.time == 0) return 0;
    all += pass.layout.score.time;
  }
  return all;
}

// As choose_layout() finds them, whatever was measured of a pass: which passes there are does not depend on it.
Plan plan_by_score(const Problem& problem, const Limits& limits) {
  Table table;
  Planner planner(limits, table, problem.compute);
  planner.plan(line_of(problem));
  return planner.finish();
}

}  // namespace

bool joins_axes(const Problem& joined, std::span<const Problem> apart, const Limits& limits) {
  const uint64_t n = joined.n * joined.rows;
  if (n > kMostRegisters * uint64_t{limits.invocations} || !is_smooth(n)) return false;
  const std::string& wished = limits.tuning.strategy;
  if (!wished.empty() && wished != "plane") return false;
  const Line line = line_of(joined);
  if (Layout shared; may_share_planes(limits) && choose_shared_layout(one_pass(line), limits, shared)) return true;
  if (!fits_workgroup(one_pass(line), limits)) return false;
  if (!wished.empty()) return true;
  const Plan plan = plan_by_score(joined, limits);
  if (is_poor(plan.passes.front())) return false;
  const double time = time_of(plan.passes);
  double others = 0;
  for (const Problem& problem : apart) {
    const double one = time_of(plan_by_score(problem, limits).passes);
    if (one == 0 || time == 0) return true;  // nothing is known: half the traffic is better
    others += one;
  }
  const bool fills = plan.passes.front().layout.group_count >= limits.multiprocessors;
  return fills ? kPlaneTime * time < others : time < kBetterTime * others;
}

bool shares_dispatch(const Problem& joined, const Limits& limits) {
  if (limits.tuning.tickets <= 0 || joined.convolve || joined.kept != 0 || !joined.axes_apart) return false;
  Table table;
  Planner planner(limits, table, joined.compute);
  const Line line = line_of(joined);
  if (!plan_plane(planner, line)) return false;
  Plan plan = planner.finish();
  take_tickets(plan, limits);
  return plan.by_ticket();
}

void Planner::plan(const Line& line) {
  // Planes have a strategy of their own, and so do spectra in an order of their own.
  const auto takes = [&](const Strategy& strategy) {
    return (line.rows == 0 || strategy.plan == plan_plane) && (!line.order || strategy.plan == plan_any_order) &&
           strategy.plan(*this, line);
  };
  const Strategy* wished = find_strategy(limits.tuning.strategy);
  if (wished != nullptr && takes(*wished)) return;
  if (std::ranges::any_of(catalogue(), takes)) return;
  fail(VD_ERR_UNSUPPORTED, "{}", refusal_);
}

bool Planner::add(PassDesc pass) { return add(std::move(pass), choose_layout); }

bool Planner::add_shared(PassDesc pass) { return add(std::move(pass), choose_shared_layout); }

bool Planner::add(PassDesc pass, ChooseLayout& choose) {
  PlannedPass planned;
  planned.desc = std::move(pass);
  if (!choose(planned.desc, limits, planned.layout)) return false;
  plan_.passes.push_back(std::move(planned));
  return true;
}

void Planner::improve(size_t first, const std::function<bool()>& other) {
  if (std::ranges::any_of(std::span(plan_.passes).subspan(first), is_poor)) replace(first, kBetterTime, other);
}

void Planner::replace(size_t first, double part, const std::function<bool()>& other) {
  const double time = time_of(std::span(plan_.passes).subspan(first));
  if (time == 0 || !limits.tuning.strategy.empty()) return;
  Plan usual = plan_;
  const Table::Mark mark = table.mark();
  drop_passes_from(first);
  bool better = false;
  try {
    better = other() && time_of(std::span(plan_.passes).subspan(first)) < part * time;
  } catch (const Error&) {  // the device does not take as many workgroups, for example
  }
  if (better) return;
  plan_ = std::move(usual);
  table.rewind(mark);
}

Side Planner::workspace(uint64_t offset) const {
  Side side;
  side.hidden = true;
  side.scalar = compute_;
  side.offset = offset;
  return side;
}

void Planner::reserve(uint64_t elements) {
  plan_.workspace_size = std::max(plan_.workspace_size, (kept_ + elements) * 2 * ir::scalar_size(compute_));
}

Plan make_plan(const Problem& problem, const Limits& limits, Table& table) {
  if (problem.n == 0) fail(VD_ERR_INVALID, "the length of a transform (0) is not at least 1.");
  if (problem.n > kLongestLine) fail(VD_ERR_UNSUPPORTED, "the length ({}) is past the limit (2^32).", problem.n);
  Planner planner(limits, table, problem.compute);
  planner.keep(problem.kept);
  if (problem.kept != 0) planner.reserve(0);
  planner.plan(line_of(problem));
  Plan plan = planner.finish();
  for (PlannedPass& pass : plan.passes) apply_choice(pass.desc, limits, pass.layout);
  if (problem.kept == 0) take_tickets(plan, limits);
  for (PlannedPass& pass : plan.passes) {
    Layout& layout = pass.layout;
    layout.recorded = layout.recorded || follows_usual(pass.desc, limits, layout);
  }
  return plan;
}

}  // namespace vd::fft
