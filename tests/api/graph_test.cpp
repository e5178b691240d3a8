#include <atomic>
#include <chrono>
#include <numeric>
#include <random>
#include <thread>

#include "api/gate.h"
#include "api/support.h"

namespace {

using testing::HasSubstr;
using Words = std::vector<uint32_t>;

struct GraphTest : testing::Test {
  api::Context ctx = api::host_context();
  api::Kernel kernel = api::mix_kernel();
  api::Plan mix = api::make_plan(ctx, kernel);
  api::Graph graph = make_graph();

  api::Graph make_graph() {
    api::Graph g;
    EXPECT_OK(vd_graph_create(ctx, nullptr, g.out()));
    return g;
  }
  void dispatch(vd_graph* g, uint32_t invocations, vd_buffer* dst, vd_buffer* src, uint32_t c) {
    const api::Launch launch(invocations, {{dst, 0, 0}, {src, 0, 0}}, c);
    ASSERT_OK(vd_graph_launch(g, mix, &launch.desc, nullptr));
  }
  vd_graph_info info() {
    vd_graph_info i = VD_GRAPH_INFO_INIT;
    EXPECT_OK(vd_graph_get_info(graph, &i));
    return i;
  }
};

TEST_F(GraphTest, EmptyGraphIsNoError) {
  vd_ticket ticket = 7;
  EXPECT_OK(vd_graph_submit(graph, nullptr, &ticket));
  EXPECT_OK(vd_ticket_wait(ctx, ticket, VD_WAIT_FOREVER));
  EXPECT_EQ(info().node_count, 0u);
  EXPECT_EQ(info().level_count, 0u);
}

// One thread's read waits for a held kernel, and another one's submissions before long for that read.
TEST_F(GraphTest, IsNotRecordedWhileAnotherThreadSubmitsIt) {
  const api::Buffer word = api::make_buffer(ctx, Words{1});
  ASSERT_OK(vd_graph_fill(graph, word, 0, 4, 7, nullptr));
  api::Gate gate(ctx);
  ASSERT_TRUE(gate.works());
  std::atomic<bool> over{false};
  std::thread reader([&] { api::read<uint32_t>(word, 1); });
  std::thread submitter([&] {
    while (!over) {
      if (vd_graph_submit(graph, nullptr, nullptr) != VD_OK) {
        EXPECT_STREQ(vd_last_error(), "vd_graph_submit: graph is being recorded by another thread.");
      }
    }
  });
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  vd_status status = VD_OK;
  while (status == VD_OK && std::chrono::steady_clock::now() < deadline)
    status = vd_graph_set_label(graph, 0, "a fill");
  EXPECT_EQ(status, VD_ERR_STATE);
  EXPECT_STREQ(vd_last_error(), "vd_graph_set_label: graph is being submitted or read by another thread.");
  over = true;
  gate.open();
  reader.join();
  submitter.join();
  EXPECT_OK(vd_graph_set_label(graph, 0, "a fill"));
}

TEST_F(GraphTest, RunsInOrderAndAgain) {
  const api::Buffer a = api::make_buffer(ctx, Words{1, 1}), b = api::make_buffer(ctx, Words{2, 2});
  uint32_t node = 9;
  dispatch(graph, 2, a, b, 0);  // a = 3a + b
  ASSERT_OK(vd_graph_copy(graph, a, 0, b, 4, 4, &node));
  EXPECT_EQ(node, 1u);
  ASSERT_OK(vd_graph_fill(graph, a, 0, 4, 7, &node));
  EXPECT_EQ(node, 2u);
  EXPECT_EQ(info().node_count, 3u);
  EXPECT_EQ(info().level_count, 3u);
  vd_submit_desc desc = VD_SUBMIT_DESC_INIT;
  desc.repeat = 2;
  vd_ticket ticket = 0;
  ASSERT_OK(vd_graph_submit(graph, &desc, &ticket));
  // First: a = {5, 5}, b = {2, 5}, a = {7, 5}; then a = {23, 20}, b = {2, 23}, a = {7, 20}.
  EXPECT_EQ(api::read<uint32_t>(a, 2), (Words{7, 20}));
  EXPECT_EQ(api::read<uint32_t>(b, 2), (Words{2, 23}));
  // Recorded further after a submit, and submitted again.
  ASSERT_OK(vd_graph_fill(graph, b, 0, 8, 1, nullptr));
  ASSERT_OK(vd_graph_submit(graph, nullptr, nullptr));
  EXPECT_EQ(api::read<uint32_t>(b, 2), (Words{1, 1}));
  ASSERT_OK(vd_graph_reset(graph));
  EXPECT_EQ(info().node_count, 0u);
  ASSERT_OK(vd_graph_submit(graph, nullptr, nullptr));
  EXPECT_EQ(api::read<uint32_t>(b, 2), (Words{1, 1}));
}

TEST_F(GraphTest, IndependentNodesShareALevel) {
  const api::Buffer a = api::make_buffer(ctx, 64), b = api::make_buffer(ctx, 64), c = api::make_buffer(ctx, 64);
  dispatch(graph, 1, a, c, 0);
  dispatch(graph, 1, b, c, 0);
  EXPECT_EQ(info().level_count, 1u);
  ASSERT_OK(vd_graph_fill(graph, c, 0, 4, 0, nullptr));  // after both, which read it
  EXPECT_EQ(info().level_count, 2u);
}

TEST_F(GraphTest, SnapshotsWhatIsRecorded) {
  const api::Buffer a = api::make_buffer(ctx, Words{0});
  // Reset, record and submit again, hundreds of times without waiting.
  const api::Buffer sum = api::make_buffer(ctx, Words{0});
  uint32_t expected = 0;
  for (uint32_t i = 0; i < 200; ++i) {
    ASSERT_OK(vd_graph_reset(graph));
    ASSERT_OK(vd_graph_fill(graph, a, 0, 4, i, nullptr));
    dispatch(graph, 1, sum, a, 1);
    ASSERT_OK(vd_graph_submit(graph, nullptr, nullptr));
    expected = expected * 3 + i + 1;
  }
  EXPECT_EQ(api::read<uint32_t>(sum, 1), Words{expected});
}

TEST_F(GraphTest, RecordsByLaunchNow) {
  const api::Buffer a = api::make_buffer(ctx, Words{1}), b = api::make_buffer(ctx, Words{1});
  vd_buffer* buffers[] = {a, b};
  uint32_t c = 1;
  ASSERT_OK(vd_plan_try_launch(mix, graph, 0, 1, 1, 1, buffers, 2, &c, 4));
  c = 100;  // copied
  EXPECT_EQ(api::read<uint32_t>(a, 1), Words{1});
  ASSERT_OK(vd_graph_submit(graph, nullptr, nullptr));
  EXPECT_EQ(api::read<uint32_t>(a, 1), Words{5});
}

TEST_F(GraphTest, WrongArguments) {
  const api::Buffer a = api::make_buffer(ctx, 64, "a"), b = api::make_buffer(ctx, 64, "b");
  const api::Context other = api::host_context();
  const api::Buffer foreign = api::make_buffer(other, 64, "f"), foreign2 = api::make_buffer(other, 64, "g");
  EXPECT_EQ(vd_graph_copy(graph, foreign, 0, foreign2, 0, 4, nullptr), VD_ERR_INVALID);
  EXPECT_STREQ(vd_last_error(), "vd_graph_copy: graph and buffer \"f\" belong to different contexts.");
  EXPECT_EQ(vd_graph_fill(graph, foreign, 0, 4, 0, nullptr), VD_ERR_INVALID);
  EXPECT_FAILS(vd_graph_copy(graph, a, 64, b, 0, 4, nullptr), VD_ERR_INVALID,
               "vd_graph_copy: source_offset (64) + size (4) is past the end of buffer \"a\" (64).");
  EXPECT_FAILS(vd_graph_fill(graph, a, 1, 4, 0, nullptr), VD_ERR_INVALID,
               "vd_graph_fill: offset (1) is not a multiple of 4.");
  vd_submit_desc desc = VD_SUBMIT_DESC_INIT;
  desc.queue = 5;
  EXPECT_FAILS(vd_graph_submit(graph, &desc, nullptr), VD_ERR_INVALID,
               "vd_graph_submit: desc->queue (5) is not below the context's queues (1).");
  desc.queue = 0;
  vd_order_desc order = VD_ORDER_DESC_INIT;
  desc.order = &order;
  order.stream = 1;
  EXPECT_EQ(vd_graph_submit(graph, &desc, nullptr), VD_ERR_UNSUPPORTED);
  order.stream = 0;
  order.wait_count = 1;
  EXPECT_FAILS(vd_graph_submit(graph, &desc, nullptr), VD_ERR_INVALID,
               "vd_graph_submit: desc->order->waits is NULL with 1 entries.");
  const vd_ticket alien = 0xFF00000000000001;
  order.waits = &alien;
  EXPECT_EQ(vd_graph_submit(graph, &desc, nullptr), VD_ERR_INVALID);
  EXPECT_THAT(vd_last_error(),
              HasSubstr("vd_graph_submit: desc->order->waits[0] (0xff00000000000001) belongs to another context"));
  order = VD_ORDER_DESC_INIT;
  order.signal_semaphore_count = 2;
  EXPECT_FAILS(vd_graph_submit(graph, &desc, nullptr), VD_ERR_INVALID,
               "vd_graph_submit: desc->order->signal_semaphores is NULL with 2 entries.");
  const vd_semaphore_point points[2] = {{nullptr, 5, 0}, {nullptr, 0, 0}};
  order.signal_semaphores = points;
  EXPECT_FAILS(vd_graph_submit(graph, &desc, nullptr), VD_ERR_INVALID,
               "vd_graph_submit: desc->order->signal_semaphores[0].semaphore is NULL.");
  EXPECT_EQ(info().node_count, 0u);
}

TEST_F(GraphTest, DiscardedBufferStopsASubmitUntilReset) {
  const api::Buffer a = api::make_buffer(ctx, 64, "a"), b = api::make_buffer(ctx, Words(16, 0), "b");
  ASSERT_OK(vd_graph_copy(graph, a, 0, b, 0, 4, nullptr));
  ASSERT_OK(vd_buffer_discard(a));
  EXPECT_EQ(vd_graph_submit(graph, nullptr, nullptr), VD_ERR_STATE);
  EXPECT_THAT(vd_last_error(), HasSubstr("buffer \"a\""));
  ASSERT_OK(vd_graph_reset(graph));
  ASSERT_OK(vd_graph_fill(graph, b, 0, 4, 3, nullptr));
  ASSERT_OK(vd_graph_submit(graph, nullptr, nullptr));
  EXPECT_EQ(api::read<uint32_t>(b, 1), Words{3});
}

TEST_F(GraphTest, KeepsWhatItRecorded) {
  api::Buffer a = api::make_buffer(ctx, Words{1}), b = api::make_buffer(ctx, Words{2});
  const api::Buffer c = api::make_buffer(ctx, Words{0});
  dispatch(graph, 1, a, b, 0);
  ASSERT_OK(vd_graph_copy(graph, a, 0, c, 0, 4, nullptr));
  a = api::Buffer(), b = api::Buffer(), mix = api::Plan(), kernel = api::Kernel();
  ASSERT_OK(vd_graph_submit(graph, nullptr, nullptr));
  graph = api::Graph();
  EXPECT_EQ(api::read<uint32_t>(c, 1), Words{5});
}

// Random graphs on two queues beside the same work done one piece after the other.
TEST(Graphs, RandomAgainstSerial) {
  const api::Context ctx = api::host_context(0, 2);
  const api::Kernel kernel = api::mix_kernel();
  const api::Plan mix = api::make_plan(ctx, kernel);
  constexpr uint32_t kWords = 64, kBuffers = 4;
  for (uint32_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    const auto any = [&](uint32_t below) { return static_cast<uint32_t>(random() % below); };
    std::vector<api::Buffer> buffers;
    std::vector<Words> expected;
    for (uint32_t i = 0; i < kBuffers; ++i) {
      Words words(kWords);
      std::iota(words.begin(), words.end(), 100 * i);
      buffers.push_back(api::make_buffer(ctx, words));
      expected.push_back(std::move(words));
    }
    for (int round = 0; round < 8; ++round) {
      api::Graph graph;
      ASSERT_OK(vd_graph_create(ctx, nullptr, graph.out()));
      for (uint32_t nodes = any(20); nodes != 0; --nodes) {
        const uint32_t a = any(kBuffers), b = any(kBuffers), at = any(kWords), from = any(kWords);
        const uint32_t n = 1 + any(kWords - std::max(at, from)), c = any(1000);
        uint32_t* dst = expected[a].data() + at;
        const uint32_t* src = expected[b].data() + from;
        switch (a == b ? 0 : any(3)) {
          case 0:
            std::fill(dst, dst + n, c);
            ASSERT_OK(vd_graph_fill(graph, buffers[a], 4 * at, 4 * n, c, nullptr));
            break;
          case 1:
            std::copy(src, src + n, dst);
            ASSERT_OK(vd_graph_copy(graph, buffers[b], 4 * from, buffers[a], 4 * at, 4 * n, nullptr));
            break;
          default:
            for (uint32_t i = 0; i < n; ++i) dst[i] = dst[i] * 3 + src[i] + c;
            const api::Launch launch(n, {{buffers[a], 4 * at, 4 * n}, {buffers[b], 4 * from, 4 * n}}, c);
            ASSERT_OK(vd_graph_launch(graph, mix, &launch.desc, nullptr));
        }
      }
      vd_submit_desc desc = VD_SUBMIT_DESC_INIT;
      desc.queue = any(2);
      ASSERT_OK(vd_graph_submit(graph, &desc, nullptr));
    }
    for (uint32_t i = 0; i < kBuffers; ++i) {
      ASSERT_EQ(api::read<uint32_t>(buffers[i], kWords, any(2)), expected[i]) << "buffer " << i;
    }
  }
}

TEST_F(GraphTest, ValuesChangeBetweenSubmits) {
  const api::Buffer a = api::make_buffer(ctx, Words{1}), b = api::make_buffer(ctx, Words{2});
  dispatch(graph, 1, a, b, 5);
  ASSERT_OK(vd_graph_submit(graph, nullptr, nullptr));  // 3 + 2 + 5
  const uint32_t c = 100;
  ASSERT_OK(vd_graph_set_values(graph, 0, 0, &c, sizeof(c)));
  ASSERT_OK(vd_graph_submit(graph, nullptr, nullptr));  // 30 + 2 + 100
  EXPECT_EQ(api::read<uint32_t>(a, 1), Words{132});
  ASSERT_OK(vd_graph_fill(graph, b, 0, 4, 0, nullptr));
  EXPECT_FAILS(vd_graph_set_values(graph, 1, 0, &c, 4), VD_ERR_INVALID,
               "vd_graph_set_values: node (1) is not a launch of this graph (2 nodes).");
  EXPECT_FAILS(vd_graph_set_values(graph, 0, 1, &c, 4), VD_ERR_INVALID,
               "vd_graph_set_values: offset (1) + size (4) is past the end of the values of \"mix\" (4).");
}

TEST(Graphs, ThreadsRecordAndSubmitTheirOwn) {
  const api::Context ctx = api::host_context(0, 2);
  const api::Kernel kernel = api::mix_kernel();
  std::vector<std::thread> threads;
  for (uint32_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      const api::Plan mix = api::make_plan(ctx, kernel);
      const api::Buffer a = api::make_buffer(ctx, Words{t}), b = api::make_buffer(ctx, Words{1});
      api::Graph graph;
      ASSERT_OK(vd_graph_create(ctx, nullptr, graph.out()));
      uint32_t expected = t;
      for (int i = 0; i < 40; ++i) {
        ASSERT_OK(vd_graph_reset(graph));
        const api::Launch launch(1, {{a, 0, 0}, {b, 0, 0}}, t);
        ASSERT_OK(vd_graph_launch(graph, mix, &launch.desc, nullptr));
        vd_submit_desc desc = VD_SUBMIT_DESC_INIT;
        desc.queue = t % 2;
        vd_ticket ticket = 0;
        ASSERT_OK(vd_graph_submit(graph, &desc, &ticket));
        expected = expected * 3 + 1 + t;
        if (i % 7 == 0) {
          ASSERT_OK(vd_ticket_wait(ctx, ticket, VD_WAIT_FOREVER));
        }
      }
      ASSERT_EQ(api::read<uint32_t>(a, 1, t % 2), Words{expected});
    });
  }
  for (auto& thread : threads) thread.join();
}

}  // namespace
