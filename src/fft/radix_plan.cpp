#include "fft/radix_plan.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "fft/cluster_plan.h"
#include "fft/known.h"
#include "fft/rader.h"

namespace vd::fft {
namespace {

// Neighbouring numbers that neighbouring invocations should write: 32 bytes of single precision.
constexpr uint32_t kFewNeighbours = 4;
// The cost of a number that is not written so: more than a stage's.
constexpr double kScatterCost = 4 * kExchangeCost;
// The longest lines that were faster with other radices at the ends. Of longer ones, a workgroup is alone on its
// multiprocessor.
constexpr uint32_t kMostOrdered = 9600;
// Numbers of single precision in a sector of memory.
constexpr uint32_t kSectorNumbers = 4;

class Search {
 public:
  Search(uint32_t n, const RadixLimits& limits) : n_(n), limits_(limits) {}
  RadixPlan run() {
    if (limits_.axis == 0) {
      split(n_, limits_.registers, 1);
    } else {
      split(limits_.axis, limits_.registers, n_ / limits_.axis);
    }
    const bool row = limits_.mixed != 0 && limits_.axis == 0 && limits_.cluster == 1;
    if (row && limits_.bounded && n_ <= kMostOrdered) choose_ends();
    return best_;
  }

 private:
  // `next`: the axis after this one.
  void split(uint32_t rest, uint32_t largest, uint32_t next) {
    if (rest == 1 && next > 1) return split(next, limits_.registers, 1);
    if (rest == 1) return consider();
    for (uint32_t r = std::min(rest, largest); r >= 2; --r) {
      if (rest % r != 0 || !takes(limits_, r)) continue;
      radices_.push_back(r);
      split(rest / r, r, next);
      radices_.pop_back();
    }
  }

  void consider() {
    uint32_t last = 0;
    for (const uint32_t r : radices_) {
      if (r == last) continue;
      last = r;
      for (uint32_t rounds = 1; rounds * r <= limits_.registers; ++rounds) {
        const uint32_t per_round = n_ / r;
        const uint32_t invocations = (per_round + rounds - 1) / rounds;
        const uint32_t shared = (invocations + limits_.cluster - 1) / limits_.cluster * limits_.cluster;
        if (shared <= limits_.invocations) evaluate(shared);
      }
    }
  }

  void evaluate(uint32_t invocations) {
    RadixPlan plan = make_radices(n_, in_order(invocations), invocations, limits_.form, limits_.axis);
    if (plan.registers > limits_.registers) return;
    if (limits_.cluster > 1 && share_line(plan, limits_.cluster).stages.empty()) return;
    // Among equal plans, the one with fewer invocations is better: each has more independent work.
    const bool better = best_.stages.empty() || plan.cost < best_.cost * (1 - 1e-9) ||
                        (plan.cost <= best_.cost * (1 + 1e-9) && plan.invocations < best_.invocations);
    if (better) best_ = std::move(plan);
  }

  // The largest first, but for two cases. Radices that the workgroups of a cluster divide stand beside each other, since
  // two neighbours shall. And with a mixed radix, speed followed the first stage, which loads (docs/performance.md): a power
  // of two is best there, since behind another stage it takes more registers; otherwise the end whose last round leaves
  // fewer invocations idle.
  std::vector<uint32_t> in_order(uint32_t invocations) const {
    std::vector<uint32_t> radices = radices_;
    if (limits_.axis != 0) return radices;
    if (limits_.cluster > 1) {
      std::stable_partition(radices.begin(), radices.end(), [&](uint32_t r) { return r % limits_.cluster == 0; });
    } else if (limits_.mixed != 0 && radices.front() > kUsualRadix) {
      const auto loads = [&](uint32_t r) {
        const uint32_t each = n_ / r, rounds = (each + invocations - 1) / invocations;
        return (is_fused(r) && r >= kUsualRadix ? 1 : 0) + static_cast<double>(each) / (rounds * invocations);
      };
      if (loads(radices.back()) > loads(radices.front())) std::reverse(radices.begin(), radices.end());
    }
    return radices;
  }

