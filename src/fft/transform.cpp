#include "fft/transform.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/array_desc.h"
#include "core/error.h"
#include "core/overlap.h"
#include "fft/cluster_plan.h"
#include "fft/record.h"
#include "fft/transform_desc.h"

namespace vd::fft {
namespace {

using ir::Scalar;
using ir::Type;

using Dims = std::array<uint64_t, VD_MAX_DIMS>;

class Reader : TransformDesc {
 public:
  explicit Reader(const vd_fft_desc& desc) : TransformDesc(desc) {}

  std::vector<Problem> run(const Limits& limits) {
    check();
    check_ranges();
    read_strides();
    read_orders(limits);
    std::vector<Problem> problems;
    plan_steps();
    for (size_t i = 0; i < steps_.size();) {
      const size_t count = joined_steps(i);
      std::vector<Problem> apart;
      for (size_t k = 0; k < std::max<size_t>(count, 1); ++k) apart.push_back(problem(i + k));
      i += apart.size();
      if (count != 0) {
        Problem joined = problem(i - count, count);
        joined.axes_apart = !joins_axes(joined, apart, limits);
        if (!joined.axes_apart || shares_dispatch(joined, limits)) apart = {std::move(joined)};
      }
      std::ranges::move(apart, std::back_inserter(problems));
    }
    return problems;
  }

 private:
  void check() const {
    for (const uint32_t axis : axes_) {
      if (d_.shape[axis] > kLongestLine)
        fail(VD_ERR_UNSUPPORTED, "desc->shape[{}] ({}) is past the limit (2^32) of an axis that is transformed", axis,
             d_.shape[axis]);
    }
    if (d_.kind == VD_FFT_KIND_R2C && axes_.front() != last())
      fail(VD_ERR_INVALID, "real lines are along the last axis ({}), which is transformed first, not axis {}", last(),
           axes_.front());
    if (d_.kind == VD_FFT_KIND_C2R && axes_.back() != last())
      fail(VD_ERR_INVALID, "real lines are along the last axis ({}), which is transformed last, not axis {}", last(),
           axes_.back());
    if (!has(VD_FFT_OUT_OF_PLACE) && !has(VD_FFT_MAP_INPUT) && !has(VD_FFT_MAP_OUTPUT) && in_ != out_)
      fail(VD_ERR_INVALID, "desc->in_type ({}) and desc->out_type ({}) differ in place",
           ir::shown_type(ir::Type(d_.in_type)), ir::shown_type(ir::Type(d_.out_type)));
  }

  // The given strides, or packed ones; returns whether they were given.
  bool fill(const int64_t (&given)[VD_MAX_DIMS], bool real, const char* side, Dims& out) const {
    if (vd::read_strides(given, d_.rank, side, out)) return true;
    const bool padded = real && !has(VD_FFT_OUT_OF_PLACE);
    uint64_t step = 1;
    for (uint32_t i = d_.rank; i-- > 0;) {
      out[i] = step;
      step *= real ? (padded && i == last() ? 2 * spectrum(i) : d_.shape[i]) : spectrum(i);
    }
    return false;
  }

  // Elements from one array of these strides to the next, if arrays lie one after the other.
  uint64_t extent(const Dims& strides, bool real) const {
    uint64_t most = 0;
    for (uint32_t i = 0; i < d_.rank; ++i) {
      const bool padded = real && i == last() && !has(VD_FFT_OUT_OF_PLACE);
      most = std::max(most, strides[i] * (padded ? 2 * spectrum(i) : real ? d_.shape[i] : spectrum(i)));
    }
    return most;
  }

  // Strides of one side's elements as strides of the other's, where one complex number takes the place of two reals.
  Dims translated(const Dims& strides, bool from_real, bool to_real) const {
    Dims out = strides;
    for (uint32_t i = 0; i < d_.rank && from_real != to_real; ++i) {
      if (i != last()) out[i] = to_real ? 2 * strides[i] : strides[i] / 2;
    }
    return out;
  }
  static uint64_t translated(uint64_t offset, bool from_real, bool to_real) {
    return from_real == to_real ? offset : to_real ? 2 * offset : offset / 2;
  }

