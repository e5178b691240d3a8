#include "backends/vulkan/physical.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "backends/vulkan/told_limits.h"
#include "core/image_limits.h"
#include "core/name.h"
#include "core/texel.h"

namespace vd::vulkan {
namespace {

// Extensions that are enabled where they are: used by this backend, by printed kernels, or by native handles.
constexpr std::array kWantedExtensions{
    VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME,
    VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME,
    VK_EXT_SHADER_ATOMIC_FLOAT_2_EXTENSION_NAME,
    VK_KHR_SHADER_CLOCK_EXTENSION_NAME,
    VK_KHR_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_EXTENSION_NAME,
    VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME,
    VK_KHR_SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW_EXTENSION_NAME,
    VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME,
    VK_EXT_PIPELINE_CREATION_FEEDBACK_EXTENSION_NAME,
    VK_EXT_PIPELINE_ROBUSTNESS_EXTENSION_NAME,
    VK_EXT_ROBUSTNESS_2_EXTENSION_NAME,
    VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME,
    VK_KHR_SHADER_FLOAT_CONTROLS_EXTENSION_NAME,
    VK_EXT_MEMORY_BUDGET_EXTENSION_NAME,
    VK_EXT_CALIBRATED_TIMESTAMPS_EXTENSION_NAME,
    VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME,
    VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME,
    VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME,
    VK_NV_SHADER_SM_BUILTINS_EXTENSION_NAME,
    "VK_KHR_portability_subset",  // must be enabled where it is listed
};

// Shared memory of a multiprocessor, by the kind of queue family that we would choose: Vulkan does not report it.
struct MultiprocessorFacts {
  std::string_view name;  // part of the device's name
  uint32_t shared_compute_only;
  uint32_t shared_graphics;
};
// Measured by occupancy on one H200; the other Hopper parts have the same multiprocessor.
constexpr std::array<MultiprocessorFacts, 3> kMultiprocessors{
    {{"H200", 100 * 1024, 48 * 1024}, {"H100", 100 * 1024, 48 * 1024}, {"GH200", 100 * 1024, 48 * 1024}}};
constexpr uint32_t kVendorNvidia = 0x10de;

bool compute_only(const VkQueueFamilyProperties& f) {
  return (f.queueFlags & (VK_QUEUE_COMPUTE_BIT | VK_QUEUE_GRAPHICS_BIT)) == VK_QUEUE_COMPUTE_BIT;
}

vd_device_type device_type(VkPhysicalDeviceType type) {
  switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
      return VD_DEVICE_INTEGRATED_GPU;
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
      return VD_DEVICE_DISCRETE_GPU;
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
      return VD_DEVICE_VIRTUAL_GPU;
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
      return VD_DEVICE_CPU;
    default:
      return VD_DEVICE_OTHER;
  }
}

template <class T>
void append(VkBaseOutStructure*& tail, T& next) noexcept {
  tail->pNext = reinterpret_cast<VkBaseOutStructure*>(&next);
  tail = tail->pNext;
  tail->pNext = nullptr;
}

}  // namespace

Features::Features() noexcept {
  base.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  v11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
  v12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  v13.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;
  atomic_float.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT;
  atomic_float2.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_2_FEATURES_EXT;
  clock.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CLOCK_FEATURES_KHR;
  workgroup_layout.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_FEATURES_KHR;
  executable_properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR;
  uniform_control_flow.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW_FEATURES_KHR;
  cooperative_matrix.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR;
  pipeline_robustness.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_ROBUSTNESS_FEATURES_EXT;
  robustness2.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT;
  subgroup_size.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES;
}

