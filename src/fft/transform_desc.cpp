#include "fft/transform_desc.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/array_desc.h"
#include "core/error.h"
#include "core/name.h"

namespace vd::fft {
namespace {

using ir::Scalar;
using ir::Type;

Scalar scalar_of(vd_type given, bool real, const char* name) {
  const Type type(given);
  const bool fits = real ? type.is_scalar() : type.is_complex();
  if (!fits || !type.is_float() || type.is_reference())
    fail(VD_ERR_INVALID, "desc->{} ({}) is not a {} type", name, ir::shown_type(type), real ? "real" : "complex");
  return type.scalar();
}

}  // namespace

TransformDesc::TransformDesc(const vd_fft_desc& desc) : d_(desc) {
  check();
  axes_ = read_axes(d_.axes, d_.axis_count, d_.rank);
  if (axes_.empty()) axes_.push_back(last());
  read_types();
  check_ranges();
}

void TransformDesc::check() const {
  check_shape(d_.rank, d_.shape);
  if (has(VD_FFT_CONVOLVE) && d_.kind == VD_FFT_KIND_C2R)
    fail(VD_ERR_INVALID, "a convolution of real lines is of kind VD_FFT_KIND_R2C, not {}", static_cast<int>(d_.kind));
  if (!has(VD_FFT_CONVOLVE) && (has(VD_FFT_MAP_FILTER) || has(VD_FFT_SHARED_FILTER) || has(VD_FFT_CONJUGATE)))
    fail(VD_ERR_INVALID, "desc->flags ({:#x}) have filter bits without VD_FFT_CONVOLVE", d_.flags);
  if (d_.filter_count > 1 && !has(VD_FFT_CONVOLVE))
    fail(VD_ERR_INVALID, "desc->filter_count ({}) is given without VD_FFT_CONVOLVE", d_.filter_count);
  if (d_.filter_count > 64) fail(VD_ERR_UNSUPPORTED, "desc->filter_count ({}) is past the limit (64)", d_.filter_count);
  if (!std::isfinite(d_.scale)) fail(VD_ERR_INVALID, "desc->scale ({}) is not a finite number", d_.scale);
  if (d_.max_registers != 0 && d_.max_registers < 2)
    fail(VD_ERR_INVALID, "desc->max_registers ({}) is not at least 2", d_.max_registers);
}

void TransformDesc::read_types() {
  out_ = d_.out_type != 0 ? scalar_of(d_.out_type, real_out(), "out_type") : Scalar::F32;
  in_ = d_.in_type != 0 ? scalar_of(d_.in_type, real_in(), "in_type") : out_;
  if (d_.out_type == 0 && d_.in_type != 0) out_ = in_;
  compute_ =
      d_.compute_type != 0 ? scalar_of(d_.compute_type, false, "compute_type") : std::max({Scalar::F32, in_, out_});
  filter_ = d_.filter_type != 0 ? scalar_of(d_.filter_type, false, "filter_type") : compute_;
}

void TransformDesc::check_ranges() const {
  for (uint32_t i = 0; i < d_.rank; ++i) {
    if (is_transformed(i)) continue;
    for (const char* side : {"in", "out"}) {
      const bool input = side[0] == 'i';
      if ((input ? d_.in_low[i] | d_.in_high[i] : d_.out_low[i] | d_.out_high[i]) == 0) continue;
      fail(VD_ERR_INVALID, "desc->{}_low[{}] and {}_high[{}] are given for a dimension that is not transformed", side,
           i, side, i);
    }
  }
}

bool TransformDesc::is_transformed(uint32_t dim) const { return std::ranges::find(axes_, dim) != axes_.end(); }

uint32_t TransformDesc::filters() const { return std::max(d_.filter_count, 1u); }

std::string TransformDesc::name(std::string otherwise) const {
  return d_.label != nullptr && d_.label[0] != '\0' ? shown_name(d_.label) : std::move(otherwise);
}

}  // namespace vd::fft
