// The usual ways to run a pass: rules with their reasons, and records where measuring knew better.
#include <algorithm>
#include <bit>

#include "fft/candidate.h"
#include "fft/few_stages.h"
#include "fft/prime_radices.h"
#include "fft/rader.h"
#include "fft/record.h"

namespace vd::fft {
namespace {

// Rows staged through shared memory with few values have little to do between barriers.
constexpr uint32_t kLightThreads = 16, kLightRegisters = 8;
constexpr uint32_t kMemoryLine = 128, kMostColumnBytes = 256;
// Fewer values per invocation are better if they cost no stage, and more if a line has many invocations that wait for
// each other at many barriers.
constexpr uint32_t kFewRegisters = 12, kManyRegisters = 32;
constexpr uint32_t kMostLineThreads = 512, kManyLineThreads = 192, kManyStages = 4, kConvolveLineThreads = 256;
// A butterfly of a prime factor takes as many values. Of a large one, where a few more let the other stages have as
// many invocations.
constexpr uint32_t kLongPrime = 17, kLongPrimeRegisters = 32;
// Columns where nothing bounds the registers but a workgroup's size: one of 512 invocations, of 32 values each, is alone
// on its multiprocessor, yet its runs of memory are two to four times as long. Its exchange goes in as few parts as fit.
// Elsewhere nothing was measured, and drivers of CPUs take seconds to compile such a kernel.
constexpr uint32_t kLongColumn = 512, kAloneInvocations = 512;

uint32_t whole_number(double constant) { return static_cast<uint32_t>(std::clamp(constant, 1.0, 1e9)); }

uint32_t with_prime(uint32_t registers, uint32_t prime) {
  if (prime >= kLongPrime) registers = std::min(2 * registers, std::max(registers, kLongPrimeRegisters));
  return std::max(registers, prime);
}

// The usual ways of a pass that are turned, or those that are not.
class Usual {
 public:
  Usual(const PassDesc& desc, const Limits& limits, bool turned)
      : desc_(desc),
        limits_(limits),
        tuning_(limits.tuning),
        constants_(records(limits).constants),
        demanded_(demands(desc)),
        turned_(turned),
        columns_(turned || reads_columns(desc)),
        has_prime_radices_(has_prime_radices(desc, limits)),
        record_(find_usual(desc, limits, columns_)),
        scalar_size_(ir::scalar_size(desc.compute)),
        prime_(static_cast<uint32_t>(largest_radix(desc.n))),
        registers_(with_prime(tuning_.registers != 0 ? tuning_.registers : limits.registers, prime_)) {}

  // Adds fewer lines, and then planes, where memory is short. `many_registers`: twice as many, for lines that do not fit
  // otherwise.
  void add(bool many_registers, std::vector<Candidate>& to) const {
    Candidate candidate;
    candidate.turned = turned_;
    candidate.radices = radices(many_registers ? 2 * registers_ : registers_);
    if (candidate.radices.stages.empty()) return;
    choose_staging(desc_, limits_, candidate);
    if (!limits_.pairs && record_ != nullptr) candidate.parts = record_->candidate.parts;
    if (!limits_.pairs && tuning_.parts != 0) candidate.parts = tuning_.parts;
    for (uint32_t lines = most_lines(candidate.radices); lines >= (turned_ ? least_columns(desc_) : 1); lines /= 2) {
      candidate.lines = lines;
      if (demanded_.whole_lines || candidate.staged_in || candidate.staged_out) {
        candidate.planar = false;
        to.push_back(candidate);
        if (lines > 1 || demanded_.whole_lines) continue;
        candidate.staged_in = candidate.staged_out = false;
      }
      candidate.planar = prefers_planes(candidate.radices, lines) && !limits_.pairs;
      to.push_back(candidate);
      candidate.planar = !limits_.pairs;
      if (candidate.radices.invocations > 1) to.push_back(candidate);
    }
  }

  void add_long_columns(std::vector<Candidate>& to) const {
    if (limits_.traits.bounds_registers || !limits_.traits.scarce_shared_memory || limits_.registers_total == 0 ||
        limits_.pairs || desc_.n <= kLongColumn || !limits_.leaves_registers() || !tuning_.leaves_sizes() ||
        !columns_ || !is_smooth(desc_.n) || !takes_many_values(desc_))
      return;
    Candidate candidate;
    candidate.planar = true;
    candidate.radices = radices(kManyRegisters, kMaxRadix);
    const uint32_t invocations = candidate.radices.invocations;
    if (candidate.radices.stages.empty() || invocations == 1) return;
    uint32_t lines = std::bit_floor(std::min(kAloneInvocations, limits_.invocations) / invocations);
    lines = std::min(lines, kMemoryLine / 8);
    while (lines / 2 >= desc_.batches.front().count) lines /= 2;
    if (lines < least_columns(desc_) || lines <= most_lines(candidate.radices) / 2) return;
    candidate.lines = lines;
    for (candidate.parts = 1; candidate.parts <= 4; candidate.parts *= 2) {
      if (registers_hold(desc_, limits_, candidate)) to.push_back(candidate);
    }
  }

