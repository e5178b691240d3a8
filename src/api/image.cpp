// Images and samplers: declared, and no backend has them yet. Arguments are checked all the same.
#include "api/desc.h"
#include "api/guard.h"
#include "runtime/context.h"

using vd::fail;
using vd::api::guard;
using vd::api::in;
using vd::api::out;

namespace {

// in() fails in every call: no program can have an image.
[[noreturn]] vd_status no_images(const vd_image* image) {
  in(image, "image");
  fail(VD_ERR_UNSUPPORTED, "images are not in this version");
}

template <class E>
void check_enum(E value, E last, const char* name) {
  if (value < 0 || value > last)
    fail(VD_ERR_INVALID, "desc->{} ({}) is not between 0 and {}", name, static_cast<int>(value),
         static_cast<int>(last));
}

void check(const vd_image_desc& d) {
  const bool known = (d.format >= VD_FORMAT_R32_U32 && d.format <= VD_FORMAT_RG32_F32) ||
                     (d.format >= VD_FORMAT_RGBA32_U32 && d.format <= VD_FORMAT_RGBA32_F32);
  if (!known) fail(VD_ERR_INVALID, "desc->format ({}) is unknown", static_cast<int>(d.format));
  if (d.dimensions == 0 || d.dimensions > 3)
    fail(VD_ERR_INVALID, "desc->dimensions ({}) is not between 1 and 3", d.dimensions);
  vd::api::flags(d.flags, vd_image_flags{VD_IMAGE_PER_QUEUE | VD_IMAGE_STORAGE}, "desc->flags");
  for (uint32_t i = 0; i < 3; ++i) {
    if (i == 0 ? d.extent[i] == 0 : i >= d.dimensions && d.extent[i] > 1)
      fail(VD_ERR_INVALID, "desc->extent[{}] ({}) is not the extent of an image of {} dimensions", i, d.extent[i],
           d.dimensions);
  }
}

void check(const vd_sampler_desc& d) {
  check_enum(d.mag_filter, VD_FILTER_LINEAR, "mag_filter");
  check_enum(d.min_filter, VD_FILTER_LINEAR, "min_filter");
  check_enum(d.mip_filter, VD_FILTER_LINEAR, "mip_filter");
  check_enum(d.address_mode, VD_ADDRESS_MIRROR_CLAMP_TO_EDGE, "address_mode");
  check_enum(d.border_color, VD_BORDER_INT_OPAQUE_WHITE, "border_color");
}

}  // namespace

vd_status vd_image_create(vd_context* ctx, const vd_image_desc* desc, vd_image** out_image) {
  return guard(__func__, [&]() -> vd_status {
    out(out_image, "out_image");
    vd_context& c = in(ctx, "ctx");
    const vd_image_desc d = vd::api::read_desc(desc, "desc");
    check(d);
    c.device(d.device).make_image(d);
    fail(VD_ERR_UNSUPPORTED, "images are not in this version");
  });
}

vd_status vd_image_get_info(const vd_image* image, vd_image_info*) {
  return guard(__func__, [&]() -> vd_status { no_images(image); });
}

vd_status vd_image_write(vd_image* image, const vd_image_region*, const void*, uint64_t, uint32_t) {
  return guard(__func__, [&]() -> vd_status { no_images(image); });
}

vd_status vd_image_read(vd_image* image, const vd_image_region*, uint64_t, uint32_t, void*) {
  return guard(__func__, [&]() -> vd_status { no_images(image); });
}

vd_status vd_image_copy_from_buffer(vd_image* image, const vd_image_region*, vd_buffer*, uint64_t, uint32_t,
                                    vd_ticket*) {
  return guard(__func__, [&]() -> vd_status { no_images(image); });
}

vd_status vd_image_copy_to_buffer(vd_image* image, const vd_image_region*, vd_buffer*, uint64_t, uint32_t, vd_ticket*) {
  return guard(__func__, [&]() -> vd_status { no_images(image); });
}

vd_status vd_sampler_create(vd_context* ctx, const vd_sampler_desc* desc, vd_sampler** out_sampler) {
  return guard(__func__, [&]() -> vd_status {
    out(out_sampler, "out_sampler");
    vd_context& c = in(ctx, "ctx");
    const vd_sampler_desc d = vd::api::read_desc(desc, "desc");
    check(d);
    c.device(d.device).make_sampler(d);
    fail(VD_ERR_UNSUPPORTED, "samplers are not in this version");
  });
}

// No program can have an image.
void vd_image_retain(vd_image*) {}
void vd_image_release(vd_image*) {}
void vd_sampler_retain(vd_sampler*) {}
void vd_sampler_release(vd_sampler*) {}