void Features::chain(uint32_t api_version, const std::set<std::string>& extensions) {
  auto* tail = reinterpret_cast<VkBaseOutStructure*>(&base);
  if (api_version >= VK_API_VERSION_1_2) {
    append(tail, v11);
    append(tail, v12);
  }
  if (api_version >= VK_API_VERSION_1_3) append(tail, v13);
  const auto has = [&](const char* name) { return extensions.count(name) != 0; };
  if (has(VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME)) append(tail, atomic_float);
  if (has(VK_EXT_SHADER_ATOMIC_FLOAT_2_EXTENSION_NAME)) append(tail, atomic_float2);
  if (has(VK_KHR_SHADER_CLOCK_EXTENSION_NAME)) append(tail, clock);
  if (has(VK_KHR_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_EXTENSION_NAME)) append(tail, workgroup_layout);
  if (has(VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME)) append(tail, executable_properties);
  if (has(VK_KHR_SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW_EXTENSION_NAME)) append(tail, uniform_control_flow);
  if (has(VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME)) append(tail, cooperative_matrix);
  if (has(VK_EXT_PIPELINE_ROBUSTNESS_EXTENSION_NAME)) append(tail, pipeline_robustness);
  if (has(VK_EXT_ROBUSTNESS_2_EXTENSION_NAME)) append(tail, robustness2);
  if (has(VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME) && api_version < VK_API_VERSION_1_3) append(tail, subgroup_size);
}

std::vector<VkPhysicalDevice> list_devices(const Instance& instance) {
  uint32_t count = 0;
  check(instance.EnumeratePhysicalDevices(instance.handle(), &count, nullptr), "vkEnumeratePhysicalDevices", "a count");
  std::vector<VkPhysicalDevice> devices(count);
  if (count != 0)
    check(instance.EnumeratePhysicalDevices(instance.handle(), &count, devices.data()), "vkEnumeratePhysicalDevices",
          "{} devices", count);
  devices.resize(count);
  return devices;
}

std::vector<FamilyQueues> choose_queues(const std::vector<VkQueueFamilyProperties>& families, uint32_t wanted) {
  std::vector<FamilyQueues> chosen;
  wanted = std::max(wanted, 1u);
  for (const bool only : {true, false}) {
    for (uint32_t i = 0; i < families.size() && wanted != 0; ++i) {
      const auto& f = families[i];
      if ((f.queueFlags & VK_QUEUE_COMPUTE_BIT) == 0 || compute_only(f) != only || f.queueCount == 0) continue;
      const uint32_t taken = std::min(wanted, f.queueCount);
      chosen.push_back({i, taken});
      wanted -= taken;
    }
  }
  return chosen;
}

Physical::Physical(const Instance& from, VkPhysicalDevice device, uint32_t index, const ExtensionWishes& wishes,
                   bool robust)
    : instance(from), handle(device) {
  info.backend = VD_BACKEND_VULKAN;
  info.index = index;
  instance.GetPhysicalDeviceProperties(handle, &properties);
  api_version = std::min(properties.apiVersion, instance.api_version());
  read_extensions(wishes);
  read_features(robust);
  read_all();
}

Physical::Physical(const Instance& from, uint32_t index, const backends::NativeDevice& native)
    : instance(from), handle(reinterpret_cast<VkPhysicalDevice>(native.physical_device)) {
  info.backend = VD_BACKEND_VULKAN;
  info.index = index;
  instance.GetPhysicalDeviceProperties(handle, &properties);
  api_version = std::min(properties.apiVersion, instance.api_version());
  extensions.insert(native.extensions.begin(), native.extensions.end());
  leave_out_unknown();
  features.take(*reinterpret_cast<const VkPhysicalDeviceFeatures2*>(native.features));
  read_all();
}

void Physical::read_all() {
  tells_cache_hits =
      api_version >= VK_API_VERSION_1_3 || extensions.count(VK_EXT_PIPELINE_CREATION_FEEDBACK_EXTENSION_NAME) != 0;
  read_properties();
  fill_features();
  fill_images();
  fill_memory();
  fill_sharing();
  const ToldLimits told = ToldLimits::read();
  told.apply(info);
  spins = told.spin || info.type != VD_DEVICE_CPU;
}

