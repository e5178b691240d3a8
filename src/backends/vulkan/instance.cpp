#include "backends/vulkan/instance.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "backends/vulkan/debug.h"
#include "core/log.h"
#include "core/platform.h"

// A local alias, so that the macro's cast appears once.
#define VD_LOAD(name) name = reinterpret_cast<PFN_vk##name>(vkGetInstanceProcAddr(handle_, "vk" #name))

namespace vd::vulkan {
namespace {

constexpr const char* kValidationLayer = "VK_LAYER_KHRONOS_validation";

std::vector<VkExtensionProperties> instance_extensions(const char* layer) {
  uint32_t count = 0;
  check(vkEnumerateInstanceExtensionProperties(layer, &count, nullptr), "vkEnumerateInstanceExtensionProperties",
        "layer {}", layer != nullptr ? layer : "none");
  std::vector<VkExtensionProperties> found(count);
  check(vkEnumerateInstanceExtensionProperties(layer, &count, found.data()), "vkEnumerateInstanceExtensionProperties",
        "layer {}", layer != nullptr ? layer : "none");
  found.resize(count);
  return found;
}

bool has_extension(const std::vector<VkExtensionProperties>& found, std::string_view name) {
  return std::any_of(found.begin(), found.end(), [&](const auto& e) { return name == e.extensionName; });
}

// Advice for a loader that finds no driver. If a variable names drivers, the loader looks nowhere else.
std::string driver_advice() {
  for (const char* name : {"VK_DRIVER_FILES", "VK_ICD_FILENAMES"}) {
    if (const auto files = platform::environment(name))
      return fmt::format(
          "{} ({}) is the only place where the loader looks: unset it, or name an existing .json file of a driver",
          name, *files);
  }
  return "install your GPU's Vulkan driver (NVIDIA's is part of its driver; Mesa's, Debian: mesa-vulkan-drivers, also "
         "runs on the CPU)";
}

// 0: it is not there.
uint32_t validation_layer_version() {
  uint32_t count = 0;
  check(vkEnumerateInstanceLayerProperties(&count, nullptr), "vkEnumerateInstanceLayerProperties", "all layers");
  std::vector<VkLayerProperties> found(count);
  check(vkEnumerateInstanceLayerProperties(&count, found.data()), "vkEnumerateInstanceLayerProperties", "all layers");
  for (const auto& layer : found)
    if (std::strcmp(layer.layerName, kValidationLayer) == 0) return layer.specVersion;
  return 0;
}

}  // namespace

namespace {

std::mutex g_loader_mutex;

// Under the lock.
void open_loader() {
  static bool loaded = false;
  if (!loaded && volkInitialize() != VK_SUCCESS)
    fail(VD_ERR_UNAVAILABLE,
         "no Vulkan loader (libvulkan.so.1) was found; install it (Debian: libvulkan1) and your GPU's Vulkan driver.");
  loaded = true;
}

// Device tables are filled by the loader's vkGetDeviceProcAddr, which is the same for every instance.
void load_device_lookup(VkInstance instance) {
  if (vkGetDeviceProcAddr == nullptr) volkLoadInstanceOnly(instance);
}

}  // namespace

const Instance& Instance::get(bool debug) {
  static std::array<Instance*, 2> instances{};  // never destroyed, see the header
  const std::lock_guard lock(g_loader_mutex);
  Instance*& instance = instances[debug ? 1 : 0];
  if (instance == nullptr) {
    open_loader();
    instance = new Instance(debug);
    load_device_lookup(instance->handle());
  }
  return *instance;
}

Instance::Instance(VkInstance handle, uint32_t api_version, bool debug) : handle_(handle), api_version_(api_version) {
  const std::lock_guard lock(g_loader_mutex);
  open_loader();
  load_device_lookup(handle_);
  if (debug) layer_version_ = validation_layer_version();
  load();
}

Instance::Instance(bool debug) {
  VkApplicationInfo app{};
  app.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  app.pEngineName = "libvkdispatch";
  app.engineVersion = VK_MAKE_API_VERSION(0, VD_VERSION_MAJOR, VD_VERSION_MINOR, VD_VERSION_PATCH);
  // A loader of 1.0 refuses any newer version and has none of the functions that we need.
  const uint32_t loader = volkGetInstanceVersion();
  if (loader < VK_API_VERSION_1_1)
    fail(VD_ERR_UNAVAILABLE, "the Vulkan loader has version {}.{}; 1.1 is needed.", VK_API_VERSION_MAJOR(loader),
         VK_API_VERSION_MINOR(loader));
  api_version_ = VK_API_VERSION_1_3;
  app.apiVersion = api_version_;

  std::vector<const char*> layers;
  std::vector<const char*> extensions;
  VkInstanceCreateFlags flags = 0;
  const auto available = instance_extensions(nullptr);
  if (has_extension(available, VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME)) {
    extensions.push_back(VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME);
    flags |= VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR;
  }

  const void* next = nullptr;
  auto messenger = messenger_info();
  const std::array<VkValidationFeatureEnableEXT, 1> enables{
      VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT};
  VkValidationFeaturesEXT validation{};
  validation.sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT;
  validation.enabledValidationFeatureCount = static_cast<uint32_t>(enables.size());
  validation.pEnabledValidationFeatures = enables.data();
  if (debug) {
    layer_version_ = validation_layer_version();
    if (validates()) {
      layers.push_back(kValidationLayer);
      const auto offered = instance_extensions(kValidationLayer);
      if (has_extension(offered, VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME)) {
        extensions.push_back(VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME);
        validation.pNext = next;
        next = &validation;
      }
      extensions.push_back(VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
      messenger.pNext = next;
      next = &messenger;
    } else {
      log(VD_LOG_WARNING, "Vulkan: {} is not installed; debug mode continues without it.", kValidationLayer);
    }
  }

  VkInstanceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pNext = next;
  info.flags = flags;
  info.pApplicationInfo = &app;
  info.enabledLayerCount = static_cast<uint32_t>(layers.size());
  info.ppEnabledLayerNames = layers.data();
  info.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  const VkResult made = vkCreateInstance(&info, nullptr, &handle_);
  if (made == VK_ERROR_INCOMPATIBLE_DRIVER)
    fail(VD_ERR_UNAVAILABLE, "the Vulkan loader found no driver (vkCreateInstance: {}); {}.", result_name(made),
         driver_advice());
  check(made, "vkCreateInstance", "Vulkan 1.3");

  load();
  if (validates()) {
    VD_LOAD(SetDebugUtilsObjectNameEXT);
    PFN_vkCreateDebugUtilsMessengerEXT CreateDebugUtilsMessengerEXT = nullptr;
    VD_LOAD(CreateDebugUtilsMessengerEXT);
    messenger.pNext = nullptr;
    VkDebugUtilsMessengerEXT created = VK_NULL_HANDLE;  // lives as long as the instance
    if (CreateDebugUtilsMessengerEXT != nullptr)
      check(CreateDebugUtilsMessengerEXT(handle_, &messenger, nullptr, &created), "vkCreateDebugUtilsMessengerEXT",
            "the validation layer's messages");
  }
}

void Instance::load() {
  VD_LOAD(EnumeratePhysicalDevices);
  VD_LOAD(EnumerateDeviceExtensionProperties);
  VD_LOAD(GetPhysicalDeviceProperties);
  VD_LOAD(GetPhysicalDeviceProperties2);
  VD_LOAD(GetPhysicalDeviceFeatures2);
  VD_LOAD(GetPhysicalDeviceMemoryProperties);
  VD_LOAD(GetPhysicalDeviceQueueFamilyProperties);
  VD_LOAD(GetPhysicalDeviceFormatProperties);
  VD_LOAD(GetPhysicalDeviceImageFormatProperties);
  VD_LOAD(GetPhysicalDeviceExternalBufferProperties);
  VD_LOAD(GetPhysicalDeviceExternalSemaphoreProperties);
  VD_LOAD(GetPhysicalDeviceCalibrateableTimeDomainsEXT);
  VD_LOAD(CreateDevice);
  VD_LOAD(GetDeviceProcAddr);
}

#undef VD_LOAD

}  // namespace vd::vulkan
