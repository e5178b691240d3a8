// Fills with patterns and copies of elements with gaps as nodes of graphs: on every backend that is here. Their values are
// compared with loops over bytes.
#include <algorithm>
#include <numeric>

#include "api/shared_context.h"
#include "api/support.h"

namespace {

using testing::HasSubstr;
using Bytes = std::vector<uint8_t>;

class GraphTransfers : public testing::TestWithParam<vd_backend> {
 protected:
  static constexpr size_t kSize = 700;

  void SetUp() override {
    ctx = api::shared_context(GetParam());
    if (ctx == nullptr) GTEST_SKIP() << vd_last_error();
    ASSERT_OK(vd_graph_create(ctx, nullptr, graph.out()));
  }
  static Bytes numbers(size_t count = kSize) {
    Bytes bytes(count);
    for (size_t i = 0; i < count; ++i) bytes[i] = static_cast<uint8_t>(i * 7 + i / 256);
    return bytes;
  }
  static void fill(Bytes& bytes, size_t offset, size_t size, const Bytes& pattern) {
    for (size_t i = 0; i < size; ++i) bytes[offset + i] = pattern[i % pattern.size()];
  }
  vd_node record_fill(vd_buffer* buffer, uint64_t offset, uint64_t size, const Bytes& pattern) {
    vd_node node = 0;
    EXPECT_OK(vd_graph_fill_pattern(graph, buffer, offset, size, pattern.data(), static_cast<uint32_t>(pattern.size()),
                                    &node));
    return node;
  }
  void submit(uint32_t repeat = 1) {
    vd_submit_desc desc = VD_SUBMIT_DESC_INIT;
    desc.repeat = repeat;
    ASSERT_OK(vd_graph_submit(graph, &desc, nullptr));
  }
  vd_graph_info info() {
    vd_graph_info i = VD_GRAPH_INFO_INIT;
    EXPECT_OK(vd_graph_get_info(graph, &i));
    return i;
  }