void Physical::read_extensions(const ExtensionWishes& wishes) {
  uint32_t count = 0;
  check(instance.EnumerateDeviceExtensionProperties(handle, nullptr, &count, nullptr),
        "vkEnumerateDeviceExtensionProperties", "device {}", properties.deviceName);
  std::vector<VkExtensionProperties> found(count);
  check(instance.EnumerateDeviceExtensionProperties(handle, nullptr, &count, found.data()),
        "vkEnumerateDeviceExtensionProperties", "device {}", properties.deviceName);
  for (uint32_t i = 0; i < count; ++i) {
    const std::string_view name = found[i].extensionName;
    const bool wished = std::ranges::find(wishes.wished, name) != wishes.wished.end() ||
                        std::ranges::find(wishes.required, name) != wishes.required.end();
    if (wished || std::find(kWantedExtensions.begin(), kWantedExtensions.end(), name) != kWantedExtensions.end())
      extensions.emplace(name);
  }
  for (const std::string& name : wishes.required)
    if (extensions.count(name) == 0)
      fail(VD_ERR_UNSUPPORTED, "Vulkan device \"{}\" lacks extension {}, which desc->required_extensions names.",
           properties.deviceName, shown_name(name));
  leave_out_unknown();
}

void Physical::leave_out_unknown() {
  // A validation layer that does not know an extension takes its structs for mistakes. It came with 1.3.255, and Debian
  // 12 has a layer of 1.3.239.
  if (instance.validates() && instance.layer_version() < VK_MAKE_API_VERSION(0, 1, 3, 255))
    extensions.erase(VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME);
  // The second builds on the first.
  if (extensions.count(VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME) == 0)
    extensions.erase(VK_EXT_SHADER_ATOMIC_FLOAT_2_EXTENSION_NAME);
}

void Physical::read_features(bool robust) {
  features.chain(api_version, extensions);
  if (api_version >= VK_API_VERSION_1_1) instance.GetPhysicalDeviceFeatures2(handle, &features.base);
  // Robust access checks every access of every kernel, and capture and replay constrain where memory may lie.
  features.robustness2.robustImageAccess2 = VK_FALSE;
  features.robustness2.nullDescriptor = VK_FALSE;
  if (!robust) {
    features.base.features.robustBufferAccess = VK_FALSE;
    features.robustness2.robustBufferAccess2 = VK_FALSE;
  } else if (features.base.features.robustBufferAccess == VK_FALSE) {
    fail(VD_ERR_UNSUPPORTED, "Vulkan device \"{}\" has no robust access to buffers (VD_CONTEXT_ROBUST)",
         properties.deviceName);
  }
  features.v13.robustImageAccess = VK_FALSE;
  features.v12.bufferDeviceAddressCaptureReplay = VK_FALSE;
  features.v12.bufferDeviceAddressMultiDevice = VK_FALSE;
  features.v11.protectedMemory = VK_FALSE;
  features.cooperative_matrix.cooperativeMatrixRobustBufferAccess = VK_FALSE;
}

