#include "vkfft/transform.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "backends/vulkan/device.h"
#include "core/error.h"
#include "core/traits.h"
#include "fft/pieces.h"
#include "fft/radix_plan.h"
#include "fft/transform_desc.h"
#include "runtime/plan.h"
#include "vkfft/library.h"

namespace vd::vkfft {
namespace {

using ir::Scalar;

constexpr vd_fft_flags kMaps = VD_FFT_MAP_OUTPUT | VD_FFT_MAP_INPUT | VD_FFT_MAP_FILTER;

// The descriptor in VkFFT's terms.
class Reader : fft::TransformDesc {
 public:
  explicit Reader(const vd_fft_desc& desc) : TransformDesc(desc) {}

  Settings run() {
    check();
    read_precision();
    read_norm();
    s_.real = d_.kind != VD_FFT_KIND_C2C;
    s_.inverse = inverse() || d_.kind == VD_FFT_KIND_C2R;
    s_.convolve = has(VD_FFT_CONVOLVE);
    read_dimensions();
    read_zeros();
    read_arguments();
    return s_;
  }

  // Refuses what is too large for the device before VkFFT plans it, which takes it seconds or minutes for some lengths.
  void check_sizes(const vd_device_info& info) const {
    for (const uint64_t size : s_.sizes) {
      if (size > info.max_storage_buffer_range)
        refuse("desc->shape makes an array of {} bytes, and Vulkan device \"{}\" binds {}", size, info.name,
               info.max_storage_buffer_range);
    }
    for (uint32_t i = 0; i < d_.rank; ++i) {
      if (!is_transformed(i)) continue;
      const bool halved = s_.real && i == last() && d_.shape[i] % 2 == 0;
      const uint64_t n = halved ? d_.shape[i] / 2 : d_.shape[i], prime = fft::largest_prime(n);
      // A prime that no workgroup holds is transformed as a convolution, on twice the line.
      const uint64_t padded = (2 * n - 1) * number_;
      if (prime > most_shared_memory(info) / number_ && padded > info.max_storage_buffer_range)
        refuse(
            "desc->shape[{}] ({}) has a prime factor ({}) for which VkFFT needs a buffer of at least {} bytes, and "
            "Vulkan "
            "device \"{}\" binds {}",
            i, d_.shape[i], prime, padded, info.name, info.max_storage_buffer_range);
    }
  }

  std::string name() const {
    std::string shape;
    for (uint32_t i = 0; i < d_.rank; ++i) shape += fmt::format("{}{}", i == 0 ? '_' : 'x', d_.shape[i]);
    return TransformDesc::name((s_.convolve ? "vkfft_convolve" : "vkfft") + shape);
  }

 private:
  bool inverse() const { return d_.direction == VD_FFT_DIRECTION_INVERSE; }
  bool transforms() const { return !has(VD_FFT_CONVOLVE); }

  template <class... Args>
  [[noreturn]] static void refuse(fmt::format_string<Args...> format, Args&&... args) {
    throw Error(VD_ERR_UNSUPPORTED, fmt::format(format, std::forward<Args>(args)...));
  }

  void check() const {
    if (has(kMaps)) refuse("desc->flags ({:#x}) have map bits, and VkFFT takes no functions of the caller", d_.flags);
    if (has(VD_FFT_WORKSPACE))
      refuse("desc->flags ({:#x}) have VD_FFT_WORKSPACE, and VkFFT keeps memory of its own", d_.flags);
    if (d_.spectrum != VD_FFT_SPECTRUM_NATURAL)
      refuse("desc->spectrum ({}) is that of plans of vd_plan_create_fft(); VkFFT keeps spectra in natural order",
             static_cast<int>(d_.spectrum));
    if (d_.kind != VD_FFT_KIND_C2C && !is_transformed(last()))
      fail(VD_ERR_INVALID, "real lines are along the last axis ({}), which is not transformed", last());
    for (uint32_t i = 0; i < d_.rank; ++i) {
      if (d_.in_strides[i] != 0 || d_.out_strides[i] != 0 || d_.filter_strides[i] != 0)
        refuse("desc has strides of dimension {}; with VkFFT arrays are packed", i);
    }
    if (d_.in_offset != 0 || d_.out_offset != 0 || d_.filter_offset != 0)
      refuse(
          "desc->in_offset ({}), out_offset ({}) or filter_offset ({}) is given; with VkFFT arrays begin where "
          "they are bound",
          d_.in_offset, d_.out_offset, d_.filter_offset);
    // VkFFT has only forward and inverse; it would take the flag for a transform from a spectrum.
    if (d_.kind == VD_FFT_KIND_R2C && inverse())
      refuse("desc->direction ({}) asks for exp(+2 pi i j k / n) on real lines, which VkFFT applies to spectra only",
             static_cast<int>(d_.direction));
    if (!transforms() && inverse())
      fail(VD_ERR_INVALID, "desc->direction ({}) is inverse, and a convolution has no inverse",
           static_cast<int>(d_.direction));
    if (has(VD_FFT_SHARED_FILTER) || d_.filter_count > 1)
      refuse(
          "desc->flags ({:#x}) or filter_count ({}) ask for one filter for several arrays, or several for one; VkFFT "
          "gets "
          "one for each array, and vd_plan_create_fft() does both",
          d_.flags, d_.filter_count);
    // Asked for the kernel's conjugate, VkFFT 1.3.4 writes the shader that it writes without.
    if (has(VD_FFT_CONJUGATE))
      refuse("desc->flags ({:#x}) ask for the conjugate of the filter, which VkFFT does not support", d_.flags);
    if (!transforms() && d_.kind != VD_FFT_KIND_C2C)
      refuse("VkFFT gets convolutions of complex lines alone; vd_plan_create_fft() convolves real ones");
  }

