#include "session.h"

#include <cstdarg>
#include <cstdio>

#include "case.h"

namespace vdc {

vd_status check(vd_status status, const char* call) {
  if (status < 0) throw Failure(std::string(call) + " gave " + vd_status_name(status) + ": " + vd_last_error());
  return status;
}

void fail(const char* format, ...) {
  char text[8192];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  throw Failure(text);
}

std::vector<Case>& cases() {
  static std::vector<Case> all;
  return all;
}

std::string text_of(const vd_blob* blob) {
  uint64_t size = 0;
  const void* data = vd_blob_data(blob, &size);
  return std::string(static_cast<const char*>(data), size);
}

Session::Session(vd_backend backend, uint32_t device, vd_context_flags flags) {
  vd_context_desc desc = VD_CONTEXT_DESC_INIT;
  desc.backend = backend;
  desc.flags = flags | VD_CONTEXT_USE_CPU;
  if (device != kBestDevice) {
    desc.device_count = 1;
    desc.devices = &device;
  }
  VDC(vd_context_create(&desc, context_.out()));
  VDC(vd_context_get_device(context_, 0, &info_));
}

Buffer Session::buffer(uint64_t size, const void* data) {
  vd_buffer_desc desc = VD_BUFFER_DESC_INIT;
  desc.size = size;
  desc.data = data;
  Buffer buffer;
  VDC(vd_buffer_create(context_, &desc, buffer.out()));
  return buffer;
}

Plan Session::plan(const vd_kernel* kernel, uint32_t x, uint32_t y, uint32_t z) {
  vd_plan_desc desc = VD_PLAN_DESC_INIT;
  desc.kernel = kernel;
  vd_kernel_info info = VD_KERNEL_INFO_INIT;
  VDC(vd_kernel_get_info(kernel, &info));
  if (info.workgroup_size[0] == 0) desc.workgroup_size[0] = x, desc.workgroup_size[1] = y, desc.workgroup_size[2] = z;
  Plan plan;
  VDC(vd_plan_create(context_, &desc, plan.out()));
  return plan;
}

namespace {
void launch_desc(vd_plan* plan, vd_launch_desc& desc, const std::vector<vd_buffer*>& buffers, const void* values,
                 uint32_t values_size) {
  std::vector<vd_binding> bindings;
  for (vd_buffer* buffer : buffers) bindings.push_back(VD_BINDING_OF(buffer, 0, VD_WHOLE_SIZE));
  desc.bindings = bindings.data();
  desc.binding_count = static_cast<uint32_t>(bindings.size());
  desc.values = values;
  desc.values_size = values_size;
  VDC(vd_plan_launch(plan, &desc, nullptr));
}
}  // namespace

void Session::launch(vd_plan* plan, std::array<uint32_t, 3> invocations, std::vector<vd_buffer*> buffers,
                     const void* values, uint32_t values_size) {
  vd_launch_desc desc = VD_LAUNCH_DESC_INIT;
  std::memcpy(desc.invocations, invocations.data(), sizeof desc.invocations);
  launch_desc(plan, desc, buffers, values, values_size);
}

void Session::launch_workgroups(vd_plan* plan, std::array<uint32_t, 3> workgroups, std::vector<vd_buffer*> buffers,
                                const void* values, uint32_t values_size) {
  vd_launch_desc desc = VD_LAUNCH_DESC_INIT;
  std::memcpy(desc.workgroups, workgroups.data(), sizeof desc.workgroups);
  launch_desc(plan, desc, buffers, values, values_size);
}

}  // namespace vdc
