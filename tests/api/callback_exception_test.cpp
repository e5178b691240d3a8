// Callbacks that throw: no exception passes the library, on whatever thread, and somebody is told.
#include <pthread.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "api/support.h"
#include "support/log_receiver.h"

namespace api {
namespace {

using testing::Contains;
using testing::HasSubstr;

class CallbackExceptions : public testing::TestWithParam<vd_backend> {
 protected:
  void SetUp() override {
    ctx_ = open_context(GetParam());
    if (ctx_ == nullptr) GTEST_SKIP() << vd_last_error();
    receiver_.emplace(
        [](const vd_log_message* message, void* user) {
          auto& test = *static_cast<CallbackExceptions*>(user);
          const std::lock_guard lock(test.mutex_);
          if (message->level == VD_LOG_ERROR) test.errors_.push_back(message->text);
        },
        this);
  }
  void TearDown() override {
    ctx_ = {};
    receiver_.reset();
  }
  // Once all callbacks of the context have returned.
  std::vector<std::string> errors() {
    ctx_ = {};
    const std::lock_guard lock(mutex_);
    return errors_;
  }
  Graph calling(vd_graph_fn callback, vd_free_fn user_free = nullptr) {
    Graph graph;
    EXPECT_OK(vd_graph_create(ctx_, nullptr, graph.out()));
    EXPECT_OK(vd_graph_call(graph, callback, nullptr, user_free, nullptr));
    return graph;
  }

  Context ctx_;