  // Ways for lines of which no other fits, with exchanges in parts: where shared memory is what is scarce, and registers
  // hold the lines.
  void add_in_parts(std::vector<Candidate>& to) const {
    if (!limits_.traits.scarce_shared_memory || limits_.pairs || tuning_.parts != 0 || demanded_.whole_lines ||
        !is_smooth(desc_.n))
      return;
    Candidate candidate;
    candidate.planar = true;
    candidate.radices = radices(2 * registers_, kMaxRadix);
    if (candidate.radices.stages.empty()) return;
    // More rows of a workgroup gain nothing, while runs of columns are to stay long.
    const uint32_t least = columns_ ? least_columns(desc_) : 1;
    for (uint32_t lines = columns_ ? most_lines(candidate.radices) : 1; lines >= least && lines > 0; lines /= 2) {
      candidate.lines = lines;
      for (candidate.parts = 2; candidate.parts <= 4 && registers_hold(desc_, limits_, candidate); candidate.parts *= 2)
        to.push_back(candidate);
    }
  }

 private:
  struct ColumnRules {
    uint32_t invocations, least_bytes, pair_bytes;
  };
  ColumnRules column_rules() const {
    const DeviceConstants& c = constants_;
    return limits_.traits.bounds_registers
               ? ColumnRules{whole_number(c.bounded_column_invocations), whole_number(c.bounded_column_bytes),
                             whole_number(c.bounded_column_pairs)}
               : ColumnRules{whole_number(c.free_column_invocations), whole_number(c.free_column_bytes),
                             whole_number(c.free_column_pairs)};
  }

  RadixLimits radix_limits(uint32_t registers, ButterflyForm form, uint32_t most) const {
    const uint32_t mixed = most >= kMaxRadix && !columns_ && desc_.rows == 0 ? mixed_prime(desc_) : 0;
    return {registers, limits_.invocations, form, most, desc_.rows, 1, mixed, limits_.traits.bounds_registers};
  }

  // `most`: radix.
  RadixPlan radices(uint32_t registers, uint32_t most = kUsualRadix) const {
    RadixPlan plan = plain_radices(registers, most);
    const bool open = tuning_.leaves_sizes() && record_ == nullptr && convolves_rows(desc_, limits_);
    return open && !plan.stages.empty() ? with_few_stages(plan, limits_) : plan;
  }

  RadixPlan plain_radices(uint32_t registers, uint32_t most) const {
    if (tuning_.radix != 0) most = tuning_.radix;
    const ButterflyForm form = tuning_.form();
    if (tuning_.gives_stages(desc_.n) && !tuning_.primes.empty() && desc_.rows == 0)
      return make_rader(desc_.n, tuning_.primes, tuning_.radices, tuning_.line_threads, form);
    if (tuning_.gives_stages(desc_.n) && tuning_.primes.empty() && has_axis(tuning_.radices, desc_.rows))
      return make_radices(desc_.n, tuning_.radices, tuning_.line_threads, form, desc_.rows);
    if (registers == with_prime(kUsualRegisters, prime_) && tuning_.registers == 0 && record_ != nullptr)
      return tuning_.butterflies < 0 ? record_->candidate.radices : with_form(record_->candidate.radices, form);
    if (has_prime_radices_ && registers == with_prime(kUsualRegisters, prime_)) {
      if (RadixPlan many = choose_prime_radices(desc_, limits_, form); !many.stages.empty()) return many;
    }
    RadixPlan plan = choose_radices(desc_.n, radix_limits(registers, form, most));
    const bool usual = limits_.leaves_registers() && registers == with_prime(kUsualRegisters, prime_);
    if (!usual || tuning_.registers != 0 || plan.stages.empty() || columns_) return plan;
    RadixPlan few = choose_radices(desc_.n, radix_limits(kFewRegisters, form, most));
    if (!few.stages.empty() && few.stages.size() <= plan.stages.size() && few.invocations < kManyLineThreads)
      return few;
    if (plan.convolves()) return plan;
    const bool many_threads =
        plan.invocations > kMostLineThreads ||
        (plan.stages.size() >= kManyStages && plan.invocations > kManyLineThreads) ||
        (demanded_.back && limits_.traits.bounds_registers && plan.invocations >= kConvolveLineThreads);
    if (!many_threads) return plan;
    // Powers of two of one stage less were measured to gain where shared memory is scarce; other lengths gain everywhere.
    if (takes_many_values(desc_) && (limits_.traits.scarce_shared_memory || !std::has_single_bit(desc_.n)))
      most = std::max(most, kMaxRadix);
    RadixPlan many = choose_radices(desc_.n, radix_limits(kManyRegisters, form, most));
    return many.stages.size() <= plan.stages.size() ? many : plan;
  }