  // In place, strides that one side lacks are those of the other.
  void follow(bool in_given, bool out_given) {
    if (in_given && !out_given) out_strides_ = translated(in_strides_, real_in(), real_out());
    if (out_given && !in_given) in_strides_ = translated(out_strides_, real_out(), real_in());
    if (out_offset_ == 0) out_offset_ = translated(in_offset_, real_in(), real_out());
    if (in_offset_ == 0) in_offset_ = translated(out_offset_, real_out(), real_in());
  }

  void check_same_bytes() const {
    const bool mixed = real_in() != real_out();
    const Dims& reals = real_in() ? in_strides_ : out_strides_;
    const Dims& others = real_in() ? out_strides_ : in_strides_;
    for (uint32_t i = 0; i < d_.rank; ++i) {
      if (d_.shape[i] == 1) continue;
      const uint64_t wanted = mixed && i != last() ? 2 * others[i] : others[i];
      if (reals[i] == wanted && !(mixed && i == last() && reals[i] != 1)) continue;
      fail(VD_ERR_INVALID,
           "desc->in_strides[{}] ({}) and out_strides[{}] ({}) are not the same number of bytes, which a transform in "
           "place needs; "
           "VD_FFT_OUT_OF_PLACE takes two arrays",
           i, in_strides_[i], i, out_strides_[i]);
    }
    const uint64_t real = real_in() ? in_offset_ : out_offset_, other = real_in() ? out_offset_ : in_offset_;
    if (real != (mixed ? 2 * other : other))
      fail(VD_ERR_INVALID,
           "desc->in_offset ({}) and out_offset ({}) are not the same number of bytes, which a transform in place "
           "needs; "
           "VD_FFT_OUT_OF_PLACE takes two arrays",
           in_offset_, out_offset_);
  }

  // A part of a dimension; of the spectrum's where it is shorter than the reals'.
  struct Range {
    uint64_t low = 0, high = ~uint64_t{0};
    bool whole() const { return low == 0 && high == ~uint64_t{0}; }
  };
  Range in_range(uint32_t dim) const { return {d_.in_low[dim], d_.in_high[dim] != 0 ? d_.in_high[dim] : ~uint64_t{0}}; }
  Range out_range(uint32_t dim) const {
    return {d_.out_low[dim], d_.out_high[dim] != 0 ? d_.out_high[dim] : ~uint64_t{0}};
  }

  void check_ranges() const {
    for (uint32_t i = 0; i < d_.rank; ++i) {
      for (const auto& [side, range] : {std::pair{"in", in_range(i)}, {"out", out_range(i)}}) {
        if (range.whole()) continue;
        const uint64_t given = range.high == ~uint64_t{0} ? 0 : range.high;
        const bool real = side[0] == 'i' ? real_in() : real_out();
        const uint64_t size = real ? d_.shape[i] : spectrum(i);
        if (given > size || range.low >= std::min(range.high, size))
          fail(VD_ERR_INVALID, "desc->{}_low[{}] ({}) and {}_high[{}] ({}) are not a range within 0 to {}", side, i,
               range.low, side, i, given, size);
      }
    }
    check_order();
  }

  // One axis in one direction; or there, times the kernel, and back.
  struct Step {
    enum class Way : uint8_t { There, Around, Back };
    uint32_t axis;
    Way way;
    bool final = false;
    uint32_t copy = 0;  // the kernel's number, where each has a step of its own
  };

  // A convolution transforms along all axes but the last, forward and back along that one, and back along the others.
  void plan_steps() {
    const bool convolves = has(VD_FFT_CONVOLVE);
    for (const uint32_t axis : axes_) steps_.push_back({axis, Step::Way::There});
    if (convolves) {
      steps_.back().way = Step::Way::Around;
      for (size_t i = axes_.size() - 1; i-- > 0;) steps_.push_back({axes_[i], Step::Way::Back});
    }
    steps_.back().final = true;
    // A map knows the kernel's number while it is traced.
    if (steps_.back().way != Step::Way::Back || !has(VD_FFT_MAP_OUTPUT)) return;
    for (uint32_t copy = 1; copy < filters(); ++copy) {
      steps_.push_back(steps_.back());
      steps_.back().copy = copy;
    }
  }

