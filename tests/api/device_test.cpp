#include <limits>

#include "api/support.h"

namespace {

TEST(Backends, SayWhetherTheyCanBeUsed) {
  const char* const names[] = {"", "vulkan", "cuda", "opencl", "host", "dummy"};
  for (int i = VD_BACKEND_VULKAN; i <= VD_BACKEND_DUMMY; ++i) {
    vd_backend_info info = VD_BACKEND_INFO_INIT;
    ASSERT_OK(vd_backend_get_info(static_cast<vd_backend>(i), &info));
    EXPECT_STREQ(info.name, names[i]);
    EXPECT_EQ(info.available, info.device_count != 0) << info.name;
    EXPECT_EQ(info.status, info.device_count != 0 ? VD_OK : VD_ERR_UNAVAILABLE) << info.name;
    if (info.available == 0) {
      EXPECT_STRNE(info.reason, "") << info.name;
    }
    for (uint32_t d = 0; d < info.device_count; ++d) {
      vd_device_info device = VD_DEVICE_INFO_INIT;
      ASSERT_OK(vd_device_get_info(static_cast<vd_backend>(i), d, &device));
      EXPECT_EQ(device.backend, i);
      EXPECT_EQ(device.index, d);
      EXPECT_NE(device.name[0], '\0');
      EXPECT_GE(device.max_workgroup_invocations, 1u);
      EXPECT_GE(device.queue_count, 1u);
    }
    vd_device_info none = VD_DEVICE_INFO_INIT;
    EXPECT_LT(vd_device_get_info(static_cast<vd_backend>(i), info.device_count, &none), 0);
  }
}

TEST(Backends, VulkanReportsItsOwnFacts) {
  vd_backend_info backend = VD_BACKEND_INFO_INIT;
  ASSERT_OK(vd_backend_get_info(VD_BACKEND_VULKAN, &backend));
  vd_vulkan_device_info own = VD_VULKAN_DEVICE_INFO_INIT;
  if (backend.device_count == 0) {
    EXPECT_EQ(vd_device_get_vulkan_info(0, &own), VD_ERR_UNAVAILABLE);
    return;
  }
  for (uint32_t i = 0; i < backend.device_count; ++i) {
    vd_device_info device = VD_DEVICE_INFO_INIT;
    ASSERT_OK(vd_device_get_info(VD_BACKEND_VULKAN, i, &device));
    ASSERT_OK(vd_device_get_vulkan_info(i, &own));
    EXPECT_GE(own.max_bound_descriptor_sets, 4u);  // what Vulkan guarantees
    ASSERT_GE(own.queue_family_count, 1u);
    uint32_t computing = 0;
    for (uint32_t f = 0; f < own.queue_family_count; ++f)
      if ((own.queue_flags[f] & 2u) != 0) computing += own.queue_counts[f];
    EXPECT_EQ(device.queue_count, computing);
    const bool arithmetic = (own.subgroup_stages & 0x20u) != 0 && (own.subgroup_operations & 0x04u) != 0;
    EXPECT_EQ((device.features & VD_FEATURE_SUBGROUP_ARITHMETIC) != 0, arithmetic);
  }
  const std::string count = std::to_string(backend.device_count);
  EXPECT_FAILS(
      vd_device_get_vulkan_info(99, &own), VD_ERR_INVALID,
      ("vd_device_get_vulkan_info: index (99) is not below the vulkan backend's devices (" + count + ").").c_str());
}

TEST(Backends, HostAndDummyAreAlwaysThere) {
  for (const vd_backend backend : {VD_BACKEND_HOST, VD_BACKEND_DUMMY}) {
    vd_backend_info info = VD_BACKEND_INFO_INIT;
    ASSERT_OK(vd_backend_get_info(backend, &info));
    EXPECT_EQ(info.device_count, 1u);
  }
  vd_device_info device = VD_DEVICE_INFO_INIT;
  EXPECT_FAILS(vd_device_get_info(VD_BACKEND_HOST, 5, &device), VD_ERR_INVALID,
               "vd_device_get_info: index (5) is not below the host backend's devices (1).");
}

TEST(Backends, UnknownNumbersAreRefused) {
  vd_backend_info info = VD_BACKEND_INFO_INIT;
  EXPECT_EQ(vd_backend_get_info(VD_BACKEND_AUTO, &info), VD_ERR_INVALID);
  EXPECT_FAILS(vd_backend_get_info(static_cast<vd_backend>(6), &info), VD_ERR_INVALID,
               "vd_backend_get_info: backend (6) is not one of vulkan (1), cuda (2), opencl (3), host (4), dummy (5).");
  EXPECT_EQ(vd_backend_get_info(static_cast<vd_backend>(-1), &info), VD_ERR_INVALID);
  vd_device_info device = VD_DEVICE_INFO_INIT;
  EXPECT_EQ(vd_device_get_info(static_cast<vd_backend>(77), 0, &device), VD_ERR_INVALID);
}

TEST(Dummy, ReportsWhatItIsTold) {
  vd_device_info wish = VD_DEVICE_INFO_INIT, got = VD_DEVICE_INFO_INIT;
  ASSERT_OK(vd_device_get_info(VD_BACKEND_DUMMY, 0, &wish));
  wish.subgroup_size = 8;
  vd_context_desc desc = VD_CONTEXT_DESC_INIT;
  desc.backend = VD_BACKEND_DUMMY;
  desc.dummy_device = &wish;
  api::Context told, other;
  ASSERT_OK(vd_context_create(&desc, told.out()));
  ASSERT_OK(vd_context_get_device(told, 0, &got));
  EXPECT_EQ(got.subgroup_size, 8u);
  desc.dummy_device = nullptr;
  ASSERT_OK(vd_context_create(&desc, other.out()));
  ASSERT_OK(vd_context_get_device(other, 0, &got));
  EXPECT_EQ(got.subgroup_size, 32u);
  desc.dummy_device = &wish;
  wish.queue_count = 0;
  EXPECT_FAILS(vd_context_create(&desc, other.out()), VD_ERR_INVALID,
               "vd_context_create: the dummy backend: desc->dummy_device->queue_count (0) is not at least 1.");
}

// Every number of a device that a caller describes is checked, and named in the message.
TEST(Dummy, IsADeviceThatThereCouldBe) {
  vd_device_info known = VD_DEVICE_INFO_INIT;
  ASSERT_OK(vd_device_get_info(VD_BACKEND_DUMMY, 0, &known));
  const api::Kernel kernel = api::mix_kernel();
  const auto refused = [&](const std::string& message, bool printed, auto&& change) {
    vd_device_info device = known;
    change(device);
    vd_context_desc desc = VD_CONTEXT_DESC_INIT;
    desc.backend = VD_BACKEND_DUMMY;
    desc.dummy_device = &device;
    api::Context ctx;
    EXPECT_FAILS(vd_context_create(&desc, ctx.out()), VD_ERR_INVALID,
                 ("vd_context_create: the dummy backend: desc->dummy_device->" + message + ".").c_str());
    vd_print_desc print = VD_PRINT_DESC_INIT;
    print.language = VD_LANGUAGE_GLSL;
    print.device = &device;
    api::Blob text;
    if (printed) {
      EXPECT_OK(vd_kernel_print(kernel, &print, text.out())) << "a limit that is not given";
    } else {
      EXPECT_FAILS(vd_kernel_print(kernel, &print, text.out()), VD_ERR_INVALID,
                   ("vd_kernel_print: desc->device->" + message + ".").c_str());
    }
  };
  refused("backend (9) is unknown", false, [](auto& d) { d.backend = static_cast<vd_backend>(9); });
  refused("type (-1) is unknown", false, [](auto& d) { d.type = static_cast<vd_device_type>(-1); });
  refused("uuid_valid (2) is neither 0 nor 1", false, [](auto& d) { d.uuid_valid = 2; });
  refused("features (0x8000000000000001) has unknown bits (0x8000000000000000)", false,
          [](auto& d) { d.features = vd_features{1} << 63 | 1; });
  refused("max_workgroup_size[1] (0) is not at least 1", true, [](auto& d) { d.max_workgroup_size[1] = 0; });
  refused("max_workgroup_invocations (0) is not at least 1", true, [](auto& d) { d.max_workgroup_invocations = 0; });
  refused("max_workgroup_count[2] (0) is not at least 1", true, [](auto& d) { d.max_workgroup_count[2] = 0; });
  refused("max_storage_buffer_range (0) is not at least 1", true, [](auto& d) { d.max_storage_buffer_range = 0; });
  refused("max_uniform_buffer_range (0) is not at least 1", true, [](auto& d) { d.max_uniform_buffer_range = 0; });
  refused("max_allocation_size (0) is not at least 1", true, [](auto& d) { d.max_allocation_size = 0; });
  refused("memory_size (0) is not at least 1", true, [](auto& d) { d.memory_size = 0; });
  refused("uniform_buffer_alignment (24) is not a power of two", false,
          [](auto& d) { d.uniform_buffer_alignment = 24; });
  refused("storage_buffer_alignment (3) is not a power of two", false, [](auto& d) { d.storage_buffer_alignment = 3; });
  refused("max_shared_memory_size (0) is not at least 1", true, [](auto& d) { d.max_shared_memory_size = 0; });
  refused("subgroup_size (0) is not at least 1", true, [](auto& d) { d.subgroup_size = 0; });
  refused("reserved (7) is not zero", false, [](auto& d) { d.reserved = 7; });
  refused("timestamp_period (-1) is not a time", false, [](auto& d) { d.timestamp_period = -1; });
  refused("timestamp_period (inf) is not a time", false,
          [](auto& d) { d.timestamp_period = std::numeric_limits<double>::infinity(); });
}

// A kernel states at most 65535 invocations of a workgroup, whatever a device takes.
TEST(Dummy, TransformsForAnEnormousDeviceAreDivided) {
  vd_device_info device = VD_DEVICE_INFO_INIT;
  ASSERT_OK(vd_device_get_info(VD_BACKEND_DUMMY, 0, &device));
  device.max_shared_memory_size = device.max_shared_memory_opt_in = 1u << 30;
  device.max_workgroup_invocations = device.max_workgroup_size[0] = 1u << 31;
  vd_context_desc desc = VD_CONTEXT_DESC_INIT;
  desc.backend = VD_BACKEND_DUMMY;
  desc.dummy_device = &device;
  api::Context ctx;
  ASSERT_OK(vd_context_create(&desc, ctx.out()));
  vd_fft_desc fft = VD_FFT_DESC_INIT;
  fft.rank = 1;
  fft.shape[0] = 2097152;
  api::Plan plan;
  ASSERT_OK(vd_plan_create_fft(ctx, &fft, plan.out()));
  vd_plan_info info = VD_PLAN_INFO_INIT;
  ASSERT_OK(vd_plan_get_info(plan, &info));
  EXPECT_LE(info.workgroup_size[0], 65535u);
}

// Source text for a device that is described, not opened: what it lacks, and how many bytes may be push constants.
TEST(Dummy, PrintsForADeviceThatIsDescribed) {
  const api::Kernel kernel = api::mix_kernel();
  vd_device_info device = VD_DEVICE_INFO_INIT;
  ASSERT_OK(vd_device_get_info(VD_BACKEND_DUMMY, 0, &device));
  vd_print_desc desc = VD_PRINT_DESC_INIT;
  desc.language = VD_LANGUAGE_GLSL;
  desc.device = &device;
  const auto printed = [&] {
    api::Blob text;
    EXPECT_OK(vd_kernel_print(kernel, &desc, text.out()));
    return std::string(static_cast<const char*>(vd_blob_data(text, nullptr)));
  };
  EXPECT_NE(printed().find("push_constant"), std::string::npos);
  device.max_push_constant_size = 4;
  EXPECT_EQ(printed().find("push_constant"), std::string::npos);
}

// The dummy device shows code, and reports that it cannot run it.
TEST(Dummy, RunsNothing) {
  vd_context_desc desc = VD_CONTEXT_DESC_INIT;
  desc.backend = VD_BACKEND_DUMMY;
  api::Context ctx;
  ASSERT_OK(vd_context_create(&desc, ctx.out()));
  const api::Kernel kernel = api::mix_kernel();
  const api::Plan plan = api::make_plan(ctx, kernel);
  EXPECT_NE(std::string(vd_plan_get_source(plan, nullptr)), "");
  EXPECT_OK(vd_context_wait_idle(ctx, VD_QUEUE_ALL, VD_WAIT_FOREVER));
  vd_buffer_desc buffer_desc = VD_BUFFER_DESC_INIT;
  buffer_desc.size = 16;
  api::Buffer buffer;
  const vd_status made = vd_buffer_create(ctx, &buffer_desc, buffer.out());
  EXPECT_EQ(made, VD_ERR_UNSUPPORTED) << vd_last_error();
}

}  // namespace
