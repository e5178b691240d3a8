// Fourier transforms.
#include "api/builder.h"
#include "api/desc.h"
#include "api/guard.h"
#include "api/types.h"
#include "fft/gen.h"
#if VD_HAVE_VKFFT
#include "vkfft/transform.h"
#endif

using vd::fail;
using vd::api::guard;
using vd::api::in;
using vd::api::out;

namespace {

vd_fft_desc read(const vd_fft_desc* desc) {
  const vd_fft_desc d = vd::api::read_desc(desc, "desc");
  vd::api::known_type(d.in_type, "desc->in_type");
  vd::api::known_type(d.out_type, "desc->out_type");
  vd::api::known_type(d.filter_type, "desc->filter_type");
  vd::api::known_type(d.compute_type, "desc->compute_type");
  return d;
}

vd::Ref<vd_fft_gen> make_gen(vd_context& ctx, const vd_fft_desc* desc, bool maps) {
  const vd_fft_desc d = read(desc);
  if ((d.flags & VD_FFT_VKFFT) != 0) {
    fail(VD_ERR_UNSUPPORTED, "desc->flags ({:#x}) ask for VkFFT, which takes no functions of the caller's", d.flags);
  }
  constexpr vd_fft_flags kMaps = VD_FFT_MAP_OUTPUT | VD_FFT_MAP_INPUT | VD_FFT_MAP_FILTER;
  if (!maps && (d.flags & kMaps) != 0) {
    fail(VD_ERR_INVALID, "desc->flags ({:#x}) ask for maps, which vd_fft_gen_create() takes", d.flags);
  }
  ctx.device(d.device);
  return vd::make_ref<vd_fft_gen>(
      ctx, d, [](const vd_builder_desc& b) { return vd::Ref<vd::ir::Builder>(vd::make_ref<vd_builder>(b)); });
}

vd::Ref<vd_plan> make_vkfft_plan(vd_context& ctx, const vd_fft_desc& desc) {
#if VD_HAVE_VKFFT
  return vd::vkfft::make_plan(ctx, desc);
#else
  fail(VD_ERR_UNSUPPORTED, "desc->flags ({:#x}) ask for VkFFT, which this library was built without (device {} of {})",
       desc.flags, desc.device, ctx.device_count());
#endif
}

}  // namespace

vd_status vd_plan_create_fft(vd_context* ctx, const vd_fft_desc* desc, vd_plan** out_plan) {
  return guard(__func__, [&] {
    vd_plan*& result = out(out_plan, "out_plan");
    if (const vd_fft_desc d = read(desc); (d.flags & VD_FFT_VKFFT) != 0) {
      result = make_vkfft_plan(in(ctx, "ctx"), d).detach();
      return VD_OK;
    }
    const vd::Ref<vd_fft_gen> gen = make_gen(in(ctx, "ctx"), desc, false);
    vd_fft_element element;
    if (gen->next(element) != nullptr) fail(VD_ERR_INTERNAL, "a transform without maps asks for one");
    result = gen->finish().detach();
    return VD_OK;
  });
}

vd_status vd_fft_gen_create(vd_context* ctx, const vd_fft_desc* desc, vd_fft_gen** out_gen) {
  return guard(__func__, [&] {
    vd_fft_gen*& result = out(out_gen, "out_gen");
    result = make_gen(in(ctx, "ctx"), desc, true).detach();
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
