// Images and samplers.
#include "runtime/image.h"

#include <algorithm>
#include <cmath>

#include "api/desc.h"
#include "api/guard.h"
#include "api/image_region.h"
#include "api/order.h"
#include "core/name.h"
#include "primitives/image_copy.h"
#include "primitives/mips.h"
#include "runtime/sampler.h"

using vd::fail;
using vd::api::guard;
using vd::api::in;
using vd::api::out;
using vd::api::read_region;
using vd::runtime::CallSpan;

namespace {

template <class E>
void check_enum(E value, E last, const char* name) {
  if (value < 0 || value > last)
    fail(VD_ERR_INVALID, "desc->{} ({}) is not between 0 and {}", name, static_cast<int>(value),
         static_cast<int>(last));
}

vd_image::Desc read_image_desc(const vd_image_desc* desc) {
  const vd_image_desc d = vd::api::read_desc(desc, "desc");
  vd_image::Desc made;
  made.format = &vd::get_texel_format(d.format, "desc->format");
  if (d.dimensions == 0 || d.dimensions > 3)
    fail(VD_ERR_INVALID, "desc->dimensions ({}) is not between 1 and 3", d.dimensions);
  made.dimensions = d.dimensions;
  if (d.layers != 0 && d.dimensions == 3)
    fail(VD_ERR_INVALID, "desc->layers ({}) is not 0, and an image of 3 dimensions has none", d.layers);
  made.layers = d.layers;
  for (uint32_t i = 0; i < 3; ++i) {
    if (i == 0 ? d.extent[i] == 0 : i >= d.dimensions && d.extent[i] > 1)
      fail(VD_ERR_INVALID, "desc->extent[{}] ({}) is not the extent of an image of {} dimensions", i, d.extent[i],
           d.dimensions);
    made.extent[i] = d.extent[i];
  }
  made.levels = std::max(d.mip_levels, 1u);
  made.device = d.device;
  made.flags =
      vd::api::flags(d.flags, vd_image_flags{VD_IMAGE_PER_QUEUE | VD_IMAGE_STORAGE | VD_IMAGE_HOST}, "desc->flags");
  if (d.label != nullptr) made.label = vd::shown_name(d.label);
  return made;
}

void check(const vd_sampler_desc& d) {
  check_enum(d.mag_filter, VD_FILTER_LINEAR, "mag_filter");
  check_enum(d.min_filter, VD_FILTER_LINEAR, "min_filter");
  check_enum(d.mip_filter, VD_FILTER_LINEAR, "mip_filter");
  check_enum(d.address_mode, VD_ADDRESS_MIRROR_CLAMP_TO_EDGE, "address_mode");
  check_enum(d.border_color, VD_BORDER_INT_OPAQUE_WHITE, "border_color");
  const auto finite = [](float value, const char* name) {
    if (!std::isfinite(value)) fail(VD_ERR_INVALID, "desc->{} ({}) is not a finite number", name, value);
  };
  finite(d.mip_lod_bias, "mip_lod_bias");
  finite(d.min_lod, "min_lod");
  finite(d.max_lod, "max_lod");
  if (d.min_lod < 0) fail(VD_ERR_INVALID, "desc->min_lod ({}) is negative", d.min_lod);
  if (d.max_lod > 0 && d.max_lod < d.min_lod)
    fail(VD_ERR_INVALID, "desc->max_lod ({}) is below desc->min_lod ({})", d.max_lod, d.min_lod);
}

// The host's texels: exactly a region's.
void check_size(const vd_image& image, const vd_image::Region& region, uint64_t size) {
  if (size != image.size(region)) {
    fail(VD_ERR_INVALID, "size ({}) is not that of {} x {} x {} texels of {} ({})", size, region.extent[0],
         region.extent[1], region.extent[2], image.name(), image.size(region));
  }
}

}  // namespace

