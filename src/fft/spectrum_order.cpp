#include "fft/spectrum_order.h"

#include <algorithm>

#include "fft/planner.h"
#include "fft/strategies/four_step.h"
#include "fft/strategies/four_step_passes.h"

namespace vd::fft {
namespace {

// Numbers of a device's usual work, by which the passes are chosen.
constexpr uint64_t kUsualWork = uint64_t{1} << 24;

Line usual_line(uint64_t n, ir::Scalar compute) {
  Line line;
  line.n = n;
  line.compute = compute;
  line.read.side.scalar = line.write.side.scalar = compute;
  line.batches = {{std::max<uint64_t>(kUsualWork / n, 1), n, n, n}};
  return line;
}

bool takes_one_pass(const Line& line, const Limits& limits) {
  if (line.n >= kLongestLine) return false;
  Layout layout;
  const PassDesc pass = one_pass(line);
  return fits_workgroup(pass, limits) || (limits.cluster > 1 && choose_shared_layout(pass, limits, layout));
}

}  // namespace

std::vector<uint64_t> order_factors(uint64_t n, ir::Scalar compute, const Limits& given) {
  if (!is_smooth(n)) return {};
  Limits limits = given;
  limits.registers = kUsualRegisters;  // not what one plan's caller wishes
  limits.is_bounded = false;
  limits.choices.reset();
  Line line = usual_line(n, compute);
  if (limits.tuning.strategy != "four_step" && takes_one_pass(line, limits)) return {};
  line.order = SpectrumOrder{};
  Table table;
  const auto plan_one = [&](const Line& one) {
    Planner planner(limits, table, compute);
    return plan_factors(planner, one);
  };
  const std::vector<uint64_t> factors = plan_one(line);
  // The passes of all plans have to fit: of those with maps, and of convolutions.
  Filters filters;
  filters.side.scalar = compute;
  filters.mapped = true;
  line.product = filters;
  line.read.mapped = line.write.mapped = true;
  line.order->of = SpectrumOrder::Of::Filter;
  Planner planner(limits, table, compute);
  return factors.empty() || plan_in_factors(planner, line, factors) ? factors : plan_one(line);
}

}  // namespace vd::fft
