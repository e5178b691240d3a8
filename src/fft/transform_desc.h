// A vd_fft_desc with its defaults filled in and checked, for the two implementations: our transforms and VkFFT's. Each
// derives a reader, which refuses the features that the implementation lacks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ir/type.h"
#include "vkdispatch.h"

namespace vd::fft {

class TransformDesc {
 protected:
  // Keeps a reference to the descriptor, which has only known types, enumerators and flags. Throws for a transform that
  // no device can compute.
  explicit TransformDesc(const vd_fft_desc& desc);

  bool has(vd_fft_flags flag) const { return (d_.flags & flag) != 0; }
  uint32_t last() const { return d_.rank - 1; }
  bool is_transformed(uint32_t dim) const;
  uint32_t filters() const;
  bool real_in() const { return d_.kind == VD_FFT_KIND_R2C; }
  // A convolution of real lines goes there and back in one pass.
  bool real_out() const { return d_.kind == VD_FFT_KIND_C2R || (d_.kind == VD_FFT_KIND_R2C && has(VD_FFT_CONVOLVE)); }
  // The number of elements along a dimension on the side of the spectrum.
  uint64_t spectrum(uint32_t dim) const {
    return d_.kind != VD_FFT_KIND_C2C && dim == last() ? d_.shape[dim] / 2 + 1 : d_.shape[dim];
  }
  // The name of the transform, `otherwise` without a label.
  std::string name(std::string otherwise) const;

  const vd_fft_desc& d_;
  std::vector<uint32_t> axes_;  // in their order, at least one
  ir::Scalar in_ = ir::Scalar::F32, out_ = ir::Scalar::F32, compute_ = ir::Scalar::F32, filter_ = ir::Scalar::F32;

 private:
  void check() const;
  void read_types();
  void check_ranges() const;
};

}  // namespace vd::fft
