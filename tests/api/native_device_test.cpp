// Contexts on a Vulkan device and a CUDA context of the program's, which outlive them.
#include <dlfcn.h>
#include <vulkan/vulkan.h>

#include <atomic>
#include <complex>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "api/cuda_types.h"
#include "api/support.h"

namespace {

// A kernel, a transform and a reduction, on what the context has.
void check_work(vd_context* ctx) {
  const api::Plan plan = api::make_plan(ctx, api::mix_kernel());
  const api::Buffer x = api::make_buffer(ctx, std::vector<uint32_t>(5000, 2), "x");
  const api::Buffer y = api::make_buffer(ctx, std::vector<uint32_t>(5000, 3), "y");
  api::Launch launch(5000, {{x, 0, 0}, {y, 0, 0}}, 1);
  ASSERT_OK(vd_plan_launch(plan, &launch.desc, nullptr));
  EXPECT_EQ(api::read<uint32_t>(x, 5000), std::vector<uint32_t>(5000, 10));

  vd_reduce_desc sum = VD_REDUCE_DESC_INIT;
  sum.rank = 1;
  sum.shape[0] = 5000;
  sum.compute_type = VD_TYPE_U32;
  api::Plan reduction;
  ASSERT_OK(vd_plan_create_reduce(ctx, &sum, reduction.out()));
  const api::Buffer result = api::make_buffer(ctx, 4, "sum");
  const vd_binding summed[] = {VD_BINDING_OF(result, 0, VD_WHOLE_SIZE), VD_BINDING_OF(x, 0, VD_WHOLE_SIZE)};
  vd_launch_desc run = VD_LAUNCH_DESC_INIT;
  run.bindings = summed;
  run.binding_count = 2;
  ASSERT_OK(vd_plan_launch(reduction, &run, nullptr));
  EXPECT_EQ(api::read<uint32_t>(result, 1)[0], 50000u);

  vd_fft_desc forward = VD_FFT_DESC_INIT;
  forward.rank = 1;
  forward.shape[0] = 240;
  api::Plan transform;
  ASSERT_OK(vd_plan_create_fft(ctx, &forward, transform.out()));
  std::vector<std::complex<float>> pulse(240);
  pulse[0] = 2;
  const api::Buffer line = api::make_buffer(ctx, pulse, "line");
  const vd_binding lines[] = {VD_BINDING_OF(line, 0, VD_WHOLE_SIZE)};
  run.bindings = lines;
  run.binding_count = 1;
  ASSERT_OK(vd_plan_launch(transform, &run, nullptr));
  for (const auto& value : api::read<std::complex<float>>(line, 240))
    ASSERT_LT(std::abs(value - std::complex<float>(2)), 1e-5f);
}

// ---- Vulkan

// The objects of an application: an instance with the validation layer, where there is one, and a device with all of its features.
class Application {
 public:
  // An empty `why` where it could be made.
  std::string make(bool timelines = true) {
    library_ = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library_ == nullptr) return "there is no Vulkan loader";
    get_ = reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(library_, "vkGetInstanceProcAddr"));
    // The library's own instance stays, and keeps the drivers loaded: LeakSanitizer knows what they leave by their names.
    vd_device_info info = VD_DEVICE_INFO_INIT;
    (void)vd_device_get_info(VD_BACKEND_VULKAN, 0, &info);
    make_instance();
    if (instance == VK_NULL_HANDLE) return "vkCreateInstance failed: there is no driver";
    uint32_t count = 1;
    call<PFN_vkEnumeratePhysicalDevices>("vkEnumeratePhysicalDevices")(instance, &count, &physical);
    if (count == 0) return "there is no Vulkan device";
    VkPhysicalDeviceProperties properties{};
    call<PFN_vkGetPhysicalDeviceProperties>("vkGetPhysicalDeviceProperties")(physical, &properties);
    if (properties.apiVersion < VK_API_VERSION_1_3) return "the device has less than Vulkan 1.3";
    make_device(timelines);
    return device == VK_NULL_HANDLE ? "vkCreateDevice failed" : "";
  }
  ~Application() {
    // The validation layer reports objects of the device that are left.
    if (device != VK_NULL_HANDLE) {
      EXPECT_EQ(device_call<PFN_vkDeviceWaitIdle>("vkDeviceWaitIdle")(device), VK_SUCCESS) << "the device lives";
      device_call<PFN_vkDestroyDevice>("vkDestroyDevice")(device, nullptr);
    }
    if (messenger_ != VK_NULL_HANDLE)
      call<PFN_vkDestroyDebugUtilsMessengerEXT>("vkDestroyDebugUtilsMessengerEXT")(instance, messenger_, nullptr);
    if (instance != VK_NULL_HANDLE) call<PFN_vkDestroyInstance>("vkDestroyInstance")(instance, nullptr);
    EXPECT_EQ(errors, 0) << first_error;
  }

  // Its description for a context; `queue` lives as long.
  vd_native_desc describe(vd_native_queue& native_queue) {
    native_queue = {reinterpret_cast<uint64_t>(queue), family, 0};
    vd_native_desc desc = VD_NATIVE_DESC_INIT;
    desc.api_version = VK_API_VERSION_1_3;
    desc.instance = reinterpret_cast<uint64_t>(instance);
    desc.physical_device = reinterpret_cast<uint64_t>(physical);
    desc.device = reinterpret_cast<uint64_t>(device);
    desc.queues = &native_queue;
    desc.queue_count = 1;
    desc.extensions = has_push_ ? VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME : "";
    desc.features = reinterpret_cast<uint64_t>(&features);
    return desc;
  }

  template <class F>
  F device_call(const char* name) {
    return reinterpret_cast<F>(call<PFN_vkGetDeviceProcAddr>("vkGetDeviceProcAddr")(device, name));
  }

  VkInstance instance = VK_NULL_HANDLE;
  VkPhysicalDevice physical = VK_NULL_HANDLE;
  VkDevice device = VK_NULL_HANDLE;
  VkQueue queue = VK_NULL_HANDLE;
  uint32_t family = 0;
  VkPhysicalDeviceFeatures2 features{};
  int errors = 0;
  std::string first_error;

 private:
  template <class F>
  F call(const char* name) {
    return reinterpret_cast<F>(get_(instance, name));
  }

  static VKAPI_ATTR VkBool32 VKAPI_CALL report(VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT,
                                               const VkDebugUtilsMessengerCallbackDataEXT* data, void* user) {
    auto& self = *static_cast<Application*>(user);
    if (self.errors++ == 0) self.first_error = data->pMessage;
    return VK_FALSE;
  }

  void make_instance() {
    uint32_t count = 0;
    const auto list = call<PFN_vkEnumerateInstanceLayerProperties>("vkEnumerateInstanceLayerProperties");
    list(&count, nullptr);
    std::vector<VkLayerProperties> layers(count);
    list(&count, layers.data());
    const char* const layer = "VK_LAYER_KHRONOS_validation";
    const bool validates =
        std::any_of(layers.begin(), layers.end(), [&](const auto& l) { return std::strcmp(l.layerName, layer) == 0; });
    const char* const extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
    VkApplicationInfo app{};
    app.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
    app.apiVersion = VK_API_VERSION_1_3;
    VkInstanceCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
    info.pApplicationInfo = &app;
    info.enabledLayerCount = info.enabledExtensionCount = validates ? 1 : 0;
    info.ppEnabledLayerNames = &layer;
    info.ppEnabledExtensionNames = &extension;
    if (call<PFN_vkCreateInstance>("vkCreateInstance")(&info, nullptr, &instance) != VK_SUCCESS) return;
    if (!validates) return;
    VkDebugUtilsMessengerCreateInfoEXT wish{};
    wish.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT;
    wish.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
    wish.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
    wish.pfnUserCallback = report;
    wish.pUserData = this;
    call<PFN_vkCreateDebugUtilsMessengerEXT>("vkCreateDebugUtilsMessengerEXT")(instance, &wish, nullptr, &messenger_);
  }

  void make_device(bool timelines) {
    v13_.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;
    v12_.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    v12_.pNext = &v13_;
    v11_.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
    v11_.pNext = &v12_;
    features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    features.pNext = &v11_;
    call<PFN_vkGetPhysicalDeviceFeatures2>("vkGetPhysicalDeviceFeatures2")(physical, &features);
    features.features.robustBufferAccess = VK_FALSE;
    v11_.protectedMemory = v12_.bufferDeviceAddressCaptureReplay = v12_.bufferDeviceAddressMultiDevice = VK_FALSE;
    if (!timelines) v12_.timelineSemaphore = VK_FALSE;
    uint32_t count = 0;
    const auto families =
        call<PFN_vkGetPhysicalDeviceQueueFamilyProperties>("vkGetPhysicalDeviceQueueFamilyProperties");
    families(physical, &count, nullptr);
    std::vector<VkQueueFamilyProperties> all(count);
    families(physical, &count, all.data());
    while (family + 1 < count && (all[family].queueFlags & VK_QUEUE_COMPUTE_BIT) == 0) ++family;
    const auto list = call<PFN_vkEnumerateDeviceExtensionProperties>("vkEnumerateDeviceExtensionProperties");
    list(physical, nullptr, &count, nullptr);
    std::vector<VkExtensionProperties> extensions(count);
    list(physical, nullptr, &count, extensions.data());
    const char* const push = VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME;
    has_push_ = std::any_of(extensions.begin(), extensions.end(),
                            [&](const auto& e) { return std::strcmp(e.extensionName, push) == 0; });
    const float priority = 1;
    VkDeviceQueueCreateInfo one{};
    one.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
    one.queueFamilyIndex = family;
    one.queueCount = 1;
    one.pQueuePriorities = &priority;
    VkDeviceCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
    info.pNext = &features;
    info.queueCreateInfoCount = 1;
    info.pQueueCreateInfos = &one;
    info.enabledExtensionCount = has_push_ ? 1 : 0;
    info.ppEnabledExtensionNames = &push;
    if (call<PFN_vkCreateDevice>("vkCreateDevice")(physical, &info, nullptr, &device) != VK_SUCCESS) return;
    device_call<PFN_vkGetDeviceQueue>("vkGetDeviceQueue")(device, family, 0, &queue);
  }

  void* library_ = nullptr;  // stays: drivers have threads of their own
  PFN_vkGetInstanceProcAddr get_ = nullptr;
  VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
  VkPhysicalDeviceVulkan11Features v11_{};
  VkPhysicalDeviceVulkan12Features v12_{};
  VkPhysicalDeviceVulkan13Features v13_{};
  bool has_push_ = false;
};