  // The range of another dimension in a step: the given part of the input before that dimension is transformed, the
  // wanted part of the output after (for a convolution, once it is transformed back).
  Range batch_range(uint32_t dim, size_t index) const {
    if (!is_transformed(dim)) return {};
    const auto is_its = [&](const Step& step) { return step.axis == dim; };
    const auto now = steps_.begin() + static_cast<ptrdiff_t>(index);
    if (std::none_of(steps_.begin(), now, is_its)) return in_range(dim);
    return std::none_of(now, steps_.end(), is_its) ? out_range(dim) : Range{};
  }

  // The elements of a dimension that the transform may write. On several axes, and in place, both sides' ranges apply
  // to one array.
  uint64_t written(uint32_t dim, bool real, bool one_array) const {
    const uint64_t count = real ? d_.shape[dim] : spectrum(dim);
    const bool both = one_array || axes_.size() > 1;
    if (both && d_.kind != VD_FFT_KIND_C2C && dim == last()) return count;
    Range range = out_range(dim);
    if (both) range = {std::min(range.low, in_range(dim).low), std::max(range.high, in_range(dim).high)};
    return std::min(range.high, count) - range.low;
  }

  void check_apart(const Dims& strides, bool real, bool one_array, const char* side) const {
    Overlaps overlaps;
    for (uint32_t i = 0; i < d_.rank; ++i) overlaps.add({i, written(i, real, one_array), strides[i]});
    if (const auto overlap = overlaps.find())
      fail(VD_ERR_INVALID, "desc->{}_strides[{}] ({}) puts {} at addresses of dimension {} ({} of stride {})", side,
           overlap->dim.index, overlap->dim.stride, side[0] == 'o' ? "results" : "elements", overlap->over.index,
           overlap->over.count, overlap->over.stride);
  }

  // Refuses sizes past the limit before their sums and products overflow.
  void check_reach(const Dims& strides, uint64_t offset, bool real, const char* side) const {
    bool within = offset < kMostElements;
    uint64_t reach = offset + 1;
    for (uint32_t i = 0; i < d_.rank && within; ++i) {
      const uint64_t steps = (real ? d_.shape[i] : spectrum(i)) - 1;
      within = steps == 0 || strides[i] <= (kMostElements - reach) / steps;
      if (within) {
        reach += steps * strides[i];
        continue;
      }
      fail(VD_ERR_INVALID, "desc->{}_strides[{}] ({}) times {} reaches past the limit ({} elements)", side, i,
           strides[i], steps, kMostElements);
    }
    if (!within)
      fail(VD_ERR_INVALID, "desc->{}_offset ({}) is past the limit ({} elements)", side, offset, kMostElements);
  }

  void read_strides() {
    const bool in_given = fill(d_.in_strides, real_in(), "in", in_strides_);
    const bool out_given = fill(d_.out_strides, real_out(), "out", out_strides_);
    in_offset_ = d_.in_offset;
    out_offset_ = d_.out_offset;
    const bool one_array = !has(VD_FFT_OUT_OF_PLACE) && !has(VD_FFT_MAP_INPUT) && !has(VD_FFT_MAP_OUTPUT);
    check_reach(in_strides_, in_offset_, real_in(), "in");
    check_reach(out_strides_, out_offset_, real_out(), "out");
    if (one_array) {
      follow(in_given, out_given);
      check_same_bytes();
    }
    for (uint32_t i = 0; i < d_.rank && !has(VD_FFT_MAP_OUTPUT); ++i) {
      const uint64_t count = real_out() ? d_.shape[i] : spectrum(i);
      if (count > 1 && out_strides_[i] == 0)
        fail(VD_ERR_INVALID, "desc->out_strides[{}] (0) puts {} results at one address", i, count);
    }
    if (!has(VD_FFT_MAP_OUTPUT)) check_apart(out_strides_, real_out(), one_array, "out");
    // In place a spectrum is longer than its reals.
    if (one_array && d_.kind == VD_FFT_KIND_C2R) check_apart(in_strides_, false, true, "in");
    read_filter_strides();
  }