void Physical::read_properties() {
  VkPhysicalDeviceProperties2 all{};
  all.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  auto* tail = reinterpret_cast<VkBaseOutStructure*>(&all);
  VkPhysicalDeviceIDProperties id{};
  id.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES;
  VkPhysicalDeviceSubgroupProperties subgroup{};
  subgroup.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES;
  VkPhysicalDeviceSubgroupSizeControlProperties sizes{};
  sizes.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES;
  VkPhysicalDeviceMaintenance3Properties maintenance3{};
  maintenance3.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES;
  VkPhysicalDeviceMaintenance4Properties maintenance4{};
  maintenance4.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES;
  VkPhysicalDevicePushDescriptorPropertiesKHR push{};
  push.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PUSH_DESCRIPTOR_PROPERTIES_KHR;
  VkPhysicalDeviceShaderSMBuiltinsPropertiesNV sm{};
  sm.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_PROPERTIES_NV;
  VkPhysicalDeviceExternalMemoryHostPropertiesEXT host{};
  host.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT;
  VkPhysicalDeviceTimelineSemaphoreProperties timeline{};
  timeline.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_PROPERTIES;
  VkPhysicalDeviceFloatControlsProperties floats{};
  floats.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES;
  if (api_version >= VK_API_VERSION_1_1) {
    append(tail, id);
    append(tail, subgroup);
    append(tail, maintenance3);
    if (api_version >= VK_API_VERSION_1_3 || extensions.count(VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME) != 0)
      append(tail, sizes);
    if (api_version >= VK_API_VERSION_1_3) append(tail, maintenance4);
    if (api_version >= VK_API_VERSION_1_2 || extensions.count(VK_KHR_SHADER_FLOAT_CONTROLS_EXTENSION_NAME) != 0)
      append(tail, floats);
    if (extensions.count(VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME) != 0) append(tail, push);
    if (extensions.count(VK_NV_SHADER_SM_BUILTINS_EXTENSION_NAME) != 0) append(tail, sm);
    if (extensions.count(VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME) != 0) append(tail, host);
    if (api_version >= VK_API_VERSION_1_2) append(tail, timeline);
    instance.GetPhysicalDeviceProperties2(handle, &all);
  }
  float_controls = choose_float_controls(floats);

  info.type = device_type(properties.deviceType);
  info.api_version[0] = VK_API_VERSION_VARIANT(properties.apiVersion);
  info.api_version[1] = VK_API_VERSION_MAJOR(properties.apiVersion);
  info.api_version[2] = VK_API_VERSION_MINOR(properties.apiVersion);
  info.api_version[3] = VK_API_VERSION_PATCH(properties.apiVersion);
  info.driver_version = properties.driverVersion;
  info.vendor_id = properties.vendorID;
  info.device_id = properties.deviceID;
  static_assert(sizeof(info.uuid) == VK_UUID_SIZE && sizeof(info.name) == VK_MAX_PHYSICAL_DEVICE_NAME_SIZE);
  std::memcpy(info.uuid, id.deviceUUID, sizeof(info.uuid));
  info.uuid_valid = std::any_of(std::begin(info.uuid), std::end(info.uuid), [](uint8_t b) { return b != 0; }) ? 1 : 0;
  std::memcpy(info.name, properties.deviceName, sizeof(info.name));

  const auto& limits = properties.limits;
  for (int i = 0; i < 3; ++i) {
    info.max_workgroup_size[i] = std::min(limits.maxComputeWorkGroupSize[i], limits.maxComputeWorkGroupInvocations);
    info.max_workgroup_count[i] = limits.maxComputeWorkGroupCount[i];
  }
  info.max_workgroup_invocations = limits.maxComputeWorkGroupInvocations;
  own.max_bound_descriptor_sets = limits.maxBoundDescriptorSets;
  info.max_storage_buffer_range = limits.maxStorageBufferRange;
  info.max_uniform_buffer_range = limits.maxUniformBufferRange;
  // maxMemoryAllocationSize is what a driver promises (NVIDIA's: 4 GiB less 2 MiB), and many allocate more. So a buffer
  // may have what the device lets one have, and the driver says whether there is memory.
  info.max_allocation_size =
      maintenance4.maxBufferSize != 0 ? maintenance4.maxBufferSize : maintenance3.maxMemoryAllocationSize;
  info.max_push_constant_size = limits.maxPushConstantsSize;
  info.uniform_buffer_alignment = static_cast<uint32_t>(limits.minUniformBufferOffsetAlignment);
  info.storage_buffer_alignment = static_cast<uint32_t>(limits.minStorageBufferOffsetAlignment);
  info.host_import_alignment = host.minImportedHostPointerAlignment;
  if (timeline.maxTimelineSemaphoreValueDifference != 0)
    max_timeline_difference = timeline.maxTimelineSemaphoreValueDifference;
  info.max_shared_memory_size = limits.maxComputeSharedMemorySize;
  info.max_shared_memory_opt_in = limits.maxComputeSharedMemorySize;
  info.subgroup_size = subgroup.subgroupSize;
  own.subgroup_stages = subgroup.supportedStages;
  own.subgroup_operations = subgroup.supportedOperations;
  const auto& v13 = features.v13;
  const auto& control = features.subgroup_size;
  subgroups.size_control = (v13.subgroupSizeControl | control.subgroupSizeControl) != VK_FALSE;
  subgroups.full_subgroups = (v13.computeFullSubgroups | control.computeFullSubgroups) != VK_FALSE;
  subgroups.size = subgroup.subgroupSize;
  subgroups.min_size = sizes.minSubgroupSize;
  subgroups.max_size = sizes.maxSubgroupSize;
  subgroups.max_workgroup_subgroups = sizes.maxComputeWorkgroupSubgroups;
  subgroups.stages = sizes.requiredSubgroupSizeStages;
  if (subgroup.quadOperationsInAllStages != VK_FALSE) info.features |= VD_FEATURE_QUAD_ALL_STAGES;
  max_push_descriptors = push.maxPushDescriptors;

  uint32_t count = 0;
  instance.GetPhysicalDeviceQueueFamilyProperties(handle, &count, nullptr);
  families.resize(count);
  instance.GetPhysicalDeviceQueueFamilyProperties(handle, &count, families.data());
  own.queue_family_count = std::min<uint32_t>(count, VD_MAX_QUEUE_FAMILIES);
  for (uint32_t i = 0; i < own.queue_family_count; ++i) {
    own.queue_counts[i] = families[i].queueCount;
    own.queue_flags[i] = families[i].queueFlags;
  }
  for (const FamilyQueues& family : choose_queues(UINT32_MAX)) info.queue_count += family.count;
  const auto chosen = choose_queues(1);
  const bool has_compute_only = !chosen.empty() && compute_only(families[chosen[0].family]);
  if (!chosen.empty() && families[chosen[0].family].timestampValidBits != 0) {
    info.timestamp_period = static_cast<double>(limits.timestampPeriod);
    info.features |= VD_FEATURE_TIMESTAMPS;
  }

  info.multiprocessor_count = sm.shaderSMCount;
  if (info.vendor_id == kVendorNvidia) {
    info.registers_per_multiprocessor = 64 * 1024;  // of every NVIDIA GPU since Kepler
    for (const auto& facts : kMultiprocessors)
      if (std::string_view(info.name).find(facts.name) != std::string_view::npos)
        info.shared_memory_per_multiprocessor = has_compute_only ? facts.shared_compute_only : facts.shared_graphics;
  }
}