  static std::string shown(vd_type type) { return ir::shown_type(ir::Type(type)); }

  void read_precision() {
    const Scalar compute = d_.compute_type != 0 ? compute_ : out_, filter = d_.filter_type != 0 ? filter_ : out_;
    if (in_ != out_ || filter != out_)
      refuse("desc->in_type ({}), out_type ({}) and filter_type ({}) differ; VkFFT keeps one type", shown(d_.in_type),
             shown(d_.out_type), shown(d_.filter_type));
    if (out_ == Scalar::F32 && compute == Scalar::F64) {
      s_.precision = Precision::DoubleInSingleMemory;
    } else if (compute != out_) {
      refuse("desc->compute_type ({}) is not the type of the array ({}), nor double for single", shown(d_.compute_type),
             ir::type_name(ir::Type::complex(out_)));
    } else {
      s_.precision = out_ == Scalar::F16   ? Precision::Half
                     : out_ == Scalar::F32 ? Precision::Single
                                           : Precision::Double;
    }
    number_ = 2 * ir::scalar_size(out_);
  }

  void read_norm() {
    if (d_.norm != VD_FFT_NORM_INVERSE && d_.norm != VD_FFT_NORM_NONE)
      refuse("desc->norm ({}) is not one of VkFFT's: inverse (0) and none (1)", static_cast<int>(d_.norm));
    // A part of the factor is always there.
    if (!transforms() && d_.norm == VD_FFT_NORM_NONE)
      refuse("desc->norm ({}) is given for a convolution, which VkFFT normalizes", static_cast<int>(d_.norm));
    if (d_.scale != 0 && d_.scale != 1) refuse("desc->scale ({}) is given; VkFFT does not scale", d_.scale);
    s_.normalize = d_.norm == VD_FFT_NORM_INVERSE;
  }

  // Our dimensions, slowest first, as VkFFT's, fastest first: neighbours that are not transformed become one, and those
  // before the first axis are batches.
  void read_dimensions() {
    uint32_t first = 0;
    while (!is_transformed(first)) ++first;
    for (uint32_t i = 0; i < first; ++i) s_.batches *= d_.shape[i];
    bool joins = false;
    for (uint32_t i = d_.rank; i-- > first;) {
      if (joins && !is_transformed(i)) {
        s_.shape[s_.rank - 1] *= d_.shape[i];
        continue;
      }
      joins = !is_transformed(i);
      if (joins && !transforms())
        refuse("dimension {} is between the axes of a convolution or behind them, which VkFFT cannot leave out", i);
      if (s_.rank == Settings::kMaxDims)
        refuse("desc->axes leave more than {} dimensions to VkFFT", Settings::kMaxDims);
      place_[i] = s_.rank;
      s_.shape[s_.rank] = d_.shape[i];
      s_.skipped[s_.rank++] = joins;
    }
    // In a convolution, VkFFT calls arrays with a filter each "features".
    if (!transforms()) {
      if (s_.batches > UINT32_MAX) refuse("{} filters are too many", s_.batches);
      s_.features = static_cast<uint32_t>(std::exchange(s_.batches, 1));
      // VkFFT divides by zero in a convolution of one dimension.
      if (s_.rank == 1) s_.shape[s_.rank++] = 1;
    }
  }

