#include "primitives/reduce_pieces.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>

#include "core/array_desc.h"
#include "primitives/reduction.h"
#include "runtime/hidden.h"

namespace vd::primitives {
namespace {

constexpr uint32_t kOut = 0, kIn = 1, kGiven = 2;  // the caller's arguments

class Divider {
 public:
  Divider(vd_context& context, const vd_reduce_desc& desc) : context_(context), d_(desc), r_(read_reduction(desc)) {
    const std::vector<uint32_t> axes = read_axes(d_.axes, d_.axis_count, d_.rank);
    reduces_first_ = axes.empty() || std::ranges::find(axes, 0u) != axes.end();
    const ir::TypeTable types;
    for (uint32_t i = 1; i < d_.rank; ++i) {
      row_ *= d_.shape[i];
      if (!axes.empty() && std::ranges::find(axes, i) == axes.end()) results_ *= d_.shape[i];
    }
    row_ *= types.size(r_.in);
    partial_ = results_ * types.size(r_.type);
    result_ = results_ * types.size(r_.out);
  }

  Ref<vd_plan> run(uint64_t most, const std::function<Ref<vd_plan>(const vd_reduce_desc&)>& make) {
    const uint64_t rows = d_.shape[0];
    if (row_ * rows <= most || !is_divisible()) return nullptr;
    const uint64_t align = std::max(context_.device(d_.device).info().storage_buffer_alignment, 1u);
    uint64_t unit = align / std::gcd(align, row_), fit = most / row_;
    if (!reduces_first_) {
      unit = std::lcm(unit, align / std::gcd(align, result_));
      fit = std::min(fit, most / result_);
    }
    at_once_ = fit / unit * unit;
    // The results of the pieces lie where they can be bound.
    const uint64_t step = std::lcm(align, ir::TypeTable().size(r_.type));
    slot_ = (partial_ + step - 1) / step * step;
    if (at_once_ == 0) return nullptr;
    const uint64_t pieces = (rows + at_once_ - 1) / at_once_;
    if (reduces_first_ && slot_ * pieces > most) return nullptr;
    if (reduces_first_)
      parts_ = runtime::hidden_buffer(context_, d_.device, slot_ * pieces, nullptr, "results of the pieces");
    const Ref<vd_plan> full = make(part(at_once_));
    const Ref<vd_plan> rest = rows % at_once_ != 0 ? make(part(rows % at_once_)) : Ref<vd_plan>();
    for (uint64_t piece = 0; piece < pieces; ++piece) {
      const uint64_t first = piece * at_once_, count = std::min(at_once_, rows - first);
      add_piece(count == at_once_ ? *full : *rest, piece, first, count);
    }
    std::vector<vd_plan::Explanation> explanation{
        {fmt::format("{} rows, of which {} at a time: device \"{}\" binds {} bytes\n", rows, at_once_,
                     full->device_info().name, most)}};
    std::ranges::copy(full->explanation(), std::back_inserter(explanation));
    if (reduces_first_) {
      const Ref<vd_plan> last = make(combination(pieces));
      for (const vd_plan::Step& step : last->steps()) add(step, {kOut, 0, 0}, {own(step), 0, slot_ * pieces});
      std::ranges::copy(last->explanation(), std::back_inserter(explanation));
    }
    const std::string& name = full->name();
    Ref<vd_plan> plan =
        vd_plan::compose(context_, d_.device, name, std::move(steps_), kGiven, std::move(explanation), 0);
    const uint64_t out = reduces_first_ ? result_ : result_ * rows, in = row_ * rows;
    plan->set_least_sizes({out, in});
    plan->set_no_overlaps({{{kOut, 0, out}, {kIn, 0, in}}});
    return plan;
  }

 private:
  bool is_divisible() const {
    for (uint32_t i = 0; i < d_.rank; ++i)
      if (d_.in_strides[i] != 0 || d_.out_strides[i] != 0) return false;
    return d_.in_offset == 0 && d_.out_offset == 0 && !r_.mapped && d_.op != VD_REDUCE_OP_CUSTOM;
  }

  // The reduction of some rows.
  vd_reduce_desc part(uint64_t rows) const {
    vd_reduce_desc to = d_;
    to.shape[0] = rows;
    if (reduces_first_) to.out_type = to.compute_type = r_.type.bits();
    to.in_type = r_.in.bits();
    return to;
  }
  // That of the pieces' results, whose type is the one that is computed with.
  vd_reduce_desc combination(uint64_t pieces) const {
    vd_reduce_desc to = d_;
    to.rank = 2;
    to.shape[0] = pieces, to.shape[1] = results_;
    const ir::TypeTable types;
    to.in_strides[0] = static_cast<int64_t>(slot_ / types.size(r_.type)), to.in_strides[1] = 1;
    to.axis_count = 1, to.axes[0] = 0;
    to.in_type = to.compute_type = r_.type.bits();
    to.out_type = r_.out.bits();
    return to;
  }

  // The number of the pieces' results among a step's buffers, behind its own.
  static uint32_t own(const vd_plan::Step& step) { return kGiven + static_cast<uint32_t>(step.hidden.size()); }

  void add(const vd_plan::Step& step, vd_plan::Step::Argument out, vd_plan::Step::Argument in) {
    vd_plan::Step to = step;
    to.arguments = {out, in};
    for (uint32_t i = 0; i < step.hidden.size(); ++i) to.arguments.push_back({kGiven + i, 0, 0});
    if (parts_) to.hidden.push_back(parts_);
    steps_.push_back(std::move(to));
  }

  void add_piece(const vd_plan& plan, uint64_t piece, uint64_t first, uint64_t count) {
    for (const vd_plan::Step& step : plan.steps()) {
      const vd_plan::Step::Argument out = reduces_first_
                                              ? vd_plan::Step::Argument{own(step), piece * slot_, partial_}
                                              : vd_plan::Step::Argument{kOut, first * result_, count * result_};
      add(step, out, {kIn, first * row_, count * row_});
    }
  }

  vd_context& context_;
  const vd_reduce_desc& d_;
  const Reduction r_;
  bool reduces_first_ = false;
  uint64_t row_ = 1, results_ = 1;  // bytes of the input, and numbers of results, of an element of the first dimension
  uint64_t partial_ = 0, result_ = 0;  // bytes of these results while they are combined, and of the caller's
  uint64_t at_once_ = 0, slot_ = 0;    // rows of a piece, and bytes from the results of one to the next
  Ref<vd_buffer> parts_;
  std::vector<vd_plan::Step> steps_;
};

}  // namespace

Ref<vd_plan> reduce_in_pieces(vd_context& context, const vd_reduce_desc& desc, uint64_t most,
                              const std::function<Ref<vd_plan>(const vd_reduce_desc&)>& make) {
  return Divider(context, desc).run(most, make);
}

}  // namespace vd::primitives