  // The best plan's, where the compiler bounds registers.
  void choose_ends() {
    std::vector<uint32_t> radices;
    for (const Stage& stage : best_.stages) radices.push_back(stage.radix);
    std::sort(radices.begin(), radices.end(), std::greater<>());
    if (radices.size() < 2 || radices.front() <= kUsualRadix) return;
    double best = -1;
    size_t first = 0, last = 0;
    for (size_t i = 0; i < radices.size(); ++i) {
      for (size_t j = 0; j < radices.size(); ++j) {
        const double rank = rank_of_ends(radices[i], radices[j]);
        // The smallest of last stages that are alike.
        if (i != j && (rank > best + 1e-9 || (i == first && rank > best - 1e-9))) best = rank, first = i, last = j;
      }
    }
    const uint32_t ends[] = {radices[first], radices[last]};
    for (const uint32_t end : ends) radices.erase(std::find(radices.begin(), radices.end(), end));
    radices.insert(radices.begin(), ends[0]);
    radices.push_back(ends[1]);
    best_ = make_radices(n_, radices, best_.invocations, limits_.form, limits_.axis);
  }

  // Parts of a line's rate, fitted to 579 measured ways that differ in nothing but the order of their radices. The first
  // stage loads: many values at once, by all invocations, from whole sectors. One of 13 values takes long to begin.
  double rank_of_ends(uint32_t first, uint32_t last) const {
    const auto busy = [&](uint32_t r) {
      const uint32_t invocations = best_.invocations, each = n_ / r, rounds = (each + invocations - 1) / invocations;
      return static_cast<double>(each) / (rounds * invocations);
    };
    return 0.14 * (busy(first) - busy(last)) + 0.07 * std::log(first) + (n_ / first % kSectorNumbers == 0 ? 0.03 : 0) -
           (first % 13 == 0 ? 0.09 : 0);
  }

