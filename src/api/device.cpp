// Backends and devices.
#include <algorithm>
#include <cstring>

#include "api/desc.h"
#include "api/guard.h"
#include "backends/backend.h"
#include "core/process_end.h"

using vd::fail;
using vd::api::guard;

vd_status vd_backend_get_info(vd_backend backend, vd_backend_info* out_info) {
  return guard(__func__, [&] {
    vd_backend_info info = VD_BACKEND_INFO_INIT;
    if (backend <= VD_BACKEND_AUTO || backend > VD_BACKEND_DUMMY) vd::backends::get_backend(backend);  // throws
    std::strncpy(info.name, vd::backends::backend_name(backend), sizeof(info.name) - 1);
    try {
      const vd::DriverLoad load;
      auto& of = vd::backends::get_backend(backend);
      info.device_count = static_cast<uint32_t>(of.devices().size());
      info.available = info.device_count != 0;
      info.status = info.available != 0 ? VD_OK : VD_ERR_UNAVAILABLE;
      const std::string reason = info.available != 0 ? of.missing() : "it has no devices";
      std::strncpy(info.reason, reason.c_str(), sizeof(info.reason) - 1);
    } catch (const vd::Error& error) {
      info.status = error.status();
      std::strncpy(info.reason, error.what(), sizeof(info.reason) - 1);
    }
    vd::api::write_info(info, out_info, "out_info");
    return VD_OK;
  });
}

vd_status vd_device_get_info(vd_backend backend, uint32_t index, vd_device_info* out_info) {
  return guard(__func__, [&] {
    vd::api::in(out_info, "out_info");
    const vd::DriverLoad load;
    const auto& devices = vd::backends::get_backend(backend).devices();
    if (index >= devices.size()) {
      fail(VD_ERR_INVALID, "index ({}) is not below the {} backend's devices ({})", index,
           vd::backends::backend_name(backend), devices.size());
    }
    vd::api::write_info(devices[index], out_info, "out_info");
    return VD_OK;
  });
}

vd_status vd_device_get_vulkan_info(uint32_t index, vd_vulkan_device_info* out_info) {
  return guard(__func__, [&] {
    vd::api::write_info(vd_vulkan_device_info VD_VULKAN_DEVICE_INFO_INIT, out_info, "out_info");
    const vd::DriverLoad load;
    auto& backend = vd::backends::get_backend(VD_BACKEND_VULKAN);
    const size_t count = backend.devices().size();
    if (index >= count) {
      fail(VD_ERR_INVALID, "index ({}) is not below the vulkan backend's devices ({})", index, count);
    }
    vd::api::write_info(backend.vulkan_info(index), out_info, "out_info");
    return VD_OK;
  });
}