void Physical::fill_features() {
  const auto set = [&](VkBool32 has, vd_features feature) {
    if (has != VK_FALSE) info.features |= feature;
  };
  const auto both = [](VkBool32 a, VkBool32 b) { return a != VK_FALSE && b != VK_FALSE ? VK_TRUE : VK_FALSE; };
  const auto& core = features.base.features;
  set(core.shaderFloat64, VD_FEATURE_F64);
  set(core.shaderInt64, VD_FEATURE_I64);
  set(core.shaderInt16, VD_FEATURE_I16);
  set(features.v12.shaderFloat16, VD_FEATURE_F16);
  set(features.v12.shaderInt8, VD_FEATURE_I8);
  set(features.v11.storageBuffer16BitAccess, VD_FEATURE_STORAGE_16);
  set(features.v11.uniformAndStorageBuffer16BitAccess, VD_FEATURE_UNIFORM_16);
  set(features.v11.storagePushConstant16, VD_FEATURE_PUSH_CONSTANT_16);
  set(features.v11.storageInputOutput16, VD_FEATURE_INPUT_OUTPUT_16);
  set(features.v12.storageBuffer8BitAccess, VD_FEATURE_STORAGE_8);
  // A kernel's atomics may be on buffers or on shared memory, so a device must have both.
  const auto& af = features.atomic_float;
  set(both(af.shaderBufferFloat32Atomics, af.shaderSharedFloat32Atomics), VD_FEATURE_F32_ATOMICS);
  set(both(af.shaderBufferFloat32AtomicAdd, af.shaderSharedFloat32AtomicAdd), VD_FEATURE_F32_ATOMIC_ADD);
  // Exchanges are printed for f64 where adding is.
  set(both(both(af.shaderBufferFloat64AtomicAdd, af.shaderSharedFloat64AtomicAdd),
           both(af.shaderBufferFloat64Atomics, af.shaderSharedFloat64Atomics)),
      VD_FEATURE_F64_ATOMIC_ADD);
  set(both(features.v12.shaderBufferInt64Atomics, features.v12.shaderSharedInt64Atomics), VD_FEATURE_I64_ATOMICS);
  set(features.v12.scalarBlockLayout, VD_FEATURE_SCALAR_BLOCK_LAYOUT);
  set(features.v12.timelineSemaphore, VD_FEATURE_TIMELINE_SEMAPHORE);
  set(features.v12.bufferDeviceAddress, VD_FEATURE_BUFFER_ADDRESS);

  if ((own.subgroup_stages & VK_SHADER_STAGE_COMPUTE_BIT) != 0) {
    const auto has = [&](VkSubgroupFeatureFlags bits) {
      return (own.subgroup_operations & bits) == bits ? VK_TRUE : VK_FALSE;
    };
    set(has(VK_SUBGROUP_FEATURE_BASIC_BIT), VD_FEATURE_SUBGROUP_BASIC);
    set(has(VK_SUBGROUP_FEATURE_ARITHMETIC_BIT), VD_FEATURE_SUBGROUP_ARITHMETIC);
    set(has(VK_SUBGROUP_FEATURE_SHUFFLE_BIT), VD_FEATURE_SUBGROUP_SHUFFLE);
    set(has(VK_SUBGROUP_FEATURE_VOTE_BIT | VK_SUBGROUP_FEATURE_BALLOT_BIT), VD_FEATURE_SUBGROUP_VOTE);
  }
}