  const uint32_t n_;
  const RadixLimits limits_;
  std::vector<uint32_t> radices_;
  RadixPlan best_;
};

}  // namespace

bool RadixPlan::enters(size_t stage) const {
  return stages[stage].way == Stage::Way::There && (stage == 0 || stages[stage - 1].way != Stage::Way::There);
}

bool RadixPlan::leaves(size_t stage) const {
  return stages[stage].way == Stage::Way::Back &&
         (stage + 1 == stages.size() || stages[stage + 1].way != Stage::Way::Back);
}

bool RadixPlan::multiplies(size_t stage) const {
  return stages[stage].way == Stage::Way::There && stages[stage + 1].way == Stage::Way::Back;
}

uint32_t RadixPlan::input_place(size_t stage, uint32_t butterfly, uint32_t value) const {
  if (stage > 0 && crosses(stage - 1)) {
    const Stage& s = stages[stage];
    const uint32_t each = s.radix / cluster;  // values from a workgroup
    return butterfly / s.slice * s.slice * cluster + butterfly % s.slice + value % each * (n / each);
  }
  const uint32_t place = butterfly + value * butterflies(stages[stage]);
  if (!enters(stage)) return place;
  const auto& [prime, powers, span] = convolution(stages[stage]);
  const uint32_t lines = n / prime;
  return powers[(prime - 1 - place / lines) % (prime - 1)] * lines + place % lines;
}

uint32_t RadixPlan::output_place(size_t stage, uint32_t butterfly, uint32_t value) const {
  const Stage& s = stages[stage];
  const uint32_t j = butterfly % s.span, place = (butterfly - j) * s.radix + j + value * s.span;
  if (!leaves(stage)) return place;
  const auto& [prime, powers, span] = convolution(s);
  const uint32_t line = place % (n / prime), within = line % span;
  return (line - within) * prime + within + powers[place / (n / prime)] * span;
}

RadixPlan RadixPlan::reversed() const {
  RadixPlan plan = *this;
  if (convolves()) return plan;
  if (axis != 0) plan.axis = n * cluster / axis;
  std::reverse(plan.stages.begin(), plan.stages.end());
  if (cluster > 1) {
    plan.crossing = static_cast<uint32_t>(stages.size()) - 2 - crossing;
    distribute(plan);
    return plan;
  }
  uint32_t span = 1;
  for (Stage& stage : plan.stages) {
    stage.span = span;
    span *= stage.radix;
  }
  return plan;
}

void RadixPlan::add_to(Hasher& hasher) const {
  hasher.add(n).add(invocations).add(registers).add(form).add(axis).add(cluster).add(crossing);
  hasher.add(convolutions.size());
  for (const PrimeConvolution& c : convolutions) hasher.add(c.prime).add(c.span);
  hasher.add(stages.size());
  for (const Stage& s : stages) {
    hasher.add(s.radix)
        .add(s.span)
        .add(s.rounds)
        .add(s.assignment)
        .add(s.way)
        .add(s.convolution)
        .add(s.slice)
        .add(s.crossed);
    hasher.add(s.neighbours).add(s.apart);
  }
}

std::string RadixPlan::text() const {
  std::string text;
  for (size_t s = 0; s < stages.size(); ++s) {
    if (convolves() && (stages[s].radix == 1 || stages[s].way == Stage::Way::Back)) continue;
    if (!text.empty()) text += "x";
    if (enters(s)) text += std::to_string(convolution(stages[s]).prime) + "(";
    text += std::to_string(stages[s].radix);
    if (stages[s].way == Stage::Way::There && multiplies(s)) text += ")";
  }
  return text.empty() ? "1" : text;
}

bool is_smooth(uint64_t n, uint64_t largest) {
  for (const uint64_t p : {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31}) {
    while (p <= largest && n % p == 0) n /= p;
  }
  return n == 1;
}

bool takes(const RadixLimits& limits, uint32_t radix) {
  if (radix > std::min(limits.registers, kMaxRadix)) return false;
  if (is_long_prime(radix)) return true;
  return radix <= limits.radix && (!is_mixed(radix) || is_smooth(radix, limits.mixed));
}

uint64_t largest_prime(uint64_t n) {
  uint64_t largest = 1;
  for (uint64_t p = 2; p * p <= n; ++p) {
    while (n % p == 0) largest = p, n /= p;
  }
  return n > 1 ? n : largest;
}

RadixPlan make_radices(uint32_t n, const std::vector<uint32_t>& radices, uint32_t invocations, ButterflyForm form,
                       uint32_t axis) {
  RadixPlan plan;
  plan.axis = axis;
  plan.n = n;
  plan.invocations = invocations;
  plan.form = form;
  plan.stages.reserve(radices.size());
  uint32_t span = 1;
  for (const uint32_t r : radices) {
    const uint32_t rounds = (n / r + invocations - 1) / invocations;
    plan.registers = std::max(plan.registers, rounds * r);
    const double twiddles = span == 1 || span == axis ? 0 : 6.0 * (r - 1);
    plan.cost += invocations * rounds * (butterfly_cost(r, form) + twiddles + kRoundCost);
    plan.stages.push_back({r, span, rounds});
    span *= r;
  }
  if (invocations > 1) plan.cost += kExchangeCost * n * static_cast<double>(radices.size() - 1);
  if (axis != 0 && invocations > 1) {
    Stage& last = plan.stages.back();
    last.neighbours = n / axis / last.radix;
    last.apart = axis;
    if (last.neighbours < kFewNeighbours) plan.cost += kScatterCost * n;
  }
  return plan;
}

bool has_axis(const std::vector<uint32_t>& radices, uint32_t axis) {
  uint64_t product = 1;
  for (size_t i = 0; i < radices.size() && product < axis; ++i) product *= radices[i];
  return axis == 0 || product == axis;
}

bool has_mixed_stage(const RadixPlan& plan) {
  return std::ranges::any_of(plan.stages, [](const Stage& stage) { return is_mixed(stage.radix); });
}

RadixPlan choose_radices(uint32_t n, const RadixLimits& limits) {
  if (n == 1) {
    RadixPlan plan;
    plan.stages.push_back({1, 1, 1});
    return plan;
  }
  static auto& known = *new Known<RadixPlan>;  // never destroyed: work may outlive main()
  Hasher hasher;
  hasher.add(n).add(limits.registers).add(limits.invocations).add(limits.form).add(limits.radix).add(limits.axis);
  hasher.add(limits.cluster).add(limits.mixed).add(limits.bounded).add(limits.workgroup).add(limits.crowding);
  return known.get(hasher.finish(), [&] { return is_smooth(n) ? Search(n, limits).run() : choose_rader(n, limits); });
}

}  // namespace vd::fft
