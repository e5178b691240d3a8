#include "fft/strategies/four_step_passes.h"

#include <fmt/format.h>

#include "fft/phases/half_spectrum.h"
#include "fft/rader.h"
#include "fft/strategies/chirp.h"

namespace vd::fft {
namespace {

// Fewer lines side by side are less than a sector of memory.
constexpr uint64_t kLeastColumns = 4;

// Lines side by side, both where they are read and where they are written: the nearest batch.
uint64_t count_columns(const Line& line) {
  if (line.batches.empty()) return 1;
  const Batch& nearest = line.batches.front();
  const bool both = nearest.in_stride < line.read.side.stride && nearest.out_stride < line.write.side.stride;
  return both && nearest.count >= kLeastColumns ? nearest.count : 1;
}

// Whether the output holds the numbers between passes as the workspace would: all of them, in the compute type. A map of
// the caller's may read what it held before.
bool works_in_output(const Line& line) {
  const Side& out = line.write.side;
  const Filters* filters = std::get_if<Filters>(&line.product);
  const bool mapped = line.read.mapped || line.write.mapped || (filters != nullptr && filters->mapped);
  return line.order && !mapped && !out.real && out.scalar == line.compute && out.low == 0 && out.high >= line.n;
}

// Element number i of a line, with the digits i[0] (the highest) to i[p - 1], becomes number k of its transform with
// the digits k[0] (the lowest) to k[p - 1], one digit a pass. The workspace has digit p - 1 in rows, and the row that
// the others number as k does: so the last pass has whole rows, and every other works in place.
//
// A spectrum in the order of spectrum_order.h lies as its rows do, where i[0] stays the highest digit. So all passes work
// in place, in the output if it can hold numbers between passes.
class FourStep {
 public:
  FourStep(Planner& planner, const Line& line, const std::vector<uint64_t>& factors)
      : planner_(planner),
        line_(line),
        factors_(factors),
        last_(factors.size() - 1),
        columns_(count_columns(line)),
        in_output_(works_in_output(line)),
        between_(in_output_ ? line.write.side : planner.workspace(planner.kept())) {
    for (uint64_t before = 1; const uint64_t factor : factors) {
      below_.push_back(before);
      before *= factor;
    }
    if (in_output_) {
      row_ = factors[last_] * between_.stride;
      packed_ = between_.instance;
      for (const Batch& batch : line.batches)
        lines_.push_back({batch.count, batch.out_stride, batch.out_stride, batch.filter_stride});
      return;
    }
    between_.stride = columns_;
    row_ = whole_sectors(columns_ * factors[last_], line.compute);
    // Lines of the workspace, packed; copies of them for several filters.
    packed_ = unit_ = rows() * row_;
    for (const Batch& batch : line.batches) {
      const bool nearest = columns_ > 1 && lines_.empty();
      const uint64_t stride = nearest ? 1 : packed_;
      lines_.push_back({batch.count, stride, stride, batch.filter_stride});
      if (!nearest) packed_ *= batch.count;
    }
  }

  // False if a factor does not fit a workgroup.
  bool plan() {
    if (!in_output_) planner_.reserve(packed_ * line_.copies());
    if (is_ordered(SpectrumOrder::Of::Input)) return read_rows() && all_back();
    for (size_t digit = 0; digit < last_; ++digit) {
      if (!there(digit)) return false;
    }
    if (!line_.goes_back()) {
      if (last_ == 1 && !in_output_) planner_.set_between({outer_batches(), unit_});
      return write_rows();
    }
    return rows_and_back() && all_back();
  }

 private:
  // Batches of lines that do not lie side by side.
  uint32_t outer_batches() const { return static_cast<uint32_t>(lines_.size()) - (columns_ > 1 ? 1 : 0); }
  bool is_ordered() const { return line_.order.has_value(); }
  bool is_ordered(SpectrumOrder::Of of) const { return is_ordered() && line_.order->of == of; }
  // Between elements that differ by one in this digit alone, where the passes work.
  uint64_t stride(size_t digit) const {
    if (digit == last_) return between_.stride;
    return row_ * (is_ordered() ? rows() / (below_[digit] * factors_[digit]) : below_[digit]);
  }
  uint64_t rows() const { return line_.n / factors_[last_]; }
  // Rows of a side; nearest the lowest digits of the row's number, as a natural spectrum counts them.
  std::vector<Batch> row_batches(uint64_t in, uint64_t out, uint64_t filter) const {
    if (!is_ordered()) return {{rows(), in, out, filter}};
    std::vector<Batch> batches;
    for (size_t digit = 0; digit < last_; ++digit) {
      const uint64_t behind = rows() / (below_[digit] * factors_[digit]);
      batches.push_back({factors_[digit], in * behind, out * behind, filter * behind});
    }
    return batches;
  }
  // Digits of a row's number that are a batch each.
  size_t row_digits() const { return is_ordered() ? last_ : 1; }
  // Rows of a side in the order: elements have their natural numbers all the same, for maps.
  Side in_rows(Side side) const {
    side.numbers = rows();
    return side;
  }
  uint64_t row_of(const Side& side) const { return factors_[last_] * side.stride; }