// A device that lacks one format or mode has all of its images in buffers: no program then works here and fails there.
void Physical::fill_images() {
  images = features.v12.samplerMirrorClampToEdge != VK_FALSE &&
           features.base.features.shaderStorageImageExtendedFormats != VK_FALSE;
  for (int number = 1; images && number <= VD_FORMAT_RGBA32_F32; ++number) {
    const TexelFormat* format = find_texel_format(static_cast<vd_format>(number));
    if (format == nullptr) continue;
    VkFormatFeatureFlags needed = VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT | VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT |
                                  VK_FORMAT_FEATURE_TRANSFER_SRC_BIT | VK_FORMAT_FEATURE_TRANSFER_DST_BIT;
    if (format->is_float()) needed |= VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT;
    VkFormatProperties got{};
    instance.GetPhysicalDeviceFormatProperties(handle, static_cast<VkFormat>(number), &got);
    images = (got.optimalTilingFeatures & needed) == needed;
  }
  if (!images) return report_buffer_images(info);
  info.features |= VD_FEATURE_IMAGES;
  const auto& limits = properties.limits;
  info.max_image_extent[0] = limits.maxImageDimension1D;
  info.max_image_extent[1] = limits.maxImageDimension2D;
  info.max_image_extent[2] = limits.maxImageDimension3D;
  info.max_image_layers = limits.maxImageArrayLayers;
}

void Physical::fill_memory() {
  instance.GetPhysicalDeviceMemoryProperties(handle, &memory);
  for (uint32_t i = 0; i < memory.memoryHeapCount; ++i)
    if ((memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) != 0)
      info.memory_size += memory.memoryHeaps[i].size;
  info.max_allocation_size = std::min(info.max_allocation_size, info.memory_size);
  // A discrete GPU may show its own memory to the host too, but there the host's reads would cross the bus one by one.
  constexpr VkMemoryPropertyFlags kMapped = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                            VK_MEMORY_PROPERTY_HOST_COHERENT_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
  if (info.type == VD_DEVICE_INTEGRATED_GPU || info.type == VD_DEVICE_CPU)
    for (uint32_t i = 0; i < memory.memoryTypeCount; ++i)
      unified = unified || (memory.memoryTypes[i].propertyFlags & kMapped) == kMapped;
  if (unified) info.features |= VD_FEATURE_UNIFIED_MEMORY;
}

