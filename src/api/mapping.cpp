// Mappings of buffers and images.
#include "runtime/mapping.h"

#include "api/desc.h"
#include "api/guard.h"

using vd::fail;
using vd::api::guard;
using vd::api::in;
using vd::api::out;

namespace {

void check_flags(vd_map_flags flags) {
  constexpr vd_map_flags kKnown = VD_MAP_READ | VD_MAP_WRITE | VD_MAP_NO_WAIT | VD_MAP_SHARED;
  vd::api::flags(flags, kKnown, "flags");
  if ((flags & (VD_MAP_READ | VD_MAP_WRITE)) == 0)
    fail(VD_ERR_INVALID, "flags ({:#x}) have neither VD_MAP_READ nor VD_MAP_WRITE", flags);
}

}  // namespace

vd_status vd_buffer_map(vd_buffer* buffer, uint64_t offset, uint64_t size, vd_map_flags flags, uint32_t queue,
                        vd_mapping** out_mapping) {
  return guard(__func__, [&] {
    vd_mapping*& result = out(out_mapping, "out_mapping");
    vd_buffer& b = in(buffer, "buffer");
    check_flags(flags);
    result = vd_mapping::create(b, offset, b.size_from(offset, size), flags, queue).detach();
    return result != nullptr ? VD_OK : VD_ERR_WOULD_BLOCK;
  });
}

vd_status vd_image_map(vd_image* image, uint32_t level, vd_map_flags flags, uint32_t queue, vd_mapping** out_mapping) {
  return guard(__func__, [&] {
    vd_mapping*& result = out(out_mapping, "out_mapping");
    vd_image& i = in(image, "image");
    check_flags(flags);
    result = vd_mapping::create(i, level, flags, queue).detach();
    return result != nullptr ? VD_OK : VD_ERR_WOULD_BLOCK;
  });
}

void vd_mapping_retain(vd_mapping* mapping) {
  if (mapping != nullptr) mapping->retain();
}
void vd_mapping_release(vd_mapping* mapping) {
  if (mapping != nullptr) mapping->release();
}

vd_status vd_mapping_get_info(const vd_mapping* mapping, vd_mapping_info* out_info) {
  return guard(__func__, [&] {
    const vd_mapping& m = in(mapping, "mapping");
    vd_mapping_info info = VD_MAPPING_INFO_INIT;
    info.flags = m.flags();
    info.data = m.data();
    info.size = m.size();
    info.ended = m.ended() ? 1 : 0;
    info.row_pitch = m.row_pitch();
    info.slice_pitch = m.slice_pitch();
    vd::api::write_info(info, out_info, "out_info");
    return VD_OK;
  });
}

vd_status vd_mapping_end(vd_mapping* mapping) {
  return guard(__func__, [&] {
    in(mapping, "mapping").end();
    return VD_OK;
  });
}