 private:
  std::optional<vd::test::LogReceiver> receiver_;
  std::mutex mutex_;
  std::vector<std::string> errors_;
};

constexpr char kMessage[] = "the callback of vd_graph_call threw an exception: no more milk";
void throwing(void*) { throw std::runtime_error("no more milk"); }

TEST_P(CallbackExceptions, OfAGraphsCallIsTheWorks) {
  const Graph graph = calling(throwing);
  vd_ticket ticket = 0;
  ASSERT_OK(vd_graph_submit(graph, nullptr, &ticket));
  EXPECT_EQ(vd_ticket_wait(ctx_, ticket, VD_WAIT_FOREVER), VD_ERR_KERNEL);
  EXPECT_THAT(vd_last_error(), HasSubstr(kMessage));
  // Later work is none of it.
  const Graph other = calling([](void*) {});
  ASSERT_OK(vd_graph_submit(other, nullptr, &ticket));
  EXPECT_OK(vd_ticket_wait(ctx_, ticket, VD_WAIT_FOREVER));
}

TEST_P(CallbackExceptions, OfAGraphsCallIsToldToWhoeverWaitsNext) {
  const Graph graph = calling([](void*) { throw 7; });
  const char* const message = "the callback of vd_graph_call threw an exception of a type of its own";
  const Buffer buffer = make_buffer(ctx_, std::vector<uint32_t>{1, 2});
  uint32_t word = 0;
  ASSERT_OK(vd_graph_submit(graph, nullptr, nullptr));
  EXPECT_EQ(vd_context_wait_idle(ctx_, VD_QUEUE_ALL, VD_WAIT_FOREVER), VD_ERR_KERNEL);
  EXPECT_THAT(vd_last_error(), HasSubstr(message));
  EXPECT_OK(vd_context_wait_idle(ctx_, VD_QUEUE_ALL, VD_WAIT_FOREVER));
  ASSERT_OK(vd_graph_submit(graph, nullptr, nullptr));
  ASSERT_OK(vd_buffer_write(buffer, 0, &word, 4, 0));  // which the read waits for
  EXPECT_EQ(vd_buffer_read(buffer, 0, 4, 0, &word), VD_ERR_KERNEL);
  EXPECT_THAT(vd_last_error(), HasSubstr(message));
  EXPECT_OK(vd_buffer_read(buffer, 0, 4, 0, &word));
}

// Whatever the library itself waits for behind the call.
TEST_P(CallbackExceptions, OfAGraphsCallIsLeftToTheProgram) {
  const Graph failing = calling(throwing);
  static std::atomic<int> calls;
  calls = 0;
  const Graph other = calling([](void*) { ++calls; });
  vd_ticket later = 0;
  ASSERT_OK(vd_graph_submit(failing, nullptr, nullptr));
  ASSERT_OK(vd_graph_submit(other, nullptr, &later));
  EXPECT_EQ(vd_ticket_wait(ctx_, later, VD_WAIT_FOREVER), VD_ERR_KERNEL);
  EXPECT_EQ(calls, 1);

  alignas(64) static uint32_t words[16];
  static std::atomic<bool> freed;
  freed = false;
  vd_buffer_import_desc desc = VD_BUFFER_IMPORT_DESC_INIT;
  desc.kind = VD_MEMORY_KIND_HOST;
  desc.handle = reinterpret_cast<uintptr_t>(words);
  desc.size = sizeof(words);
  desc.release = [](void*) { freed = true; };
  Buffer buffer;
  if (vd_buffer_import(ctx_, &desc, buffer.out()) == VD_ERR_UNSUPPORTED) return;
  ASSERT_OK(vd_graph_submit(failing, nullptr, nullptr));
  ASSERT_OK(vd_buffer_fill(buffer, 0, 64, 1, 0, nullptr, nullptr));
  buffer = {};
  while (!freed) std::this_thread::yield();
  EXPECT_EQ(vd_context_wait_idle(ctx_, 0, VD_WAIT_FOREVER), VD_ERR_KERNEL);
}

TEST_P(CallbackExceptions, OfAGraphsCallIsOfItsOwnTicketBehindReads) {
  const Buffer buffer = make_buffer(ctx_, std::vector<uint32_t>{1, 2});
  uint32_t word = 0;
  for (int i = 0; i < 3; ++i) ASSERT_OK(vd_buffer_read(buffer, 0, 4, 0, &word));
  const Graph graph = calling(throwing);
  vd_ticket ticket = 0;
  ASSERT_OK(vd_graph_submit(graph, nullptr, &ticket));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(vd_ticket_wait(ctx_, ticket, VD_WAIT_FOREVER), VD_ERR_KERNEL);
}

TEST_P(CallbackExceptions, OfAGraphsCallIsNotOfAWriteBehindIt) {
  vd_buffer_desc desc = VD_BUFFER_DESC_INIT;
  desc.size = 64;
  desc.flags = VD_BUFFER_HOST;
  Buffer buffer;
  ASSERT_OK(vd_buffer_create(ctx_, &desc, buffer.out()));
  const Graph graph = calling(throwing);
  vd_ticket call = 0, write = 0;
  ASSERT_OK(vd_graph_submit(graph, nullptr, &call));
  EXPECT_EQ(vd_ticket_wait(ctx_, call, VD_WAIT_FOREVER), VD_ERR_KERNEL);
  const uint32_t word = 7;
  ASSERT_OK(vd_buffer_send(buffer, 0, &word, 4, 0, nullptr, &write));
  for (int i = 0; i < 2; ++i) EXPECT_OK(vd_ticket_wait(ctx_, write, VD_WAIT_FOREVER));
}

TEST_P(CallbackExceptions, OfAGraphsCallIsToldToANotification) {
  Graph graph = calling(throwing);
  vd_ticket ticket = 0;
  ASSERT_OK(vd_graph_submit(graph, nullptr, &ticket));
  struct Told {
    vd_status status = VD_OK;
    std::string message;
  } told;
  const auto note = [](vd_status status, const char* message, void* user) {
    *static_cast<Told*>(user) = {status, message};
  };
  ASSERT_OK(vd_ticket_notify(ctx_, ticket, note, &told));
  graph = {};
  (void)errors();  // it was called by then
  EXPECT_EQ(told.status, VD_ERR_KERNEL);
  EXPECT_THAT(told.message, HasSubstr(kMessage));
}

TEST_P(CallbackExceptions, OfANotificationIsLogged) {
  const auto note = [](vd_status, const char*, void*) { throw std::bad_alloc(); };
  ASSERT_OK(vd_ticket_notify(ctx_, 0, note, nullptr));
  EXPECT_THAT(errors(), Contains(HasSubstr("the callback of vd_ticket_notify threw an exception: std::bad_alloc")));
}

TEST_P(CallbackExceptions, OfWhatFreesIsLogged) {
  (void)calling([](void*) {}, throwing);
  EXPECT_THAT(errors(), Contains("user_free of vd_graph_call threw an exception: no more milk"));
}

TEST_P(CallbackExceptions, OfTheOwnerOfMemoryIsLogged) {
  alignas(64) static uint32_t words[16];
  vd_buffer_import_desc desc = VD_BUFFER_IMPORT_DESC_INIT;
  desc.kind = VD_MEMORY_KIND_HOST;
  desc.handle = reinterpret_cast<uintptr_t>(words);
  desc.size = sizeof(words);
  desc.release = throwing;
  {
    Buffer buffer;
    const vd_status status = vd_buffer_import(ctx_, &desc, buffer.out());
    if (status == VD_ERR_UNSUPPORTED) GTEST_SKIP() << vd_last_error();
    ASSERT_OK(status);
  }
  EXPECT_THAT(errors(), Contains("the release of imported memory threw an exception: no more milk"));
}

INSTANTIATE_TEST_SUITE_P(All, CallbackExceptions, each_backend(), backend_name);

// As Python's interpreter does with threads that call into it at its end.
TEST(CallbackDeathTest, ACallbackThatEndsItsThreadEndsNoProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto run = [] {
    static std::atomic<bool> told{false};
    const vd::test::LogReceiver receiver([](const vd_log_message* message, void*) {
      if (std::string(message->text).find("ended its thread") != std::string::npos) told = true;
    });
    alignas(64) static uint32_t words[16];
    vd_buffer_import_desc desc = VD_BUFFER_IMPORT_DESC_INIT;
    desc.kind = VD_MEMORY_KIND_HOST;
    desc.handle = reinterpret_cast<uintptr_t>(words);
    desc.size = sizeof(words);
    desc.release = [](void*) { pthread_exit(nullptr); };
    auto* ctx = new Context(host_context());
    vd_buffer* buffer = nullptr;
    if (vd_buffer_import(*ctx, &desc, &buffer) != VD_OK) std::exit(1);
    vd_buffer_release(buffer);
    while (!told) std::this_thread::yield();
    std::exit(3);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(3), "");
}

TEST(LogExceptions, GoToTheOtherReceivers) {
  std::vector<std::string> texts;
  const vd::test::LogReceiver receiver(
      [](const vd_log_message* message, void* user) {
        static_cast<std::vector<std::string>*>(user)->push_back(message->text);
      },
      &texts);
  vd_log_receiver number = 0;
  ASSERT_OK(vd_log_add(
      VD_LOG_ERROR, [](const vd_log_message*, void*) { throw std::runtime_error("no more ink"); }, nullptr, throwing,
      &number));
  ASSERT_OK(vd_log_write(VD_LOG_ERROR, "a message"));
  EXPECT_THAT(texts, Contains("a message"));
  EXPECT_THAT(texts, Contains("a log receiver threw an exception: no more ink"));
  ASSERT_OK(vd_log_remove(number));
  EXPECT_THAT(texts, Contains("user_free of vd_log_add threw an exception: no more milk"));
}

}  // namespace
}  // namespace api
