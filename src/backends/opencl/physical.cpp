#include "backends/opencl/physical.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>

#include "backends/opencl/icd_files.h"
#include "core/image_limits.h"
#include "core/log.h"
#include "core/platform.h"

namespace vd::opencl {
namespace {

// Queries of extensions, which our headers may be too old to have.
constexpr cl_device_info kWarpSizeNv = 0x4003, kRegistersNv = 0x4002;
constexpr cl_device_info kUuidKhr = 0x106A;
constexpr uint32_t kMaxQueues = 16;  // of a context; the driver has no limit of its own

// Lanes of a subgroup where the device has none of its own and they are emulated.
constexpr uint32_t kEmulatedSubgroup = 32;

template <class T>
T ask(const Api& api, cl_device_id device, cl_device_info what, T otherwise) {
  T value{};
  return api.GetDeviceInfo(device, what, sizeof(value), &value, nullptr) == CL_SUCCESS ? value : otherwise;
}

std::string ask_text(const Api& api, cl_device_id device, cl_device_info what) {
  size_t size = 0;
  if (api.GetDeviceInfo(device, what, 0, nullptr, &size) != CL_SUCCESS || size == 0) return {};
  std::string text(size, '\0');
  check(api.GetDeviceInfo(device, what, size, text.data(), nullptr), "clGetDeviceInfo", "property {:#x}", what);
  return text.c_str();
}

std::string ask_text(const Api& api, cl_platform_id platform, cl_platform_info what) {
  size_t size = 0;
  if (api.GetPlatformInfo(platform, what, 0, nullptr, &size) != CL_SUCCESS || size == 0) return {};
  std::string text(size, '\0');
  check(api.GetPlatformInfo(platform, what, size, text.data(), nullptr), "clGetPlatformInfo", "property {:#x}", what);
  return text.c_str();
}

// "OpenCL C 1.2 ..." -> 102; 0 if there is no number behind `prefix`.
uint32_t version_of(const std::string& text, const char* prefix) {
  unsigned major = 0, minor = 0;
  if (text.compare(0, std::strlen(prefix), prefix) != 0) return 0;
  if (std::sscanf(text.c_str() + std::strlen(prefix), "%u.%u", &major, &minor) != 2) return 0;
  return major * 100 + minor;
}

// The version of OpenCL C for a driver that has no answer to CL_DEVICE_OPENCL_C_VERSION, which 3.0 deprecates: 1.2 as for
// others, else the newest; 0 if it names none.
uint32_t listed_opencl_c(const Api& api, cl_device_id device) {
  size_t size = 0;
  if (api.GetDeviceInfo(device, CL_DEVICE_OPENCL_C_ALL_VERSIONS, 0, nullptr, &size) != CL_SUCCESS) return 0;
  std::vector<cl_name_version> versions(size / sizeof(cl_name_version));
  if (versions.empty() ||
      api.GetDeviceInfo(device, CL_DEVICE_OPENCL_C_ALL_VERSIONS, size, versions.data(), nullptr) != CL_SUCCESS)
    return 0;
  uint32_t newest = 0;
  for (const cl_name_version& named : versions) {
    const uint32_t version = CL_VERSION_MAJOR(named.version) * 100 + CL_VERSION_MINOR(named.version);
    if (version == 102) return version;
    newest = std::max(newest, version);
  }
  return newest;
}

// "580.65.06" -> 580 << 22 | 65 << 14 | 6, as NVIDIA's Vulkan driver counts: newer is more.
uint32_t driver_number(const std::string& text) {
  unsigned a = 0, b = 0, c = 0;
  if (std::sscanf(text.c_str(), "%u.%u.%u", &a, &b, &c) < 1) return 0;
  return (a & 0x3ff) << 22 | (b & 0xff) << 14 | (c & 0x3fff);
}

vd_device_type device_type(cl_device_type type, bool unified) {
  if ((type & CL_DEVICE_TYPE_CPU) != 0) return VD_DEVICE_CPU;
  if ((type & CL_DEVICE_TYPE_GPU) != 0) return unified ? VD_DEVICE_INTEGRATED_GPU : VD_DEVICE_DISCRETE_GPU;
  return VD_DEVICE_OTHER;
}

template <class To, class From>
To clamped(From value) {
  return static_cast<To>(std::min<uint64_t>(static_cast<uint64_t>(value), static_cast<To>(~To{0})));
}

}  // namespace

Physical::Physical(const Api& api, cl_platform_id its_platform, cl_device_id its_device, uint32_t index)
    : platform(its_platform), device(its_device) {
  info.backend = VD_BACKEND_OPENCL;
  info.index = index;
  read_identity(api);
  read_limits(api);
  read_features(api);
}

bool Physical::has_extension(std::string_view name) const {
  return extensions.find(fmt::format(" {} ", name)) != std::string::npos;
}

void Physical::read_identity(const Api& api) {
  platform_name = ask_text(api, platform, CL_PLATFORM_NAME);
  platform_version = ask_text(api, platform, CL_PLATFORM_VERSION);
  driver_version = ask_text(api, device, CL_DRIVER_VERSION);
  extensions = " " + ask_text(api, device, CL_DEVICE_EXTENSIONS) + " ";
  unified = ask<cl_bool>(api, device, CL_DEVICE_HOST_UNIFIED_MEMORY, CL_FALSE) != CL_FALSE;
  info.type = device_type(ask<cl_device_type>(api, device, CL_DEVICE_TYPE, 0), unified);
  if (info.type == VD_DEVICE_CPU) unified = true;
  // A device with memory of its own, or memory off the pages of one that shares the host's, works on a copy, which the host
  // sees only while it maps the buffer.
  info.host_import_alignment = info.type == VD_DEVICE_CPU ? 1 : unified ? platform::page_size() : 0;

  const uint32_t version = version_of(ask_text(api, device, CL_DEVICE_VERSION), "OpenCL ");
  info.api_version[1] = version / 100;
  info.api_version[2] = version % 100;
  info.driver_version = driver_number(driver_version);
  info.vendor_id = ask<cl_uint>(api, device, CL_DEVICE_VENDOR_ID, 0);
  const std::string name = ask_text(api, device, CL_DEVICE_NAME);
  std::snprintf(info.name, sizeof(info.name), "%s", name.c_str());
  if (has_extension("cl_khr_device_uuid")) {
    static_assert(sizeof(info.uuid) == 16);
    info.uuid_valid = api.GetDeviceInfo(device, kUuidKhr, sizeof(info.uuid), info.uuid, nullptr) == CL_SUCCESS ? 1 : 0;
  }

  opencl_c = version_of(ask_text(api, device, CL_DEVICE_OPENCL_C_VERSION), "OpenCL C ");
  if (opencl_c == 0 && version >= 300) opencl_c = listed_opencl_c(api, device);
  if (version < 102 || opencl_c < 102)
    missing_ = fmt::format("it has OpenCL {}.{} with OpenCL C {}.{}; 1.2 is needed", version / 100, version % 100,
                           opencl_c / 100, opencl_c % 100);
  else if (ask<cl_bool>(api, device, CL_DEVICE_AVAILABLE, CL_TRUE) == CL_FALSE)
    missing_ = "its driver says that it is not available";
  else if (ask<cl_bool>(api, device, CL_DEVICE_COMPILER_AVAILABLE, CL_TRUE) == CL_FALSE)
    missing_ = "its driver has no compiler";
  else if (ask<cl_bool>(api, device, CL_DEVICE_ENDIAN_LITTLE, CL_TRUE) == CL_FALSE)
    missing_ = "it is not little-endian";
}

void Physical::read_limits(const Api& api) {
  size_t sizes[3] = {1, 1, 1};
  if (ask<cl_uint>(api, device, CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, 3) == 3)
    api.GetDeviceInfo(device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof(sizes), sizes, nullptr);
  info.max_workgroup_invocations = clamped<uint32_t>(ask<size_t>(api, device, CL_DEVICE_MAX_WORK_GROUP_SIZE, 1));
  for (int i = 0; i < 3; ++i) {
    info.max_workgroup_size[i] = std::min(clamped<uint32_t>(sizes[i]), info.max_workgroup_invocations);
    // OpenCL has no such limit; NVIDIA's hardware does on the last two axes.
    info.max_workgroup_count[i] = i != 0 && info.vendor_id == kVendorNvidia ? 65535 : 0x7fffffff;
  }
  info.max_allocation_size = ask<cl_ulong>(api, device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, 0);
  info.max_storage_buffer_range = info.max_allocation_size;
  info.max_uniform_buffer_range = ask<cl_ulong>(api, device, CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, 64 << 10);
  info.memory_size = ask<cl_ulong>(api, device, CL_DEVICE_GLOBAL_MEM_SIZE, 0);
  info.max_push_constant_size = clamped<uint32_t>(ask<size_t>(api, device, CL_DEVICE_MAX_PARAMETER_SIZE, 1024));
  sub_buffer_alignment = std::max(ask<cl_uint>(api, device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, 1024) / 8, 1u);
  info.uniform_buffer_alignment = 16;
  info.storage_buffer_alignment = 1;  // a range's offset is an argument of the kernel
  info.max_shared_memory_size = clamped<uint32_t>(ask<cl_ulong>(api, device, CL_DEVICE_LOCAL_MEM_SIZE, 0));
  info.max_shared_memory_opt_in = info.max_shared_memory_size;
  info.multiprocessor_count = ask<cl_uint>(api, device, CL_DEVICE_MAX_COMPUTE_UNITS, 0);
  if (has_extension("cl_nv_device_attribute_query"))
    info.registers_per_multiprocessor = ask<cl_uint>(api, device, kRegistersNv, 0);
  info.queue_count = kMaxQueues;
}

void Physical::read_features(const Api& api) {
  info.features = VD_FEATURE_I64 | VD_FEATURE_I16 | VD_FEATURE_I8 | VD_FEATURE_STORAGE_16 | VD_FEATURE_UNIFORM_16 |
                  VD_FEATURE_PUSH_CONSTANT_16 | VD_FEATURE_STORAGE_8 | VD_FEATURE_F32_ATOMICS |
                  VD_FEATURE_SCALAR_BLOCK_LAYOUT | VD_FEATURE_TIMELINE_SEMAPHORE | VD_FEATURE_PRINTF;
  info.features |= VD_FEATURE_TIMESTAMPS;
  info.timestamp_period = static_cast<double>(ask<size_t>(api, device, CL_DEVICE_PROFILING_TIMER_RESOLUTION, 1));
  report_buffer_images(info);
  read_images(api);
  if (unified) info.features |= VD_FEATURE_UNIFIED_MEMORY;
  if (has_extension("cl_khr_int64_base_atomics") && has_extension("cl_khr_int64_extended_atomics"))
    info.features |= VD_FEATURE_I64_ATOMICS;
  if (has_extension("cl_khr_fp16")) info.features |= VD_FEATURE_F16;
  if (has_extension("cl_khr_fp64") || ask<cl_device_fp_config>(api, device, CL_DEVICE_DOUBLE_FP_CONFIG, 0) != 0)
    info.features |= VD_FEATURE_F64;
  const auto single = ask<cl_device_fp_config>(api, device, CL_DEVICE_SINGLE_FP_CONFIG, 0);
  exact_division = (single & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;

  if (has_extension("cl_khr_command_buffer"))
    command_buffers =
        (ask<cl_device_command_buffer_capabilities_khr>(api, device, CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR, 0) &
         CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR) != 0;

  // The ops that we print need all of these.
  native_subgroups = has_extension("cl_khr_subgroups") && has_extension("cl_khr_subgroup_non_uniform_vote") &&
                     has_extension("cl_khr_subgroup_non_uniform_arithmetic") &&
                     has_extension("cl_khr_subgroup_ballot") && has_extension("cl_khr_subgroup_shuffle") &&
                     has_extension("cl_khr_subgroup_shuffle_relative");
  info.features |= VD_FEATURE_SUBGROUP_BASIC | VD_FEATURE_SUBGROUP_ARITHMETIC | VD_FEATURE_SUBGROUP_SHUFFLE |
                   VD_FEATURE_SUBGROUP_VOTE;
  info.subgroup_size = kEmulatedSubgroup;
  if (native_subgroups && has_extension("cl_nv_device_attribute_query"))
    info.subgroup_size = ask<cl_uint>(api, device, kWarpSizeNv, kEmulatedSubgroup);
}

// Every version has these limits where it has images.
void Physical::read_images(const Api& api) {
  images = ask<cl_bool>(api, device, CL_DEVICE_IMAGE_SUPPORT, CL_FALSE) == CL_TRUE;
  if (!images) return;
  const auto limit = [&](cl_device_info what) { return uint64_t{ask<size_t>(api, device, what, 0)}; };
  const uint64_t width = limit(CL_DEVICE_IMAGE2D_MAX_WIDTH);
  const uint64_t extents[3][3] = {
      {width, 1, 1},
      {width, limit(CL_DEVICE_IMAGE2D_MAX_HEIGHT), 1},
      {limit(CL_DEVICE_IMAGE3D_MAX_WIDTH), limit(CL_DEVICE_IMAGE3D_MAX_HEIGHT), limit(CL_DEVICE_IMAGE3D_MAX_DEPTH)}};
  std::copy_n(&extents[0][0], 9, &image_extents[0][0]);
  image_layers = limit(CL_DEVICE_IMAGE_MAX_ARRAY_SIZE);
}

namespace {

// The devices of one platform, numbered from `first`. `remarks` receives the faults of single devices.
std::vector<Physical> devices_of(const Api& api, cl_platform_id platform, uint32_t first, std::string& remarks) {
  cl_uint count = 0;
  const cl_int found = api.GetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count);
  if (found == CL_DEVICE_NOT_FOUND || (found == CL_SUCCESS && count == 0)) return {};
  check(found, "clGetDeviceIDs", "the number of devices");
  std::vector<cl_device_id> ids(count);
  check(api.GetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, ids.data(), nullptr), "clGetDeviceIDs", "{} devices",
        count);
  std::vector<Physical> devices;
  for (const cl_device_id id : ids) {
    try {
      devices.emplace_back(api, platform, id, first + static_cast<uint32_t>(devices.size()));
    } catch (const Error& error) {
      remarks += fmt::format("{}{}", remarks.empty() ? "" : " ", error.what());
    }
  }
  return devices;
}

std::vector<cl_platform_id> platforms_of(const Api& api) {
  cl_uint count = 0;
  cl_int found = api.GetPlatformIDs(0, nullptr, &count);
  if (found == CL_PLATFORM_NOT_FOUND_KHR || (found == CL_SUCCESS && count == 0))
    fail(VD_ERR_UNAVAILABLE, "the OpenCL loader found no driver: {}", explain_drivers());
  std::vector<cl_platform_id> platforms(count);
  if (found == CL_SUCCESS) found = api.GetPlatformIDs(count, platforms.data(), nullptr);
  if (found != CL_SUCCESS)
    fail(VD_ERR_UNAVAILABLE, "the OpenCL loader cannot list its drivers: clGetPlatformIDs failed with {}",
         result_name(found));
  return platforms;
}

}  // namespace