  api::Context ctx;
  api::Graph graph;
};

TEST_P(GraphTransfers, FillsRepeatPatternsOfEverySize) {
  std::vector<api::Buffer> buffers;
  std::vector<Bytes> wanted;
  for (uint32_t size = 1; size <= 16; ++size) {
    Bytes pattern(size);
    std::iota(pattern.begin(), pattern.end(), static_cast<uint8_t>(size));
    // Whole words, pairs of bytes, single ones.
    for (const size_t offset : {4, 6, 9}) {
      wanted.push_back(numbers());
      buffers.push_back(api::make_buffer(ctx, wanted.back()));
      const size_t count = 4 * size * (offset == 4 ? 8 : 7) / (offset == 9 ? 4 : 1);
      record_fill(buffers.back(), offset, count, pattern);
      fill(wanted.back(), offset, count, pattern);
    }
  }
  submit();
  submit(2);
  for (size_t i = 0; i < buffers.size(); ++i)
    EXPECT_EQ(api::read<uint8_t>(buffers[i], kSize), wanted[i]) << "pattern of " << i / 3 + 1 << ", place " << i % 3;
}

TEST_P(GraphTransfers, AFillReachesOverMoreThanARow) {
  constexpr size_t kLarge = 3 * ((1 << 20) + 5);
  const api::Buffer buffer = api::make_buffer(ctx, 4 * kLarge);
  const Bytes pattern{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  record_fill(buffer, 0, 4 * kLarge, pattern);
  submit();
  Bytes wanted(4 * kLarge);
  fill(wanted, 0, wanted.size(), pattern);
  EXPECT_TRUE(api::read<uint8_t>(buffer, wanted.size()) == wanted);
}

TEST_P(GraphTransfers, StridedCopiesMoveTheirElementsAlone) {
  const Bytes from = numbers();
  const api::Buffer source = api::make_buffer(ctx, from), destination = api::make_buffer(ctx, Bytes(kSize));
  vd_strided_copy_desc desc = VD_STRIDED_COPY_DESC_INIT;
  desc.element_size = 6;
  desc.counts[0] = 5;
  desc.counts[1] = 7;
  desc.source_offset = 10;
  desc.source_strides[0] = 80;
  desc.source_strides[1] = 10;
  desc.destination_offset = 4;
  desc.destination_strides[0] = 6;
  desc.destination_strides[1] = 40;
  ASSERT_OK(vd_graph_copy_strided(graph, source, destination, &desc, nullptr));
  submit();
  submit(2);
  Bytes wanted(kSize);
  for (size_t i = 0; i < 5; ++i)
    for (size_t k = 0; k < 7; ++k)
      for (size_t b = 0; b < 6; ++b) wanted[4 + 6 * i + 40 * k + b] = from[10 + 80 * i + 10 * k + b];
  EXPECT_EQ(api::read<uint8_t>(destination, kSize), wanted);
}

// A fill, a copy of every other element, a fill of what was read: each after the one before, and beside them work on other bytes.
TEST_P(GraphTransfers, AreOrderedByTheBytesTheyAccess) {
  const api::Buffer a = api::make_buffer(ctx, Bytes(96)), b = api::make_buffer(ctx, Bytes(48));
  vd_strided_copy_desc desc = VD_STRIDED_COPY_DESC_INIT;
  desc.element_size = 3;
  desc.counts[0] = 8;
  desc.source_strides[0] = 6;
  desc.destination_strides[0] = 3;
  const vd_node first = record_fill(a, 0, 48, {1, 2, 3, 4, 5, 6});
  record_fill(a, 72, 24, {9, 8, 7});
  ASSERT_OK(vd_graph_copy_strided(graph, a, b, &desc, nullptr));
  EXPECT_EQ(info().level_count, 2u);
  EXPECT_EQ(info().edge_count, 1u);
  record_fill(a, 0, 12, {0, 6, 5});
  EXPECT_EQ(info().level_count, 3u);
  EXPECT_EQ(info().edge_count, 3u);
  EXPECT_EQ(info().node_count, 4u);
  for (int turn = 0; turn < 3; ++turn) {
    submit();
    EXPECT_EQ(api::read<uint8_t>(b, 9), (Bytes{1, 2, 3, 1, 2, 3, 1, 2, 3})) << turn;
    EXPECT_EQ(api::read<uint8_t>(a, 15), (Bytes{0, 6, 5, 0, 6, 5, 0, 6, 5, 0, 6, 5, 1, 2, 3})) << turn;
  }
  EXPECT_EQ(vd_graph_set_values(graph, first, 0, "x", 1), VD_ERR_INVALID);
  EXPECT_THAT(vd_last_error(), HasSubstr("node (0) is not a launch of this graph"));
}

TEST_P(GraphTransfers, TakeOtherBuffers) {
  const api::Buffer a = api::make_buffer(ctx, Bytes(48)), b = api::make_buffer(ctx, Bytes(48)),
                    c = api::make_buffer(ctx, Bytes(48)), d = api::make_buffer(ctx, Bytes(48));
  vd_strided_copy_desc desc = VD_STRIDED_COPY_DESC_INIT;
  desc.element_size = 4;
  desc.counts[0] = 3;
  desc.source_strides[0] = 8;
  desc.destination_strides[0] = 4;
  const vd_node filled = record_fill(a, 0, 24, {1, 2, 3, 4, 5, 6, 7, 8});
  vd_node copied = 0;
  ASSERT_OK(vd_graph_copy_strided(graph, a, b, &desc, &copied));
  submit(), submit();
  EXPECT_EQ(api::read<uint8_t>(b, 13), (Bytes{1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 0}));
  // Other bytes of another alignment, all of it in another buffer, and a hazard that goes.
  vd_binding binding = VD_BINDING_OF(c, 3, 24);
  ASSERT_OK(vd_graph_set_bindings(graph, filled, 0, &binding, 1));
  EXPECT_EQ(info().level_count, 1u);
  const vd_binding both[] = {VD_BINDING_OF(a, 4, VD_WHOLE_SIZE), VD_BINDING_OF(d, 8, 12)};
  ASSERT_OK(vd_graph_set_bindings(graph, copied, 0, both, 2));
  submit(), submit();
  EXPECT_EQ(api::read<uint8_t>(c, 13), (Bytes{0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 1, 2}));
  EXPECT_EQ(api::read<uint8_t>(d, 21), (Bytes{0, 0, 0, 0, 0, 0, 0, 0, 5, 6, 7, 8, 5, 6, 7, 8, 5, 6, 7, 8, 0}));
  binding = VD_BINDING_OF(c, 0, 23);
  EXPECT_FAILS(
      vd_graph_set_bindings(graph, filled, 0, &binding, 1), VD_ERR_INVALID,
      "vd_graph_set_bindings: argument 0 of the fill: size (23) is neither the node's (24) nor VD_WHOLE_SIZE.");
  binding = VD_BINDING_OF(c, 40, VD_WHOLE_SIZE);
  EXPECT_FAILS(vd_graph_set_bindings(graph, copied, 0, &binding, 1), VD_ERR_INVALID,
               "vd_graph_set_bindings: desc->source_offset (40) + size (20) is past the end of the buffer (48).");
  submit();
  EXPECT_EQ(api::read<uint8_t>(c, 4), (Bytes{0, 0, 0, 1}));
}

// A binding begins before a fill where the device wants it aligned. The bytes between are not the fill's.
TEST_P(GraphTransfers, LeaveBytesBesideThemAlone) {
  vd_buffer_desc desc = VD_BUFFER_DESC_INIT;
  desc.flags = VD_BUFFER_HOST;
  desc.size = 256;
  api::Buffer buffer;
  ASSERT_OK(vd_buffer_create(ctx, &desc, buffer.out()));
  record_fill(buffer, 8, 24, {1, 2, 3});
  record_fill(buffer, 37, 3, {4, 5, 6});
  EXPECT_EQ(info().level_count, 1u);
  for (int turn = 0; turn < 3; ++turn) {
    api::Mapping before, between;
    ASSERT_OK(vd_buffer_map(buffer, 0, 8, VD_MAP_WRITE, 0, before.out()));
    ASSERT_OK(vd_buffer_map(buffer, 32, 5, VD_MAP_WRITE, 0, between.out()));
    submit();
  }
  api::Mapping within;
  ASSERT_OK(vd_buffer_map(buffer, 31, 1, VD_MAP_WRITE, 0, within.out()));
  EXPECT_EQ(vd_graph_submit(graph, nullptr, nullptr), VD_ERR_STATE);
}

TEST_P(GraphTransfers, AreRefusedWhereTheyCannotBe) {
  const api::Buffer a = api::make_buffer(ctx, Bytes(48));
  const uint8_t pattern[17] = {};
  EXPECT_FAILS(vd_graph_fill_pattern(graph, a, 0, 48, pattern, 17, nullptr), VD_ERR_INVALID,
               "vd_graph_fill_pattern: pattern_size (17) is not 1 to 16.");
  EXPECT_FAILS(vd_graph_fill_pattern(graph, a, 0, 47, pattern, 3, nullptr), VD_ERR_INVALID,
               "vd_graph_fill_pattern: size (47) is not a multiple of pattern_size (3).");
  EXPECT_FAILS(vd_graph_fill_pattern(graph, a, 24, 36, pattern, 12, nullptr), VD_ERR_INVALID,
               "vd_graph_fill_pattern: offset (24) + size (36) is past the end of the buffer (48).");
  vd_strided_copy_desc desc = VD_STRIDED_COPY_DESC_INIT;
  EXPECT_FAILS(vd_graph_copy_strided(graph, a, a, &desc, nullptr), VD_ERR_INVALID,
               "vd_graph_copy_strided: desc->element_size (0) is zero.");
  const api::Context other = api::host_context();
  const api::Buffer foreign = api::make_buffer(other, Bytes(48));
  EXPECT_FAILS(vd_graph_fill_pattern(graph, foreign, 1, 3, pattern, 3, nullptr), VD_ERR_INVALID,
               "vd_graph_fill_pattern: graph and the buffer belong to different contexts.");
  EXPECT_EQ(info().node_count, 0u);
  EXPECT_OK(vd_graph_fill_pattern(graph, a, 48, 0, pattern, 3, nullptr));
  submit();
}

INSTANTIATE_TEST_SUITE_P(Backends, GraphTransfers, api::each_backend(), api::backend_name);

}  // namespace
