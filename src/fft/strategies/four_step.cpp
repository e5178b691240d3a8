// Lines that do not fit a workgroup: a pass for each of several factors (D. H. Bailey's four-step, with as many factors
// as needed), and as many again less one around a multiplication. Lines that lie side by side do so in the workspace,
// too, so that every pass takes neighbouring ones together.
#include <fmt/format.h>

#include "fft/phases/half_spectrum.h"
#include "fft/rader.h"
#include "fft/split_length.h"
#include "fft/strategies/chirp.h"
#include "fft/strategies/strategy.h"

namespace vd::fft {
namespace {

// Even at 16 numbers a workgroup these are enough for the longest line.
constexpr uint32_t kMostParts = 8;

// Rows of the workspace begin at whole sectors of memory, so that a run of theirs touches no more than it must.
uint64_t whole_sectors(uint64_t elements, ir::Scalar compute) {
  const uint64_t sector = std::max<uint64_t>(kSector / (2 * ir::scalar_size(compute)), 1);
  return (elements + sector - 1) / sector * sector;
}

// Fewer lines side by side are less than a sector of memory.
constexpr uint64_t kLeastColumns = 4;

// Lines side by side, both where they are read and where they are written: the nearest batch.
uint64_t count_columns(const Line& line) {
  if (line.batches.empty()) return 1;
  const Batch& nearest = line.batches.front();
  const bool both = nearest.in_stride < line.read.side.stride && nearest.out_stride < line.write.side.stride;
  return both && nearest.count >= kLeastColumns ? nearest.count : 1;
}

// Element number i of a line, with the digits i[0] (the highest) to i[p - 1], becomes number k of its transform with
// the digits k[0] (the lowest) to k[p - 1], one digit a pass. The workspace has digit p - 1 in rows, and the row that
// the others number as k does: so the last pass has whole rows, and every other works in place.
class FourStep {
 public:
  FourStep(Planner& planner, const Line& line, const std::vector<uint64_t>& factors)
      : planner_(planner),
        line_(line),
        factors_(factors),
        last_(factors.size() - 1),
        columns_(count_columns(line)),
        row_(whole_sectors(columns_ * factors[last_], line.compute)) {
    for (uint64_t before = 1; const uint64_t factor : factors) {
      below_.push_back(before);
      before *= factor;
    }
    // Lines of the workspace, packed; copies of them for several filters.
    packed_ = rows() * row_;
    for (const Batch& batch : line.batches) {
      const bool nearest = columns_ > 1 && lines_.empty();
      const uint64_t stride = nearest ? 1 : packed_;
      lines_.push_back({batch.count, stride, stride, batch.filter_stride});
      if (!nearest) packed_ *= batch.count;
    }
  }

  // False if a factor does not fit a workgroup.
  bool plan() {
    planner_.reserve(packed_ * line_.copies());
    for (size_t digit = 0; digit < last_; ++digit) {
      if (!there(digit)) return false;
    }
    if (!line_.goes_back()) return write_rows();
    if (!rows_and_back()) return false;
    for (size_t digit = last_; digit-- > 1;) {
      if (!back(digit)) return false;
    }
    return home();
  }

 private:
  uint64_t stride(size_t digit) const { return digit == last_ ? columns_ : below_[digit] * row_; }
  uint64_t rows() const { return line_.n / factors_[last_]; }

  // The batches of a pass, and the lines that it is a part of.
  std::vector<Batch> with_lines(std::vector<Batch> batches, uint64_t Batch::*user) const {
    for (size_t i = 0; i < lines_.size(); ++i) {
      Batch batch = lines_[i];
      if (user != nullptr) batch.*user = line_.batches[i].*user;
      batches.insert(columns_ > 1 && i == 0 ? batches.begin() : batches.end(), batch);
    }
    return batches;
  }
  // `interleaved`: the digits behind the pass's.
  bool add(const Line& pass, size_t interleaved) {
    PassDesc desc = one_pass(pass);
    desc.interleaved = static_cast<uint32_t>(interleaved);
    desc.first_interleaved = columns_ > 1 ? 1 : 0;
    if (pass.reads_half) desc.source = std::make_shared<ReadHalfSpectrum>(pass.read.side);
    if (pass.writes_half) desc.target = std::make_shared<WriteHalfSpectrum>(pass.write.side, pass.write.scale);
    desc.mirrored = (pass.reads_half || pass.writes_half) && interleaved == 1;
    return planner_.add(std::move(desc));
  }

  // A pass along a digit that is not the last, in the workspace: the digits after it are interleaved, those before it
  // are a batch.
  Line along(size_t digit, const char* name) const {
    Line pass;
    pass.name = line_.name + name + (digit == 0 ? "" : fmt::format("_{}", digit + 1));
    pass.n = factors_[digit];
    pass.sign = line_.sign;
    pass.compute = line_.compute;
    pass.first_copy = line_.first_copy;
    pass.read.side = pass.write.side = planner_.workspace(planner_.kept());
    pass.read.side.stride = pass.write.side.stride = stride(digit);
    for (size_t other = last_; other > digit; --other) {
      pass.batches.push_back({factors_[other], stride(other), stride(other), 0});
    }
    if (digit != 0) pass.batches.push_back({below_[digit], row_, row_, 0});
    return pass;
  }
  bool add_along(size_t digit, const Line& pass) { return add(pass, last_ - digit); }
  Factor twiddle(size_t digit, bool conjugate) {
    return twiddle_factor(planner_.table, line_.n / below_[digit], conjugate);
  }