  // The most lines that a workgroup has.
  uint32_t most_lines(const RadixPlan& plan) const {
    const uint64_t available = available_lines(desc_, columns_);
    uint32_t lines = usual_lines(plan);
    while (lines / 2 >= available) lines /= 2;
    return lines;
  }

  // Lines of a workgroup if memory is not short.
  uint32_t usual_lines(const RadixPlan& plan) const {
    if (tuning_.lines != 0) return tuning_.lines;
    if (record_ != nullptr && record_->lines && tuning_.invocations == 0) return record_->candidate.lines;
    const uint32_t invocations = plan.invocations;
    if (has_prime_radices_ && plan.convolves() && tuning_.invocations == 0 && !tuning_.gives_stages(desc_.n))
      return prime_radices_lines(invocations);
    const bool light = invocations < kLightThreads && plan.registers <= kLightRegisters;
    const uint32_t size = tuning_.invocations != 0 ? tuning_.invocations
                          : light                  ? whole_number(constants_.light_workgroup_size)
                                                   : whole_number(constants_.workgroup_size);
    uint32_t wanted = std::max(1u, size / invocations);
    if (columns_ && tuning_.invocations == 0) {
      const ColumnRules rules = column_rules();
      const uint32_t element = 2 * scalar_size_;
      wanted =
          std::min(std::max(rules.invocations / invocations, rules.least_bytes / element), kMostColumnBytes / element);
      // One workgroup that reads whole memory lines is better than two that read halves, if pairs fit.
      const uint32_t line = kMemoryLine / element;
      if (limits_.traits.bounds_registers && wanted < line && line * invocations <= limits_.invocations &&
          uint64_t{desc_.n} * kMemoryLine < limits_.shared_bytes)
        wanted = line;
      wanted = std::max(wanted, 1u);
    }
    return std::bit_floor(std::min(wanted, std::max(1u, limits_.invocations / invocations)));
  }

  // Whether the exchange shall be planar, if both ways fit.
  bool prefers_planes(const RadixPlan& plan, uint32_t lines) const {
    if (tuning_.planar >= 0) return tuning_.planar != 0;
    if (record_ != nullptr && record_->planar) return record_->candidate.planar;
    const uint64_t pair_bytes = uint64_t{desc_.n} * lines * 2 * scalar_size_;
    if (columns_) {
      const ColumnRules rules = column_rules();
      const bool alone = lines * plan.invocations > rules.invocations && lines * 2 * scalar_size_ >= kMemoryLine;
      return !alone && pair_bytes > rules.pair_bytes;
    }
    return !demanded_.back && limits_.traits.scarce_shared_memory &&
           (std::has_single_bit(desc_.n) || pair_bytes > whole_number(constants_.row_pairs));
  }

  static RadixPlan with_form(const RadixPlan& plan, ButterflyForm form) {
    if (plan.form == form || plan.convolves() || plan.cluster > 1) return plan;
    std::vector<uint32_t> radices;
    for (const Stage& stage : plan.stages) radices.push_back(stage.radix);
    return make_radices(plan.n, radices, plan.invocations, form, plan.axis);
  }

  const PassDesc& desc_;
  const Limits& limits_;
  const Tuning& tuning_;
  const DeviceConstants& constants_;
  const Demands demanded_;
  const bool turned_, columns_, has_prime_radices_;
  const Record* const record_;
  const uint32_t scalar_size_, prime_, registers_;
};

}  // namespace

bool find_usual_candidate(const PassDesc& desc, const Limits& limits,
                          const std::function<bool(const Candidate&)>& takes) {
  const bool turns = may_turn(desc, limits);
  for (const bool many_registers : {false, true}) {
    // A convolution's plan has no opposite.
    if (!is_smooth(desc.n) && demands(desc).back) break;
    std::vector<Candidate> some;
    if (!many_registers) Usual(desc, limits, false).add_long_columns(some);
    if (turns) Usual(desc, limits, true).add(many_registers, some);
    Usual(desc, limits, false).add(many_registers, some);
    if (std::ranges::any_of(some, takes)) return true;
  }
  std::vector<Candidate> in_parts;
  Usual(desc, limits, false).add_in_parts(in_parts);
  return std::ranges::any_of(in_parts, takes);
}

std::vector<Candidate> usual_candidates(const PassDesc& desc, const Limits& limits) {
  std::vector<Candidate> all;
  find_usual_candidate(desc, limits, [&](const Candidate& candidate) {
    all.push_back(candidate);
    return false;
  });
  return all;
}

}  // namespace vd::fft
