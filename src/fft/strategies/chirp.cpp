#include "fft/strategies/chirp.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <optional>
#include <vector>

#include "core/error.h"
#include "fft/few_stages.h"
#include "fft/host_dft.h"
#include "fft/strategies/strategy.h"

namespace vd::fft {
namespace {

// Lengths that are tried, from the shortest on.
constexpr size_t kPaddedLengths = 24;
// Longer butterflies than the last are never worth their operations where there is a choice.
constexpr uint64_t kOddFactors[] = {3, 5, 7, 11, 13};
// Multiplying a complex number by one from memory.
constexpr double kProductCost = 10;
// Measured time of transforms of powers of two for their operations, of which nearly all contract, beside that of others
// (an H200, lengths 47 to 8191). With few stages that of longer ones is more, but less than that of mixed radices, and a chirp
// that is to be faster than a stage of Rader's needs a tenth less.
constexpr double kPowerOfTwo = 0.67, kLongPowerOfTwo = 0.78, kFewStages = 0.85, kBesideRader = 1.1;
constexpr uint64_t kLongPower = 4096;

// Longer spectra are left to the device: a processor takes more than a moment for them.
constexpr uint64_t kLongestOnHost = uint64_t{1} << 18;

struct Padded {
  uint64_t length = 0;
  double cost = 0;  // of one transform
  double part = 1;  // of the cost's time that the transform takes
  bool fits = false;
};

// The shortest lengths from `least` on without longer butterflies.
std::vector<uint64_t> smooth_lengths(uint64_t least, size_t count) {
  std::vector<uint64_t> all;
  for (uint64_t end = 2 * least; all.size() < count; end *= 2) {
    all.clear();
    std::vector<uint64_t> odd{1};
    for (const uint64_t p : kOddFactors) {
      for (size_t i = 0; i < odd.size(); ++i)
        if (odd[i] * p < end) odd.push_back(odd[i] * p);
    }
    for (uint64_t m : odd) {
      for (; m < end; m *= 2)
        if (m >= least) all.push_back(m);
    }
  }
  std::ranges::sort(all);
  all.resize(count);
  return all;
}

// Whether the convolution's stages may be those of with_few_stages(). An estimate for rows: those of columns, and of
// lines that functions of the caller's read or write, get the usual ones (convolves_rows()).
bool has_few_stages(const Limits& limits, const Line& line) {
  return may_have_few_stages(limits, line.compute) &&
         2 * line.n - 1 <= uint64_t{kFewStagesInvocations} * kFewStagesValues;
}

Padded padded_as(const Limits& limits, const Line& line, uint64_t m) {
  // Without a plan of its own a length costs as its size, and more than any that has one.
  Padded padded{m, 1e12 * static_cast<double>(m) * (m % 4 == 0 ? 1 : 1.2)};
  if (m * ir::scalar_size(line.compute) > limits.shared_bytes) return padded;  // in planes, the least that it takes
  RadixPlan radices = choose_radices(static_cast<uint32_t>(m), {2 * limits.registers, limits.invocations});
  if (radices.stages.empty()) return padded;
  const bool few = has_few_stages(limits, line);
  if (few) radices = with_few_stages(radices, limits);
  const double power = few && m > kLongPower ? kLongPowerOfTwo : kPowerOfTwo;
  const double other = few && has_mixed_stage(radices) ? kFewStages : 1;
  return {m, radices.cost, std::has_single_bit(m) ? power : other, true};
}

Padded padded_length(const Limits& limits, const Line& line) {
  if (limits.tuning.padded >= 2 * line.n - 1 && is_smooth(limits.tuning.padded))
    return padded_as(limits, line, limits.tuning.padded);
  std::vector<uint64_t> lengths = smooth_lengths(2 * line.n - 1, kPaddedLengths);
  const bool few = has_few_stages(limits, line);
  if (few) lengths.push_back(std::bit_ceil(2 * line.n - 1));
  Padded best;
  for (const uint64_t m : lengths) {
    const Padded padded = padded_as(limits, line, m);
    const bool better = few ? padded.part * padded.cost < best.part * best.cost : padded.cost < best.cost;
    if (best.length == 0 || better) best = padded;
  }
  return best;
}

// The constants' first elements of a chirp, exp(-pi i k^2 / n), and of its filter's spectrum over the padded length.
struct Elements {
  uint64_t chirp = 0, spectrum = 0;
};

class HostChirp {
 public:
  HostChirp(uint64_t n, uint64_t padded) : n_(n), padded_(padded) {}
  Root chirp(uint64_t k) {
    if (!roots_) roots_.emplace(2 * n_);
    const Root w = (*roots_)[k * k % (2 * n_)];
    return {w.re, -w.im};
  }
  Root spectrum(uint64_t k) {
    if (spectrum_.empty()) {
      spectrum_.resize(padded_, Root{0, 0});
      for (uint64_t i = 0; i < n_; ++i) {
        const Root w = chirp(i);
        spectrum_[i] = {w.re, -w.im};
        if (i != 0) spectrum_[padded_ - i] = spectrum_[i];
      }
      spectrum_ = host_dft(spectrum_);
    }
    const double part = 1 / static_cast<double>(padded_);
    return {spectrum_[k].re * part, spectrum_[k].im * part};
  }

