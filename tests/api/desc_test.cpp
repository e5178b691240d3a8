// The rule for structs across the boundary, on the calls themselves: an old program's smaller struct, a new program's
// larger one, and an uninitialised one.
#include "api/support.h"

namespace {

using testing::HasSubstr;

// A descriptor with room behind it, as a program compiled against a later header has.
template <class T>
struct Larger {
  T desc;
  unsigned char tail[64] = {};
};

// `first` is the size that the struct had when it was released first.
template <class T, class F>
void check_desc(T desc, F&& call, uint32_t first = sizeof(T)) {
  const std::string name = "desc";
  EXPECT_OK(call(&desc));
  T changed = desc;
  changed.struct_size = first - 1;
  EXPECT_EQ(call(&changed), VD_ERR_INVALID);
  EXPECT_THAT(vd_last_error(), HasSubstr("struct_size"));
  changed.struct_size = 0;
  EXPECT_EQ(call(&changed), VD_ERR_INVALID);
  changed.struct_size = 4097;
  EXPECT_EQ(call(&changed), VD_ERR_INVALID);
  changed.struct_size = 0xCDCDCDCD;
  EXPECT_EQ(call(&changed), VD_ERR_INVALID);

  Larger<T> larger{desc, {}};
  larger.desc.struct_size = sizeof(larger);
  EXPECT_OK(call(&larger.desc));
  larger.tail[63] = 1;
  EXPECT_EQ(call(&larger.desc), VD_ERR_INVALID);
  EXPECT_THAT(vd_last_error(), HasSubstr("that this library knows"));
}

template <class T, class F>
void check_info(T info, F&& call, uint32_t first = sizeof(T)) {
  EXPECT_OK(call(&info));
  T changed = info;
  changed.struct_size = first - 1;
  EXPECT_EQ(call(&changed), VD_ERR_INVALID);
  // A program of then has no more than that, and no more is written.
  std::memset(&changed, 0xAA, sizeof(T));
  changed.struct_size = first;
  EXPECT_OK(call(&changed));
  for (size_t i = first; i < sizeof(T); ++i) EXPECT_EQ(reinterpret_cast<const unsigned char*>(&changed)[i], 0xAA);
  changed.struct_size = 0;
  EXPECT_EQ(call(&changed), VD_ERR_INVALID);
  changed.struct_size = 4097;
  EXPECT_EQ(call(&changed), VD_ERR_INVALID);

  Larger<T> larger{info, {}};
  std::memset(larger.tail, 0xAA, sizeof(larger.tail));
  larger.desc.struct_size = sizeof(larger);
  EXPECT_OK(call(&larger.desc));
  EXPECT_EQ(larger.desc.struct_size, sizeof(larger));
  for (const unsigned char byte : larger.tail) EXPECT_EQ(byte, 0);
}

TEST(Structs, Descriptors) {
  const api::Context ctx = api::host_context();
  vd_context_desc context = VD_CONTEXT_DESC_INIT;
  context.backend = VD_BACKEND_HOST;
  check_desc(
      context, [](const vd_context_desc* d) { return vd_context_create(d, api::Context().out()); }, 72);
  vd_buffer_desc buffer = VD_BUFFER_DESC_INIT;
  buffer.size = 64;
  check_desc(buffer, [&](const vd_buffer_desc* d) { return vd_buffer_create(ctx, d, api::Buffer().out()); });
  const vd_builder_desc builder = VD_BUILDER_DESC_INIT;
  check_desc(builder, [](const vd_builder_desc* d) { return vd_builder_create(d, api::Builder().out()); });
  const api::Kernel kernel = api::mix_kernel();
  const vd_print_desc print = VD_PRINT_DESC_INIT;
  check_desc(print, [&](const vd_print_desc* d) { return vd_kernel_print(kernel, d, api::Blob().out()); });
  vd_plan_desc plan = VD_PLAN_DESC_INIT;
  plan.kernel = kernel;
  check_desc(plan, [&](const vd_plan_desc* d) { return vd_plan_create(ctx, d, api::Plan().out()); });
  const vd_graph_desc graph = VD_GRAPH_DESC_INIT;
  check_desc(graph, [&](const vd_graph_desc* d) { return vd_graph_create(ctx, d, api::Graph().out()); });
  const api::Graph recorded = [&] {
    api::Graph g;
    EXPECT_OK(vd_graph_create(ctx, nullptr, g.out()));
    return g;
  }();
  const vd_submit_desc submit = VD_SUBMIT_DESC_INIT;
  check_desc(
      submit, [&](const vd_submit_desc* d) { return vd_graph_submit(recorded, d, nullptr); }, 24);
  const api::Plan made = api::make_plan(ctx, kernel);
  const api::Buffer a = api::make_buffer(ctx, 64), b = api::make_buffer(ctx, 64);
  const api::Launch launch(16, {{a, 0, 0}, {b, 0, 0}}, 1);
  check_desc(
      launch.desc, [&](const vd_launch_desc* d) { return vd_plan_launch(made, d, nullptr); },
      offsetof(vd_launch_desc, counts));
  vd_device_info device = VD_DEVICE_INFO_INIT;
  ASSERT_OK(vd_device_get_info(VD_BACKEND_DUMMY, 0, &device));
  check_desc(
      device,
      [](const vd_device_info* d) {
        vd_context_desc wish = VD_CONTEXT_DESC_INIT;
        wish.backend = VD_BACKEND_DUMMY;
        wish.dummy_device = d;
        return vd_context_create(&wish, api::Context().out());
      },
      offsetof(vd_device_info, max_image_extent));
  const vd_order_desc order = VD_ORDER_DESC_INIT;
  check_desc(order, [&](const vd_order_desc* d) {
    vd_submit_desc with = VD_SUBMIT_DESC_INIT;
    with.order = d;
    return vd_graph_submit(recorded, &with, nullptr);
  });
}

TEST(Structs, Reports) {
  const api::Context ctx = api::host_context();
  const api::Kernel kernel = api::mix_kernel();
  const api::Plan plan = api::make_plan(ctx, kernel);
  const api::Buffer buffer = api::make_buffer(ctx, 64);
  api::Graph graph;
  ASSERT_OK(vd_graph_create(ctx, nullptr, graph.out()));
  check_info(
      vd_backend_info VD_BACKEND_INFO_INIT, [](vd_backend_info* i) { return vd_backend_get_info(VD_BACKEND_HOST, i); },
      offsetof(vd_backend_info, status));
  check_info(
      vd_device_info VD_DEVICE_INFO_INIT, [](vd_device_info* i) { return vd_device_get_info(VD_BACKEND_HOST, 0, i); },
      offsetof(vd_device_info, max_image_extent));
  check_info(
      vd_device_info VD_DEVICE_INFO_INIT, [&](vd_device_info* i) { return vd_context_get_device(ctx, 0, i); },
      offsetof(vd_device_info, max_image_extent));
  check_info(
      vd_context_info VD_CONTEXT_INFO_INIT, [&](vd_context_info* i) { return vd_context_get_info(ctx, i); }, 48);
  check_info(
      vd_buffer_info VD_BUFFER_INFO_INIT, [&](vd_buffer_info* i) { return vd_buffer_get_info(buffer, i); }, 96);
  check_info(
      vd_op_info VD_OP_INFO_INIT, [](vd_op_info* i) { return vd_op_get_info(VD_OP_ADD, i); },
      offsetof(vd_op_info, operands));
  check_info(vd_kernel_info VD_KERNEL_INFO_INIT, [&](vd_kernel_info* i) { return vd_kernel_get_info(kernel, i); });
  check_info(
      vd_argument_info VD_ARGUMENT_INFO_INIT, [&](vd_argument_info* i) { return vd_kernel_get_argument(kernel, 0, i); },
      offsetof(vd_argument_info, image_dimensions));
  check_info(
      vd_plan_info VD_PLAN_INFO_INIT, [&](vd_plan_info* i) { return vd_plan_get_info(plan, i); }, 48);
  check_info(
      vd_graph_info VD_GRAPH_INFO_INIT, [&](vd_graph_info* i) { return vd_graph_get_info(graph, i); }, 16);
}

TEST(Structs, UnknownFlagsAndReservedFields) {
  const api::Context ctx = api::host_context();
  vd_buffer_desc buffer = VD_BUFFER_DESC_INIT;
  buffer.size = 64;
  buffer.flags = 1u << 20;
  EXPECT_FAILS(vd_buffer_create(ctx, &buffer, api::Buffer().out()), VD_ERR_INVALID,
               "vd_buffer_create: desc->flags (0x100000) has unknown bits (0x100000).");
  buffer.flags = 0;
  buffer.reserved = 3;
  EXPECT_FAILS(vd_buffer_create(ctx, &buffer, api::Buffer().out()), VD_ERR_INVALID,
               "vd_buffer_create: desc->reserved (3) is not zero.");
  vd_context_desc context = VD_CONTEXT_DESC_INIT;
  context.flags = 0x80;
  EXPECT_EQ(vd_context_create(&context, api::Context().out()), VD_ERR_INVALID);
  vd_builder_desc builder = VD_BUILDER_DESC_INIT;
  builder.flags = 1u << 31;
  EXPECT_EQ(vd_builder_create(&builder, api::Builder().out()), VD_ERR_INVALID);
}

}  // namespace