// One broken driver must not hide the others; but a user who gets another device than intended must learn it.
std::vector<Physical> list_devices(const Api& api) {
  std::vector<Physical> devices;
  std::vector<std::string> faults;
  std::string empty;
  for (const cl_platform_id platform : platforms_of(api)) {
    std::string name = "?", remarks;
    std::vector<Physical> found;
    try {
      name = ask_text(api, platform, CL_PLATFORM_NAME);
      found = devices_of(api, platform, static_cast<uint32_t>(devices.size()), remarks);
    } catch (const Error& error) {
      remarks = error.what();
    }
    if (!remarks.empty())
      faults.push_back(fmt::format("the driver \"{}\" does not give all of its devices: {}", name, remarks));
    if (found.empty())
      empty += fmt::format("{}\"{}\"{}", empty.empty() ? "" : ", ", name,
                           remarks.empty() ? "" : fmt::format(" ({})", remarks));
    for (Physical& device : found) devices.push_back(std::move(device));
  }
  const std::string broken = broken_drivers();
  if (!broken.empty()) faults.push_back(broken);
  if (devices.empty())
    fail(VD_ERR_UNAVAILABLE,
         "the OpenCL driver {} has no devices; is its GPU plugged in, its kernel module loaded, and may this user open "
         "it?{}{}",
         empty, broken.empty() ? "" : " Besides, ", broken);
  if (!empty.empty()) log_info("OpenCL: the driver {} has no devices", empty);
  for (const std::string& fault : faults) log_warning("OpenCL: {}", fault);
  return devices;
}

}  // namespace vd::opencl