vd_context_desc on(const vd_native_desc& native, vd_backend backend = VD_BACKEND_VULKAN) {
  vd_context_desc desc = VD_CONTEXT_DESC_INIT;
  desc.backend = backend;
  desc.native = &native;
  desc.flags = VD_CONTEXT_DEBUG;  // the library minds the faults of the layer that it knows
  return desc;
}

TEST(NativeDevice, OfVulkanWorksAndLivesOn) {
  Application app;
  if (const std::string why = app.make(); !why.empty()) GTEST_SKIP() << why;
  vd_native_queue queue{};
  const vd_native_desc native = app.describe(queue);
  const vd_context_desc desc = on(native);
  for (int turn = 0; turn < 2; ++turn) {
    api::Context ctx;
    ASSERT_OK(vd_context_create(&desc, ctx.out()));
    check_work(ctx);
    uint64_t handle = 0;
    for (const auto& [kind, expected] : std::map<std::string, uint64_t>{{"VkInstance", native.instance},
                                                                        {"VkPhysicalDevice", native.physical_device},
                                                                        {"VkDevice", native.device}}) {
      ASSERT_OK(vd_context_get_native(ctx, 0, kind.c_str(), &handle));
      EXPECT_EQ(handle, expected) << kind;
    }
    ASSERT_OK(vd_context_get_queue_native(ctx, 0, "VkQueue", &handle));
    EXPECT_EQ(handle, queue.queue);
    vd_bool has = 1;
    ASSERT_OK(vd_context_has_extension(ctx, 0, VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME, &has));
    EXPECT_EQ(has, 0u) << "the program has not enabled it";
    vd_device_info info = VD_DEVICE_INFO_INIT;
    ASSERT_OK(vd_context_get_device(ctx, 0, &info));
    EXPECT_EQ(info.host_import_alignment, 0u);
  }
}