vd_status vd_context_get_image_support(const vd_context* ctx, const vd_image_desc* desc,
                                       vd_image_support_info* out_info) {
  return guard(__func__, [&] {
    const vd_context& c = in(ctx, "ctx");
    vd_image::Desc wanted = read_image_desc(desc);
    c.device(wanted.device, "desc->device");
    const vd_image::Support support = vd_image::support(c, std::move(wanted));
    vd_image_support_info info = VD_IMAGE_SUPPORT_INFO_INIT;
    info.supported = support.supported ? 1 : 0;
    info.mappable = support.mappable ? 1 : 0;
    vd::api::write_info(info, out_info, "out_info");
    return VD_OK;
  });
}

vd_status vd_image_create(vd_context* ctx, const vd_image_desc* desc, vd_image** out_image) {
  return guard(__func__, [&] {
    vd_image*& result = out(out_image, "out_image");
    vd_context& c = in(ctx, "ctx");
    vd_image::Desc made = read_image_desc(desc);
    c.device(made.device, "desc->device");
    result = vd_image::create(c, std::move(made)).detach();
    return VD_OK;
  });
}

void vd_image_retain(vd_image* image) {
  if (image != nullptr) image->retain();
}
void vd_image_release(vd_image* image) {
  if (image != nullptr) image->release();
}

vd_status vd_image_get_info(const vd_image* image, vd_image_info* out_info) {
  return guard(__func__, [&] {
    const vd_image& i = in(image, "image");
    const vd_image::Desc& desc = i.desc();
    vd_image_info info = VD_IMAGE_INFO_INIT;
    info.format = desc.format->format;
    info.dimensions = desc.dimensions;
    info.layers = desc.layers;
    std::copy(desc.extent.begin(), desc.extent.end(), info.extent);
    info.mip_levels = desc.levels;
    info.device = desc.device;
    info.flags = desc.flags;
    info.size = i.size(i.whole());
    info.mappable = i.texels().mappable() ? 1 : 0;
    vd::api::write_info(info, out_info, "out_info");
    return VD_OK;
  });
}

vd_status vd_image_get_level(const vd_image* image, uint32_t level, vd_image_level_info* out_info) {
  return guard(__func__, [&] {
    const vd_image& i = in(image, "image");
    i.check_level(level, "level");
    vd_image_level_info info = VD_IMAGE_LEVEL_INFO_INIT;
    const vd_image::Extent extent = i.extent(level);
    std::copy(extent.begin(), extent.end(), info.extent);
    info.size = i.size(i.whole(level));
    vd::api::write_info(info, out_info, "out_info");
    return VD_OK;
  });
}

vd_status vd_image_write(vd_image* image, const vd_image_region* region, const void* data, uint64_t size,
                         uint32_t queue) {
  return guard(__func__, [&] {
    vd_image& i = in(image, "image");
    const CallSpan span(i.context().profiler(), "vd_image_write", VD_SPAN_WRITE, size);
    const vd_image::Region part = read_region(i, region, "region");
    check_size(i, part, size);
    vd::primitives::write(i, part, vd::api::bytes(data, size, "data"), queue);
    return VD_OK;
  });
}

vd_status vd_image_read(vd_image* image, const vd_image_region* region, uint64_t size, uint32_t queue, void* out_data) {
  return guard(__func__, [&] {
    vd_image& i = in(image, "image");
    const CallSpan span(i.context().profiler(), "vd_image_read", VD_SPAN_READ, size);
    const vd_image::Region part = read_region(i, region, "region");
    check_size(i, part, size);
    vd::primitives::read(i, part, vd::api::bytes(out_data, size, "out_data"), queue);
    return VD_OK;
  });
}

vd_status vd_image_copy_from_buffer(vd_image* image, const vd_image_region* region, vd_buffer* source,
                                    uint64_t source_offset, uint32_t queue, const vd_order_desc* order,
                                    vd_ticket* out_ticket) {
  return guard(__func__, [&] {
    if (out_ticket != nullptr) *out_ticket = 0;
    vd_image& i = in(image, "image");
    const CallSpan span(i.context().profiler(), "vd_image_copy_from_buffer");
    const auto copy =
        vd::primitives::copy_into(i, read_region(i, region, "region"), in(source, "source"), source_offset);
    const vd::api::Order ordered(i.context(), queue, order, "order");
    const vd_ticket ticket = vd::primitives::run(copy, queue, ordered.waits());
    ordered.end(ticket, out_ticket);
    return VD_OK;
  });
}

