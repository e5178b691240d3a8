// Entries whose layer is not there yet.
#include "api/guard.h"
#include "core/error.h"

using vd::api::guard;
vd_status vd_builder_create(const vd_builder_desc*, vd_builder**) {
  return guard(__func__, []() -> vd_status { vd::fail(VD_ERR_UNSUPPORTED, "is not there yet"); });
}
void vd_builder_retain(vd_builder*) {}
void vd_builder_release(vd_builder*) {}
vd_status vd_builder_argument(vd_builder*, vd_argument_kind, vd_type, const char*, vd_value*) {
  return guard(__func__, []() -> vd_status { vd::fail(VD_ERR_UNSUPPORTED, "is not there yet"); });
}
vd_status vd_builder_shared(vd_builder*, vd_type, uint32_t, uint32_t, const char*, vd_value*) {
  return guard(__func__, []() -> vd_status { vd::fail(VD_ERR_UNSUPPORTED, "is not there yet"); });
}
vd_status vd_builder_array_type(vd_builder*, vd_type, uint32_t, vd_type*) {
  return guard(__func__, []() -> vd_status { vd::fail(VD_ERR_UNSUPPORTED, "is not there yet"); });
}
vd_status vd_builder_struct_type(vd_builder*, const char*, const vd_type*, const char**, uint32_t, vd_type*) {
  return guard(__func__, []() -> vd_status { vd::fail(VD_ERR_UNSUPPORTED, "is not there yet"); });
}
vd_status vd_builder_constant(vd_builder*, vd_type, const void*, uint64_t, vd_value*) {
  return guard(__func__, []() -> vd_status { vd::fail(VD_ERR_UNSUPPORTED, "is not there yet"); });
}
vd_status vd_builder_string(vd_builder*, const char*, vd_value*) {
  return guard(__func__, []() -> vd_status { vd::fail(VD_ERR_UNSUPPORTED, "is not there yet"); });
}
vd_status vd_builder_location(vd_builder*, const char*, uint32_t, const char*, uint32_t*) {
  return guard(__func__, []() -> vd_status { vd::fail(VD_ERR_UNSUPPORTED, "is not there yet"); });
}
vd_status vd_builder_name(vd_builder*, vd_value, const char*) {
  return guard(__func__, []() -> vd_status { vd::fail(VD_ERR_UNSUPPORTED, "is not there yet"); });
}
vd_status vd_builder_emit(vd_builder*, vd_op, vd_type, const vd_value*, uint32_t, uint64_t, uint32_t, vd_value*) {
  return guard(__func__, []() -> vd_status { vd::fail(VD_ERR_UNSUPPORTED, "is not there yet"); });
}
vd_status vd_builder_call(vd_builder*, const vd_kernel*, const vd_value*, uint32_t, uint32_t, vd_value*) {
  return guard(__func__, []() -> vd_status { vd::fail(VD_ERR_UNSUPPORTED, "is not there yet"); });
}
vd_status vd_builder_describe(const vd_builder*, vd_value, vd_blob**) {
  return guard(__func__, []() -> vd_status { vd::fail(VD_ERR_UNSUPPORTED, "is not there yet"); });
}
vd_status vd_builder_finish(vd_builder*, vd_kernel**) {
  return guard(__func__, []() -> vd_status { vd::fail(VD_ERR_UNSUPPORTED, "is not there yet"); });
}
vd_status vd_kernel_parse(const char*, uint64_t, vd_kernel**) {
  return guard(__func__, []() -> vd_status { vd::fail(VD_ERR_UNSUPPORTED, "is not there yet"); });
}
