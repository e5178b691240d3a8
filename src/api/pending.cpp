// Entries whose layer is not there yet.
#include "api/guard.h"
#include "core/error.h"

using vd::api::guard;
vd_status vd_backend_get_info(vd_backend, vd_backend_info*) {
  return guard(__func__, []() -> vd_status { vd::fail(VD_ERR_UNSUPPORTED, "is not there yet"); });
}
vd_status vd_device_get_info(vd_backend, uint32_t, vd_device_info*) {
  return guard(__func__, []() -> vd_status { vd::fail(VD_ERR_UNSUPPORTED, "is not there yet"); });
}
vd_status vd_dummy_set_device(const vd_device_info*) {
  return guard(__func__, []() -> vd_status { vd::fail(VD_ERR_UNSUPPORTED, "is not there yet"); });
}
vd_status vd_context_create(const vd_context_desc*, vd_context**) {
  return guard(__func__, []() -> vd_status { vd::fail(VD_ERR_UNSUPPORTED, "is not there yet"); });
}
void vd_context_retain(vd_context*) {}
void vd_context_release(vd_context*) {}
vd_status vd_context_get_info(const vd_context*, vd_context_info*) {
  return guard(__func__, []() -> vd_status { vd::fail(VD_ERR_UNSUPPORTED, "is not there yet"); });
}
vd_status vd_context_get_device(const vd_context*, uint32_t, vd_device_info*) {
  return guard(__func__, []() -> vd_status { vd::fail(VD_ERR_UNSUPPORTED, "is not there yet"); });
}
vd_status vd_context_wait_idle(vd_context*, uint32_t, uint64_t) {
  return guard(__func__, []() -> vd_status { vd::fail(VD_ERR_UNSUPPORTED, "is not there yet"); });
}
vd_status vd_context_get_native(const vd_context*, uint32_t, const char*, uint64_t*) {
  return guard(__func__, []() -> vd_status { vd::fail(VD_ERR_UNSUPPORTED, "is not there yet"); });
}
vd_status vd_ticket_wait(vd_context*, vd_ticket, uint64_t) {
  return guard(__func__, []() -> vd_status { vd::fail(VD_ERR_UNSUPPORTED, "is not there yet"); });
}
vd_status vd_type_get_size(vd_type, uint32_t*) {
  return guard(__func__, []() -> vd_status { vd::fail(VD_ERR_UNSUPPORTED, "is not there yet"); });
}
vd_status vd_buffer_create(vd_context*, const vd_buffer_desc*, vd_buffer**) {
  return guard(__func__, []() -> vd_status { vd::fail(VD_ERR_UNSUPPORTED, "is not there yet"); });
}
vd_status vd_buffer_slice(vd_buffer*, uint64_t, uint64_t, vd_buffer**) {
  return guard(__func__, []() -> vd_status { vd::fail(VD_ERR_UNSUPPORTED, "is not there yet"); });
}
void vd_buffer_retain(vd_buffer*) {}
void vd_buffer_release(vd_buffer*) {}
vd_status vd_buffer_get_info(const vd_buffer*, vd_buffer_info*) {
  return guard(__func__, []() -> vd_status { vd::fail(VD_ERR_UNSUPPORTED, "is not there yet"); });
}
vd_status vd_buffer_write(vd_buffer*, uint32_t, uint64_t, const void*, uint64_t) {
  return guard(__func__, []() -> vd_status { vd::fail(VD_ERR_UNSUPPORTED, "is not there yet"); });
}
vd_status vd_buffer_read(vd_buffer*, uint32_t, uint64_t, void*, uint64_t) {
  return guard(__func__, []() -> vd_status { vd::fail(VD_ERR_UNSUPPORTED, "is not there yet"); });
}
vd_status vd_buffer_copy(vd_buffer*, uint64_t, vd_buffer*, uint64_t, uint64_t, uint32_t, vd_ticket*) {
  return guard(__func__, []() -> vd_status { vd::fail(VD_ERR_UNSUPPORTED, "is not there yet"); });
}
vd_status vd_buffer_fill(vd_buffer*, uint64_t, uint64_t, uint32_t, uint32_t, vd_ticket*) {
  return guard(__func__, []() -> vd_status { vd::fail(VD_ERR_UNSUPPORTED, "is not there yet"); });
}
vd_status vd_buffer_discard(vd_buffer*) {
  return guard(__func__, []() -> vd_status { vd::fail(VD_ERR_UNSUPPORTED, "is not there yet"); });
}
vd_status vd_buffer_get_native(const vd_buffer*, const char*, uint64_t*, uint64_t*) {
  return guard(__func__, []() -> vd_status { vd::fail(VD_ERR_UNSUPPORTED, "is not there yet"); });
}
vd_status vd_image_create(vd_context*, const vd_image_desc*, vd_image**) {
  return guard(__func__, []() -> vd_status { vd::fail(VD_ERR_UNSUPPORTED, "is not there yet"); });
}
void vd_image_retain(vd_image*) {}
void vd_image_release(vd_image*) {}
vd_status vd_sampler_create(vd_image*, const vd_sampler_desc*, vd_sampler**) {
  return guard(__func__, []() -> vd_status { vd::fail(VD_ERR_UNSUPPORTED, "is not there yet"); });
}
void vd_sampler_retain(vd_sampler*) {}
void vd_sampler_release(vd_sampler*) {}
vd_status vd_op_get_info(vd_op, vd_op_info*) {
  return guard(__func__, []() -> vd_status { vd::fail(VD_ERR_UNSUPPORTED, "is not there yet"); });
}
vd_status vd_op_list(uint32_t, vd_op*, uint32_t*) {
  return guard(__func__, []() -> vd_status { vd::fail(VD_ERR_UNSUPPORTED, "is not there yet"); });
}
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
void vd_kernel_retain(vd_kernel*) {}
void vd_kernel_release(vd_kernel*) {}
vd_status vd_kernel_get_info(const vd_kernel*, vd_kernel_info*) {
  return guard(__func__, []() -> vd_status { vd::fail(VD_ERR_UNSUPPORTED, "is not there yet"); });
}
vd_status vd_kernel_get_argument(const vd_kernel*, uint32_t, vd_argument_info*) {
  return guard(__func__, []() -> vd_status { vd::fail(VD_ERR_UNSUPPORTED, "is not there yet"); });
}
vd_status vd_kernel_print(const vd_kernel*, const vd_print_desc*, vd_blob**) {
  return guard(__func__, []() -> vd_status { vd::fail(VD_ERR_UNSUPPORTED, "is not there yet"); });
}
vd_status vd_kernel_parse(const char*, uint64_t, vd_kernel**) {
  return guard(__func__, []() -> vd_status { vd::fail(VD_ERR_UNSUPPORTED, "is not there yet"); });
}
vd_status vd_plan_create(vd_context*, const vd_plan_desc*, vd_plan**) {
  return guard(__func__, []() -> vd_status { vd::fail(VD_ERR_UNSUPPORTED, "is not there yet"); });
}
vd_status vd_plans_create(vd_context*, const vd_plan_desc*, uint32_t, vd_plan**) {
  return guard(__func__, []() -> vd_status { vd::fail(VD_ERR_UNSUPPORTED, "is not there yet"); });
}
void vd_plan_retain(vd_plan*) {}
void vd_plan_release(vd_plan*) {}
vd_status vd_plan_get_info(const vd_plan*, vd_plan_info*) {
  return guard(__func__, []() -> vd_status { vd::fail(VD_ERR_UNSUPPORTED, "is not there yet"); });
}
const char* vd_plan_source(const vd_plan*, size_t*) { return {}; }
vd_status vd_plan_launch(vd_plan*, const vd_launch_desc*, vd_ticket*) {
  return guard(__func__, []() -> vd_status { vd::fail(VD_ERR_UNSUPPORTED, "is not there yet"); });
}
vd_status vd_plan_launch_now(vd_plan*, vd_graph*, uint32_t, uint32_t, uint32_t, uint32_t, vd_buffer**, uint32_t,
                             const void*, uint32_t) {
  return guard(__func__, []() -> vd_status { vd::fail(VD_ERR_UNSUPPORTED, "is not there yet"); });
}
vd_status vd_graph_create(vd_context*, const vd_graph_desc*, vd_graph**) {
  return guard(__func__, []() -> vd_status { vd::fail(VD_ERR_UNSUPPORTED, "is not there yet"); });
}
void vd_graph_retain(vd_graph*) {}
void vd_graph_release(vd_graph*) {}
vd_status vd_graph_dispatch(vd_graph*, vd_plan*, const vd_launch_desc*, uint32_t*) {
  return guard(__func__, []() -> vd_status { vd::fail(VD_ERR_UNSUPPORTED, "is not there yet"); });
}
vd_status vd_graph_copy(vd_graph*, vd_buffer*, uint64_t, vd_buffer*, uint64_t, uint64_t, uint32_t*) {
  return guard(__func__, []() -> vd_status { vd::fail(VD_ERR_UNSUPPORTED, "is not there yet"); });
}
vd_status vd_graph_fill(vd_graph*, vd_buffer*, uint64_t, uint64_t, uint32_t, uint32_t*) {
  return guard(__func__, []() -> vd_status { vd::fail(VD_ERR_UNSUPPORTED, "is not there yet"); });
}
vd_status vd_graph_reset(vd_graph*) {
  return guard(__func__, []() -> vd_status { vd::fail(VD_ERR_UNSUPPORTED, "is not there yet"); });
}
vd_status vd_graph_get_info(const vd_graph*, vd_graph_info*) {
  return guard(__func__, []() -> vd_status { vd::fail(VD_ERR_UNSUPPORTED, "is not there yet"); });
}
vd_status vd_graph_submit(vd_graph*, const vd_submit_desc*, vd_ticket*) {
  return guard(__func__, []() -> vd_status { vd::fail(VD_ERR_UNSUPPORTED, "is not there yet"); });
}
