#include "backends/opencl/context.h"

#include "core/log.h"
#include "core/options.h"

namespace vd::opencl {
namespace {

// Some drivers say more here than their codes do. Runs on a thread of the driver's.
void CL_CALLBACK on_error(const char* text, const void*, size_t, void*) { log_verbose("OpenCL: {}", text); }

// A device that is the host has no units for it: its driver samples as our kernels do.
bool wants_images(const vd_device_info& info) { return switch_option("opencl_images", info.type != VD_DEVICE_CPU); }

// Not every driver hands a program out as it is: PoCL, which has a cache of its own, compiles each kernel once more.
bool wants_kept_programs() { return switch_option("opencl_cache", true); }

}  // namespace

Context::Context(const Api& api, Physical its_physical, const Overrides& its_overrides)
    : cl(api),
      physical(std::move(its_physical)),
      overrides(its_overrides),
      direct_transfers(physical.unified && overrides.direct_transfers),
      native_subgroups(physical.native_subgroups && overrides.native_subgroups),
      images(physical.images && overrides.images.value_or(wants_images(physical.info))),
      keeps_programs(overrides.keeps_programs.value_or(wants_kept_programs())),
      command_buffers(physical.command_buffers && overrides.command_buffers ? CommandBufferApi(api, physical.platform)
                                                                            : CommandBufferApi()) {
  if (!physical.missing().empty())
    fail(VD_ERR_UNSUPPORTED, "OpenCL device \"{}\" cannot be used: {}.", info().name, physical.missing());
  const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                              reinterpret_cast<cl_context_properties>(physical.platform), 0};
  cl_int result = CL_SUCCESS;
  handle_ = cl.CreateContext(properties, 1, &physical.device, on_error, nullptr, &result);
  opencl::check(result, "clCreateContext", "device \"{}\" of platform \"{}\"", info().name, physical.platform_name);
}

Context::~Context() { cl.ReleaseContext(handle_); }

void Context::require_alive() const {
  if (!lost()) [[likely]]
    return;
  fail(VD_ERR_DEVICE_LOST, "OpenCL device \"{}\" is lost: {}; make a new context, in a new process if that fails too.",
       info().name, loss_.why());
}

void Context::failed(cl_int result, const char* call, const std::string& what) const {
  if (result_status(result) == VD_ERR_DEVICE_LOST)
    lose(fmt::format("{} failed with {} for {}", call, result_name(result), what));
  fail_call(result, call, what);
}

}  // namespace vd::opencl
