#include "api/support.h"

namespace {

using testing::HasSubstr;

TEST(Context, HoldsTheHost) {
  const api::Context ctx = api::host_context(VD_CONTEXT_CHECKED, 2);
  vd_context_info info = VD_CONTEXT_INFO_INIT;
  ASSERT_OK(vd_context_get_info(ctx, &info));
  EXPECT_EQ(info.backend, VD_BACKEND_HOST);
  EXPECT_EQ(info.device_count, 1u);
  EXPECT_EQ(info.queue_count, 2u);
  EXPECT_EQ(info.flags, static_cast<vd_context_flags>(VD_CONTEXT_CHECKED));
  EXPECT_EQ(info.lost, 0u);
  vd_device_info device = VD_DEVICE_INFO_INIT;
  ASSERT_OK(vd_context_get_device(ctx, 0, &device));
  EXPECT_EQ(device.backend, VD_BACKEND_HOST);
  EXPECT_FAILS(vd_context_get_device(ctx, 1, &device), VD_ERR_INVALID,
               "vd_context_get_device: device (1) is not below the context's devices (1).");
}

TEST(Context, WrongWishes) {
  vd_context_desc desc = VD_CONTEXT_DESC_INIT;
  api::Context ctx;
  desc.backend = static_cast<vd_backend>(9);
  EXPECT_FAILS(vd_context_create(&desc, ctx.out()), VD_ERR_INVALID, "vd_context_create: desc->backend (9) is unknown.");
  desc.backend = VD_BACKEND_HOST;
  desc.device_count = 17;
  EXPECT_FAILS(vd_context_create(&desc, ctx.out()), VD_ERR_INVALID,
               "vd_context_create: desc->device_count (17) is more than 16.");
  desc.device_count = 2;
  EXPECT_FAILS(vd_context_create(&desc, ctx.out()), VD_ERR_INVALID,
               "vd_context_create: desc->devices is NULL, and desc->device_count (2) is more than 1.");
  desc.device_count = 1;
  uint32_t device = 40;
  desc.devices = &device;
  EXPECT_EQ(vd_context_create(&desc, ctx.out()), VD_ERR_INVALID);
  EXPECT_THAT(vd_last_error(), HasSubstr("desc->devices[0] (40) is not below its devices (1)"));
  device = 0;
  desc.device_name = "x";
  EXPECT_EQ(vd_context_create(&desc, ctx.out()), VD_ERR_INVALID);
  desc.device_count = 0;
  EXPECT_FAILS(vd_context_create(&desc, ctx.out()), VD_ERR_INVALID,
               "vd_context_create: desc->device_count (0) is zero, and desc->devices is given.");
  desc.devices = nullptr;
  const uint32_t queues = 2;
  desc.queue_counts = &queues;
  EXPECT_FAILS(vd_context_create(&desc, ctx.out()), VD_ERR_INVALID,
               "vd_context_create: desc->device_count (0) is zero, and desc->queue_counts is given.");
  desc.queue_counts = nullptr;
  desc.device_name = "no such device";
  EXPECT_EQ(vd_context_create(&desc, ctx.out()), VD_ERR_UNAVAILABLE);
  EXPECT_THAT(vd_last_error(), HasSubstr("no such device"));
  EXPECT_EQ(static_cast<vd_context*>(ctx), nullptr);
}

TEST(Context, ThereIsALimitToThreads) {
  vd_context_desc desc = VD_CONTEXT_DESC_INIT;
  desc.backend = VD_BACKEND_HOST;
  desc.thread_count = 1 << 30;
  api::Context ctx;
  EXPECT_FAILS(vd_context_create(&desc, ctx.out()), VD_ERR_INVALID,
               "vd_context_create: desc->thread_count (1073741824) is more than 4096.");
  desc.thread_count = 4097;
  EXPECT_EQ(vd_context_create(&desc, ctx.out()), VD_ERR_INVALID);
  desc.thread_count = 4096;
  EXPECT_OK(vd_context_create(&desc, ctx.out()));
}

TEST(Context, NoDeviceHasThatManyQueues) {
  vd_context_desc desc = VD_CONTEXT_DESC_INIT;
  desc.backend = VD_BACKEND_DUMMY;
  const uint32_t many = 0xffffffff;
  desc.device_count = 1;
  desc.queue_counts = &many;
  api::Context ctx;
  EXPECT_FAILS(vd_context_create(&desc, ctx.out()), VD_ERR_INVALID,
               "vd_context_create: desc->queue_counts[0] (4294967295) is more than a context has (256).");
}

TEST(Context, TheHostHasSomeQueues) {
  vd_context_desc desc = VD_CONTEXT_DESC_INIT;
  desc.backend = VD_BACKEND_HOST;
  uint32_t queues = 17;
  desc.device_count = 1;
  desc.queue_counts = &queues;
  api::Context ctx;
  EXPECT_EQ(vd_context_create(&desc, ctx.out()), VD_ERR_UNSUPPORTED);
  EXPECT_THAT(vd_last_error(), testing::HasSubstr("desc->queue_counts[0] (17) is more than device \""));
  EXPECT_THAT(vd_last_error(), testing::EndsWith("\" has (16)."));
  queues = 16;
  EXPECT_OK(vd_context_create(&desc, ctx.out()));
}

TEST(Context, WaitsForQueues) {
  const api::Context ctx = api::host_context();
  EXPECT_OK(vd_context_wait_idle(ctx, VD_QUEUE_ALL, VD_WAIT_FOREVER));
  EXPECT_OK(vd_context_wait_idle(ctx, 0, 0));
  EXPECT_FAILS(vd_context_wait_idle(ctx, 1, 0), VD_ERR_INVALID,
               "vd_context_wait_idle: queue (1) is not below the context's queues (1).");
}

TEST(Context, OneQueuesFailureIsToldWhenAllAreIdle) {
  const auto plan_of = [](vd_context* ctx, const std::string& text) {
    api::Kernel kernel;
    EXPECT_OK(vd_kernel_parse(text.data(), text.size(), kernel.out()));
    return api::make_plan(ctx, kernel);
  };
  const api::Context ctx = api::host_context(0, 2);
  const api::Plan fails = plan_of(ctx, "kernel \"fails\"\n{\nassert bool 0\n}\n");
  const api::Plan slow = plan_of(ctx,
                                 "kernel \"slow\"\nargument 0 buffer u32\n{\n%0: storage u32 = index @0, u32 0\n"
                                 "%1: u32 = for u32 0, u32 3000000, u32 1 {\n%2: u32 = load %0\n%3: u32 = add %2, %1\n"
                                 "store %0, %3\n}\n}\n");
  const api::Buffer sum = api::make_buffer(ctx, std::vector<uint32_t>{0});
  vd_launch_desc launch = VD_LAUNCH_DESC_INIT;
  launch.invocations[0] = 1;
  ASSERT_OK(vd_plan_launch(fails, &launch, nullptr));
  const vd_binding binding = VD_BINDING_OF(sum, 0, VD_WHOLE_SIZE);
  launch.queue = 1;
  launch.bindings = &binding;
  launch.binding_count = 1;
  vd_ticket ticket = 0;
  ASSERT_OK(vd_plan_launch(slow, &launch, &ticket));
  EXPECT_EQ(vd_context_wait_idle(ctx, VD_QUEUE_ALL, VD_WAIT_FOREVER), VD_ERR_KERNEL);
  EXPECT_THAT(vd_last_error(), testing::HasSubstr("assertion failed"));
  EXPECT_EQ(vd_ticket_wait(ctx, ticket, 0), VD_OK);
}

TEST(Context, NativeObjectsAreThoseOfItsBackend) {
  const api::Context ctx = api::host_context();
  uint64_t handle = 7;
  EXPECT_FAILS(vd_context_get_native(ctx, 0, "VkDevice", &handle), VD_ERR_UNSUPPORTED,
               "vd_context_get_native: the host backend has no \"VkDevice\".");
  EXPECT_EQ(handle, 0u);
  EXPECT_FAILS(vd_context_get_queue_native(ctx, 0, "VkQueue", &handle), VD_ERR_UNSUPPORTED,
               "vd_context_get_queue_native: the host backend has no \"VkQueue\" of a queue.");
  EXPECT_FAILS(vd_context_get_queue_native(ctx, 1, "VkQueue", &handle), VD_ERR_INVALID,
               "vd_context_get_queue_native: queue (1) is not below the context's queues (1).");
}

TEST(Context, KeptAliveByItsChildren) {
  api::Context ctx = api::host_context();
  const api::Buffer buffer = api::make_buffer(ctx, std::vector<uint32_t>{1, 2, 3, 4});
  ctx = api::Context();
  EXPECT_EQ(api::read<uint32_t>(buffer, 4), (std::vector<uint32_t>{1, 2, 3, 4}));
}

TEST(Tickets, ZeroIsDoneAndForeignOnesAreErrors) {
  const api::Context ctx = api::host_context(), other = api::host_context();
  EXPECT_OK(vd_ticket_wait(ctx, 0, 0));
  const api::Buffer buffer = api::make_buffer(ctx, 64);
  vd_ticket ticket = 0;
  ASSERT_OK(vd_buffer_fill(buffer, 0, 64, 1, 0, nullptr, &ticket));
  EXPECT_NE(ticket, 0u);
  EXPECT_OK(vd_ticket_wait(ctx, ticket, VD_WAIT_FOREVER));
  EXPECT_OK(vd_ticket_wait(ctx, ticket, 0));
  EXPECT_EQ(vd_ticket_wait(other, ticket, 0), VD_ERR_INVALID);
  EXPECT_THAT(vd_last_error(), HasSubstr("belongs to another context"));
  EXPECT_EQ(vd_ticket_wait(ctx, ticket + 100, 0), VD_ERR_INVALID);
  EXPECT_THAT(vd_last_error(), HasSubstr("is not from this context"));
}

}  // namespace