// Memory and semaphores by file descriptors, both ways. Memory that must be a buffer's own is left out: it could only be
// imported by a buffer of the same size.
void Physical::fill_sharing() {
  if (api_version < VK_API_VERSION_1_2) return;
  if (extensions.count(VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME) != 0) {
    VkPhysicalDeviceExternalBufferInfo wanted{};
    wanted.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO;
    wanted.usage =
        VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    wanted.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
    VkExternalBufferProperties got{};
    got.sType = VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES;
    instance.GetPhysicalDeviceExternalBufferProperties(handle, &wanted, &got);
    constexpr VkExternalMemoryFeatureFlags kBoth =
        VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT | VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT;
    const VkExternalMemoryFeatureFlags has = got.externalMemoryProperties.externalMemoryFeatures;
    if ((has & (kBoth | VK_EXTERNAL_MEMORY_FEATURE_DEDICATED_ONLY_BIT)) == kBoth) info.features |= VD_FEATURE_MEMORY_FD;
  }
  if (extensions.count(VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME) != 0) {
    VkSemaphoreTypeCreateInfo type{};
    type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
    type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
    VkPhysicalDeviceExternalSemaphoreInfo wanted{};
    wanted.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_SEMAPHORE_INFO;
    wanted.pNext = &type;
    wanted.handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
    VkExternalSemaphoreProperties got{};
    got.sType = VK_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_PROPERTIES;
    instance.GetPhysicalDeviceExternalSemaphoreProperties(handle, &wanted, &got);
    constexpr VkExternalSemaphoreFeatureFlags kBoth =
        VK_EXTERNAL_SEMAPHORE_FEATURE_EXPORTABLE_BIT | VK_EXTERNAL_SEMAPHORE_FEATURE_IMPORTABLE_BIT;
    if ((got.externalSemaphoreFeatures & kBoth) == kBoth) info.features |= VD_FEATURE_SEMAPHORE_FD;
  }
}

std::vector<FamilyQueues> Physical::choose_queues(uint32_t wanted) const {
  return vulkan::choose_queues(families, wanted);
}

void Physical::check_families(const std::vector<uint32_t>& wanted, uint32_t first) const {
  std::vector<uint32_t> taken(families.size());
  for (size_t i = 0; i < wanted.size(); ++i) {
    const auto refuse = [&](const std::string& why) {
      fail(VD_ERR_INVALID, "desc->queue_families[{}] ({}) {} of Vulkan device \"{}\".", first + i, wanted[i], why,
           info.name);
    };
    if (wanted[i] >= families.size()) refuse(fmt::format("is not below the queue families ({})", families.size()));
    const VkQueueFamilyProperties& family = families[wanted[i]];
    if ((family.queueFlags & VK_QUEUE_COMPUTE_BIT) == 0) refuse("does not run kernels, as a queue family");
    if (++taken[wanted[i]] > family.queueCount)
      refuse(fmt::format("has {} queues, fewer than asked for", family.queueCount));
  }
}

std::string Physical::missing() const {
  if (api_version < VK_API_VERSION_1_2)
    return fmt::format("it has Vulkan {}.{}; 1.2 is needed", VK_API_VERSION_MAJOR(api_version),
                       VK_API_VERSION_MINOR(api_version));
  if (features.v12.timelineSemaphore == VK_FALSE) return "it has no timeline semaphores";
  if (features.v12.scalarBlockLayout == VK_FALSE) return "it has no scalar block layout";
  if (choose_queues(1).empty()) return "it has no queue that runs kernels";
  return "";
}

}  // namespace vd::vulkan
