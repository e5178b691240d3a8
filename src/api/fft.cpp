// Fourier transforms.
#include "api/builder.h"
#include "api/desc.h"
#include "api/guard.h"
#include "api/types.h"
#include "core/traits.h"
#include "fft/gen.h"
#include "fft/pieces.h"
#include "fft/transform.h"
#include "fft/tune.h"
#if VD_HAVE_VKFFT
#include "vkfft/transform.h"
#endif

using vd::fail;
using vd::api::guard;
using vd::api::in;
using vd::api::out;

namespace {

constexpr vd_fft_flags kMaps = VD_FFT_MAP_OUTPUT | VD_FFT_MAP_INPUT | VD_FFT_MAP_FILTER;

// The caller's descriptor, in which each type, enumerator and flag is one that there is.
vd_fft_desc read(const vd_fft_desc* desc) {
  const vd_fft_desc d = vd::api::read_desc(desc, "desc");
  vd::api::known_type(d.in_type, "desc->in_type");
  vd::api::known_type(d.out_type, "desc->out_type");
  vd::api::known_type(d.filter_type, "desc->filter_type");
  vd::api::known_type(d.compute_type, "desc->compute_type");
  const auto known = [](int value, int last, const char* name) {
    if (value < 0 || value > last) fail(VD_ERR_INVALID, "desc->{} ({}) is unknown", name, value);
  };
  known(d.kind, VD_FFT_KIND_C2R, "kind");
  known(d.direction, VD_FFT_DIRECTION_INVERSE, "direction");
  known(d.norm, VD_FFT_NORM_FORWARD, "norm");
  known(d.tune, VD_FFT_TUNE_ALL, "tune");
  known(d.spectrum, VD_FFT_SPECTRUM_ANY, "spectrum");
  vd::api::flags(
      d.flags,
      kMaps | VD_FFT_OUT_OF_PLACE | VD_FFT_CONVOLVE | VD_FFT_CONJUGATE | VD_FFT_SHARED_FILTER | VD_FFT_WORKSPACE,
      "desc->flags");
  vd::api::flags(d.builder_flags,
                 vd_builder_flags{VD_BUILDER_BY_VALUE | VD_BUILDER_NO_EXEC_BOUNDS | VD_BUILDER_NO_SUBGROUP |
                                  VD_BUILDER_NO_PRINTF | VD_BUILDER_PRECISE | VD_BUILDER_NATIVE},
                 "desc->builder_flags");
  if (d.reserved != 0) fail(VD_ERR_INVALID, "desc->reserved ({}) is not zero", d.reserved);
  return d;
}

vd::Ref<vd_fft_gen> make_gen(vd_context& ctx, const vd_fft_desc& d,
                             std::shared_ptr<const vd::fft::Choices> choices = {}, std::string remark = {}) {
  return vd::make_ref<vd_fft_gen>(
      ctx, d, [](const vd_builder_desc& b) { return vd::Ref<vd::ir::Builder>(vd::make_ref<vd_builder>(b)); },
      std::move(choices), std::move(remark));
}

vd::Ref<vd_plan> make_chosen(vd_context& ctx, const vd_fft_desc& d, std::shared_ptr<const vd::fft::Choices> choices,
                             std::string remark = {}) {
  const vd::Ref<vd_fft_gen> gen = make_gen(ctx, d, std::move(choices), std::move(remark));
  vd_fft_element element;
  if (gen->next(element) != nullptr) fail(VD_ERR_INTERNAL, "a transform without maps asks for a map");
  return gen->finish();
}

vd::Ref<vd_plan> make_plan(vd_context& ctx, const vd_fft_desc& d) {
  // Nothing is measured where nothing runs.
  if (d.tune == VD_FFT_TUNE_NONE || !ctx.runs_kernels()) return make_chosen(ctx, d, {});
  const vd::fft::Tuned tuned = vd::fft::tune(
      ctx, d, [&](std::shared_ptr<const vd::fft::Choices> choices) { return make_chosen(ctx, d, std::move(choices)); });
  return make_chosen(ctx, d, tuned.choices, tuned.text());
}

// Throws for a transform whose candidates the library cannot measure.
void refuse_tune(const vd_fft_desc& d, const char* why) {
  if (d.tune != VD_FFT_TUNE_NONE)
    fail(VD_ERR_UNSUPPORTED, "desc->tune ({}) is not 0, and {}", static_cast<int>(d.tune), why);
}

vd::Ref<vd_plan> make_vkfft_plan(vd_context& ctx, const vd_fft_desc& desc) {
#if VD_HAVE_VKFFT
  return vd::vkfft::make_plan(ctx, desc);
#else
  fail(VD_ERR_UNSUPPORTED, "this library was built without VkFFT (device {} of {})", desc.device, ctx.device_count());
#endif
}

}  // namespace