  bool all_back() {
    for (size_t digit = last_; digit-- > 1;) {
      if (!back(digit)) return false;
    }
    return home();
  }

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
    pass.read.side = pass.write.side = between_;
    pass.read.side.stride = pass.write.side.stride = stride(digit);
    for (size_t other = last_; other > digit; --other) {
      pass.batches.push_back({factors_[other], stride(other), stride(other), 0});
    }
    const uint64_t before = is_ordered() && digit != 0 ? stride(digit - 1) : row_;
    if (digit != 0) pass.batches.push_back({below_[digit], before, before, 0});
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
    pass.read = {.side = between_};
    pass.reads_half = false;
    return pass;
  }
  // The first pass of the way back, of whole rows of a spectrum in the order.
  bool read_rows() {
    Line pass = row_pass();
    pass.read = line_.read;
    pass.read.side = in_rows(line_.read.side);
    pass.write = {.side = between_};
    pass.batches = with_lines(row_batches(row_of(line_.read.side), row_, 0), &Batch::in_stride);
    return add(pass, row_digits());
  }
  bool write_rows() {
    Line pass = row_pass();
    if (is_ordered()) {
      pass.write.side = in_rows(line_.write.side);
      pass.batches = with_lines(row_batches(row_, row_of(line_.write.side), 0), &Batch::out_stride);
      return add(pass, row_digits());
    }
    pass.write.side.split = rows();
    if (pass.on_write) pass.on_write->side.split = rows();
    pass.batches = with_lines({{rows(), row_, 1, 0}}, &Batch::out_stride);
    return add(has_stages(pass.n, pass.compute) ? pass : chirped(planner_, pass), 1);
  }
  bool rows_and_back() {
    Line pass = row_pass();
    pass.on_write.reset();
    pass.write = {.side = between_};
    pass.write.side.instance = packed_;
    uint64_t filter_row = 0;
    if (auto* known = std::get_if<KnownFilter>(&pass.product)) known->split = rows();
    if (auto* filters = std::get_if<Filters>(&pass.product)) {
      if (is_ordered()) {
        filter_row = row_of(filters->side);
        filters->side = in_rows(filters->side);
      } else {
        filters->side.split = rows();
      }
    }
    pass.batches = with_lines(row_batches(row_, row_, filter_row), nullptr);
    return add(pass, row_digits());
  }

  Line back_along(size_t digit) {
    Line pass = along(digit, "_back");
    if (!is_ordered(SpectrumOrder::Of::Input)) pass.sign = -line_.sign;
    pass.read.factors = {twiddle(digit, pass.sign > 0)};
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
  const bool in_output_;         // the passes work there, not in the workspace
  Side between_;                 // where they do
  uint64_t row_ = 0;             // elements between its rows
  std::vector<uint64_t> below_;  // product of the factors before a digit's
  std::vector<Batch> lines_;
  uint64_t packed_ = 1;
  uint64_t unit_ = 1;  // elements of the workspace that lines side by side have
};

}  // namespace

uint64_t whole_sectors(uint64_t elements, ir::Scalar compute) {
  const uint64_t sector = std::max<uint64_t>(kSector / (2 * ir::scalar_size(compute)), 1);
  return (elements + sector - 1) / sector * sector;
}

bool plan_in_factors(Planner& planner, const Line& line, const std::vector<uint64_t>& factors) {
  const Table::Mark mark = planner.table.mark();
  const size_t before = planner.pass_count();
  if (FourStep(planner, line, factors).plan()) return true;
  planner.drop_passes_from(before);
  planner.table.rewind(mark);
  return false;
}

}  // namespace vd::fft