  void read_filter_strides() {
    Dims given;
    const bool any = vd::read_strides(d_.filter_strides, d_.rank, "kernel", given);
    if ((any || d_.filter_offset != 0) && (!has(VD_FFT_CONVOLVE) || has(VD_FFT_MAP_FILTER)))
      fail(VD_ERR_INVALID, "desc->filter_strides or filter_offset ({}) are given without a filter to read",
           d_.filter_offset);
    filter_strides_.fill(0);
    const uint32_t first = has(VD_FFT_SHARED_FILTER) ? std::ranges::min(axes_) : 0;
    uint64_t step = 1;
    for (uint32_t i = d_.rank; i-- > first;) {
      filter_strides_[i] = any ? given[i] : step;
      step *= spectrum(i);
    }
    check_reach(filter_strides_, d_.filter_offset, false, "kernel");
    if (any) {
      step = 1;
      for (uint32_t i = first; i < d_.rank; ++i) step = std::max(step, filter_strides_[i] * spectrum(i));
    }
    if (filters() > 1 && step > kMostElements / filters())
      fail(VD_ERR_INVALID, "desc->filter_count ({}) filters of {} elements are past the limit ({} elements)", filters(),
           step, kMostElements);
    filter_size_ = step;
  }

  bool is_inverse() const { return d_.direction == VD_FFT_DIRECTION_INVERSE || d_.kind == VD_FFT_KIND_C2R; }

  // Whether the spectrum is what is read.
  bool reads_spectrum() const { return is_inverse() && d_.kind != VD_FFT_KIND_R2C; }

  // Real lines have natural spectra.
  void read_orders(const Limits& limits) {
    if (d_.spectrum == VD_FFT_SPECTRUM_NATURAL) return;
    for (const uint32_t axis : axes_) {
      if (d_.kind == VD_FFT_KIND_C2C || axis != last()) orders_[axis] = order_factors(d_.shape[axis], compute_, limits);
    }
  }

  // A range of a spectrum would be one of places.
  void check_order() const {
    if (d_.spectrum == VD_FFT_SPECTRUM_NATURAL || has(VD_FFT_CONVOLVE)) return;
    for (const uint32_t axis : axes_) {
      const Range range = reads_spectrum() ? in_range(axis) : out_range(axis);
      if (range.low == 0 && range.high >= spectrum(axis)) continue;
      const char* side = reads_spectrum() ? "in" : "out";
      fail(VD_ERR_INVALID,
           "desc->{}_low[{}] and {}_high[{}] are a range of the spectrum, which desc->spectrum ({}) puts in any order",
           side, axis, side, axis, static_cast<int>(d_.spectrum));
    }
  }

  std::optional<SpectrumOrder> order_of(const Step& step) const {
    const std::vector<uint64_t>& factors = orders_[step.axis];
    if (factors.empty()) return {};
    using Of = SpectrumOrder::Of;
    if (step.way == Step::Way::Around) return SpectrumOrder{Of::Filter, factors};
    const bool reads = has(VD_FFT_CONVOLVE) ? step.way == Step::Way::Back : reads_spectrum();
    return SpectrumOrder{reads ? Of::Input : Of::Output, factors};
  }