 private:
  const uint64_t n_, padded_;
  std::optional<RootTable> roots_;
  std::vector<Root> spectrum_;
};

Elements elements_on_host(Table& table, uint64_t n, uint64_t padded) {
  const auto of = std::make_shared<HostChirp>(n, padded);
  Elements elements;
  elements.chirp = table.add(fmt::format("chirp {}", n), n, [of](uint64_t k) { return of->chirp(k); });
  elements.spectrum =
      table.add(fmt::format("filter {} {}", n, padded), padded, [of](uint64_t k) { return of->spectrum(k); });
  return elements;
}

Elements elements_on_device(Table& table, uint64_t n, uint64_t padded) {
  const DeviceChirp chirp = table.add_chirp(n, padded);
  return {chirp.first + padded, chirp.first};
}

uint64_t longest_on_host(const Limits& limits) {
  return limits.tuning.host_chirp >= 0 ? static_cast<uint64_t>(limits.tuning.host_chirp) : kLongestOnHost;
}

}  // namespace

double chirp_cost(const Limits& limits, const Line& line) {
  const Padded padded = padded_length(limits, line);
  const double part = padded.part * (has_few_stages(limits, line) ? kBesideRader : 1);
  return part * (2 * padded.cost + kProductCost * static_cast<double>(padded.length + 2 * line.n));
}

bool chirp_fits(const Limits& limits, const Line& line) {
  const bool has_room = 2 * line.n * ir::scalar_size(line.compute) <= limits.shared_bytes;
  return has_room && padded_length(limits, line).fits;
}

// With w = exp(-pi i / n), X[k] = w^(k^2) sum over j of (x[j] w^(j^2)) w^(-(k - j)^2).
Line chirped(Planner& planner, const Line& line) {
  const uint64_t n = line.n, padded = padded_length(planner.limits, line).length;
  if (padded > kLongestLine) {
    fail(VD_ERR_UNSUPPORTED,
         "the length ({}) has a prime factor above 31, and twice as much ({}) is past the limit (2^32).", n, padded);
  }
  const Elements elements = planner.limits.computes_chirps && padded > longest_on_host(planner.limits)
                                ? elements_on_device(planner.table, n, padded)
                                : elements_on_host(planner.table, n, padded);
  Line result = line;
  result.n = padded;
  result.read.side.end = n;
  result.write.side.end = n * std::max<uint64_t>(line.write.side.split, 1);
  const bool conjugate = line.sign > 0;
  const Factor by_chirp = table_factor(elements.chirp, conjugate);
  result.read.factors.push_back(by_chirp);
  result.write.factors.push_back(by_chirp);
  if (line.write.side.split != 0) result.write.factors.back().kind = Factor::Kind::Position;
  result.product = KnownFilter{{table_factor(elements.spectrum, conjugate)}};
  return result;
}

bool plan_chirp(Planner& planner, const Line& line) {
  if (is_smooth(line.n) || line.goes_back()) return false;
  // Passes of a line's factors move less than those of a line that is twice as long.
  const bool wished = planner.limits.tuning.strategy == "chirp";
  if (!wished && !chirp_fits(planner.limits, line) && plan_four_step(planner, line)) return true;
  planner.plan(chirped(planner, line));
  return true;
}

}  // namespace vd::fft
