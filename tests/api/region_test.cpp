// Patterns, strided copies, sent bytes and mappings: their rules and messages. tests/backends/regions.cpp has the values.
#include <atomic>
#include <chrono>
#include <numeric>
#include <stdexcept>
#include <thread>

#include "api/support.h"

namespace {

using Words = std::vector<uint32_t>;

struct RegionTest : testing::Test {
  api::Context ctx = api::host_context();
};

api::Mapping map(vd_buffer* buffer, vd_map_flags flags, uint64_t offset = 0, uint64_t size = VD_WHOLE_SIZE) {
  api::Mapping mapping;
  EXPECT_OK(vd_buffer_map(buffer, offset, size, flags, 0, mapping.out()));
  return mapping;
}

uint32_t* words_of(vd_mapping* mapping) {
  vd_mapping_info info = VD_MAPPING_INFO_INIT;
  EXPECT_OK(vd_mapping_get_info(mapping, &info));
  return static_cast<uint32_t*>(info.data);
}

// ---- Fills

TEST_F(RegionTest, FillsRefuseSizesThatDoNotFit) {
  const api::Buffer x = api::make_buffer(ctx, 48, "x");
  const uint8_t pattern[32] = {};
  EXPECT_FAILS(vd_buffer_fill_pattern(x, 0, 48, pattern, 17, 0, nullptr, nullptr), VD_ERR_INVALID,
               "vd_buffer_fill_pattern: pattern_size (17) is not 1 to 16.");
  EXPECT_FAILS(vd_buffer_fill_pattern(x, 0, 48, pattern, 0, 0, nullptr, nullptr), VD_ERR_INVALID,
               "vd_buffer_fill_pattern: pattern_size (0) is not 1 to 16.");
  EXPECT_FAILS(vd_buffer_fill_pattern(x, 1, VD_WHOLE_SIZE, pattern, 12, 0, nullptr, nullptr), VD_ERR_INVALID,
               "vd_buffer_fill_pattern: size (47) is not a multiple of pattern_size (12).");
  EXPECT_FAILS(vd_buffer_fill_pattern(x, 40, 12, pattern, 12, 0, nullptr, nullptr), VD_ERR_INVALID,
               "vd_buffer_fill_pattern: offset (40) + size (12) is past the end of buffer \"x\" (48).");
  EXPECT_FAILS(vd_buffer_fill_pattern(x, 0, 48, nullptr, 4, 0, nullptr, nullptr), VD_ERR_INVALID,
               "vd_buffer_fill_pattern: pattern is NULL with 4 bytes.");
  EXPECT_OK(vd_buffer_fill_pattern(x, 48, 0, pattern, 3, 0, nullptr, nullptr));
}

TEST_F(RegionTest, FillsComeInOrder) {
  ctx = api::host_context(0, 2);
  const api::Buffer x = api::make_buffer(ctx, 1 << 20, "x"), other = api::make_buffer(ctx, 64);
  vd_ticket first = 0, ticket = 0;
  ASSERT_OK(vd_buffer_fill(other, 0, 64, 3, 1, nullptr, &first));
  vd_order_desc order = VD_ORDER_DESC_INIT;
  order.waits = &first, order.wait_count = 1;
  const uint32_t three[3] = {1, 2, 3};
  ASSERT_OK(vd_buffer_fill_pattern(x, 4, 12 * 80000, three, 12, 0, &order, &ticket));
  ASSERT_OK(vd_ticket_wait(ctx, ticket, VD_WAIT_FOREVER));
  EXPECT_OK(vd_ticket_wait(ctx, first, 0));
  const Words got = api::read<uint32_t>(x, 240001);
  EXPECT_EQ(got[1], 1u);
  EXPECT_EQ(got[240000], 3u);
}

// ---- Copies of elements with gaps

TEST_F(RegionTest, StridedCopiesRefuseWhatIsWrong) {
  const api::Buffer x = api::make_buffer(ctx, 64, "x"), y = api::make_buffer(ctx, 64, "y");
  vd_strided_copy_desc desc = VD_STRIDED_COPY_DESC_INIT;
  const auto run = [&](vd_buffer* to) { return vd_buffer_copy_strided(x, to, &desc, 0, nullptr, nullptr); };
  EXPECT_FAILS(run(y), VD_ERR_INVALID, "vd_buffer_copy_strided: desc->element_size (0) is zero.");
  desc.element_size = 4;
  desc.counts[0] = 5, desc.source_strides[0] = 16, desc.destination_strides[0] = 4;
  EXPECT_FAILS(run(y), VD_ERR_INVALID,
               "vd_buffer_copy_strided: desc->source_offset (0) + size (68) is past the end of buffer \"x\" (64).");
  desc.counts[0] = 4, desc.destination_offset = 52;
  EXPECT_FAILS(
      run(y), VD_ERR_INVALID,
      "vd_buffer_copy_strided: desc->destination_offset (52) + size (16) is past the end of buffer \"y\" (64).");
  desc.destination_offset = 0, desc.destination_strides[0] = 3;
  EXPECT_FAILS(
      run(y), VD_ERR_INVALID,
      "vd_buffer_copy_strided: desc->destination_strides[0] (3) is less than the 4 bytes of the axes within it.");
  desc.destination_strides[0] = 0;
  EXPECT_EQ(run(y), VD_ERR_INVALID);
  desc.destination_strides[0] = 4;
  EXPECT_FAILS(run(x), VD_ERR_INVALID,
               "vd_buffer_copy_strided: source bytes 0 to 52 and destination bytes 0 to 16 of buffer \"x\" overlap.");
  desc.source_strides[0] = ~uint64_t{0} / 2;
  EXPECT_FAILS(
      run(y), VD_ERR_INVALID,
      "vd_buffer_copy_strided: desc->source_strides[0] (9223372036854775807) and counts[0] (4) reach past 2^64 "
      "bytes.");
  const api::Context second = api::host_context();
  const api::Buffer foreign = api::make_buffer(second, 64, "f");
  desc.source_strides[0] = 4;
  EXPECT_FAILS(
      run(foreign), VD_ERR_INVALID,
      "vd_buffer_copy_strided: source (buffer \"x\") and destination (buffer \"f\") belong to different contexts.");
  ASSERT_OK(vd_buffer_discard(y));
  EXPECT_EQ(run(y), VD_ERR_STATE);
}

// Bytes beside the first and the last element, which the kernel's bindings may include, are not the copy's.
TEST(Regions, StridedCopiesTouchNothingBesideTheirElements) {
  for (const vd_backend backend : {VD_BACKEND_HOST, VD_BACKEND_VULKAN}) {
    const api::Context ctx = api::open_context(backend);
    if (ctx == nullptr) continue;
    const api::Buffer x = api::make_buffer(ctx, Words{0, 1, 2, 3, 4, 5, 6, 7}, "x"), y = api::make_buffer(ctx, 64, "y");
    vd_buffer_info info = VD_BUFFER_INFO_INIT;
    ASSERT_OK(vd_buffer_get_info(x, &info));
    if (info.mappable == 0) continue;
    vd_strided_copy_desc desc = VD_STRIDED_COPY_DESC_INIT;
    desc.element_size = 4;
    desc.counts[0] = 2, desc.source_strides[0] = 8, desc.destination_strides[0] = 12;
    desc.source_offset = 4, desc.destination_offset = 20;
    api::Graph graph;
    ASSERT_OK(vd_graph_create(ctx, nullptr, graph.out()));
    ASSERT_OK(vd_graph_copy_strided(graph, x, y, &desc, nullptr));
    {
      const api::Mapping before = map(x, VD_MAP_WRITE, 0, 4), after = map(x, VD_MAP_WRITE, 16, 16),
                         there = map(y, VD_MAP_WRITE, 0, 20), behind = map(y, VD_MAP_WRITE, 36, 28);
      ASSERT_OK(vd_buffer_copy_strided(x, y, &desc, 0, nullptr, nullptr));
      ASSERT_OK(vd_graph_submit(graph, nullptr, nullptr));
      words_of(there)[4] = 9;
    }
    const api::Mapping within = map(x, VD_MAP_WRITE, 8, 4);
    EXPECT_FAILS(vd_buffer_copy_strided(x, y, &desc, 0, nullptr, nullptr), VD_ERR_STATE,
                 "vd_buffer_copy_strided: argument 0 (\"source\") of \"copy_strided\": bytes 4 to 16 of buffer \"x\" "
                 "conflict with a mapping that has not ended.");
    const Words got = api::read<uint32_t>(y, 16);
    EXPECT_EQ(got[5], 1u);
    EXPECT_EQ(got[8], 3u);
  }
}

// ---- Views

TEST_F(RegionTest, ViewsHaveAShape) {
  const api::Buffer x = api::make_buffer(ctx, Words{0, 1, 2, 3, 4, 5, 6, 7}, "x");
  vd_buffer_view_desc desc = VD_BUFFER_VIEW_DESC_INIT;
  desc.offset = 8, desc.size = VD_WHOLE_SIZE, desc.shape[0] = 2, desc.shape[1] = 3;
  api::Buffer view, inner;
  ASSERT_OK(vd_buffer_view(x, &desc, view.out()));
  vd_buffer_info info = VD_BUFFER_INFO_INIT;
  ASSERT_OK(vd_buffer_get_info(view, &info));
  EXPECT_EQ(info.size, 24u);
  EXPECT_EQ(info.offset, 8u);
  EXPECT_EQ(info.shape[1], 3u);
  EXPECT_EQ(api::read<uint32_t>(view, 6), (Words{2, 3, 4, 5, 6, 7}));
  // A kernel reads it.
  api::Writer w("look");
  const vd_value out = w.buffer("out"), of = w.buffer("of");
  const vd_value shape = w.emit(VD_OP_SHAPE, {of});
  for (uint32_t i = 0; i < 4; ++i) {
    const vd_value n = w.emit(VD_OP_SWIZZLE, {shape}, 0, 1 << 8 | i);
    w.store(w.at(out, w.u32(i)), w.emit(VD_OP_CONVERT, {n}, VD_TYPE_U32));
  }
  const api::Kernel kernel = w.finish();
  const api::Plan plan = api::make_plan(ctx, kernel);
  const api::Buffer got = api::make_buffer(ctx, 16);
  const api::Launch launch(1, {{got, 0, 0}, {view, 0, 0}});
  ASSERT_OK(vd_plan_launch(plan, &launch.desc, nullptr));
  EXPECT_EQ(api::read<uint32_t>(got, 4), (Words{2, 3, 1, 6}));
  // And what is wrong.
  desc.shape[0] = 9;
  EXPECT_FAILS(vd_buffer_view(x, &desc, inner.out()), VD_ERR_INVALID,
               "vd_buffer_view: desc->shape[1] (3) makes more elements than desc->size (24) has bytes.");
  desc.offset = 32;
  EXPECT_FAILS(vd_buffer_view(x, &desc, inner.out()), VD_ERR_INVALID,
               "vd_buffer_view: desc->offset (32) is the end of buffer \"x\", so the slice is empty.");
  desc.offset = 16, desc.size = 0;
  EXPECT_FAILS(vd_buffer_view(x, &desc, inner.out()), VD_ERR_INVALID,
               "vd_buffer_view: desc->size (0) is zero; VD_WHOLE_SIZE is to the end of buffer \"x\".");
  desc.offset = 16, desc.size = 20;
  EXPECT_FAILS(vd_buffer_view(x, &desc, inner.out()), VD_ERR_INVALID,
               "vd_buffer_view: desc->offset (16) + size (20) is past the end of buffer \"x\" (32).");
  desc.size = 16, desc.reserved = 1;
  EXPECT_EQ(vd_buffer_view(x, &desc, inner.out()), VD_ERR_INVALID);
}

TEST_F(RegionTest, AQueuesLastTicketIsOfAllItsWork) {
  const api::Buffer x = api::make_buffer(ctx, 64, "x");
  vd_ticket before = 1, fill = 0, last = 0;
  const api::Context idle = api::host_context();
  ASSERT_OK(vd_context_get_last_ticket(idle, 0, &before));
  EXPECT_EQ(before, 0u);
  ASSERT_OK(vd_buffer_fill(x, 0, 64, 1, 0, nullptr, &fill));
  ASSERT_OK(vd_context_get_last_ticket(ctx, 0, &last));
  EXPECT_EQ(last, fill);
  EXPECT_OK(vd_ticket_wait(ctx, last, VD_WAIT_FOREVER));
  EXPECT_EQ(vd_context_get_last_ticket(ctx, 1, &last), VD_ERR_INVALID);
}

// ---- Sent bytes

TEST_F(RegionTest, SentBytesHaveATicket) {
  const api::Buffer x = api::make_buffer(ctx, Words{1, 2, 3, 4}, "x");
  vd_ticket ticket = 0;
  const Words two = {8, 9};
  ASSERT_OK(vd_buffer_send(x, 4, two.data(), 8, 0, nullptr, &ticket));
  EXPECT_NE(ticket, 0u);
  ASSERT_OK(vd_ticket_wait(ctx, ticket, VD_WAIT_FOREVER));
  EXPECT_EQ(api::read<uint32_t>(x, 4), (Words{1, 8, 9, 4}));
  EXPECT_OK(vd_buffer_send(x, 16, nullptr, 0, 0, nullptr, &ticket));
  EXPECT_EQ(vd_buffer_send(x, 12, two.data(), 8, 0, nullptr, nullptr), VD_ERR_INVALID);
  EXPECT_EQ(vd_buffer_send(x, 0, two.data(), 8, VD_QUEUE_ALL, nullptr, nullptr), VD_ERR_INVALID);
  const vd_ticket alien = 0xFF00000000000001;
  vd_order_desc order = VD_ORDER_DESC_INIT;
  order.waits = &alien, order.wait_count = 1;
  EXPECT_EQ(vd_buffer_send(x, 0, two.data(), 8, 0, &order, nullptr), VD_ERR_INVALID);
  EXPECT_THAT(vd_last_error(), testing::HasSubstr("belongs to another context"));
}

// The bytes may be written in place after a kernel that failed, and their ticket is theirs alone.
TEST_F(RegionTest, SentBytesAreNotTheFailureOfAKernel) {
  ctx = api::host_context(VD_CONTEXT_CHECKED);
  const api::Buffer x = api::make_buffer(ctx, Words{1, 2, 3, 4}, "x"), y = api::make_buffer(ctx, Words{1, 2}, "y");
  const api::Plan plan = api::make_plan(ctx, api::mix_kernel());
  const api::Launch launch(4, {{x, 0, 0}, {y, 0, 0}}, 0);
  vd_ticket failed = 0, sent = 0;
  ASSERT_OK(vd_plan_launch(plan, &launch.desc, &failed));
  EXPECT_EQ(vd_ticket_wait(ctx, failed, VD_WAIT_FOREVER), VD_ERR_KERNEL);
  const uint32_t word = 7;
  ASSERT_OK(vd_buffer_send(x, 0, &word, 4, 0, nullptr, &sent));
  EXPECT_OK(vd_ticket_wait(ctx, sent, VD_WAIT_FOREVER));
  EXPECT_EQ(api::read<uint32_t>(x, 1), (Words{7}));
}

// ---- Mappings

TEST_F(RegionTest, MappedBytesAreTheBuffersOwn) {
  const api::Buffer x = api::make_buffer(ctx, Words{1, 2, 3, 4}, "x");
  {
    const api::Mapping mapping = map(x, VD_MAP_READ | VD_MAP_WRITE, 4, 8);
    uint32_t* words = words_of(mapping);
    EXPECT_EQ(words[0], 2u);
    words[1] = 7;
    ASSERT_OK(vd_mapping_end(mapping));
    ASSERT_OK(vd_mapping_end(mapping));
    vd_mapping_info info = VD_MAPPING_INFO_INIT;
    ASSERT_OK(vd_mapping_get_info(mapping, &info));
    EXPECT_EQ(info.ended, 1u);
    EXPECT_EQ(info.size, 8u);
    EXPECT_EQ(info.flags, static_cast<vd_map_flags>(VD_MAP_READ | VD_MAP_WRITE));
  }
  EXPECT_EQ(api::read<uint32_t>(x, 4), (Words{1, 2, 7, 4}));
}

// Bytes that the host wrote count as written for the checks.
TEST_F(RegionTest, MapsInACheckedContext) {
  ctx = api::host_context(VD_CONTEXT_CHECKED);
  const api::Buffer x = api::make_buffer(ctx, 16, "x"), y = api::make_buffer(ctx, Words{1, 1, 1, 1});
  {
    const api::Mapping mapping = map(x, VD_MAP_WRITE);
    std::iota(words_of(mapping), words_of(mapping) + 4, 5u);
  }
  const api::Plan plan = api::make_plan(ctx, api::mix_kernel());
  const api::Launch launch(4, {{y, 0, 0}, {x, 0, 0}}, 0);
  ASSERT_OK(vd_plan_launch(plan, &launch.desc, nullptr));
  EXPECT_EQ(api::read<uint32_t>(y, 4), (Words{8, 9, 10, 11}));
}

TEST_F(RegionTest, WorkOnMappedBytesIsAnError) {
  const api::Buffer x = api::make_buffer(ctx, Words{1, 2, 3, 4}, "x"),
                    y = api::make_buffer(ctx, Words{1, 1, 1, 1}, "y");
  api::Mapping mapping = map(x, VD_MAP_WRITE, 0, 8), other;
  uint32_t word = 0;
  EXPECT_FAILS(vd_buffer_write(x, 4, &word, 4, 0), VD_ERR_STATE,
               "vd_buffer_write: bytes 4 to 8 of buffer \"x\" conflict with a mapping that has not ended.");
  EXPECT_EQ(vd_buffer_read(x, 0, 4, 0, &word), VD_ERR_STATE);
  // An empty range within them is not work on them.
  ASSERT_OK(vd_buffer_copy(x, 4, y, 0, 0, 0, nullptr, nullptr));
  api::Graph nothing;
  ASSERT_OK(vd_graph_create(ctx, nullptr, nothing.out()));
  ASSERT_OK(vd_graph_copy(nothing, y, 0, x, 4, 0, nullptr));
  ASSERT_OK(vd_graph_fill(nothing, x, 4, 0, 7, nullptr));
  ASSERT_OK(vd_graph_submit(nothing, nullptr, nullptr));
  EXPECT_EQ(vd_buffer_copy(x, 0, y, 0, 4, 0, nullptr, nullptr), VD_ERR_STATE);
  EXPECT_EQ(vd_buffer_fill(x, 0, 16, 1, 0, nullptr, nullptr), VD_ERR_STATE);
  EXPECT_EQ(vd_buffer_fill_pattern(x, 0, 12, "abc", 3, 0, nullptr, nullptr), VD_ERR_STATE);
  EXPECT_EQ(vd_buffer_send(x, 0, &word, 4, 0, nullptr, nullptr), VD_ERR_STATE);
  EXPECT_EQ(vd_buffer_map(x, 4, 8, VD_MAP_READ, 0, other.out()), VD_ERR_STATE);
  EXPECT_EQ(vd_buffer_map(x, 4, 8, VD_MAP_READ | VD_MAP_NO_WAIT, 0, other.out()), VD_ERR_STATE);
  const api::Plan plan = api::make_plan(ctx, api::mix_kernel());
  const api::Launch launch(4, {{y, 0, 0}, {x, 0, 0}}, 0);
  EXPECT_FAILS(
      vd_plan_launch(plan, &launch.desc, nullptr), VD_ERR_STATE,
      "vd_plan_launch: argument 1 (\"src\") of \"mix\": bytes 0 to 16 of buffer \"x\" conflict with a mapping that "
      "has not ended.");
  vd_buffer* const buffers[] = {y, x};
  const uint32_t value = 0;
  EXPECT_EQ(vd_plan_try_launch(plan, nullptr, 0, 4, 1, 1, buffers, 2, &value, 4), VD_ERR_STATE);
  api::Graph graph;
  ASSERT_OK(vd_graph_create(ctx, nullptr, graph.out()));
  ASSERT_OK(vd_graph_launch(graph, plan, &launch.desc, nullptr));
  EXPECT_FAILS(
      vd_graph_submit(graph, nullptr, nullptr), VD_ERR_STATE,
      "vd_graph_submit: node 0: argument 1 (\"src\") of \"mix\": bytes 0 to 16 of buffer \"x\" conflict with a "
      "mapping that has not ended.");
  // The other bytes are free.
  EXPECT_OK(vd_buffer_write(x, 8, &word, 4, 0));
  ASSERT_OK(vd_mapping_end(mapping));
  EXPECT_OK(vd_graph_submit(graph, nullptr, nullptr));
  EXPECT_OK(vd_plan_launch(plan, &launch.desc, nullptr));
  // Reading work may go on beside a mapping that only reads.
  mapping = map(x, VD_MAP_READ);
  const api::Mapping second = map(x, VD_MAP_READ);
  EXPECT_OK(vd_buffer_read(x, 0, 4, 0, &word));
  EXPECT_OK(vd_plan_launch(plan, &launch.desc, nullptr));
  EXPECT_EQ(vd_buffer_write(x, 0, &word, 4, 0), VD_ERR_STATE);
}

TEST_F(RegionTest, MappingsRefuseWhatIsWrong) {
  const api::Buffer x = api::make_buffer(ctx, 16, "x");
  api::Mapping mapping;
  EXPECT_FAILS(vd_buffer_map(x, 0, 16, 0, 0, mapping.out()), VD_ERR_INVALID,
               "vd_buffer_map: flags (0x0) have neither VD_MAP_READ nor VD_MAP_WRITE.");
  EXPECT_FAILS(vd_buffer_map(x, 0, 16, VD_MAP_NO_WAIT, 0, mapping.out()), VD_ERR_INVALID,
               "vd_buffer_map: flags (0x4) have neither VD_MAP_READ nor VD_MAP_WRITE.");
  EXPECT_EQ(vd_buffer_map(x, 0, 16, 16 | VD_MAP_READ, 0, mapping.out()), VD_ERR_INVALID);
  EXPECT_FAILS(vd_buffer_map(x, 12, 8, VD_MAP_READ, 0, mapping.out()), VD_ERR_INVALID,
               "vd_buffer_map: offset (12) + size (8) is past the end of buffer \"x\" (16).");
  EXPECT_FAILS(vd_buffer_map(x, 12, 0, VD_MAP_READ, 0, mapping.out()), VD_ERR_INVALID,
               "vd_buffer_map: size (0) is zero; VD_WHOLE_SIZE is to the end of buffer \"x\".");
  EXPECT_EQ(vd_buffer_map(x, 0, 16, VD_MAP_READ, 1, mapping.out()), VD_ERR_INVALID);
  ASSERT_OK(vd_buffer_discard(x));
  EXPECT_EQ(vd_buffer_map(x, 0, 16, VD_MAP_READ, 0, mapping.out()), VD_ERR_STATE);
  EXPECT_EQ(mapping, nullptr);
}

// The memory outlives the buffer's handle and vd_buffer_discard(), as long as the mapping is held.
TEST_F(RegionTest, AMappingKeepsTheMemory) {
  api::Buffer x = api::make_buffer(ctx, Words{1, 2, 3, 4}, "x");
  api::Mapping mapping = map(x, VD_MAP_READ | VD_MAP_WRITE);
  uint32_t* words = words_of(mapping);
  ASSERT_OK(vd_buffer_discard(x));
  x = api::Buffer();
  words[3] = words[0] + 1;
  EXPECT_OK(vd_mapping_end(mapping));
  EXPECT_EQ(words[3], 2u);
  vd_context_info held = VD_CONTEXT_INFO_INIT;
  ASSERT_OK(vd_context_get_info(ctx, &held));
  EXPECT_EQ(held.memory_in_use, 16u);
  mapping = api::Mapping();
  ASSERT_OK(vd_context_get_info(ctx, &held));
  EXPECT_EQ(held.memory_in_use, 0u);
}

// A shared mapping waits for what is in its way and is then in nobody's: the host writes between two submissions.
TEST_F(RegionTest, SharedMappingsStandInTheWayOfNoWork) {
  const api::Buffer x = api::make_buffer(ctx, Words{1, 2, 3, 4}, "x"), y = api::make_buffer(ctx, Words(4, 0), "y");
  const api::Mapping shared = map(x, VD_MAP_READ | VD_MAP_WRITE | VD_MAP_SHARED);
  const api::Mapping seen = map(y, VD_MAP_READ | VD_MAP_SHARED);
  api::Graph graph;
  ASSERT_OK(vd_graph_create(ctx, nullptr, graph.out()));
  ASSERT_OK(vd_graph_copy(graph, x, 0, y, 0, VD_WHOLE_SIZE, nullptr));
  for (uint32_t round = 0; round < 3; ++round) {
    words_of(shared)[2] = 7 + round;
    ASSERT_OK(vd_graph_submit(graph, nullptr, nullptr));
    ASSERT_OK(vd_context_wait_idle(ctx, 0, VD_WAIT_FOREVER));
    EXPECT_EQ(words_of(seen)[2], 7 + round);
  }
  {
    const api::Mapping own = map(x, VD_MAP_WRITE);
    api::Mapping second;
    EXPECT_EQ(vd_buffer_map(x, 0, 16, VD_MAP_READ | VD_MAP_SHARED, 0, second.out()), VD_ERR_STATE);
  }
  ASSERT_OK(vd_buffer_discard(x));
  words_of(shared)[0] = 5;  // the memory stays as long as the mapping
  EXPECT_EQ(words_of(shared)[0], 5u);
}

// A mapping waits for work in flight, or says that it would have to.
TEST_F(RegionTest, MappingsWaitForWorkInFlight) {
  const api::Buffer x = api::make_buffer(ctx, Words(1 << 20, 1), "x");
  const api::Plan plan = api::make_plan(ctx, api::mix_kernel());
  const api::Buffer y = api::make_buffer(ctx, Words(1 << 20, 0), "y");
  for (int i = 0; i < 10; ++i) {
    const api::Launch launch(1 << 20, {{x, 0, 0}, {y, 0, 0}}, 0);
    ASSERT_OK(vd_plan_launch(plan, &launch.desc, nullptr));
  }
  api::Mapping mapping;
  EXPECT_EQ(vd_buffer_map(x, 0, VD_WHOLE_SIZE, VD_MAP_READ | VD_MAP_NO_WAIT, 0, mapping.out()), VD_ERR_WOULD_BLOCK);
  EXPECT_EQ(mapping, nullptr);
  mapping = map(x, VD_MAP_READ);
  EXPECT_EQ(words_of(mapping)[(1 << 20) - 1], 59049u);
  // Nothing is in the way any more.
  api::Mapping again;
  EXPECT_OK(vd_buffer_map(x, 0, VD_WHOLE_SIZE, VD_MAP_READ | VD_MAP_NO_WAIT, 0, again.out()));
}

// Work that a queue of the host has until it is let go, and fails then if that is wanted.
class HeldWork {
 public:
  HeldWork(vd_context* ctx, vd_buffer* buffer, bool fails = false) : fails_(fails) {
    EXPECT_OK(vd_graph_create(ctx, nullptr, graph_.out()));
    EXPECT_OK(vd_graph_call(graph_, wait, this, nullptr, nullptr));
    EXPECT_OK(vd_graph_fill(graph_, buffer, 0, VD_WHOLE_SIZE, 3, nullptr));
    EXPECT_OK(vd_graph_submit(graph_, nullptr, nullptr));
  }
  HeldWork(const HeldWork&) = delete;
  ~HeldWork() { let_go(); }
  void let_go() { held_ = false; }