  // The zero part of a dimension. Ours is the non-zero one: [low, high), which wraps around the end if low is higher.
  void read_zeros() {
    bool spatial = false, spectral = false;
    for (uint32_t i = 0; i < d_.rank; ++i) {
      for (const bool input : {true, false}) {
        const uint64_t low = input ? d_.in_low[i] : d_.out_low[i], high = input ? d_.in_high[i] : d_.out_high[i];
        if (low == 0 && high == 0) continue;
        const char* side = input ? "in" : "out";
        const uint64_t n = d_.shape[i], end = high == 0 ? n : high;
        if (low == end || low >= n || end > n)
          fail(VD_ERR_INVALID, "desc->{}_low[{}] ({}) and {}_high[{}] ({}) are not a range within 0 to {}", side, i,
               low, side, i, high, n);
        if (low != 0 && end != n && low < end)
          refuse("desc->{}_low[{}] ({}) and {}_high[{}] ({}) leave two parts of {}; VkFFT leaves out one", side, i, low,
                 side, i, high, n);
        if (low == 0 && end == n) continue;
        // In passes along the other axes, VkFFT 1.3.4 computes the zeros and leaves out the rest.
        if (place_[i] != 0 && d_.axis_count > 1)
          refuse(
              "desc->{}_low[{}] ({}) and {}_high[{}] ({}): VkFFT leaves out parts of the last axis, or of the only one",
              side, i, low, side, i, high);
        if (!transforms())
          refuse("VkFFT leaves out parts of plain transforms alone; vd_plan_create_fft() does so in convolutions");
        const bool of_spectrum = input == s_.inverse;
        (of_spectrum ? spectral : spatial) = true;
        const uint32_t at = place_[i];
        s_.left[at] = low < end && low != 0 ? 0 : end;
        s_.right[at] = low < end && low == 0 ? n : low;
      }
    }
    if (spatial && spectral)
      refuse("desc leaves out parts of the array and of its spectrum; VkFFT leaves out of one of them");
    s_.spectrum_zeros = spectral;
  }

  void read_arguments() {
    uint64_t others = s_.batches * s_.features;
    for (uint32_t i = 1; i < s_.rank; ++i) others *= s_.shape[i];
    const uint64_t half = s_.shape[0] / 2 + 1;
    const uint64_t numbers = (s_.real ? half : s_.shape[0]) * others;
    s_.sizes.push_back(numbers * number_);
    if (has(VD_FFT_OUT_OF_PLACE)) {
      if (s_.real || !transforms() || s_.inverse)
        refuse(
            "out of place, VkFFT gets forward transforms of complex numbers alone: the others overwrite their input");
      s_.input = static_cast<uint32_t>(s_.sizes.size());
      s_.sizes.push_back(numbers * number_);
    }
    if (s_.convolve) {
      s_.kernel = static_cast<uint32_t>(s_.sizes.size());
      s_.sizes.push_back(numbers * number_);
    }
  }

  Settings s_;
  std::array<uint32_t, VD_MAX_DIMS> place_{};  // of a dimension among VkFFT's
  uint64_t number_ = 8;                        // bytes
};

}  // namespace

namespace {

Ref<vd_plan> make_whole(vd_context& context, const vulkan::Device& device, const vd_fft_desc& desc) {
  Reader reader(desc);
  const Settings settings = reader.run();
  reader.check_sizes(device.info());
  Tape tape(context, desc.device, reader.name());
  const Commands& commands = record(tape, device.gpu(), settings);
  // A convolution with one pass along each axis leaves its spectrum in natural order; else the filter would have to be
  // in one of VkFFT's own orders.
  if (settings.convolve && commands.work.size() != 2 * settings.rank - 1)
    fail(VD_ERR_UNSUPPORTED,
         "VkFFT takes {} passes for this convolution of {} dimensions; with more than one per axis, the filter would "
         "have "
         "to be in an order of VkFFT's own",
         commands.work.size(), settings.rank);
  std::vector<bool> only_read(settings.sizes.size(), true);
  only_read[0] = false;
  Ref<vd_plan> plan =
      tape.finish(commands, settings.sizes, only_read, fmt::format("{}: VkFFT {}\n", reader.name(), library_version()));
  // The first pass reads an input; a kernel is read by a later one, when others have written. Within a pass a line is
  // one group's.
  std::vector<vd_plan::NoOverlap> rules;
  for (uint32_t i = 1; i < settings.sizes.size(); ++i) {
    const bool same = !settings.convolve || commands.work.size() == 1;
    rules.push_back({{0, 0, settings.sizes[0]}, {i, 0, settings.sizes[i]}, same});
  }
  plan->set_no_overlaps(std::move(rules));
  return plan;
}

}  // namespace

Ref<vd_plan> make_plan(vd_context& context, const vd_fft_desc& desc) {
  const auto* device = dynamic_cast<const vulkan::Device*>(&context.device(desc.device));
  if (device == nullptr)
    fail(VD_ERR_UNSUPPORTED, "VkFFT is for Vulkan, and the context's backend is {}",
         backends::backend_name(context.backend()));
  const auto make = [&](const vd_fft_desc& part) { return make_whole(context, *device, part); };
  // VkFFT's shaders bind their buffers, and have one type for all of them.
  vd_fft_desc all = desc;
  const vd_type type = desc.out_type != 0 ? desc.out_type : desc.in_type;
  if ((desc.flags & VD_FFT_CONVOLVE) != 0 && desc.filter_type == 0)
    all.filter_type = type != 0 ? type : vd_type{VD_TYPE_COMPLEX_F32};
  const auto pieces = fft::divide(all, device->info(), device->info().max_storage_buffer_range);
  return pieces ? fft::join_pieces(context, *pieces, make) : make(desc);
}

}  // namespace vd::vkfft
