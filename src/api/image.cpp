// Images and samplers: declared, and not there yet. Arguments are checked all the same.
#include "api/desc.h"
#include "api/guard.h"

using vd::fail;
using vd::api::guard;
using vd::api::in;
using vd::api::out;

vd_status vd_image_create(vd_context* ctx, const vd_image_desc* desc, vd_image** out_image) {
  return guard(__func__, [&]() -> vd_status {
    out(out_image, "out_image");
    in(ctx, "ctx");
    vd::api::read_desc(desc, "desc");
    fail(VD_ERR_UNSUPPORTED, "images are not in this version of the library");
  });
}

vd_status vd_sampler_create(vd_image* image, const vd_sampler_desc* desc, vd_sampler** out_sampler) {
  return guard(__func__, [&]() -> vd_status {
    out(out_sampler, "out_sampler");
    in(image, "image");
    vd::api::read_desc(desc, "desc");
    fail(VD_ERR_UNSUPPORTED, "images are not in this version of the library");
  });
}

// Nobody can hold one.
void vd_image_retain(vd_image*) {}
void vd_image_release(vd_image*) {}
void vd_sampler_retain(vd_sampler*) {}
void vd_sampler_release(vd_sampler*) {}
