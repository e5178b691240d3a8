// Failures of work that several callers could be told of: none is lost.
#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "api/support.h"
#include "support/log_receiver.h"

namespace api {
namespace {

using testing::HasSubstr;

class LostFailuresOn : public testing::Test {
 protected:
  void open(vd_backend backend) {
    ctx_ = open_context(backend);
    if (ctx_ == nullptr) GTEST_SKIP() << vd_last_error();
    buffer_ = make_buffer(ctx_, std::vector<uint32_t>(16, 1));
  }
  void TearDown() override {
    buffer_ = {};
    ctx_ = {};
  }
  // A call that throws that text, with commands behind it.
  vd_ticket fail_in_graph(const char* text, uint32_t repeat = 1) {
    Graph graph;
    EXPECT_OK(vd_graph_create(ctx_, nullptr, graph.out()));
    EXPECT_OK(vd_graph_call(graph, throw_text, const_cast<char*>(text), nullptr, nullptr));
    EXPECT_OK(vd_graph_fill(graph, buffer_, 0, 64, 0, nullptr));
    vd_submit_desc desc = VD_SUBMIT_DESC_INIT;
    desc.repeat = repeat;
    vd_ticket ticket = 0;
    EXPECT_OK(vd_graph_submit(graph, &desc, &ticket));
    return ticket;
  }
  void expect_failure(vd_status status, const char* text) {
    EXPECT_EQ(status, VD_ERR_KERNEL);
    EXPECT_THAT(vd_last_error(), HasSubstr(text));
  }
  vd_status wait_idle() { return vd_context_wait_idle(ctx_, VD_QUEUE_ALL, VD_WAIT_FOREVER); }
  static void throw_text(void* text) { throw std::runtime_error(static_cast<const char*>(text)); }