vd_status vd_plan_create_fft(vd_context* ctx, const vd_fft_desc* desc, vd_plan** out_plan) {
  return guard(__func__, [&] {
    vd_plan*& result = out(out_plan, "out_plan");
    vd_context& c = in(ctx, "ctx");
    const vd_fft_desc d = read(desc);
    if ((d.flags & kMaps) != 0) {
      fail(VD_ERR_INVALID, "desc->flags ({:#x}) have map bits, which only vd_fft_gen_create() takes", d.flags);
    }
    const vd_device_info& info = c.device(d.device, "desc->device").info();
    const auto make = [&](const vd_fft_desc& part) { return make_plan(c, part); };
    const auto pieces = vd::fft::divide(d, info, vd::most_bytes(info));
    result = (pieces ? vd::fft::join_pieces(c, *pieces, make) : make(d)).detach();
    return VD_OK;
  });
}

vd_status vd_context_get_fft_workspace_size(vd_context* ctx, const vd_fft_desc* desc, uint64_t* out_size) {
  return guard(__func__, [&] {
    uint64_t& size = out(out_size, "out_size");
    vd_context& c = in(ctx, "ctx");
    const vd_fft_desc d = read(desc);
    const vd_device_info& info = c.device(d.device, "desc->device").info();
    const auto pieces = vd::fft::divide(d, info, vd::most_bytes(info));
    size = vd::fft::workspace_size(pieces ? pieces->of(pieces->at_once) : d, info);
    return VD_OK;
  });
}

vd_status vd_plan_create_vkfft(vd_context* ctx, const vd_fft_desc* desc, vd_plan** out_plan) {
  return guard(__func__, [&] {
    vd_plan*& result = out(out_plan, "out_plan");
    vd_context& c = in(ctx, "ctx");
    const vd_fft_desc d = read(desc);
    c.device(d.device, "desc->device");
    refuse_tune(d, "VkFFT chooses its passes itself");
    result = make_vkfft_plan(c, d).detach();
    return VD_OK;
  });
}

vd_status vd_fft_gen_create(vd_context* ctx, const vd_fft_desc* desc, vd_fft_gen** out_gen) {
  return guard(__func__, [&] {
    vd_fft_gen*& result = out(out_gen, "out_gen");
    vd_context& c = in(ctx, "ctx");
    const vd_fft_desc d = read(desc);
    c.device(d.device, "desc->device");
    refuse_tune(d, "code of the caller's is not measured: vd_plan_create_fft() takes it");
    result = make_gen(c, d).detach();
    return VD_OK;
  });
}

void vd_fft_gen_retain(vd_fft_gen* gen) {
  if (gen != nullptr) gen->retain();
}
void vd_fft_gen_release(vd_fft_gen* gen) {
  if (gen != nullptr) gen->release();
}

vd_status vd_fft_gen_next(vd_fft_gen* gen, vd_fft_element* out_element, vd_builder** out_builder) {
  return guard(__func__, [&] {
    vd_builder*& result = out(out_builder, "out_builder");
    vd_fft_gen& g = in(gen, "gen");
    vd_fft_element element = VD_FFT_ELEMENT_INIT;
    vd::api::write_info(element, out_element, "out_element");
    // The factory above makes no other builders.
    auto* builder = static_cast<vd_builder*>(g.next(element));
    vd::api::write_info(element, out_element, "out_element");
    if (builder != nullptr) result = vd::Ref<vd_builder>::retain(builder).detach();
    return VD_OK;
  });
}

vd_status vd_fft_gen_read(vd_fft_gen* gen, vd_value buffer, vd_value index, vd_value into) {
  return guard(__func__, [&] {
    in(gen, "gen").read(buffer, index, into);
    return VD_OK;
  });
}

vd_status vd_fft_gen_write(vd_fft_gen* gen, vd_value buffer, vd_value index, vd_value value) {
  return guard(__func__, [&] {
    in(gen, "gen").write(buffer, index, value);
    return VD_OK;
  });
}

vd_status vd_fft_gen_finish(vd_fft_gen* gen, vd_plan** out_plan) {
  return guard(__func__, [&] {
    vd_plan*& result = out(out_plan, "out_plan");
    result = in(gen, "gen").finish().detach();
    return VD_OK;
  });
}