vd_status vd_image_copy_to_buffer(vd_image* image, const vd_image_region* region, vd_buffer* destination,
                                  uint64_t destination_offset, uint32_t queue, const vd_order_desc* order,
                                  vd_ticket* out_ticket) {
  return guard(__func__, [&] {
    if (out_ticket != nullptr) *out_ticket = 0;
    vd_image& i = in(image, "image");
    const CallSpan span(i.context().profiler(), "vd_image_copy_to_buffer");
    const auto copy = vd::primitives::copy_out_of(i, read_region(i, region, "region"), in(destination, "destination"),
                                                  destination_offset);
    const vd::api::Order ordered(i.context(), queue, order, "order");
    const vd_ticket ticket = vd::primitives::run(copy, queue, ordered.waits());
    ordered.end(ticket, out_ticket);
    return VD_OK;
  });
}

vd_status vd_image_copy(vd_image* image, const vd_image_region* region, vd_image* destination,
                        const vd_image_region* to, uint32_t queue, const vd_order_desc* order, vd_ticket* out_ticket) {
  return guard(__func__, [&] {
    if (out_ticket != nullptr) *out_ticket = 0;
    vd_image& from = in(image, "image");
    const CallSpan span(from.context().profiler(), "vd_image_copy");
    vd_image& into = in(destination, "destination");
    const vd_image::Region part = read_region(from, region, "region"), place = read_region(into, to, "to");
    const vd::api::Order ordered(from.context(), queue, order, "order");
    const vd_ticket ticket =
        vd::primitives::run(vd::primitives::copy_between(from, part, into, place), queue, ordered.waits());
    ordered.end(ticket, out_ticket);
    return VD_OK;
  });
}

vd_status vd_image_generate_mips(vd_image* image, uint32_t queue, const vd_order_desc* order, vd_ticket* out_ticket) {
  return guard(__func__, [&] {
    if (out_ticket != nullptr) *out_ticket = 0;
    vd_image& i = in(image, "image");
    const CallSpan span(i.context().profiler(), "vd_image_generate_mips");
    const vd::api::Order ordered(i.context(), queue, order, "order");
    const vd_ticket ticket = vd::primitives::generate_mips(i, queue, ordered.waits());
    ordered.end(ticket, out_ticket);
    return VD_OK;
  });
}

vd_status vd_image_discard(vd_image* image) {
  return guard(__func__, [&] {
    in(image, "image").texels().discard();
    return VD_OK;
  });
}

vd_status vd_image_get_native(const vd_image* image, const char* kind, uint32_t queue, uint64_t* out_handle) {
  return guard(__func__, [&] {
    uint64_t& handle = out(out_handle, "out_handle");
    const vd_image& i = in(image, "image");
    vd::api::text(kind, "kind");
    handle = i.native(kind, queue);
    return VD_OK;
  });
}

vd_status vd_sampler_create(vd_context* ctx, const vd_sampler_desc* desc, vd_sampler** out_sampler) {
  return guard(__func__, [&] {
    vd_sampler*& result = out(out_sampler, "out_sampler");
    vd_context& c = in(ctx, "ctx");
    const vd_sampler_desc d = vd::api::read_desc(desc, "desc");
    check(d);
    auto sampler = vd::make_ref<vd_sampler>(c, d);
    if (c.device(d.device, "desc->device").has_images()) {
      // So that the device refuses them here, and not at a launch.
      (void)sampler->on(d.device);
      (void)sampler->without_levels().on(d.device);
    }
    result = sampler.detach();
    return VD_OK;
  });
}

void vd_sampler_retain(vd_sampler* sampler) {
  if (sampler != nullptr) sampler->retain();
}
void vd_sampler_release(vd_sampler* sampler) {
  if (sampler != nullptr) sampler->release();
}