 private:
  static void wait(void* user) {
    const auto& work = *static_cast<HeldWork*>(user);
    while (work.held_) std::this_thread::yield();
    if (work.fails_) throw std::runtime_error("as the test wants");
  }
  const bool fails_;
  std::atomic<bool> held_{true};
  api::Graph graph_;
};

// A map that would have to wait does nothing: not for a moment is it in the way of other threads.
TEST_F(RegionTest, AMapThatMayNotWaitRefusesNoWork) {
  const api::Buffer x = api::make_buffer(ctx, 4096, "x");
  HeldWork held(ctx, x);
  std::atomic<bool> stop{false};
  std::atomic<int> maps{0};
  std::thread other([&] {
    for (; !stop; ++maps) {
      api::Mapping mapping;
      EXPECT_EQ(vd_buffer_map(x, 0, VD_WHOLE_SIZE, VD_MAP_READ | VD_MAP_NO_WAIT, 0, mapping.out()), VD_ERR_WOULD_BLOCK);
    }
  });
  int refused = 0;
  for (uint32_t i = 0; i < 100000 || maps < 1000; ++i)
    if (vd_buffer_fill(x, 0, 4096, i, 0, nullptr, nullptr) != VD_OK) ++refused;
  EXPECT_EQ(refused, 0);
  stop = true;
  other.join();
  held.let_go();
  ASSERT_OK(vd_context_wait_idle(ctx, 0, VD_WAIT_FOREVER));
}

// Work waits for a map that waits. A mapping that came of it refuses the work, and nothing else does.
TEST_F(RegionTest, WorkWaitsUntilAMapIsMade) {
  struct Case {
    vd_map_flags flags;
    bool fails;
    vd_status map, fill;
  };
  constexpr Case kCases[] = {{VD_MAP_READ, false, VD_OK, VD_ERR_STATE},
                             {VD_MAP_READ | VD_MAP_SHARED, false, VD_OK, VD_OK},
                             {VD_MAP_READ, true, VD_ERR_KERNEL, VD_OK}};
  for (const Case& c : kCases) {
    SCOPED_TRACE(&c - kCases);
    ctx = api::host_context();
    const api::Plan plan = api::make_plan(ctx, api::mix_kernel());
    const api::Buffer other = api::make_buffer(ctx, 64);
    const api::Buffer x = api::make_buffer(ctx, 64, "x");
    HeldWork held(ctx, x, c.fails);
    api::Mapping mapping;
    std::atomic<bool> filled{false};
    std::thread maps([&] { EXPECT_EQ(vd_buffer_map(x, 0, VD_WHOLE_SIZE, c.flags, 0, mapping.out()), c.map); });
    // A launch that may not wait tells that the map has begun to.
    vd_buffer* const buffers[] = {x, other};
    const uint32_t value = 1;
    while (vd_plan_try_launch(plan, nullptr, 0, 16, 1, 1, buffers, 2, &value, sizeof(value)) == VD_OK)
      std::this_thread::yield();
    std::thread fills([&] {
      EXPECT_EQ(vd_buffer_fill(x, 0, 64, 5, 0, nullptr, nullptr), c.fill);
      filled = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_FALSE(filled);
    held.let_go();
    maps.join();
    fills.join();
    vd_context_wait_idle(ctx, 0, VD_WAIT_FOREVER);
  }
}

}  // namespace
