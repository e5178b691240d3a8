#include "fft/pieces.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>

#include "fft/transform_desc.h"

namespace vd::fft {
namespace {

class Divider : TransformDesc {
 public:
  explicit Divider(const vd_fft_desc& desc) : TransformDesc(desc) {}

  std::optional<Pieces> run(const vd_device_info& info, uint64_t most) {
    const uint32_t first = std::ranges::min(axes_);
    if (first == 0 || !is_packed() || filters() > 1 || has(VD_FFT_MAP_OUTPUT | VD_FFT_MAP_INPUT | VD_FFT_MAP_FILTER))
      return {};
    Pieces pieces;
    for (uint32_t i = 0; i < first; ++i) pieces.arrays *= d_.shape[i];
    const bool padded = !has(VD_FFT_OUT_OF_PLACE);
    pieces.bytes.push_back(bytes(first, out_, real_out(), padded));
    if (has(VD_FFT_OUT_OF_PLACE)) pieces.bytes.push_back(bytes(first, in_, real_in(), false));
    if (has(VD_FFT_CONVOLVE))
      pieces.bytes.push_back(has(VD_FFT_SHARED_FILTER) ? 0 : bytes(first, filter_, false, false));
    // A piece begins where every device binds.
    pieces.at_once = pieces.arrays;
    uint64_t unit = 1;
    const uint64_t align = std::max(info.storage_buffer_alignment, 1u);
    for (const uint64_t size : pieces.bytes) {
      if (size == 0) continue;
      pieces.at_once = std::min(pieces.at_once, most / size);
      unit = std::lcm(unit, align / std::gcd(align, size));
    }
    if (pieces.at_once == pieces.arrays) return {};
    pieces.at_once = pieces.at_once / unit * unit;
    if (pieces.at_once == 0) return {};
    pieces.desc = gathered(first - 1);
    return pieces;
  }

 private:
  bool is_packed() const {
    for (uint32_t i = 0; i < d_.rank; ++i)
      if (d_.in_strides[i] != 0 || d_.out_strides[i] != 0 || d_.filter_strides[i] != 0) return false;
    return d_.in_offset == 0 && d_.out_offset == 0 && d_.filter_offset == 0;
  }
  // Bytes of an array of the dimensions from `first` on; in place, reals leave room for their spectrum.
  uint64_t bytes(uint32_t first, ir::Scalar scalar, bool real, bool padded) const {
    uint64_t size = uint64_t{ir::scalar_size(scalar)} * (real ? 1 : 2);
    for (uint32_t i = first; i < d_.rank; ++i)
      size *= real ? (padded && i == last() ? 2 * spectrum(i) : d_.shape[i]) : spectrum(i);
    return size;
  }
  // The descriptor whose first dimension is the product of the first ones, `less` dimensions fewer.
  vd_fft_desc gathered(uint32_t less) const {
    vd_fft_desc to = d_;
    to.rank -= less;
    for (uint32_t i = 0; i < VD_MAX_DIMS; ++i) {
      const uint32_t from = i + less;
      const bool there = from < VD_MAX_DIMS;
      to.shape[i] = there ? d_.shape[from] : 0;
      to.in_low[i] = there ? d_.in_low[from] : 0;
      to.in_high[i] = there ? d_.in_high[from] : 0;
      to.out_low[i] = there ? d_.out_low[from] : 0;
      to.out_high[i] = there ? d_.out_high[from] : 0;
    }
    to.axis_count = static_cast<uint32_t>(axes_.size());
    for (size_t i = 0; i < axes_.size(); ++i) to.axes[i] = static_cast<int32_t>(axes_[i] - less);
    return to;
  }
};

// A step of a piece's plan as one of all arrays: the caller's buffers begin at the piece.
vd_plan::Step moved(const vd_plan& plan, const vd_plan::Step& step, const Pieces& pieces, uint64_t first,
                    uint64_t count) {
  vd_plan::Step to = step;
  const auto given = static_cast<uint32_t>(plan.bindings().size());
  if (to.arguments.empty())
    for (uint32_t i = 0; i < given + step.hidden.size(); ++i) to.arguments.push_back({i, 0, 0});
  for (vd_plan::Step::Argument& argument : to.arguments) {
    if (argument.index >= given || pieces.bytes[argument.index] == 0) continue;
    const uint64_t bytes = pieces.bytes[argument.index];
    if (argument.size == 0) argument.size = count * bytes - argument.offset;
    argument.offset += first * bytes;
  }
  return to;
}

}  // namespace

std::vector<uint64_t> Pieces::all_bytes() const {
  std::vector<uint64_t> all = bytes;
  for (uint64_t& size : all) size *= arrays;
  return all;
}

std::optional<Pieces> divide(const vd_fft_desc& desc, const vd_device_info& info, uint64_t most) {
  return Divider(desc).run(info, most);
}

Ref<vd_plan> join_pieces(vd_context& context, const Pieces& divided,
                         const std::function<Ref<vd_plan>(const vd_fft_desc&)>& make) {
  const Ref<vd_plan> full = make(divided.of(divided.at_once));
  // A workspace of the caller's serves all pieces.
  Pieces pieces = divided;
  pieces.bytes.resize(full->bindings().size());
  const uint64_t left = pieces.arrays % pieces.at_once;
  const Ref<vd_plan> rest = left != 0 ? make(pieces.of(left)) : Ref<vd_plan>();
  std::vector<vd_plan::Step> steps;
  for (uint64_t first = 0; first < pieces.arrays; first += pieces.at_once) {
    const uint64_t count = std::min(pieces.at_once, pieces.arrays - first);
    const vd_plan& plan = count == pieces.at_once ? *full : *rest;
    for (const vd_plan::Step& step : plan.steps()) steps.push_back(moved(plan, step, pieces, first, count));
  }
  std::vector<vd_plan::Explanation> explanation{
      {fmt::format("{} arrays, of which {} at a time: device \"{}\" binds {} bytes\n", pieces.arrays, pieces.at_once,
                   full->device_info().name, full->device_info().max_storage_buffer_range)}};
  std::ranges::copy(full->explanation(), std::back_inserter(explanation));
  Ref<vd_plan> plan = vd_plan::compose(context, pieces.desc.device, full->name(), std::move(steps),
                                       static_cast<uint32_t>(pieces.bytes.size()), std::move(explanation), 0);
  // The part that all arrays share is as long as in a piece.
  std::vector<uint64_t> least = pieces.all_bytes();
  for (size_t i = 0; i < least.size(); ++i)
    if (least[i] == 0) least[i] = full->bindings()[i].least_size;
  plan->set_least_sizes(least);
  for (uint32_t i = 0; i < least.size(); ++i) plan->set_name(i, full->bindings()[i].name);
  std::vector<vd_plan::NoOverlap> rules;
  for (uint32_t i = 1; i < least.size(); ++i) {
    bool any = false, same = true;
    for (const vd_plan::NoOverlap& rule : full->no_overlaps()) {
      if (rule.read.binding != i) continue;
      any = true;
      same = same && rule.same;
    }
    if (any) rules.push_back({{0, 0, least[0]}, {i, 0, least[i]}, same});
  }
  plan->set_no_overlaps(std::move(rules));
  return plan;
}

}  // namespace vd::fft