  bool there(size_t digit) {
    Line pass = along(digit, "_columns");
    if (digit == 0) {
      pass.read = line_.read;
      pass.reads_half = line_.reads_half;
      pass.read.side.split = line_.n / factors_[0];
    }
    pass.write.factors = {twiddle(digit, line_.sign > 0)};
    pass.batches = with_lines(std::move(pass.batches), digit == 0 ? &Batch::in_stride : nullptr);
    return add_along(digit, pass);
  }

  // The last pass, of whole rows.
  Line row_pass() const {
    Line pass = line_;
    pass.name += "_rows";
    pass.n = factors_[last_];
    pass.read = {.side = planner_.workspace(planner_.kept())};
    pass.read.side.stride = columns_;
    pass.reads_half = false;
    return pass;
  }
  bool write_rows() {
    Line pass = row_pass();
    pass.write.side.split = rows();
    if (pass.on_write) pass.on_write->side.split = rows();
    pass.batches = with_lines({{rows(), row_, 1, 0}}, &Batch::out_stride);
    return add(largest_radix(pass.n) == 0 ? chirped(planner_, pass) : pass, 1);
  }
  bool rows_and_back() {
    Line pass = row_pass();
    pass.on_write.reset();
    pass.write = {.side = planner_.workspace(planner_.kept())};
    pass.write.side.stride = columns_;
    pass.write.side.instance = packed_;
    if (auto* known = std::get_if<KnownFilter>(&pass.product)) known->split = rows();
    if (auto* filters = std::get_if<Filters>(&pass.product)) filters->side.split = rows();
    pass.batches = with_lines({{rows(), row_, row_, 0}}, nullptr);
    return add(pass, 1);
  }

  Line back_along(size_t digit) {
    Line pass = along(digit, "_back");
    pass.sign = -line_.sign;
    pass.read.factors = {twiddle(digit, line_.sign < 0)};
    return pass;
  }
  bool back(size_t digit) {
    const uint32_t copies = line_.copies();
    Line pass = back_along(digit);
    pass.batches = with_lines(std::move(pass.batches), nullptr);
    if (copies > 1) pass.batches.push_back({copies, packed_, packed_, 0});
    return add_along(digit, pass);
  }
  // The last pass of the way back, to where the results belong.
  bool home() {
    const uint32_t copies = line_.copies();
    Line pass = back_along(0);
    pass.write = line_.write;
    pass.write.side.split = line_.n / factors_[0];
    pass.on_write = line_.on_write;
    if (pass.on_write) pass.on_write->side.split = pass.write.side.split;
    pass.batches = with_lines(std::move(pass.batches), &Batch::out_stride);
    const uint64_t instance = line_.write.side.instance;
    if (copies > 1 && !pass.write.mapped) pass.batches.push_back({copies, packed_, instance, 0});
    // A map knows the kernel's number while it is traced: each has a pass of its own.
    const uint32_t times = pass.write.mapped ? copies : 1;
    for (uint32_t copy = 0; copy < times; ++copy) {
      Line one = pass;
      one.first_copy = line_.first_copy + copy;
      one.read.side.offset += copy * packed_;
      one.write.side.offset += copy * instance;
      if (!add_along(0, one)) return false;
    }
    return true;
  }

  Planner& planner_;
  const Line& line_;
  const std::vector<uint64_t>& factors_;
  const size_t last_;
  const uint64_t columns_;       // lines side by side
  const uint64_t row_;           // elements between the workspace's rows
  std::vector<uint64_t> below_;  // product of the factors before a digit's
  std::vector<Batch> lines_;
  uint64_t packed_ = 1;
};

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

bool plan_four_step(Planner& planner, const Line& line) {
  const bool smooth = is_smooth(line.n);
  if (!smooth && line.goes_back()) return false;
  const size_t before = planner.pass_count();
  // False, with nothing added, if a factor does not fit a workgroup.
  const auto takes = [&](const std::vector<uint64_t>& factors) {
    const Table::Mark mark = planner.table.mark();
    if (FourStep(planner, line, factors).plan()) return true;
    planner.drop_passes_from(before);
    planner.table.rewind(mark);
    return false;
  };
  if (const std::vector<uint64_t> factors = wished_factors(planner, line); !factors.empty() && takes(factors))
    return true;
  const uint64_t most = longest_in_a_workgroup(planner, line);
  const auto in_parts = [&](uint32_t parts) {
    const std::vector<uint64_t> factors =
        largest_radix(line.n) != 0 ? split_length(line.n, most, parts) : with_chirp(planner, line, most, parts);
    return !factors.empty() && takes(factors);
  };
  for (uint32_t parts = 2; parts <= kMostParts; ++parts) {
    if (!in_parts(parts)) continue;
    planner.improve(before, [&] { return in_parts(parts + 1); });
    return true;
  }
  if (!smooth) return false;
  planner.refuse(fmt::format("the length ({}) has no {} factors of at most {}, which a workgroup ({} bytes) takes.",
                             line.n, kMostParts, most, planner.limits.shared_bytes));
  return false;
}

}  // namespace vd::fft