// The program uses the queue too, under the lock.
TEST(NativeDevice, AQueueIsSharedUnderALock) {
  Application app;
  if (const std::string why = app.make(); !why.empty()) GTEST_SKIP() << why;
  struct Lock {
    std::mutex mutex;
    std::atomic<uint64_t> locks{0}, wrong{0};
    uint64_t queue = 0;
    bool held = false;
    static void use(uint64_t queue, vd_bool begins, void* user) {
      auto& self = *static_cast<Lock*>(user);
      if (begins != 0) self.mutex.lock();
      if (queue != self.queue || self.held == (begins != 0)) ++self.wrong;
      self.held = begins != 0;
      ++self.locks;
      if (begins == 0) self.mutex.unlock();
    }
  } lock;
  lock.queue = reinterpret_cast<uint64_t>(app.queue);
  vd_native_queue queue{};
  vd_native_desc native = app.describe(queue);
  native.lock = Lock::use;
  native.user = &lock;
  const vd_context_desc desc = on(native);
  std::atomic<bool> stop{false};
  std::thread program([&] {
    const auto wait = app.device_call<PFN_vkQueueWaitIdle>("vkQueueWaitIdle");
    while (!stop) {
      const std::lock_guard held(lock.mutex);
      EXPECT_EQ(wait(app.queue), VK_SUCCESS);
    }
  });
  {
    api::Context ctx;
    EXPECT_OK(vd_context_create(&desc, ctx.out()));
    check_work(ctx);
  }
  stop = true;
  program.join();
  EXPECT_GE(lock.locks, 6u);
  EXPECT_EQ(lock.wrong, 0u);
}

