#include "fft/strategies/four_step.h"

#include <fmt/format.h>

#include "fft/rader.h"
#include "fft/split_length.h"
#include "fft/strategies/chirp.h"
#include "fft/strategies/four_step_passes.h"
#include "fft/strategies/strategy.h"

namespace vd::fft {
namespace {

// Even at 16 numbers a workgroup these are enough for the longest line.
constexpr uint32_t kMostParts = 8;

// The longest line of this kind that fits a workgroup, of a power of two.
uint64_t longest_in_a_workgroup(const Planner& planner, const Line& line) {
  Line probe = line;
  probe.batches.clear();
  // A factor that fits in parts alone would leave no room for a second column.
  Limits limits = planner.limits;
  if (limits.tuning.parts == 0) limits.tuning.parts = 1;
  uint64_t most = 1;
  for (; most < line.n; most *= 2) {
    probe.n = most * 2;
    if (!fits_workgroup(one_pass(probe), limits)) break;
  }
  return most;
}

// Factors that the environment asks for (tuning.h).
std::vector<uint64_t> wished_factors(const Planner& planner, const Line& line) {
  const std::vector<uint32_t>& wished = planner.limits.tuning.factors;
  uint64_t product = 1;
  for (const uint32_t factor : wished) product *= factor;
  if (wished.size() < 2 || product != line.n) return {};
  return {wished.begin(), wished.end()};
}

// Factors of a length with one prime that no stage takes: the last is that prime, as a chirp that fits a workgroup.
std::vector<uint64_t> with_chirp(const Planner& planner, const Line& line, uint64_t most, uint32_t parts) {
  const uint64_t prime = largest_prime(line.n), rest = line.n / prime;
  Line last = line;
  last.n = prime;
  if (!is_smooth(rest) || rest == 1 || prime > most / 2 || !chirp_fits(planner.limits, last)) return {};
  std::vector<uint64_t> factors = parts > 2 ? split_length(rest, most, parts - 1) : std::vector<uint64_t>{};
  if (parts == 2 && rest <= most) factors = {rest};
  if (!factors.empty()) factors.push_back(prime);
  return factors;
}

}  // namespace

std::vector<uint64_t> plan_factors(Planner& planner, const Line& line) {
  const size_t before = planner.pass_count();
  const auto takes = [&](const std::vector<uint64_t>& factors) {
    return !factors.empty() && plan_in_factors(planner, line, factors);
  };
  if (std::vector<uint64_t> factors = wished_factors(planner, line); takes(factors)) return factors;
  const uint64_t most = longest_in_a_workgroup(planner, line);
  const auto in_parts = [&](uint32_t parts) {
    return has_stages(line.n, line.compute) ? split_length(line.n, most, parts)
                                            : with_chirp(planner, line, most, parts);
  };
  for (uint32_t parts = 2; parts <= kMostParts; ++parts) {
    std::vector<uint64_t> factors = in_parts(parts), more;
    if (!takes(factors)) continue;
    const size_t passes = planner.pass_count();
    planner.improve(before, [&] { return takes(more = in_parts(parts + 1)); });
    return planner.pass_count() == passes ? factors : more;
  }
  if (is_smooth(line.n))
    planner.refuse(fmt::format("the length ({}) has no {} factors of at most {}, which a workgroup ({} bytes) takes.",
                               line.n, kMostParts, most, planner.limits.shared_bytes));
  return {};
}

bool plan_four_step(Planner& planner, const Line& line) {
  if (!is_smooth(line.n) && line.goes_back()) return false;
  return !plan_factors(planner, line).empty();
}

}  // namespace vd::fft
