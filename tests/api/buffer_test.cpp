#include <numeric>
#include <thread>

#include "api/support.h"

namespace {

using Words = std::vector<uint32_t>;

struct BufferTest : testing::Test {
  api::Context ctx = api::host_context();
};

TEST_F(BufferTest, WritesAndReads) {
  const api::Buffer x = api::make_buffer(ctx, 300, "x");
  std::vector<uint8_t> data(300), got(300);
  std::iota(data.begin(), data.end(), uint8_t{0});
  ASSERT_OK(vd_buffer_write(x, 0, data.data(), 300, 0));
  ASSERT_OK(vd_buffer_read(x, 0, 300, 0, got.data()));
  EXPECT_EQ(got, data);
  const uint8_t some[3] = {9, 8, 7};
  ASSERT_OK(vd_buffer_write(x, 297, some, 3, VD_QUEUE_ALL));
  ASSERT_OK(vd_buffer_read(x, 297, 3, 0, got.data()));
  EXPECT_EQ(got[0], 9);
  EXPECT_EQ(got[2], 7);
  EXPECT_OK(vd_buffer_write(x, 300, nullptr, 0, 0));
  EXPECT_OK(vd_buffer_read(x, 300, 0, 0, nullptr));
}

TEST_F(BufferTest, MessagesNameArgumentValueAndLimit) {
  const api::Buffer x = api::make_buffer(ctx, 300, "x"), nameless = api::make_buffer(ctx, 8);
  uint8_t data[64] = {};
  EXPECT_FAILS(vd_buffer_write(x, 256, data, 64, 0), VD_ERR_INVALID,
               "vd_buffer_write: offset (256) + size (64) is past the end of buffer \"x\" (300).");
  EXPECT_FAILS(vd_buffer_read(nameless, 9, 0, 0, data), VD_ERR_INVALID,
               "vd_buffer_read: offset (9) + size (0) is past the end of the buffer (8).");
  EXPECT_FAILS(vd_buffer_read(x, 301, VD_WHOLE_SIZE, 0, data), VD_ERR_INVALID,
               "vd_buffer_read: offset (301) is past the end of buffer \"x\" (300).");
  EXPECT_EQ(vd_buffer_write(x, ~uint64_t{0}, data, 2, 0), VD_ERR_INVALID);  // their sum wraps around
  EXPECT_FAILS(vd_buffer_write(x, 0, data, 1, 3), VD_ERR_INVALID,
               "vd_buffer_write: queue (3) is not below the context's queues (1).");
  EXPECT_EQ(vd_buffer_read(x, 0, 1, VD_QUEUE_ALL, data), VD_ERR_INVALID);
  EXPECT_FAILS(vd_buffer_write(x, 0, nullptr, 5, 0), VD_ERR_INVALID, "vd_buffer_write: data is NULL with 5 bytes.");
}

TEST_F(BufferTest, SizesOutOfRange) {
  vd_buffer_desc desc = VD_BUFFER_DESC_INIT;
  api::Buffer buffer;
  EXPECT_FAILS(vd_buffer_create(ctx, &desc, buffer.out()), VD_ERR_INVALID, "vd_buffer_create: desc->size (0) is zero.");
  desc.size = ~uint64_t{0};
  const vd_status status = vd_buffer_create(ctx, &desc, buffer.out());
  EXPECT_TRUE(status == VD_ERR_INVALID || status == VD_ERR_OUT_OF_MEMORY) << vd_last_error();
  desc.size = 16;
  desc.device = 2;
  EXPECT_FAILS(vd_buffer_create(ctx, &desc, buffer.out()), VD_ERR_INVALID,
               "vd_buffer_create: desc->device (2) is not below the context's devices (1).");
}

TEST_F(BufferTest, ShapesFitTheBytes) {
  vd_buffer_desc desc = VD_BUFFER_DESC_INIT;
  api::Buffer buffer;
  desc.size = 16;
  desc.shape[0] = 100;
  EXPECT_FAILS(vd_buffer_create(ctx, &desc, buffer.out()), VD_ERR_INVALID,
               "vd_buffer_create: desc->shape[0] (100) makes more elements than desc->size (16) has bytes.");
  desc.shape[0] = 4, desc.shape[1] = uint64_t{1} << 62;  // their product wraps around
  EXPECT_EQ(vd_buffer_create(ctx, &desc, buffer.out()), VD_ERR_INVALID);
  desc.shape[1] = 4;
  EXPECT_OK(vd_buffer_create(ctx, &desc, buffer.out()));
  desc.shape[2] = 2;
  EXPECT_EQ(vd_buffer_create(ctx, &desc, buffer.out()), VD_ERR_INVALID);
}

TEST_F(BufferTest, InfoAndMemoryInUse) {
  vd_buffer_desc desc = VD_BUFFER_DESC_INIT;
  desc.size = 96;
  desc.flags = VD_BUFFER_HOST;
  desc.shape[0] = 4, desc.shape[1] = 6;
  api::Buffer buffer, part;
  ASSERT_OK(vd_buffer_create(ctx, &desc, buffer.out()));
  vd_buffer_info info = VD_BUFFER_INFO_INIT;
  ASSERT_OK(vd_buffer_get_info(buffer, &info));
  EXPECT_EQ(info.size, 96u);
  EXPECT_EQ(info.flags, static_cast<vd_buffer_flags>(VD_BUFFER_HOST));
  EXPECT_EQ(info.shape[1], 6u);
  ASSERT_OK(vd_buffer_slice(buffer, 32, VD_WHOLE_SIZE, part.out()));
  ASSERT_OK(vd_buffer_get_info(part, &info));
  EXPECT_EQ(info.size, 64u);
  EXPECT_EQ(info.offset, 32u);
  EXPECT_EQ(info.shape[0], 0u);
  vd_context_info held = VD_CONTEXT_INFO_INIT;
  ASSERT_OK(vd_context_get_info(ctx, &held));
  EXPECT_EQ(held.memory_in_use, 96u);
  buffer = api::Buffer();
  part = api::Buffer();
  ASSERT_OK(vd_context_get_info(ctx, &held));
  EXPECT_EQ(held.memory_in_use, 0u);
}

// A checked context keeps a record of what was written; fetched bytes are there all the same.
TEST_F(BufferTest, FetchesInACheckedContext) {
  ctx = api::host_context(VD_CONTEXT_CHECKED);
  const api::Buffer x = api::make_buffer(ctx, Words{1, 2, 3, 4}, "x");
  api::Blob blob;
  vd_ticket ticket = 0;
  ASSERT_OK(vd_buffer_fetch(x, 4, 8, 0, nullptr, blob.out(), &ticket));
  ASSERT_OK(vd_ticket_wait(ctx, ticket, VD_WAIT_FOREVER));
  uint64_t size = 0;
  const auto* words = static_cast<const uint32_t*>(vd_blob_data(blob, &size));
  ASSERT_NE(words, nullptr) << vd_last_error();
  EXPECT_EQ(size, 8u);
  EXPECT_EQ(words[0], 2u);
  EXPECT_EQ(words[1], 3u);
}

// Copies, fills and fetches wait for tickets, as launches do.
TEST_F(BufferTest, TransfersComeAfterTickets) {
  ctx = api::host_context(0, 2);
  const api::Buffer x = api::make_buffer(ctx, Words{1, 2, 3, 4}, "x"), y = api::make_buffer(ctx, Words(4, 0)),
                    other = api::make_buffer(ctx, 64);
  vd_ticket fill = 0, ticket = 0;
  vd_order_desc order = VD_ORDER_DESC_INIT;
  order.waits = &fill, order.wait_count = 1;
  api::Blob blob;
  const auto each = [&](uint64_t size) {
    EXPECT_OK(vd_buffer_fill(other, 0, 64, 3, 1, nullptr, &fill));
    EXPECT_OK(vd_buffer_copy(x, 0, y, 0, size, 0, &order, &ticket));
    EXPECT_OK(vd_ticket_wait(ctx, ticket, VD_WAIT_FOREVER));
    EXPECT_OK(vd_ticket_wait(ctx, fill, 0));
    EXPECT_OK(vd_buffer_fill(y, 0, size, 7, 0, &order, &ticket));
    EXPECT_OK(vd_buffer_fetch(y, 0, size, 0, &order, blob.out(), &ticket));
    EXPECT_OK(vd_ticket_wait(ctx, ticket, VD_WAIT_FOREVER));
  };
  each(8);
  EXPECT_EQ(api::read<uint32_t>(y, 4), (Words{7, 7, 0, 0}));
  each(0);
  const vd_ticket alien = 0xFF00000000000001;
  order.waits = &alien;
  EXPECT_EQ(vd_buffer_copy(x, 0, y, 0, 8, 0, &order, nullptr), VD_ERR_INVALID);
  EXPECT_EQ(vd_buffer_fill(x, 0, 8, 0, 0, &order, nullptr), VD_ERR_INVALID);
  EXPECT_EQ(vd_buffer_fetch(x, 0, 8, 0, &order, blob.out(), nullptr), VD_ERR_INVALID);
  order.waits = nullptr;
  EXPECT_FAILS(vd_buffer_copy(x, 0, y, 0, 8, 0, &order, nullptr), VD_ERR_INVALID,
               "vd_buffer_copy: order->waits is NULL with 1 entries.");
}

// 0 is empty and VD_WHOLE_SIZE is to the end, in every call.
TEST_F(BufferTest, SizesMeanTheSameInEveryCall) {
  const api::Buffer x = api::make_buffer(ctx, Words{1, 2, 3, 4}, "x"),
                    y = api::make_buffer(ctx, Words{5, 6, 7, 8}, "y");
  uint32_t words[4] = {9, 9, 9, 9};
  ASSERT_OK(vd_buffer_read(x, 8, VD_WHOLE_SIZE, 0, words));
  EXPECT_THAT(words, testing::ElementsAre(3, 4, 9, 9));
  ASSERT_OK(vd_buffer_read(x, 16, VD_WHOLE_SIZE, 0, nullptr)) << "nothing is left behind the end";
  ASSERT_OK(vd_buffer_copy(x, 4, y, 0, VD_WHOLE_SIZE, 0, nullptr, nullptr));
  EXPECT_EQ(api::read<uint32_t>(y, 4), (Words{2, 3, 4, 8}));
  ASSERT_OK(vd_buffer_fill(y, 4, VD_WHOLE_SIZE, 7, 0, nullptr, nullptr));
  EXPECT_EQ(api::read<uint32_t>(y, 4), (Words{2, 7, 7, 7}));
  const uint32_t two[2] = {10, 11};
  ASSERT_OK(vd_buffer_write(y, 8, two, VD_WHOLE_SIZE, 0));
  EXPECT_EQ(api::read<uint32_t>(y, 4), (Words{2, 7, 10, 11}));
  api::Blob blob;
  vd_ticket ticket = 0;
  ASSERT_OK(vd_buffer_fetch(y, 12, VD_WHOLE_SIZE, 0, nullptr, blob.out(), &ticket));
  ASSERT_OK(vd_ticket_wait(ctx, ticket, VD_WAIT_FOREVER));
  uint64_t size = 0;
  EXPECT_EQ(*static_cast<const uint32_t*>(vd_blob_data(blob, &size)), 11u);
  EXPECT_EQ(size, 4u);
  ASSERT_OK(vd_buffer_copy(x, 4, y, 0, 0, 0, nullptr, nullptr));
  ASSERT_OK(vd_buffer_fill(y, 4, 0, 1, 0, nullptr, nullptr));
  ASSERT_OK(vd_buffer_write(y, 0, nullptr, 0, 0));
  EXPECT_EQ(api::read<uint32_t>(y, 4), (Words{2, 7, 10, 11}));
  EXPECT_FAILS(vd_buffer_read(x, 20, VD_WHOLE_SIZE, 0, words), VD_ERR_INVALID,
               "vd_buffer_read: offset (20) is past the end of buffer \"x\" (16).");
  EXPECT_EQ(vd_buffer_copy(x, 0, y, 4, VD_WHOLE_SIZE, 0, nullptr, nullptr), VD_ERR_INVALID);
  api::Graph graph;
  ASSERT_OK(vd_graph_create(ctx, nullptr, graph.out()));
  ASSERT_OK(vd_graph_fill(graph, y, 0, VD_WHOLE_SIZE, 1, nullptr));
  ASSERT_OK(vd_graph_copy(graph, x, 8, y, 0, VD_WHOLE_SIZE, nullptr));
  ASSERT_OK(vd_graph_fill(graph, y, 0, 0, 5, nullptr));
  ASSERT_OK(vd_graph_submit(graph, nullptr, nullptr));
  EXPECT_EQ(api::read<uint32_t>(y, 4), (Words{3, 4, 1, 1}));
}

TEST_F(BufferTest, SlicesAreTheSameMemory) {
  const api::Buffer whole = api::make_buffer(ctx, Words{0, 1, 2, 3, 4, 5, 6, 7}, "w");
  api::Buffer part, inner;
  ASSERT_OK(vd_buffer_slice(whole, 16, 16, part.out()));
  EXPECT_EQ(api::read<uint32_t>(part, 4), (Words{4, 5, 6, 7}));
  const uint32_t nine = 9;
  ASSERT_OK(vd_buffer_write(part, 4, &nine, 4, 0));
  EXPECT_EQ(api::read<uint32_t>(whole, 8), (Words{0, 1, 2, 3, 4, 9, 6, 7}));
  // At any byte; who needs more says so.
  ASSERT_OK(vd_buffer_slice(part, 2, 8, inner.out()));
  EXPECT_FAILS(vd_buffer_fill(inner, 0, 4, 0, 0, nullptr, nullptr), VD_ERR_INVALID,
               "vd_buffer_fill: offset (0) in a slice from byte 18 on is not a multiple of 4.");
  ASSERT_OK(vd_buffer_fill(inner, 2, 4, 0x01010101, 0, nullptr, nullptr));
  EXPECT_EQ(api::read<uint32_t>(whole, 8), (Words{0, 1, 2, 3, 4, 0x01010101, 6, 7}));
  const api::Plan plan = api::make_plan(ctx, api::mix_kernel());
  const api::Launch launch(1, {{inner, 0, 4}, {whole, 0, 4}}, 0);
  EXPECT_FAILS(
      vd_plan_launch(plan, &launch.desc, nullptr), VD_ERR_INVALID,
      "vd_plan_launch: argument 0 (\"dst\") of \"mix\": offset (0) in a slice from byte 18 on is not a multiple "
      "of 4.");
  EXPECT_FAILS(vd_buffer_slice(part, 16, 16, inner.out()), VD_ERR_INVALID,
               "vd_buffer_slice: offset (16) + size (16) is past the end of buffer \"w\" (16).");
  EXPECT_FAILS(vd_buffer_slice(part, 0, 0, inner.out()), VD_ERR_INVALID,
               "vd_buffer_slice: size (0) is zero; VD_WHOLE_SIZE is to the end of buffer \"w\".");
  EXPECT_FAILS(vd_buffer_slice(part, 16, VD_WHOLE_SIZE, inner.out()), VD_ERR_INVALID,
               "vd_buffer_slice: offset (16) is the end of buffer \"w\", so the slice is empty.");
  EXPECT_EQ(vd_buffer_slice(part, 32, VD_WHOLE_SIZE, inner.out()), VD_ERR_INVALID);
}

TEST_F(BufferTest, CopiesAndFills) {
  const api::Buffer a = api::make_buffer(ctx, Words{1, 2, 3, 4}), b = api::make_buffer(ctx, Words{0, 0, 0, 0});
  vd_ticket ticket = 0;
  ASSERT_OK(vd_buffer_copy(a, 4, b, 0, 8, 0, nullptr, &ticket));
  ASSERT_OK(vd_buffer_copy(b, 0, b, 8, 4, 0, nullptr, nullptr));
  ASSERT_OK(vd_buffer_fill(b, 12, 4, 77, 0, nullptr, nullptr));
  EXPECT_OK(vd_ticket_wait(ctx, ticket, VD_WAIT_FOREVER));
  EXPECT_EQ(api::read<uint32_t>(b, 4), (Words{2, 3, 2, 77}));
  EXPECT_OK(vd_buffer_copy(a, 0, b, 16, 0, 0, nullptr, &ticket));
  EXPECT_OK(vd_buffer_fill(a, 0, 0, 0, 0, nullptr, &ticket));
  EXPECT_FAILS(vd_buffer_copy(b, 0, b, 4, 8, 0, nullptr, nullptr), VD_ERR_INVALID,
               "vd_buffer_copy: source bytes 0 to 8 and destination bytes 4 to 12 of the buffer overlap.");
  EXPECT_FAILS(vd_buffer_copy(a, 0, b, 12, 8, 0, nullptr, nullptr), VD_ERR_INVALID,
               "vd_buffer_copy: destination_offset (12) + size (8) is past the end of the buffer (16).");
  EXPECT_FAILS(vd_buffer_fill(b, 2, 4, 0, 0, nullptr, nullptr), VD_ERR_INVALID,
               "vd_buffer_fill: offset (2) is not a multiple of 4.");
  EXPECT_FAILS(vd_buffer_fill(b, 0, 3, 0, 0, nullptr, nullptr), VD_ERR_INVALID,
               "vd_buffer_fill: size (3) is not a multiple of 4.");
  const api::Context other = api::host_context();
  const api::Buffer foreign = api::make_buffer(other, 16, "f");
  EXPECT_FAILS(vd_buffer_copy(a, 0, foreign, 0, 4, 0, nullptr, nullptr), VD_ERR_INVALID,
               "vd_buffer_copy: source (the buffer) and destination (buffer \"f\") belong to different contexts.");
}

TEST_F(BufferTest, DiscardedBuffersSaySo) {
  const api::Buffer x = api::make_buffer(ctx, 64, "x"), y = api::make_buffer(ctx, 64, "y");
  api::Buffer part;
  ASSERT_OK(vd_buffer_slice(x, 0, 16, part.out()));
  ASSERT_OK(vd_buffer_discard(x));
  ASSERT_OK(vd_buffer_discard(x));
  uint32_t word = 0;
  const char* const kMessage = "was discarded";
  for (vd_buffer* buffer : {static_cast<vd_buffer*>(x), static_cast<vd_buffer*>(part)}) {
    EXPECT_EQ(vd_buffer_write(buffer, 0, &word, 4, 0), VD_ERR_STATE);
    EXPECT_EQ(vd_buffer_read(buffer, 0, 4, 0, &word), VD_ERR_STATE);
    EXPECT_EQ(vd_buffer_fill(buffer, 0, 4, 0, 0, nullptr, nullptr), VD_ERR_STATE);
    EXPECT_EQ(vd_buffer_copy(buffer, 0, y, 0, 4, 0, nullptr, nullptr), VD_ERR_STATE);
    EXPECT_EQ(vd_buffer_copy(y, 0, buffer, 0, 4, 0, nullptr, nullptr), VD_ERR_STATE);
    EXPECT_THAT(vd_last_error(), testing::HasSubstr(kMessage));
    uint64_t handle, offset;
    EXPECT_EQ(vd_buffer_get_native(buffer, "address", 0, &handle, &offset), VD_ERR_STATE);
    vd_buffer_info info = VD_BUFFER_INFO_INIT;
    ASSERT_OK(vd_buffer_get_info(buffer, &info));
    EXPECT_EQ(info.discarded, 1u);
  }
  vd_context_info held = VD_CONTEXT_INFO_INIT;
  ASSERT_OK(vd_context_get_info(ctx, &held));
  EXPECT_EQ(held.memory_in_use, 64u);
}

TEST_F(BufferTest, NativeAddressOfTheHost) {
  const api::Buffer x = api::make_buffer(ctx, Words{5, 6, 7, 8, 9});
  api::Buffer part;
  ASSERT_OK(vd_buffer_slice(x, 16, 4, part.out()));
  ASSERT_OK(vd_context_wait_idle(ctx, 0, VD_WAIT_FOREVER));
  uint64_t handle = 0, offset = 0;
  ASSERT_OK(vd_buffer_get_native(part, "address", 0, &handle, &offset));
  EXPECT_EQ(offset, 16u);
  uint32_t word = 0;
  std::memcpy(&word, reinterpret_cast<const char*>(handle) + offset, 4);
  EXPECT_EQ(word, 9u);
  EXPECT_EQ(vd_buffer_get_native(part, "VkBuffer", 0, &handle, &offset), VD_ERR_UNSUPPORTED);
}

TEST_F(BufferTest, ReplicasForEachQueue) {
  ctx = api::host_context(0, 2);
  vd_buffer_desc desc = VD_BUFFER_DESC_INIT;
  desc.size = 4;
  desc.flags = VD_BUFFER_PER_QUEUE;
  const uint32_t one = 1, two = 2;
  desc.data = &one;
  api::Buffer buffer;
  ASSERT_OK(vd_buffer_create(ctx, &desc, buffer.out()));
  ASSERT_OK(vd_buffer_write(buffer, 0, &two, 4, 1));
  EXPECT_EQ(api::read<uint32_t>(buffer, 1, 0), Words{1});
  EXPECT_EQ(api::read<uint32_t>(buffer, 1, 1), Words{2});
  ASSERT_OK(vd_buffer_write(buffer, 0, &two, 4, VD_QUEUE_ALL));
  EXPECT_EQ(api::read<uint32_t>(buffer, 1, 0), Words{2});
  uint64_t first = 0, second = 0, offset = 0;
  ASSERT_OK(vd_buffer_get_native(buffer, "address", 0, &first, &offset));
  ASSERT_OK(vd_buffer_get_native(buffer, "address", 1, &second, &offset));
  EXPECT_NE(first, second);
  EXPECT_EQ(vd_buffer_get_native(buffer, "address", 2, &second, &offset), VD_ERR_INVALID);
}

TEST_F(BufferTest, LargeTransfersCrossPieces) {
  Words data((80 << 20) / 4);
  std::iota(data.begin(), data.end(), 0u);
  const api::Buffer x = api::make_buffer(ctx, data.size() * 4);
  ASSERT_OK(vd_buffer_write(x, 0, data.data(), data.size() * 4, 0));
  EXPECT_TRUE(api::read<uint32_t>(x, data.size()) == data);
}

// Writers and readers of one buffer: a read sees each write whole.
TEST_F(BufferTest, ThreadsSeeWholeWrites) {
  const api::Buffer x = api::make_buffer(ctx, Words(64, 0));
  std::vector<std::thread> threads;
  for (uint32_t t = 1; t <= 2; ++t) {
    threads.emplace_back([&, t] {
      const Words data(64, t);
      for (int i = 0; i < 100; ++i) ASSERT_OK(vd_buffer_write(x, 0, data.data(), 256, 0));
    });
    threads.emplace_back([&] {
      for (int i = 0; i < 100; ++i) {
        const Words got = api::read<uint32_t>(x, 64);
        for (const uint32_t word : got) ASSERT_EQ(word, got[0]);
      }
    });
  }
  for (auto& thread : threads) thread.join();
}

}  // namespace