TEST(NativeDevice, WhatIsRefused) {
  Application app;
  if (const std::string why = app.make(); !why.empty()) GTEST_SKIP() << why;
  vd_native_queue queue{};
  const vd_native_desc good = app.describe(queue);
  api::Context ctx;
  const auto fails = [&](const vd_context_desc& desc, vd_status status, const char* part) {
    EXPECT_EQ(vd_context_create(&desc, ctx.out()), status);
    EXPECT_THAT(vd_last_error(), testing::HasSubstr(part));
  };
  vd_native_desc wrong = good;
  wrong.device = 0;
  fails(on(wrong), VD_ERR_INVALID, "vd_context_create: desc->native->device (0) is null, and Vulkan needs it.");
  wrong = good;
  wrong.cuda_context = 5;
  fails(on(wrong), VD_ERR_INVALID, "desc->native->cuda_context (0x5) is not 0, and Vulkan does not use it.");
  wrong = good;
  wrong.queue_count = 0;
  fails(on(wrong), VD_ERR_INVALID, "desc->native->queue_count (0) is zero.");
  vd_native_queue other = queue;
  other.queue = 0;
  wrong = good;
  wrong.queues = &other;
  fails(on(wrong), VD_ERR_INVALID, "desc->native->queues[0].queue (0) is null, not the handle of a queue.");
  other = queue;
  other.family = 77;
  wrong = good;
  wrong.queues = &other;
  fails(on(wrong), VD_ERR_INVALID, "desc->native->queues[0].family (77) is no queue family");
  const vd_native_queue twice[] = {queue, queue};
  wrong = good;
  wrong.queues = twice;
  wrong.queue_count = 2;
  fails(on(wrong), VD_ERR_INVALID, "is the same as entry 0");
  wrong = good;
  wrong.api_version = VK_API_VERSION_1_1;
  fails(on(wrong), VD_ERR_INVALID, "desc->native->api_version (0x401000) is below Vulkan 1.2");
  wrong = good;
  wrong.physical_device += 8;
  fails(on(wrong), VD_ERR_INVALID, "is not of desc->native->instance");
  fails(on(good, VD_BACKEND_HOST), VD_ERR_INVALID, "desc->backend (4) is neither Vulkan nor CUDA");
  vd_context_desc desc = on(good);
  desc.required_extensions = "VK_KHR_shader_clock";
  fails(desc, VD_ERR_INVALID, "a choice of devices, queue families or extensions");
}