  // Counts the steps, from this one on, along two axes whose rows are planes of adjacent numbers, which no map sees: in
  // one direction, or a convolution's there and back. 0: none.
  size_t joined_steps(size_t index) const {
    using Way = Step::Way;
    if (index + 1 >= steps_.size()) return 0;
    const bool convolves = has(VD_FFT_CONVOLVE) && axes_.size() == 2;
    const size_t count = convolves ? 3 : 2;
    const Step &step = steps_[index], &next = steps_[index + 1];
    if (convolves ? index != 0 : step.way != next.way || step.way == Way::Around) return 0;
    if (d_.shape[step.axis] == 1 || d_.shape[next.axis] == 1) return 0;
    if (!orders_[step.axis].empty() || !orders_[next.axis].empty()) return 0;
    const Problem joined = problem(index, count);
    if (joined.applied.input || joined.applied.output || joined.applied.filter) return 0;
    return joined.in.stride == 1 && joined.out.stride == 1 ? count : 0;
  }

  // `count` steps as one, along two axes.
  Problem problem(size_t index, size_t count = 1) const {
    using Way = Step::Way;
    const Step &step = steps_[index], &last_step = steps_[index + count - 1];
    // Numbers of a row are those of the last dimension.
    const uint32_t axis = count == 1 ? step.axis : std::max(step.axis, steps_[index + 1].axis);
    const uint32_t far = count == 1 ? axis : std::min(step.axis, steps_[index + 1].axis);
    const bool first = index == 0, final = last_step.final, several = axes_.size() > 1,
               convolves = has(VD_FFT_CONVOLVE);
    const bool reads_real = first && real_in(), writes_real = final && real_out();
    const bool out_of_place = has(VD_FFT_OUT_OF_PLACE);
    Problem p;
    p.name = name(fmt::format("{}_{}{}", convolves ? "convolve" : "fft",
                              count == 1 ? "" : fmt::format("{}x", d_.shape[far]), d_.shape[axis]));
    p.convolve = std::any_of(&step, &last_step + 1, [](const Step& s) { return s.way == Way::Around; });
    if (convolves && !p.convolve) p.name += step.way == Way::Back ? "_inverse" : "_forward";
    p.n = d_.shape[axis];
    p.rows = count == 1 ? 0 : static_cast<uint32_t>(d_.shape[far]);
    p.axis = axis;
    p.inverse = is_inverse() != (step.way == Way::Back);
    p.sign = p.inverse ? 1 : -1;
    p.conjugate = has(VD_FFT_CONJUGATE);
    if (count == 1) p.order = order_of(step);
    p.instances = p.convolve ? filters() : 1;
    p.first_instance = step.copy;
    p.filter_count = filters();
    p.compute = compute_;
    const double n = static_cast<double>(p.n) * std::max(p.rows, 1u);
    if (convolves) {
      if (d_.norm != VD_FFT_NORM_NONE && last_step.way != Way::There) p.scale = 1 / n;
    } else if (d_.norm == VD_FFT_NORM_ORTHO) {
      p.scale = 1 / std::sqrt(n);
    } else if (d_.norm == (p.inverse ? VD_FFT_NORM_INVERSE : VD_FFT_NORM_FORWARD)) {
      p.scale = 1 / n;
    }
    if (final && d_.scale != 0) p.scale *= d_.scale;

    // If no buffer of the caller's may hold the result between two axes, a workspace does.
    const bool between =
        several && (convolves || has(VD_FFT_MAP_OUTPUT) || (d_.kind == VD_FFT_KIND_C2R && out_of_place));
    p.in.hidden = between && !first;
    p.out.hidden = between && !final;
    const Dims packed = between ? packed_spectrum() : Dims{};
    const uint64_t packed_size = packed[0] * spectrum(0);
    p.kept = first && final ? 0 : packed_size * filters();
    const Dims& in = first ? in_strides_ : between ? packed : out_strides_of_spectrum();
    const Dims& out = final ? out_strides_ : between ? packed : out_strides_of_spectrum();
    p.in.scalar = first ? in_ : between ? compute_ : out_;
    p.in.real = reads_real;
    p.in.stride = in[axis];
    p.in.offset = p.in.hidden ? 0 : first || d_.kind == VD_FFT_KIND_C2R ? in_offset_ : out_offset_;
    p.in.argument = first && out_of_place && !has(VD_FFT_MAP_OUTPUT) ? 1 : 0;
    const Range given = step.way == Way::Back ? Range{} : in_range(axis);
    const Range wanted = convolves && last_step.way == Way::There ? Range{} : out_range(axis);
    p.in.low = given.low;
    // All that a half spectrum has are all numbers of the line.
    p.in.high = given.high == spectrum(axis) && !reads_real ? ~uint64_t{0} : given.high;
    if (writes_real && !p.convolve) p.in.mirror = p.n;
    p.out.scalar = p.out.hidden ? compute_ : out_;
    p.out.real = writes_real;
    p.out.stride = out[axis];
    p.out.offset = p.out.hidden ? 0 : final || d_.kind != VD_FFT_KIND_C2R ? out_offset_ : in_offset_;
    p.out.low = wanted.low;
    p.out.high = wanted.high;
    if (reads_real && !p.convolve) p.out.high = std::min(p.out.high, p.n / 2 + 1);
    if (reads_real && p.convolve) p.filter.mirror = p.n;
    if (p.rows != 0) {
      const Range far_given = step.way == Way::Back ? Range{} : in_range(far);
      const Range far_wanted = convolves && last_step.way == Way::There ? Range{} : out_range(far);
      p.in.rows = {p.rows, in[far], far_given.low, far_given.high};
      p.out.rows = {p.rows, out[far], far_wanted.low, far_wanted.high};
      p.filter.rows = {p.rows, filter_strides_[far]};
    }
    p.filter.scalar = filter_;
    p.filter.stride = filter_strides_[axis];
    p.filter.offset = d_.filter_offset;
    // A map gets an element of one array, and the number of the filter.
    p.filter.instance = has(VD_FFT_MAP_FILTER) ? 0 : filter_size_;
    p.filter.argument = (has(VD_FFT_MAP_OUTPUT) ? 0 : 1) + (out_of_place && !has(VD_FFT_MAP_INPUT) ? 1 : 0);
    uint64_t results = 1;
    for (uint32_t i = 0; i < d_.rank; ++i) {
      const uint64_t most = kMostElements / filters() / d_.shape[i];
      if (filters() > 1 && out[i] > most)
        fail(VD_ERR_INVALID, "desc->out_strides[{}] ({}) times {} for {} filters is past the limit ({} elements)", i,
             out[i], d_.shape[i], filters(), kMostElements);
      results = std::max(results, out[i] * d_.shape[i]);
    }
    if (p.out.hidden) results = packed_size;
    p.out.instance = has(VD_FFT_MAP_OUTPUT) && !p.out.hidden ? 0 : results;

    // The other dimensions, nearest first, joined where they are one row in memory. The outermost is there even if it
    // counts one: the kernels are those of more.
    uint32_t outermost = 0;
    while (outermost == axis || outermost == far) ++outermost;
    for (uint32_t i = d_.rank; i-- > 0;) {
      if (i == axis || i == far) continue;
      const Range range = batch_range(i, index);
      const uint64_t low = range.low, high = std::min(range.high, i == last() ? spectrum(i) : d_.shape[i]);
      p.in.offset += low * in[i];
      p.out.offset += low * out[i];
      if (high - low == 1 && i != outermost) continue;
      const Batch batch{high - low, in[i], out[i], filter_strides_[i]};
      if (!p.batches.empty()) {
        Batch& back = p.batches.back();
        const auto follows = [&](uint64_t Batch::*stride) { return back.count * (back.*stride) == batch.*stride; };
        if (follows(&Batch::in_stride) && follows(&Batch::out_stride) && follows(&Batch::filter_stride)) {
          back.count *= batch.count;
          continue;
        }
      }
      p.batches.push_back(batch);
    }
    if (p.batches.empty())
      p.batches.push_back({1, extent(in, reads_real), extent(out, writes_real),
                           has(VD_FFT_SHARED_FILTER) ? 0 : extent(filter_strides_, false)});

    if (step.way == Way::Back && final && has(VD_FFT_MAP_OUTPUT)) {
      p.in.offset += step.copy * packed_size;
      p.out.offset += step.copy * p.out.instance;
    } else if (step.way == Way::Back && filters() > 1) {
      p.batches.push_back({filters(), packed_size, results, 0});
    }

    p.maps = {has(VD_FFT_MAP_OUTPUT), has(VD_FFT_MAP_INPUT), has(VD_FFT_MAP_FILTER)};
    p.applied = {p.maps.output && final, p.maps.input && first, p.maps.filter && p.convolve};
    check_maps(p);
    const auto element = [](Scalar scalar, bool real) { return real ? Type(scalar) : Type::complex(scalar); };
    // In place, the elements are those of the side with more of them: complex numbers.
    const bool view = !out_of_place && d_.kind != VD_FFT_KIND_C2C;
    if (!p.maps.output) p.outputs.push_back({"output", element(out_, real_out() && !view)});
    if (out_of_place && !p.maps.input) p.inputs.push_back({"input", element(in_, real_in())});
    if (convolves && !p.maps.filter) p.filters.push_back({"kernel", Type::complex(filter_)});
    return p;
  }

