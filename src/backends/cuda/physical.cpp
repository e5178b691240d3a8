#include "backends/cuda/physical.h"

#include <algorithm>
#include <cstring>

#include "backends/cuda/arguments.h"

namespace vd::cuda {
namespace {

constexpr uint32_t kVendorNvidia = 0x10de;
// Streams are cheap; this many are offered.
constexpr uint32_t kQueues = 16;

// Features of every device that this backend runs on.
constexpr vd_features kFeatures =
    VD_FEATURE_F64 | VD_FEATURE_F16 | VD_FEATURE_I64 | VD_FEATURE_I16 | VD_FEATURE_I8 | VD_FEATURE_STORAGE_16 |
    VD_FEATURE_UNIFORM_16 | VD_FEATURE_PUSH_CONSTANT_16 | VD_FEATURE_STORAGE_8 | VD_FEATURE_F32_ATOMICS |
    VD_FEATURE_F32_ATOMIC_ADD | VD_FEATURE_F64_ATOMIC_ADD | VD_FEATURE_I64_ATOMICS | VD_FEATURE_SUBGROUP_BASIC |
    VD_FEATURE_SUBGROUP_ARITHMETIC | VD_FEATURE_SUBGROUP_SHUFFLE | VD_FEATURE_SUBGROUP_VOTE |
    VD_FEATURE_SCALAR_BLOCK_LAYOUT | VD_FEATURE_TIMELINE_SEMAPHORE | VD_FEATURE_BUFFER_ADDRESS | VD_FEATURE_PRINTF;

// A kernel may write any level of an image, so that it needs what textures and surfaces allow, and arrays of levels.
template <class F>
void report_images(vd_device_info& info, F&& number) {
  // The least of consecutive attributes.
  const auto least = [&](CUdevice_attribute first, int count) {
    uint32_t value = UINT32_MAX;
    for (int i = 0; i < count; ++i) value = std::min(value, number(first, i));
    return value;
  };
  info.features |= VD_FEATURE_IMAGES;
  info.max_image_extent[0] = std::min({least(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_WIDTH, 1),
                                       least(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_WIDTH, 1),
                                       least(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH, 1),
                                       least(CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_WIDTH, 1),
                                       least(CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_LAYERED_WIDTH, 1)});
  info.max_image_extent[1] = std::min({least(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH, 2),
                                       least(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_WIDTH, 2),
                                       least(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH, 2),
                                       least(CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_WIDTH, 2),
                                       least(CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_WIDTH, 2)});
  info.max_image_extent[2] = std::min(least(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH, 3),
                                      least(CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_WIDTH, 3));
  info.max_image_layers = std::min({number(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_WIDTH, 1),
                                    number(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_WIDTH, 2),
                                    number(CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_LAYERED_WIDTH, 1),
                                    number(CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_WIDTH, 2)});
}

// The words of a failure while devices are listed.
void require(const Driver& driver, CUresult result, const char* call, const std::string& what) {
  if (result != CUDA_SUCCESS) fail(VD_ERR_UNAVAILABLE, "{}", driver.describe(result, call, what));
}

}  // namespace

int device_count(const Driver& driver) {
  int count = 0;
  require(driver, driver.cuDeviceGetCount(&count), "cuDeviceGetCount", "the number of devices");
  return count;
}

Physical::Physical(const Driver& driver, const DeviceIndex& place) {
  const std::string what = fmt::format("device {}", place.ordinal);
  require(driver, driver.cuDeviceGet(&handle, place.ordinal), "cuDeviceGet", what);
  const auto number = [&](CUdevice_attribute attribute, int next = 0) {
    int value = 0;
    const auto which = static_cast<CUdevice_attribute>(attribute + next);
    require(driver, driver.cuDeviceGetAttribute(&value, which, handle), "cuDeviceGetAttribute",
            fmt::format("attribute {} of device {}", static_cast<int>(which), place.ordinal));
    return static_cast<uint32_t>(std::max(value, 0));
  };
  // A driver reports an attribute that it does not know; then the device does not have it.
  const auto has = [&](CUdevice_attribute attribute) {
    int value = 0;
    return driver.cuDeviceGetAttribute(&value, attribute, handle) == CUDA_SUCCESS && value != 0;
  };
  info.backend = VD_BACKEND_CUDA;
  info.index = place.index;
  require(driver, driver.cuDeviceGetName(info.name, sizeof(info.name), handle), "cuDeviceGetName", what);
  info.name[sizeof(info.name) - 1] = '\0';
  CUuuid uuid{};
  if (driver.cuDeviceGetUuid(&uuid, handle) == CUDA_SUCCESS) {
    static_assert(sizeof(info.uuid) == sizeof(uuid.bytes));
    std::memcpy(info.uuid, uuid.bytes, sizeof(info.uuid));
    info.uuid_valid = 1;
  }
  info.type = number(CU_DEVICE_ATTRIBUTE_INTEGRATED) != 0 ? VD_DEVICE_INTEGRATED_GPU : VD_DEVICE_DISCRETE_GPU;
  info.api_version[1] = number(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  info.api_version[2] = number(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  info.driver_version = static_cast<uint32_t>(driver.version());
  info.vendor_id = kVendorNvidia;
  info.device_id = number(CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID);

  info.features = kFeatures | VD_FEATURE_TIMESTAMPS;
  info.timestamp_period = 500;  // as the driver's manual says of events
  report_images(info, number);
  if (architecture() >= 80) info.features |= VD_FEATURE_ASYNC_COPY;
  if (has(CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH)) info.features |= VD_FEATURE_CLUSTERS;
  if (has(CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED)) info.features |= VD_FEATURE_MEMORY_FD;
  if (has(CU_DEVICE_ATTRIBUTE_TIMELINE_SEMAPHORE_INTEROP_SUPPORTED)) info.features |= VD_FEATURE_SEMAPHORE_FD;
  for (int axis = 0; axis < 3; ++axis) {
    info.max_workgroup_size[axis] = number(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, axis);
    info.max_workgroup_count[axis] = number(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, axis);
  }
  info.max_workgroup_invocations = number(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  size_t memory = 0;
  require(driver, driver.cuDeviceTotalMem(&memory, handle), "cuDeviceTotalMem", what);
  info.memory_size = info.max_allocation_size = info.max_storage_buffer_range = memory;
  info.max_uniform_buffer_range = 64 * 1024;
  info.max_push_constant_size = kParameterBytes;
  info.uniform_buffer_alignment = 16;
  info.storage_buffer_alignment = 1;
  info.host_import_alignment = 1;
  info.max_shared_memory_size = number(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
  info.max_shared_memory_opt_in =
      std::max(info.max_shared_memory_size, number(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN));
  info.shared_memory_per_multiprocessor = number(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
  info.registers_per_multiprocessor = number(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
  info.multiprocessor_count = number(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  info.subgroup_size = number(CU_DEVICE_ATTRIBUTE_WARP_SIZE);
  info.queue_count = kQueues;
  memory_pools = has(CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED);
  write_values = has(CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS);
}

}  // namespace vd::cuda