TEST(NativeDevice, ADeviceWithoutWhatIsNeeded) {
  Application app;
  if (const std::string why = app.make(false); !why.empty()) GTEST_SKIP() << why;
  vd_native_queue queue{};
  const vd_native_desc native = app.describe(queue);
  const vd_context_desc desc = on(native);
  api::Context ctx;
  EXPECT_EQ(vd_context_create(&desc, ctx.out()), VD_ERR_UNSUPPORTED);
  EXPECT_THAT(vd_last_error(), testing::HasSubstr("it has no timeline semaphores"));
}

// ---- CUDA

TEST(NativeDevice, AContextOfCudas) {
  using vd::cuda::CUctx_st;
  using vd::cuda::CUresult;
  api::Context any;
  vd_context_desc desc = VD_CONTEXT_DESC_INIT;
  desc.backend = VD_BACKEND_CUDA;
  if (vd_context_create(&desc, any.out()) != VD_OK) GTEST_SKIP() << vd_last_error();
  any = {};
  void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr);
  const auto make = reinterpret_cast<CUresult (*)(CUctx_st**, unsigned, int)>(dlsym(library, "cuCtxCreate_v2"));
  const auto destroy = reinterpret_cast<CUresult (*)(CUctx_st*)>(dlsym(library, "cuCtxDestroy_v2"));
  const auto synchronize = reinterpret_cast<CUresult (*)()>(dlsym(library, "cuCtxSynchronize"));
  const auto pop = reinterpret_cast<CUresult (*)(CUctx_st**)>(dlsym(library, "cuCtxPopCurrent_v2"));
  const auto push = reinterpret_cast<CUresult (*)(CUctx_st*)>(dlsym(library, "cuCtxPushCurrent_v2"));
  CUctx_st *theirs = nullptr, *popped = nullptr;
  constexpr CUresult kSuccess{};
  ASSERT_EQ(make(&theirs, 0, 0), kSuccess);
  ASSERT_EQ(pop(&popped), kSuccess);
  vd_native_desc native = VD_NATIVE_DESC_INIT;
  native.cuda_context = reinterpret_cast<uint64_t>(theirs);
  desc = on(native, VD_BACKEND_CUDA);
  {
    api::Context ctx;
    ASSERT_OK(vd_context_create(&desc, ctx.out()));
    check_work(ctx);
    uint64_t handle = 0;
    ASSERT_OK(vd_context_get_native(ctx, 0, "CUcontext", &handle));
    EXPECT_EQ(handle, native.cuda_context);
  }
  // It lives on, and is the program's to destroy.
  EXPECT_EQ(push(theirs), kSuccess);
  EXPECT_EQ(synchronize(), kSuccess);
  EXPECT_EQ(pop(&popped), kSuccess);
  EXPECT_EQ(destroy(theirs), kSuccess);
  native.instance = 1;
  api::Context ctx;
  EXPECT_FAILS(vd_context_create(&desc, ctx.out()), VD_ERR_INVALID,
               "vd_context_create: desc->native->instance (0x1) is not 0, and CUDA does not use it.");
}

}  // namespace