  Dims packed_spectrum() const {
    Dims strides{};
    uint64_t step = 1;
    for (uint32_t i = d_.rank; i-- > 0; step *= spectrum(i)) strides[i] = step;
    return strides;
  }
  const Dims& out_strides_of_spectrum() const { return d_.kind == VD_FFT_KIND_C2R ? in_strides_ : out_strides_; }

  void check_maps(const Problem& p) const {
    if (p.maps.input && !p.maps.output && p.in.argument != 0 && !has(VD_FFT_OUT_OF_PLACE))
      fail(VD_ERR_INTERNAL, "an input map has no input argument");
    if (p.maps.output && !p.maps.input && !has(VD_FFT_OUT_OF_PLACE))
      fail(VD_ERR_INVALID, "with VD_FFT_MAP_OUTPUT and no input map the input is an argument: set VD_FFT_OUT_OF_PLACE");
  }

  std::vector<Step> steps_;
  Dims in_strides_{}, out_strides_{}, filter_strides_{};
  uint64_t in_offset_ = 0, out_offset_ = 0;
  uint64_t filter_size_ = 1;
  std::array<std::vector<uint64_t>, VD_MAX_DIMS> orders_;  // factors of the axes' spectra; none: natural
};

}  // namespace

std::vector<Problem> read_transform(const vd_fft_desc& desc, const Limits& limits) { return Reader(desc).run(limits); }

uint64_t workspace_size(const vd_fft_desc& desc, const vd_device_info& info) {
  const Limits limits = device_limits(info, desc.max_registers);
  uint64_t most = 0;
  for (const Problem& problem : read_transform(desc, limits)) {
    Table table;
    most = std::max(most, make_plan(problem, limits, table).workspace_size);
  }
  return most;
}

Limits device_limits(const vd_device_info& info, uint32_t max_registers) {
  Limits limits;
  limits.shared_bytes = most_shared_memory(info);
  limits.invocations = most_invocations(info);
  std::copy_n(info.max_workgroup_count, 3, limits.workgroups.begin());
  if (max_registers != 0) limits.bound_registers(std::min(max_registers, kMostRegisters));
  limits.computes_chirps = (info.features & VD_FEATURE_I64) != 0;
  limits.traits = traits_of(info);
  limits.shared_total = info.shared_memory_per_multiprocessor;
  limits.registers_total = info.registers_per_multiprocessor;
  limits.multiprocessors = info.multiprocessor_count;
  limits.records = records_of(info);
  if ((info.features & VD_FEATURE_CLUSTERS) != 0) limits.cluster = kMostCluster;
  limits.copies_ahead = (info.features & VD_FEATURE_ASYNC_COPY) != 0;
  limits.tuning = Tuning::read();
  if (limits.tuning.shared != 0) limits.shared_bytes = std::min(limits.shared_bytes, limits.tuning.shared);
  return limits;
}

}  // namespace vd::fft