  Context ctx_;
  Buffer buffer_;
};

class LostFailures : public LostFailuresOn, public testing::WithParamInterface<vd_backend> {
 protected:
  void SetUp() override { open(GetParam()); }
};

TEST_P(LostFailures, AGraphsTicketReportsItEachTime) {
  const vd_ticket ticket = fail_in_graph("no more milk");
  for (int i = 0; i < 3; ++i) expect_failure(vd_ticket_wait(ctx_, ticket, VD_WAIT_FOREVER), "milk");
  EXPECT_OK(wait_idle());
  uint32_t word = 0;
  const vd_ticket others[2] = {fail_in_graph("no more tea"), fail_in_graph("no more ink", 3)};
  expect_failure(wait_idle(), "tea");
  for (int i = 0; i < 3; ++i) expect_failure(vd_buffer_read(buffer_, 0, 4, 0, &word), "ink");
  EXPECT_OK(vd_buffer_read(buffer_, 0, 4, 0, &word));
  for (int i = 0; i < 2; ++i) {
    expect_failure(vd_ticket_wait(ctx_, others[1], VD_WAIT_FOREVER), "ink");
    expect_failure(vd_ticket_wait(ctx_, others[0], VD_WAIT_FOREVER), "tea");
    expect_failure(vd_ticket_wait(ctx_, ticket, VD_WAIT_FOREVER), "milk");
    EXPECT_OK(wait_idle());
  }
}

TEST_P(LostFailures, AProfileReportsOneAndLeavesTheOthers) {
  Profile profile;
  ASSERT_OK(vd_profile_create(ctx_, nullptr, profile.out()));
  const vd_ticket first = fail_in_graph("no more milk"), second = fail_in_graph("no more tea");
  expect_failure(vd_profile_stop(profile, VD_WAIT_FOREVER), "milk");
  EXPECT_OK(vd_profile_stop(profile, VD_WAIT_FOREVER));
  expect_failure(wait_idle(), "tea");
  EXPECT_OK(wait_idle());
  expect_failure(vd_ticket_wait(ctx_, first, VD_WAIT_FOREVER), "milk");
  expect_failure(vd_ticket_wait(ctx_, second, VD_WAIT_FOREVER), "tea");
}

TEST_P(LostFailures, OfManyTickets) {
  Graph graph;
  ASSERT_OK(vd_graph_create(ctx_, nullptr, graph.out()));
  ASSERT_OK(vd_graph_call(graph, throw_text, const_cast<char*>("no more milk"), nullptr, nullptr));
  std::vector<vd_ticket> tickets(300);
  for (vd_ticket& ticket : tickets) ASSERT_OK(vd_graph_submit(graph, nullptr, &ticket));
  vd_bool done = 0;
  while (done == 0) ASSERT_OK(vd_ticket_is_done(ctx_, tickets.back(), &done));
  for (const vd_ticket ticket : tickets)
    ASSERT_EQ(vd_ticket_wait(ctx_, ticket, VD_WAIT_FOREVER), VD_ERR_KERNEL) << ticket;
}

INSTANTIATE_TEST_SUITE_P(All, LostFailures, each_backend(), backend_name);

class HostLostFailures : public LostFailuresOn {
 protected:
  void SetUp() override { open(VD_BACKEND_HOST); }
};

// The host alone: queries of lavapipe wait for all of its work, also for what is held here.
TEST_F(HostLostFailures, AProfileThatRanOutOfTimeTakesNone) {
  Profile profile;
  ASSERT_OK(vd_profile_create(ctx_, nullptr, profile.out()));
  const vd_ticket ticket = fail_in_graph("no more milk");
  static std::atomic<bool> released;
  released = false;
  const auto held = [](void*) {
    while (!released) std::this_thread::yield();
  };
  Graph graph;
  ASSERT_OK(vd_graph_create(ctx_, nullptr, graph.out()));
  ASSERT_OK(vd_graph_call(graph, held, nullptr, nullptr, nullptr));
  ASSERT_OK(vd_graph_fill(graph, buffer_, 0, 64, 0, nullptr));
  ASSERT_OK(vd_graph_submit(graph, nullptr, nullptr));
  vd_bool done = 0;
  while (done == 0) ASSERT_OK(vd_ticket_is_done(ctx_, ticket, &done));
  EXPECT_EQ(vd_profile_stop(profile, 0), VD_TIMEOUT);
  profile = {};
  released = true;
  expect_failure(wait_idle(), "milk");
  EXPECT_OK(wait_idle());
}

TEST_P(LostFailures, WorkOfNothingHasNone) {
  const vd_ticket failed = fail_in_graph("no more milk");
  Graph empty;
  ASSERT_OK(vd_graph_create(ctx_, nullptr, empty.out()));
  vd_ticket early = 0, late = 0, sent = 0;
  ASSERT_OK(vd_graph_submit(empty, nullptr, &early));
  expect_failure(vd_ticket_wait(ctx_, failed, VD_WAIT_FOREVER), "milk");
  ASSERT_OK(vd_graph_submit(empty, nullptr, &late));
  ASSERT_OK(vd_buffer_send(buffer_, 0, "", 0, 0, nullptr, &sent));
  for (const vd_ticket ticket : {early, late, sent}) EXPECT_OK(vd_ticket_wait(ctx_, ticket, VD_WAIT_FOREVER));
}

// Lists that are done are read before the profile's end where there are many.
TEST_P(LostFailures, ALongProfileReportsThoseOfWhatItRecordedFirst) {
  Profile profile;
  ASSERT_OK(vd_profile_create(ctx_, nullptr, profile.out()));
  const vd_ticket failed = fail_in_graph("no more milk");
  expect_failure(vd_ticket_wait(ctx_, failed, VD_WAIT_FOREVER), "milk");
  for (int i = 0; i < 600; ++i) ASSERT_OK(vd_buffer_fill(buffer_, 0, 64, 1, 0, nullptr, nullptr));
  expect_failure(vd_profile_stop(profile, VD_WAIT_FOREVER), "milk");
  EXPECT_OK(wait_idle());
}

TEST_P(LostFailures, AreLeftToWaitsByTheEndOfAProfile) {
  Profile profile;
  ASSERT_OK(vd_profile_create(ctx_, nullptr, profile.out()));
  fail_in_graph("no more milk");
  fail_in_graph("no more tea");
  ASSERT_OK(vd_profile_end(profile, VD_WAIT_FOREVER));
  vd_profile_info info = VD_PROFILE_INFO_INIT;
  ASSERT_OK(vd_profile_get_info(profile, &info));
  EXPECT_EQ(info.stopped, 1);
  EXPECT_OK(vd_profile_stop(profile, VD_WAIT_FOREVER));
  for (const char* text : {"milk", "tea"}) expect_failure(wait_idle(), text);
  EXPECT_OK(wait_idle());
}

TEST_P(LostFailures, AreLoggedWhenTheContextEnds) {
  std::string logged;
  const vd::test::LogReceiver receiver(
      [](const vd_log_message* message, void* user) { *static_cast<std::string*>(user) += message->text; }, &logged);
  for (const char* text : {"no more milk", "no more tea", "no more ink"}) fail_in_graph(text);
  buffer_ = {};
  ctx_ = {};
  for (const char* text : {"milk", "tea", "ink"}) EXPECT_THAT(logged, HasSubstr(text));
}

// A kernel's failure, where commands behind it are submitted on their own.
TEST_F(HostLostFailures, AKernelsIsOfItsGraphsTicket) {
  const Context ctx = host_context(VD_CONTEXT_CHECKED);
  const Plan plan = make_plan(ctx, mix_kernel());
  const Buffer a = make_buffer(ctx, std::vector<uint32_t>(16, 1)), b = make_buffer(ctx, std::vector<uint32_t>(8, 1));
  Launch outside{16, {{a, 0, 0}, {b, 0, 0}}, 0};
  Graph graph;
  ASSERT_OK(vd_graph_create(ctx, nullptr, graph.out()));
  ASSERT_OK(vd_graph_launch(graph, plan, &outside.desc, nullptr));
  ASSERT_OK(vd_graph_call(
      graph, [](void*) {}, nullptr, nullptr, nullptr));
  ASSERT_OK(vd_graph_fill(graph, a, 0, 64, 0, nullptr));
  vd_ticket ticket = 0;
  ASSERT_OK(vd_graph_submit(graph, nullptr, &ticket));
  for (int i = 0; i < 2; ++i) EXPECT_EQ(vd_ticket_wait(ctx, ticket, VD_WAIT_FOREVER), VD_ERR_KERNEL);
  EXPECT_OK(vd_context_wait_idle(ctx, 0, VD_WAIT_FOREVER));
}

TEST_F(HostLostFailures, OfEachQueueIsReported) {
  const Context ctx = host_context(0, 2);
  const auto fail_on = [&](uint32_t queue, vd_graph_fn callback) {
    Graph graph;
    EXPECT_OK(vd_graph_create(ctx, nullptr, graph.out()));
    EXPECT_OK(vd_graph_call(graph, callback, nullptr, nullptr, nullptr));
    vd_submit_desc desc = VD_SUBMIT_DESC_INIT;
    desc.queue = queue;
    EXPECT_OK(vd_graph_submit(graph, &desc, nullptr));
  };
  fail_on(0, [](void*) { throw std::runtime_error("no more milk"); });
  fail_on(1, [](void*) { throw std::runtime_error("no more tea"); });
  for (const char* text : {"milk", "tea"}) {
    EXPECT_EQ(vd_context_wait_idle(ctx, VD_QUEUE_ALL, VD_WAIT_FOREVER), VD_ERR_KERNEL);
    EXPECT_THAT(vd_last_error(), HasSubstr(text));
  }
  EXPECT_OK(vd_context_wait_idle(ctx, VD_QUEUE_ALL, VD_WAIT_FOREVER));
}

}  // namespace
}  // namespace api
