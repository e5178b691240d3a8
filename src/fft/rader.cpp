#include "fft/rader.h"

#include <algorithm>
#include <bit>

#include "fft/host_dft.h"
#include "fft/radix_words.h"
#include "fft/workgroups.h"

namespace vd::fft {
namespace {

// Operations of a value: its two places among the powers, and its product.
constexpr double kPermutationCost = 16, kFilterCost = 10;
// Operations of a value that enters a convolution behind other stages: its root and the product.
constexpr double kEntryCost = 16;

constexpr uint32_t kMostHalf = 2048;

uint64_t modular_power(uint64_t base, uint64_t exponent, uint64_t modulus) {
  uint64_t result = 1;
  for (; exponent > 0; exponent /= 2, base = base * base % modulus) {
    if (exponent % 2 != 0) result = result * base % modulus;
  }
  return result;
}

using Radices = std::vector<uint32_t>;

// All ways to make n of radices, the largest first.
void split(uint32_t rest, uint32_t largest, const RadixLimits& limits, Radices& before, std::vector<Radices>& out) {
  if (rest == 1) return out.push_back(before);
  for (uint32_t r = std::min(rest, largest); r >= 2; --r) {
    if (rest % r != 0 || !takes(limits, r)) continue;
    before.push_back(r);
    split(rest / r, r, limits, before, out);
    before.pop_back();
  }
}
std::vector<Radices> all_radices(uint32_t n, const RadixLimits& limits) {
  std::vector<Radices> all;
  Radices none;
  split(n, limits.registers, limits, none, all);
  return all;
}

}  // namespace

std::vector<uint32_t> rader_primes(uint64_t n) {
  for (const uint32_t p : {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31}) {
    while (n % p == 0) n /= p;
  }
  std::vector<uint32_t> primes;
  while (n > 1) {
    const uint64_t prime = largest_prime(n);
    if (primes.size() == kMostConvolutions || prime > kLargestRader || !is_smooth(prime - 1)) return {};
    primes.insert(primes.begin(), static_cast<uint32_t>(prime));
    n /= prime;
  }
  return primes;
}

uint64_t largest_radix(uint64_t n) {
  if (is_smooth(n)) return largest_prime(n);
  const std::vector<uint32_t> primes = rader_primes(n);
  if (primes.empty()) return 0;
  uint64_t largest = 1;
  for (const uint32_t p : primes) largest = std::max(largest, largest_prime(p - 1)), n /= p;
  return std::max(largest, largest_prime(n));
}

bool has_stages(uint64_t n, ir::Scalar compute) {
  const std::vector<uint32_t> primes = rader_primes(n);
  if (primes.empty()) return is_smooth(n);
  return compute != ir::Scalar::F16 || primes.back() <= kMostHalf;
}

std::vector<uint32_t> generator_powers(uint32_t p) {
  std::vector<uint64_t> primes;
  for (uint64_t rest = p - 1; rest > 1;) {
    const uint64_t prime = largest_prime(rest);
    primes.push_back(prime);
    while (rest % prime == 0) rest /= prime;
  }
  uint64_t g = 1;
  const auto is_short = [&](uint64_t prime) { return modular_power(g, (p - 1) / prime, p) == 1; };
  while (std::ranges::any_of(primes, is_short)) ++g;
  std::vector<uint32_t> powers(p - 1, 1);
  for (size_t i = 1; i < powers.size(); ++i) powers[i] = static_cast<uint32_t>(powers[i - 1] * g % p);
  return powers;
}

std::vector<Root> rader_filter(uint32_t p) {
  std::vector<Root> known;
  for (const uint32_t k : generator_powers(p)) {
    const LongRoot w = long_root(k, p);
    known.push_back({static_cast<double>(w.re / (p - 1)), static_cast<double>(-w.im / (p - 1))});
  }
  return host_dft(known);
}

namespace {

// Lanes of the warps for each of a workgroup's invocations.
double lanes_for_each(uint32_t invocations) { return static_cast<double>(round_up(invocations, kWarp)) / invocations; }

// A plan without its powers, which take longer than the rest.
RadixPlan lay_out(uint32_t n, const std::vector<PrimeRadices>& primes, const Radices& outer, uint32_t invocations,
                  const RadixLimits& limits) {
  const ButterflyForm form = limits.form;
  RadixPlan plan;
  plan.n = n;
  plan.invocations = invocations;
  plan.form = form;
  uint32_t span = 1;
  const auto add = [&](Stage stage) {
    const uint32_t r = stage.radix;
    stage.rounds = (plan.butterflies(stage) + invocations - 1) / invocations;
    const bool around = stage.way != Stage::Way::Plain;
    plan.registers = std::max(plan.registers, stage.rounds * r + (around ? plan.beside(stage) : 0));
    const double twiddles = plan.turn(stage) == 1 ? 0 : 6.0 * (r - 1);
    plan.cost += invocations * stage.rounds * (butterfly_cost(r, form) + twiddles + kRoundCost);
    plan.stages.push_back(stage);
  };
  for (const PrimeRadices& one : primes) {
    Stage stage{1, n / one.prime, 0};
    stage.convolution = static_cast<uint8_t>(plan.convolutions.size());
    plan.convolutions.push_back({one.prime, {}, span});
    const auto add_way = [&](Stage::Way way, auto first, auto last) {
      stage.way = way;
      stage.span = n / one.prime;
      for (; first != last; ++first) {
        stage.radix = *first;
        add(stage);
        stage.span *= *first;
      }
    };
    add_way(Stage::Way::There, one.inner.begin(), one.inner.end());
    add_way(Stage::Way::Back, one.inner.rbegin(), one.inner.rend());
    if (span > 1) plan.cost += n * kEntryCost;
    span *= one.prime;
  }
  for (const uint32_t r : outer) {
    add({r, span, 0});
    span *= r;
  }
  if (limits.workgroup != 0) plan.cost *= lanes_for_each(lines_within(limits.workgroup, invocations) * invocations);
  plan.cost += n * kExchangeCost * static_cast<double>(plan.stages.size());
  if (plan.registers > kUsualRegisters)
    plan.cost *= 1 + limits.crowding * (plan.registers - kUsualRegisters) / kUsualRegisters;
  plan.cost += n * (kPermutationCost + kFilterCost) * static_cast<double>(primes.size());
  return plan;
}

void add_powers(RadixPlan& plan) {
  for (PrimeConvolution& one : plan.convolutions) one.powers = generator_powers(one.prime);
}

// All ways to choose one of each list.
std::vector<std::vector<PrimeRadices>> combinations(const std::vector<std::vector<PrimeRadices>>& lists) {
  std::vector<std::vector<PrimeRadices>> all{{}};
  for (const std::vector<PrimeRadices>& list : lists) {
    std::vector<std::vector<PrimeRadices>> longer;
    for (const std::vector<PrimeRadices>& before : all) {
      for (const PrimeRadices& one : list) {
        longer.push_back(before);
        longer.back().push_back(one);
      }
    }
    all = std::move(longer);
  }
  return all;
}

}  // namespace

bool makes_rader(uint64_t n, const std::vector<PrimeRadices>& primes, const std::vector<uint32_t>& outer) {
  std::vector<uint32_t> given;
  for (const PrimeRadices& one : primes) {
    if (product_of(one.inner) != one.prime - 1) return false;
    given.push_back(one.prime);
  }
  std::ranges::sort(given);
  return !given.empty() && length_of(primes, outer) == n && given == rader_primes(n);
}

RadixPlan make_rader(uint32_t n, const std::vector<PrimeRadices>& primes, const std::vector<uint32_t>& outer,
                     uint32_t invocations, ButterflyForm form) {
  RadixPlan plan = lay_out(n, primes, outer, invocations, {.form = form});
  add_powers(plan);
  return plan;
}

std::vector<RadixPlan> cheapest_rader(uint32_t n, const RadixLimits& limits, size_t count) {
  std::vector<std::vector<PrimeRadices>> lists;
  uint32_t rest = n;
  for (const uint32_t p : rader_primes(n)) {
    rest /= p;
    lists.emplace_back();
    for (Radices& inner : all_radices(p - 1, limits)) lists.back().push_back({p, std::move(inner)});
  }
  std::vector<RadixPlan> best;
  if (lists.empty()) return best;
  const auto cheaper = [](const RadixPlan& a, const RadixPlan& b) { return a.cost < b.cost * (1 - 1e-9); };
  const std::vector<Radices> outers = all_radices(rest, limits);
  for (const std::vector<PrimeRadices>& primes : combinations(lists)) {
    for (const Radices& outer : outers) {
      std::vector<uint32_t> invocations;
      const auto see = [&](uint32_t size, const Radices& radices) {
        for (const uint32_t r : radices) {
          for (uint32_t rounds = 1; rounds * r <= limits.registers; ++rounds)
            invocations.push_back((size / r + rounds - 1) / rounds);
        }
      };
      for (const PrimeRadices& one : primes) see(n / one.prime * (one.prime - 1), one.inner);
      see(n, outer);
      std::ranges::sort(invocations);
      invocations.erase(std::unique(invocations.begin(), invocations.end()), invocations.end());
      for (const uint32_t each : invocations) {
        if (each < 2 || each > limits.invocations) continue;  // the values change their order in shared memory
        RadixPlan plan = lay_out(n, primes, outer, each, limits);
        if (plan.registers > limits.registers || (best.size() == count && !cheaper(plan, best.back()))) continue;
        if (best.size() == count) best.pop_back();
        best.insert(std::upper_bound(best.begin(), best.end(), plan, cheaper), std::move(plan));
      }
    }
  }
  for (RadixPlan& plan : best) add_powers(plan);
  return best;
}

RadixPlan choose_rader(uint32_t n, const RadixLimits& limits) {
  std::vector<RadixPlan> best = cheapest_rader(n, limits, 1);
  return best.empty() ? RadixPlan{} : std::move(best.front());
}

uint32_t lines_within(uint32_t workgroup, uint32_t invocations) {
  uint32_t best = 1;
  for (uint32_t lines = 2; lines / 2 * invocations <= workgroup; lines *= 2) {
    if (lanes_for_each(lines * invocations) < lanes_for_each(best * invocations)) best = lines;
  }
  return best;
}

RadixPlan in_order(const RadixPlan& plan, bool read, bool written) {
  RadixPlan ordered = plan;
  const uint32_t rounds = (plan.n + plan.invocations - 1) / plan.invocations;
  if (read) ordered.stages.insert(ordered.stages.begin(), {1, 1, rounds});
  if (written && plan.leaves(plan.stages.size() - 1)) ordered.stages.push_back({1, plan.n, rounds});
  ordered.registers = std::max(plan.registers, rounds);
  return ordered;
}

}  // namespace vd::fft
