#include <thread>

#include "api/support.h"
#include "support/log_receiver.h"

namespace {

using testing::AllOf;
using testing::HasSubstr;
using Words = std::vector<uint32_t>;

struct PlanTest : testing::Test {
  api::Context ctx = api::host_context();
  api::Kernel kernel = api::mix_kernel();
};

TEST_F(PlanTest, RunsWithTheRightValues) {
  const api::Plan plan = api::make_plan(ctx, kernel);
  const api::Buffer dst = api::make_buffer(ctx, Words{1, 2, 3, 4}), src = api::make_buffer(ctx, Words{10, 20, 30, 40});
  const api::Launch launch(3, {{dst, 0, 0}, {src, 0, 0}}, 5);
  vd_ticket ticket = 0;
  ASSERT_OK(vd_plan_launch(plan, &launch.desc, &ticket));
  ASSERT_OK(vd_ticket_wait(ctx, ticket, VD_WAIT_FOREVER));
  EXPECT_EQ(api::read<uint32_t>(dst, 4), (Words{18, 31, 44, 4}));  // the fourth is past the launch
}

// A launch waits for tickets as a submitted graph does; what is recorded has no order of its own.
TEST_F(PlanTest, LaunchesComeAfterTickets) {
  ctx = api::host_context(0, 2);
  const api::Plan plan = api::make_plan(ctx, kernel);
  const api::Buffer dst = api::make_buffer(ctx, Words{1}), src = api::make_buffer(ctx, Words{10}),
                    other = api::make_buffer(ctx, 64);
  vd_ticket fill = 0, ticket = 0;
  ASSERT_OK(vd_buffer_fill(other, 0, VD_WHOLE_SIZE, 3, 1, nullptr, &fill));
  vd_order_desc order = VD_ORDER_DESC_INIT;
  const vd_ticket waits[] = {fill, 0};
  order.waits = waits;
  order.wait_count = 2;
  api::Launch launch(1, {{dst, 0, 0}, {src, 0, 0}}, 5);
  launch.desc.order = &order;
  ASSERT_OK(vd_plan_launch(plan, &launch.desc, &ticket));
  ASSERT_OK(vd_ticket_wait(ctx, ticket, VD_WAIT_FOREVER));
  EXPECT_OK(vd_ticket_wait(ctx, fill, 0)) << "it was done before";
  EXPECT_EQ(api::read<uint32_t>(dst, 1), Words{18});
  const vd_ticket alien = 0xFF00000000000001;
  order.waits = &alien, order.wait_count = 1;
  EXPECT_EQ(vd_plan_launch(plan, &launch.desc, nullptr), VD_ERR_INVALID);
  EXPECT_THAT(vd_last_error(),
              HasSubstr("vd_plan_launch: desc->order->waits[0] (0xff00000000000001) belongs to another context"));
  order = VD_ORDER_DESC_INIT;
  order.stream = 1;
  EXPECT_EQ(vd_plan_launch(plan, &launch.desc, nullptr), VD_ERR_UNSUPPORTED);
  order.stream = 0, order.wait_semaphore_count = 1;
  EXPECT_FAILS(vd_plan_launch(plan, &launch.desc, nullptr), VD_ERR_INVALID,
               "vd_plan_launch: desc->order->wait_semaphores is NULL with 1 entries.");
  api::Graph graph;
  ASSERT_OK(vd_graph_create(ctx, nullptr, graph.out()));
  EXPECT_FAILS(vd_graph_launch(graph, plan, &launch.desc, nullptr), VD_ERR_INVALID,
               "vd_graph_launch: desc->order is given, and a recorded launch takes none; vd_graph_submit() takes the "
               "graph's order.");
}

TEST_F(PlanTest, LaunchNowIsTheShortWay) {
  const api::Plan plan = api::make_plan(ctx, kernel);
  const api::Buffer dst = api::make_buffer(ctx, Words{1, 2, 3, 4}), src = api::make_buffer(ctx, Words{1, 1, 1, 1});
  vd_buffer* buffers[] = {dst, src};
  const uint32_t c = 2;
  for (int i = 0; i < 100;) {
    const vd_status status = vd_plan_try_launch(plan, nullptr, 0, 4, 1, 1, buffers, 2, &c, 4);
    ASSERT_TRUE(status == VD_OK || status == VD_ERR_WOULD_BLOCK) << vd_last_error();
    i += status == VD_OK;
  }
  Words expected{1, 2, 3, 4};
  for (int i = 0; i < 100; ++i) {
    for (uint32_t& word : expected) word = word * 3 + 3;
  }
  EXPECT_EQ(api::read<uint32_t>(dst, 4), expected);
  EXPECT_FAILS(vd_plan_try_launch(plan, nullptr, 0, 4, 1, 1, buffers, 1, &c, 4), VD_ERR_INVALID,
               "vd_plan_try_launch: buffer_count (1) is not the number of buffer and image arguments of \"mix\" (2).");
  EXPECT_FAILS(vd_plan_try_launch(plan, nullptr, 0, 4, 1, 1, buffers, 2, &c, 8), VD_ERR_INVALID,
               "vd_plan_try_launch: values_size (8) is not the size of the values of \"mix\" (4).");
  EXPECT_FAILS(vd_plan_try_launch(plan, nullptr, 0, 0, 1, 1, buffers, 2, &c, 4), VD_ERR_INVALID,
               "vd_plan_try_launch: invocations (0, 1, 1) is zero on the first axis.");
  EXPECT_FAILS(vd_plan_try_launch(plan, nullptr, 1, 4, 1, 1, buffers, 2, &c, 4), VD_ERR_INVALID,
               "vd_plan_try_launch: queue (1) is not below the context's queues (1).");
  vd_plan_desc by_7 = VD_PLAN_DESC_INIT;
  by_7.kernel = kernel, by_7.workgroup_size[1] = 7;
  api::Plan rows;
  ASSERT_OK(vd_plan_create(ctx, &by_7, rows.out()));
  EXPECT_FAILS(vd_plan_try_launch(rows, nullptr, 0, 4, 4294967293u, 1, buffers, 2, &c, 4), VD_ERR_INVALID,
               "vd_plan_try_launch: invocations_y (4294967293) in workgroups of 7 does not fit in 32 bits.");
  vd_buffer* missing[] = {dst, nullptr};
  EXPECT_FAILS(vd_plan_try_launch(plan, nullptr, 0, 4, 1, 1, missing, 2, &c, 4), VD_ERR_INVALID,
               "vd_plan_try_launch: argument 1 (\"src\") of \"mix\" has no buffer.");
}

TEST_F(PlanTest, BindingsTakeParts) {
  const api::Plan plan = api::make_plan(ctx, kernel);
  const api::Buffer dst = api::make_buffer(ctx, Words{1, 2, 3, 4}, "dst"), src = api::make_buffer(ctx, Words(4, 0));
  const api::Launch launch(2, {{dst, 8, 8}, {src, 4, 8}}, 0);
  ASSERT_OK(vd_plan_launch(plan, &launch.desc, nullptr));
  EXPECT_EQ(api::read<uint32_t>(dst, 4), (Words{1, 2, 9, 12}));
  const api::Launch past(2, {{dst, 8, 16}, {src, 0, 0}}, 0), odd(2, {{dst, 2, 4}, {src, 0, 0}}, 0);
  EXPECT_FAILS(vd_plan_launch(plan, &past.desc, nullptr), VD_ERR_INVALID,
               "vd_plan_launch: argument 0 (\"dst\") of \"mix\": offset (8) + size (16) is past the end of buffer "
               "\"dst\" (16).");
  EXPECT_FAILS(vd_plan_launch(plan, &odd.desc, nullptr), VD_ERR_INVALID,
               "vd_plan_launch: argument 0 (\"dst\") of \"mix\": offset (2) is not a multiple of 4.");
}

// Accesses of every launch at a constant index are known before one runs; accesses in a branch are the kernel's affair.
TEST_F(PlanTest, ConstantIndicesPastTheEndAreRefused) {
  api::Writer w("far");
  const vd_value dst = w.buffer("dst"), src = w.buffer("src"), c = w.constant("c");
  w.store(w.at(dst, w.u32(2)), w.at(src, w.u32(5)));
  w.emit(VD_OP_IF, {w.emit(VD_OP_LT, {w.u32(100), c})});
  w.store(w.at(dst, w.u32(1000)), c);
  w.emit(VD_OP_END, {});
  const api::Kernel far = w.finish();
  const api::Plan plan = api::make_plan(ctx, far);
  const api::Buffer a = api::make_buffer(ctx, Words(3), "a"),
                    b = api::make_buffer(ctx, Words{0, 1, 2, 3, 4, 5, 6}, "b");
  const api::Launch fits(1, {{a, 0, 0}, {b, 0, 24}}, 1), part(1, {{a, 0, 0}, {b, 4, 20}}, 1);
  const api::Launch odd(1, {{a, 0, 11}, {b, 0, 0}}, 1);
  ASSERT_OK(vd_plan_launch(plan, &fits.desc, nullptr));
  EXPECT_EQ(api::read<uint32_t>(a, 3), (Words{0, 0, 5}));
  EXPECT_FAILS(
      vd_plan_launch(plan, &part.desc, nullptr), VD_ERR_INVALID,
      "vd_plan_launch: argument 1 (\"src\") of \"far\": index (5) is past the end of buffer \"b\" (5 elements).");
  EXPECT_FAILS(
      vd_plan_launch(plan, &odd.desc, nullptr), VD_ERR_INVALID,
      "vd_plan_launch: argument 0 (\"dst\") of \"far\": index (2) is past the end of buffer \"a\" (2 elements).");
  vd_buffer* short_ones[] = {b, a};
  const uint32_t one = 1;
  EXPECT_EQ(vd_plan_try_launch(plan, nullptr, 0, 1, 1, 1, short_ones, 2, &one, 4), VD_ERR_INVALID);
  api::Graph graph;
  ASSERT_OK(vd_graph_create(ctx, nullptr, graph.out()));
  EXPECT_EQ(vd_graph_launch(graph, plan, &part.desc, nullptr), VD_ERR_INVALID);
}

TEST_F(PlanTest, BuffersTakeNothingOfImages) {
  const api::Plan plan = api::make_plan(ctx, kernel);
  const api::Buffer a = api::make_buffer(ctx, Words(4)), b = api::make_buffer(ctx, Words(4));
  api::Launch launch(4, {{a, 0, 0}, {b, 0, 0}}, 1);
  launch.bindings[1].level = 1;
  EXPECT_FAILS(
      vd_plan_launch(plan, &launch.desc, nullptr), VD_ERR_INVALID,
      "vd_plan_launch: argument 1 (\"src\") of \"mix\" is a buffer, and an image, a sampler or a level is given.");
  launch.bindings[1].level = 0;
  launch.bindings[1].reserved[1] = 1;
  EXPECT_FAILS(vd_plan_launch(plan, &launch.desc, nullptr), VD_ERR_INVALID,
               "vd_plan_launch: desc->bindings[1].reserved is not zero.");
  launch.bindings[1].reserved[1] = 0;
  EXPECT_OK(vd_plan_launch(plan, &launch.desc, nullptr));
}

TEST_F(PlanTest, IdsDoNotBeginAnew) {
  // The last workgroup of 7 would reach past 32 bits, and its ids would be those of the first.
  vd_plan_desc desc = VD_PLAN_DESC_INIT;
  desc.kernel = kernel;
  desc.workgroup_size[0] = 7;
  api::Plan plan;
  ASSERT_OK(vd_plan_create(ctx, &desc, plan.out()));
  const api::Buffer dst = api::make_buffer(ctx, Words(4, 0)), src = api::make_buffer(ctx, Words(4, 0));
  const api::Launch launch(4294967293u, {{dst, 0, 0}, {src, 0, 0}}, 0);
  EXPECT_FAILS(vd_plan_launch(plan, &launch.desc, nullptr), VD_ERR_INVALID,
               "vd_plan_launch: desc->invocations[0] (4294967293) in workgroups of 7 does not fit in 32 bits.");
}

TEST_F(PlanTest, OneBufferForTwoArguments) {
  const api::Plan plan = api::make_plan(ctx, kernel);
  const api::Buffer x = api::make_buffer(ctx, Words{1, 2, 3, 4});
  const api::Launch launch(4, {{x, 0, 0}, {x, 0, 0}}, 1);
  ASSERT_OK(vd_plan_launch(plan, &launch.desc, nullptr));
  EXPECT_EQ(api::read<uint32_t>(x, 4), (Words{5, 9, 13, 17}));
}

TEST_F(PlanTest, DiscardedAndForeignBuffers) {
  const api::Plan plan = api::make_plan(ctx, kernel);
  const api::Buffer dst = api::make_buffer(ctx, 16, "dst"), src = api::make_buffer(ctx, 16, "src");
  const api::Context other = api::host_context();
  const api::Buffer foreign = api::make_buffer(other, 16, "foreign");
  const api::Launch wrong(4, {{dst, 0, 0}, {foreign, 0, 0}}, 1);
  EXPECT_FAILS(vd_plan_launch(plan, &wrong.desc, nullptr), VD_ERR_INVALID,
               "vd_plan_launch: argument 1 (\"src\") of \"mix\": buffer \"foreign\" belongs to another context.");
  ASSERT_OK(vd_buffer_discard(src));
  const api::Launch late(4, {{dst, 0, 0}, {src, 0, 0}}, 1);
  EXPECT_FAILS(vd_plan_launch(plan, &late.desc, nullptr), VD_ERR_STATE,
               "vd_plan_launch: argument 1 (\"src\") of \"mix\": buffer \"src\" was discarded.");
}

TEST_F(PlanTest, DescriptorsAreChecked) {
  vd_plan_desc desc = VD_PLAN_DESC_INIT;
  api::Plan plan;
  EXPECT_FAILS(vd_plan_create(ctx, &desc, plan.out()), VD_ERR_INVALID,
               "vd_plan_create: desc->kernel and desc->source are both NULL; give exactly one of them.");
  desc.kernel = kernel;
  desc.device = 4;
  EXPECT_FAILS(vd_plan_create(ctx, &desc, plan.out()), VD_ERR_INVALID,
               "vd_plan_create: desc->device (4) is not below the context's devices (1).");
  desc.device = 0;
  desc.workgroup_size[0] = 1u << 30;
  EXPECT_EQ(vd_plan_create(ctx, &desc, plan.out()), VD_ERR_INVALID);
  EXPECT_THAT(vd_last_error(),
              AllOf(HasSubstr("workgroup_size[0] (1073741824) is more than device"), HasSubstr("takes")));
  desc.workgroup_size[0] = 0;
  desc.flags = 1;
  EXPECT_EQ(vd_plan_create(ctx, &desc, plan.out()), VD_ERR_INVALID);
  desc = VD_PLAN_DESC_INIT;
  vd_source_desc source = VD_SOURCE_DESC_INIT;
  desc.source = &source;
  EXPECT_EQ(vd_plan_create(ctx, &desc, plan.out()), VD_ERR_INVALID);
  source.language = VD_LANGUAGE_GLSL;
  source.text = "void main() {}";
  source.size = 14;
  EXPECT_FAILS(
      vd_plan_create(ctx, &desc, plan.out()), VD_ERR_UNSUPPORTED,
      "vd_plan_create: desc->source is given, and the host backend has no language of source text; build a kernel.");
  const vd_binding_kind kinds[] = {VD_BINDING_STORAGE_BUFFER, static_cast<vd_binding_kind>(77)};
  source.binding_kinds = kinds;
  source.binding_count = 2;
  EXPECT_FAILS(vd_plan_create(ctx, &desc, plan.out()), VD_ERR_INVALID,
               "vd_plan_create: desc->source->binding_kinds[1] (77) is unknown.");
}

TEST_F(PlanTest, InfoAndSource) {
  const api::Plan plan = api::make_plan(ctx, kernel, 32);
  vd_plan_info info = VD_PLAN_INFO_INIT;
  ASSERT_OK(vd_plan_get_info(plan, &info));
  EXPECT_EQ(info.binding_count, 2u);
  EXPECT_EQ(info.values_size, 4u);
  EXPECT_EQ(info.workgroup_size[0], 32u);
  EXPECT_EQ(info.workgroup_size[1], 1u);
  EXPECT_STREQ(info.name, "mix");
  uint64_t size = 0;
  const char* source = vd_plan_get_source(plan, &size);
  EXPECT_EQ(std::strlen(source), size);
  EXPECT_GT(size, 0u);
}

TEST_F(PlanTest, ManyAtOnce) {
  std::vector<api::Kernel> kernels;
  std::vector<vd_plan_desc> descs;
  for (uint32_t i = 0; i < 20; ++i) {
    api::Writer w("k");
    w.store(w.at(w.buffer("x"), w.x()), w.u32(i));
    kernels.push_back(w.finish());
    vd_plan_desc desc = VD_PLAN_DESC_INIT;
    desc.kernel = kernels.back();
    descs.push_back(desc);
  }
  std::vector<vd_plan*> plans(20);
  ASSERT_OK(vd_plan_create_many(ctx, descs.data(), 20, plans.data()));
  const api::Buffer x = api::make_buffer(ctx, 4);
  for (uint32_t i = 0; i < 20; ++i) {
    vd_buffer* buffers[] = {x};
    while (vd_plan_try_launch(plans[i], nullptr, 0, 1, 1, 1, buffers, 1, nullptr, 0) == VD_ERR_WOULD_BLOCK) {
    }
    EXPECT_EQ(api::read<uint32_t>(x, 1), Words{i});
    vd_plan_release(plans[i]);
  }
  // One that fails leaves the others whole.
  descs[3].kernel = nullptr;
  EXPECT_EQ(vd_plan_create_many(ctx, descs.data(), 20, plans.data()), VD_ERR_INVALID);
  EXPECT_THAT(vd_last_error(), HasSubstr("vd_plan_create_many: number 3 of 20: desc->kernel and desc->source"));
  for (uint32_t i = 0; i < 20; ++i) {
    EXPECT_EQ(plans[i] == nullptr, i == 3) << i;
    vd_plan_release(plans[i]);
  }
  EXPECT_OK(vd_plan_create_many(ctx, nullptr, 0, nullptr));
  // The size in the first descriptor gives the position of the second.
  for (const uint32_t size : {0u, 4u, 0x40000000u, uint32_t{sizeof(vd_plan_desc)} + 1}) {
    std::vector<vd_plan_desc> wrong = descs;
    wrong.resize(40);
    wrong[0].struct_size = size;
    EXPECT_EQ(vd_plan_create_many(ctx, wrong.data(), 2, plans.data()), VD_ERR_INVALID) << size;
    EXPECT_THAT(vd_last_error(), HasSubstr("descs[0]"));
  }
  // And all others must agree: a larger one would reach past the array.
  for (const uint32_t size : {0u, uint32_t{sizeof(vd_plan_desc)} + 8, 4096u}) {
    std::vector<vd_plan_desc> mixed(descs.begin(), descs.begin() + 2);
    mixed[1].struct_size = size;
    EXPECT_FAILS(vd_plan_create_many(ctx, mixed.data(), 2, plans.data()), VD_ERR_INVALID,
                 ("vd_plan_create_many: descs[1].struct_size (" + std::to_string(size) +
                  ") is not descs[0].struct_size (" + std::to_string(sizeof(vd_plan_desc)) + ").")
                     .c_str());
  }
}

// An invocation past the launch's size loads zero, and it goes on because of the barrier.
TEST_F(PlanTest, CheckedDivisionsAreThoseOfTheLaunch) {
  ctx = api::host_context(VD_CONTEXT_CHECKED);
  api::Writer w("share");
  const vd_value x = w.buffer("x"), i = w.x();
  w.emit(VD_OP_BARRIER, {});
  w.store(w.at(x, i), w.emit(VD_OP_DIV, {w.u32(12), w.at(x, i)}));
  kernel = w.finish();
  const api::Plan plan = api::make_plan(ctx, kernel, 64);
  const api::Buffer good = api::make_buffer(ctx, Words{1, 2, 3}), bad = api::make_buffer(ctx, Words{1, 0, 3});
  const auto run = [&](vd_buffer* buffer) {
    const vd_binding binding = VD_BINDING_OF(buffer, 0, VD_WHOLE_SIZE);
    vd_launch_desc desc = VD_LAUNCH_DESC_INIT;
    desc.invocations[0] = 3, desc.bindings = &binding, desc.binding_count = 1;
    vd_ticket ticket = 0;
    EXPECT_OK(vd_plan_launch(plan, &desc, &ticket));
    return vd_ticket_wait(ctx, ticket, VD_WAIT_FOREVER);
  };
  EXPECT_OK(run(good));
  EXPECT_EQ(api::read<uint32_t>(good, 3), (Words{12, 6, 4}));
  EXPECT_FAILS(run(bad), VD_ERR_KERNEL,
               "vd_ticket_wait: kernel \"share\": an integer is divided by zero, in invocation (1, 0, 0) of workgroup "
               "(0, 0, 0).");
}

// Every wait for a ticket reports its failure; other waits of its queue report it once, and not when the context is
// released.
TEST_F(PlanTest, AFailureIsToldOnce) {
  std::vector<std::string> log;
  vd::test::LogReceiver receiver(
      [](const vd_log_message* message, void* user) {
        static_cast<std::vector<std::string>*>(user)->push_back(message->text);
      },
      &log);
  const auto wait_idle = [&] { return vd_context_wait_idle(ctx, VD_QUEUE_ALL, VD_WAIT_FOREVER); };
  for (int first = 0; first < 4; ++first) {
    ctx = api::host_context(VD_CONTEXT_CHECKED);
    vd_ticket ticket = 0;
    {
      api::Writer w("fails");
      const vd_value x = w.buffer("x"), i = w.x();
      w.store(w.at(x, i), w.emit(VD_OP_DIV, {w.u32(12), w.at(x, i)}));
      kernel = w.finish();
      const api::Plan plan = api::make_plan(ctx, kernel, 64);
      const api::Buffer zero = api::make_buffer(ctx, Words{0});
      const vd_binding binding = VD_BINDING_OF(zero, 0, VD_WHOLE_SIZE);
      vd_launch_desc desc = VD_LAUNCH_DESC_INIT;
      desc.invocations[0] = 1, desc.bindings = &binding, desc.binding_count = 1;
      EXPECT_OK(vd_plan_launch(plan, &desc, &ticket));
      uint32_t word = 0;
      const auto read = [&] { return vd_buffer_read(zero, 0, 4, 0, &word); };
      if (first == 0) {
        EXPECT_EQ(read(), VD_ERR_KERNEL);
      }
      if (first == 1) {
        EXPECT_EQ(wait_idle(), VD_ERR_KERNEL);
      }
      if (first == 2) {
        EXPECT_EQ(vd_ticket_wait(ctx, ticket, VD_WAIT_FOREVER), VD_ERR_KERNEL);
      }
      if (first == 3) continue;  // never waited for
      EXPECT_OK(read());
      EXPECT_OK(wait_idle());
    }
    EXPECT_EQ(vd_ticket_wait(ctx, ticket, VD_WAIT_FOREVER), VD_ERR_KERNEL);
    EXPECT_OK(wait_idle());
  }
  EXPECT_THAT(log, testing::IsEmpty());
  ctx = api::host_context();
  receiver.remove();
  ASSERT_EQ(log.size(), 1u);
  EXPECT_THAT(log[0], testing::HasSubstr("work failed while its context was closed"));
}

TEST_F(PlanTest, ThreadsLaunchTogether) {
  const api::Plan plan = api::make_plan(ctx, kernel);
  const api::Buffer shared = api::make_buffer(ctx, Words(64, 1));
  std::vector<std::thread> threads;
  for (uint32_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      Words expected(64, t);
      const api::Buffer mine = api::make_buffer(ctx, expected);
      for (int i = 0; i < 50; ++i) {
        const api::Launch launch(64, {{mine, 0, 0}, {shared, 0, 0}}, t);
        ASSERT_OK(vd_plan_launch(plan, &launch.desc, nullptr));
        for (uint32_t& word : expected) word = word * 3 + 1 + t;
        if (i % 10 == 0) {
          ASSERT_EQ(api::read<uint32_t>(mine, 64), expected);
        }
      }
      ASSERT_EQ(api::read<uint32_t>(mine, 64), expected);
    });
  }
  for (auto& thread : threads) thread.join();
}

// A program's loop over a kernel: build, plan, launch, drop, without waiting.
TEST_F(PlanTest, DroppedWithLaunchesPending) {
  const api::Buffer dst = api::make_buffer(ctx, Words(16, 0)), src = api::make_buffer(ctx, Words(16, 0));
  uint32_t expected = 0;
  for (uint32_t i = 0; i < 100; ++i) {
    api::Writer w("k");
    const vd_value d = w.buffer("d"), s = w.buffer("s"), id = w.x();
    w.store(w.at(d, id), w.emit(VD_OP_ADD, {w.emit(VD_OP_MUL, {w.at(d, id), w.u32(i)}), w.at(s, id)}));
    w.store(w.at(s, id), w.u32(i));
    const api::Kernel kernel = w.finish();
    const api::Plan plan = api::make_plan(ctx, kernel);
    vd_buffer* buffers[] = {dst, src};
    while (vd_plan_try_launch(plan, nullptr, 0, 16, 1, 1, buffers, 2, nullptr, 0) == VD_ERR_WOULD_BLOCK) {
    }
    expected = expected * i + (i == 0 ? 0 : i - 1);
  }
  EXPECT_EQ(api::read<uint32_t>(dst, 16), Words(16, expected));
}

}  // namespace
