// Calls back when work is done, bytes that are fetched, and work that is given behind a kernel which does not end: on
// every backend that is here.
#include <dirent.h>

#include <fstream>
#include <memory>
#include <numeric>

#include "api/gate.h"
#include "api/shared_context.h"

namespace {

using testing::HasSubstr;

class EachBackend : public testing::TestWithParam<vd_backend> {
 protected:
  void SetUp() override {
    ctx_ = api::shared_context(GetParam());
    if (ctx_ == nullptr) GTEST_SKIP() << vd_last_error();
  }
  // For tests that close it.
  void open_own_context() { ctx_ = api::open_context(GetParam()); }
  api::Buffer words(uint32_t first, uint32_t count) {
    std::vector<uint32_t> values(count);
    std::iota(values.begin(), values.end(), first);
    return api::make_buffer(ctx_, values);
  }
  vd_ticket fill(vd_buffer* buffer, uint32_t pattern) {
    vd_buffer_info info = VD_BUFFER_INFO_INIT;
    EXPECT_OK(vd_buffer_get_info(buffer, &info));
    vd_ticket ticket = 0;
    EXPECT_OK(vd_buffer_fill(buffer, 0, info.size, pattern, 0, nullptr, &ticket));
    return ticket;
  }
  static std::vector<uint32_t> words_of(const vd_blob* blob) {
    uint64_t size = 0;
    const void* data = vd_blob_data(blob, &size);
    EXPECT_NE(data, nullptr) << vd_last_error();
    std::vector<uint32_t> values(size / 4);
    if (data != nullptr) std::memcpy(values.data(), data, size);
    return values;
  }

  api::Context ctx_;
};

// ---- Calls back

class Notify : public EachBackend {};

TEST_P(Notify, ComesOnceAndOnAnotherThread) {
  open_own_context();
  const api::Buffer buffer = words(0, 1000);
  api::Calls calls;
  const vd_ticket ticket = fill(buffer, 7);
  ASSERT_OK(vd_ticket_notify(ctx_, ticket, api::Calls::receive, &calls));
  calls.wait(1);
  // Again, now that it is done for certain; and what was done from the start.
  ASSERT_OK(vd_ticket_notify(ctx_, ticket, api::Calls::receive, &calls));
  ASSERT_OK(vd_ticket_notify(ctx_, 0, api::Calls::receive, &calls));
  for (const api::Calls::Call& call : calls.wait(3)) {
    EXPECT_EQ(call.status, VD_OK);
    EXPECT_EQ(call.message, "");
    EXPECT_NE(call.thread, std::this_thread::get_id());
  }
  ctx_ = api::Context();
  EXPECT_EQ(calls.count(), 3u);
}

TEST_P(Notify, ComesWhenTheWorkIsDoneAndNotBefore) {
  const api::Buffer buffer = words(0, 1000);
  api::Gate gate(ctx_);
  if (!gate.works()) GTEST_SKIP() << "no kernel of this device can be held";
  api::Calls calls, at_once;
  const vd_ticket ticket = fill(buffer, 7);
  ASSERT_OK(vd_ticket_notify(ctx_, ticket, api::Calls::receive, &calls));
  ASSERT_OK(vd_ticket_notify(ctx_, 0, api::Calls::receive, &at_once));  // held up by nothing
  EXPECT_EQ(at_once.wait(1)[0].status, VD_OK);
  EXPECT_EQ(vd_ticket_wait(ctx_, ticket, 100'000'000), VD_TIMEOUT);
  EXPECT_EQ(calls.count(), 0u);
  gate.open();
  EXPECT_EQ(calls.wait(1)[0].status, VD_OK);
  EXPECT_OK(vd_ticket_wait(ctx_, ticket, 0));
}

size_t thread_count() {
  size_t count = 0;
  DIR* folder = opendir("/proc/self/task");
  if (folder == nullptr) return 0;
  while (const dirent* entry = readdir(folder)) count += entry->d_name[0] != '.' ? 1 : 0;
  closedir(folder);
  return count;
}

// Nanoseconds of a processor that threads of this name have had.
uint64_t run_time(const std::string& name) {
  uint64_t sum = 0;
  DIR* folder = opendir("/proc/self/task");
  if (folder == nullptr) return 0;
  while (const dirent* entry = readdir(folder)) {
    const std::string path = std::string("/proc/self/task/") + entry->d_name;
    std::string comm;
    uint64_t nanoseconds = 0;
    if (std::getline(std::ifstream(path + "/comm"), comm) && comm == name &&
        std::ifstream(path + "/schedstat") >> nanoseconds)
      sum += nanoseconds;
  }
  closedir(folder);
  return sum;
}

TEST_P(Notify, ManyNeedFewThreadsAndLittleTime) {
  open_own_context();
  constexpr size_t kThreads = 4, kEach = 2500;
  const api::Buffer buffer = words(0, 64);
  {
    api::Gate first(ctx_);
    if (!first.works()) GTEST_SKIP() << "no kernel of this device can be held";
  }
  ASSERT_OK(vd_context_wait_idle(ctx_, 0, VD_WAIT_FOREVER));  // the threads that run kernels have begun
  api::Gate gate(ctx_);
  std::vector<vd_ticket> tickets;
  for (uint32_t i = 0; i < 20; ++i) tickets.push_back(fill(buffer, i));
  std::vector<std::atomic<uint32_t>> counts(kThreads * kEach);
  const auto count = [](vd_status status, const char*, void* user) {
    if (status == VD_OK) ++*static_cast<std::atomic<uint32_t>*>(user);
  };
  const size_t before = thread_count();
  std::vector<std::thread> threads;
  for (size_t t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      for (size_t i = 0; i < kEach; ++i)
        EXPECT_OK(vd_ticket_notify(ctx_, tickets[i * 7 % tickets.size()], count, &counts[t * kEach + i]));
    });
  for (auto& thread : threads) thread.join();
  EXPECT_LE(thread_count(), before + 2);
  // Idle, once it has come to rest.
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  const uint64_t start = run_time("vd-notify");
  std::this_thread::sleep_for(std::chrono::seconds(1));
  EXPECT_LT(run_time("vd-notify") - start, 100'000'000u)
      << "more than a tenth of a processor: it looks without sleeping";
  for (const auto& n : counts) ASSERT_EQ(n, 0u);
  gate.open();
  api::Calls last;
  ASSERT_OK(vd_ticket_notify(ctx_, tickets.back(), api::Calls::receive, &last));
  last.wait(1);
  ctx_ = api::Context();
  size_t wrong = 0;
  for (const auto& n : counts) wrong += n != 1 ? 1 : 0;
  EXPECT_EQ(wrong, 0u) << "calls that did not come once";
}

TEST_P(Notify, MistakesAreRefused) {
  open_own_context();
  vd_context_desc desc = VD_CONTEXT_DESC_INIT;
  desc.backend = GetParam();
  desc.flags = VD_CONTEXT_USE_CPU;
  api::Context other;
  ASSERT_OK(vd_context_create(&desc, other.out()));
  const api::Buffer buffer = words(0, 16);
  const vd_ticket ticket = fill(buffer, 1);
  api::Calls calls;
  EXPECT_FAILS(vd_ticket_notify(ctx_, ticket, nullptr, &calls), VD_ERR_INVALID, "vd_ticket_notify: callback is NULL.");
  EXPECT_FAILS(vd_ticket_notify(nullptr, ticket, api::Calls::receive, &calls), VD_ERR_INVALID,
               "vd_ticket_notify: ctx is NULL.");
  EXPECT_EQ(vd_ticket_notify(other, ticket, api::Calls::receive, &calls), VD_ERR_INVALID);
  EXPECT_THAT(vd_last_error(), HasSubstr("belongs to another context"));
  EXPECT_EQ(vd_ticket_notify(ctx_, ticket + 100, api::Calls::receive, &calls), VD_ERR_INVALID);
  EXPECT_THAT(vd_last_error(), HasSubstr("is not from this context"));
  other = api::Context();
  ctx_ = api::Context();
  EXPECT_EQ(calls.count(), 0u);
}

struct Refused {
  vd_context* ctx;
  vd_buffer* buffer;
  vd_ticket ticket;
  std::vector<vd_status> statuses;
  std::string message;
  api::Calls done;
};

TEST_P(Notify, NothingOfTheLibraryIsCalledInACall) {
  const api::Buffer buffer = words(0, 16);
  Refused all{ctx_, buffer, fill(buffer, 1), {}, {}, {}};
  const auto call = [](vd_status, const char*, void* user) {
    auto& r = *static_cast<Refused*>(user);
    uint32_t word = 0;
    r.statuses = {vd_ticket_wait(r.ctx, r.ticket, VD_WAIT_FOREVER),
                  vd_context_wait_idle(r.ctx, 0, VD_WAIT_FOREVER),
                  vd_buffer_read(r.buffer, 0, 4, 0, &word),
                  vd_buffer_write(r.buffer, 0, &word, 4, 0),
                  vd_buffer_fill(r.buffer, 0, 4, 1, 0, nullptr, nullptr),
                  vd_ticket_notify(r.ctx, r.ticket, api::Calls::receive, &r.done)};
    vd_blob* blob = nullptr;
    r.statuses.push_back(vd_buffer_fetch(r.buffer, 0, 4, 0, nullptr, &blob, nullptr));
    r.message = vd_last_error();
    api::Calls::receive(VD_OK, "", &r.done);
  };
  ASSERT_OK(vd_ticket_notify(ctx_, all.ticket, call, &all));
  all.done.wait(1);
  EXPECT_THAT(all.statuses, testing::Each(VD_ERR_STATE));
  EXPECT_EQ(
      all.message,
      "vd_buffer_fetch: the calling thread is in a callback of the library (vd_ticket_notify, vd_graph_call), which "
      "must call nothing of it.");
  EXPECT_OK(vd_ticket_wait(ctx_, all.ticket, VD_WAIT_FOREVER));
}

// Releases inside the call are not delayed, nor are notifications that wait for them.
TEST_P(Notify, ACallMayReleaseTheLastOfAContext) {
  const uint64_t before = vd_live_objects();
  struct Held {
    api::Context ctx;
    api::Buffer buffer;
    api::Calls done;
  } held;
  vd_context_desc desc = VD_CONTEXT_DESC_INIT;
  desc.backend = GetParam();
  desc.flags = VD_CONTEXT_USE_CPU;
  ASSERT_OK(vd_context_create(&desc, held.ctx.out()));
  held.buffer = api::make_buffer(held.ctx, 64);
  vd_ticket ticket = 0;
  ASSERT_OK(vd_buffer_fill(held.buffer, 0, 64, 1, 0, nullptr, &ticket));
  const auto call = [](vd_status status, const char* message, void* user) {
    auto& h = *static_cast<Held*>(user);
    h.buffer = api::Buffer();
    h.ctx = api::Context();
    api::Calls::receive(status, message, &h.done);
  };
  ASSERT_OK(vd_ticket_notify(held.ctx, ticket, call, &held));
  held.done.wait(1);
  for (int i = 0; i < 3000 && vd_live_objects() != before; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(vd_live_objects(), before);
}

TEST_P(Notify, TheLastReleaseOfAContextWaitsForIt) {
  open_own_context();
  api::Buffer buffer = words(0, 16);
  auto gate = std::make_unique<api::Gate>(ctx_);
  if (!gate->works()) GTEST_SKIP() << "no kernel of this device can be held";
  api::Calls calls;
  for (uint32_t i = 0; i < 100; ++i) ASSERT_OK(vd_ticket_notify(ctx_, fill(buffer, i), api::Calls::receive, &calls));
  EXPECT_EQ(calls.count(), 0u);
  buffer = api::Buffer();
  if (GetParam() == VD_BACKEND_OPENCL) gate->open();  // else the gate has the last objects
  ctx_ = api::Context();
  gate.reset();
  EXPECT_EQ(calls.count(), 100u);
  for (const auto& call : calls.wait(100)) EXPECT_EQ(call.status, VD_OK) << call.message;
}

TEST_P(Notify, WorkOfManyThreadsIsReportedOnce) {
  open_own_context();
  constexpr int kThreads = 4, kTurns = 300;
  std::vector<std::thread> threads;
  api::Calls calls;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&] {
      const api::Buffer buffer = api::make_buffer(ctx_, 256);
      for (uint32_t i = 0; i < kTurns; ++i) {
        vd_ticket ticket = 0;
        EXPECT_OK(vd_buffer_fill(buffer, 0, 256, i, 0, nullptr, &ticket));
        EXPECT_OK(vd_ticket_notify(ctx_, ticket, api::Calls::receive, &calls));
        if (i % 50 != 0) continue;
        EXPECT_OK(vd_ticket_wait(ctx_, ticket, VD_WAIT_FOREVER));
      }
    });
  for (auto& thread : threads) thread.join();
  ctx_ = api::Context();  // the last release, so all calls have come
  EXPECT_EQ(calls.count(), size_t{kThreads} * kTurns);
  for (const auto& call : calls.wait(1)) ASSERT_EQ(call.status, VD_OK) << call.message;
}

// A failure belongs to the work that failed, whoever asks for it, and however late.
TEST(NotifyHost, BringsTheFailureOfAKernel) {
  const api::Context ctx = api::host_context();
  static constexpr char kText[] = "kernel \"fails\"\n{\nassert bool 0\n}\n";
  api::Kernel kernel;
  ASSERT_OK(vd_kernel_parse(kText, sizeof(kText) - 1, kernel.out()));
  const api::Plan plan = api::make_plan(ctx, kernel);
  const api::Buffer buffer = api::make_buffer(ctx, 64);
  vd_launch_desc launch = VD_LAUNCH_DESC_INIT;
  launch.invocations[0] = 1;
  vd_ticket failed = 0, after = 0;
  ASSERT_OK(vd_plan_launch(plan, &launch, &failed));
  ASSERT_OK(vd_buffer_fill(buffer, 0, 64, 1, 0, nullptr, &after));
  api::Calls first, second, again;
  ASSERT_OK(vd_ticket_notify(ctx, failed, api::Calls::receive, &first));
  EXPECT_EQ(first.wait(1)[0].status, VD_ERR_KERNEL);
  EXPECT_THAT(first.wait(1)[0].message, HasSubstr("vd_ticket_notify: "));
  EXPECT_THAT(first.wait(1)[0].message, HasSubstr("assertion failed"));
  ASSERT_OK(vd_ticket_notify(ctx, after, api::Calls::receive, &second));
  EXPECT_EQ(second.wait(1)[0].status, VD_OK);
  EXPECT_EQ(vd_ticket_wait(ctx, failed, VD_WAIT_FOREVER), VD_ERR_KERNEL);
  ASSERT_OK(vd_ticket_notify(ctx, failed, api::Calls::receive, &again));
  EXPECT_EQ(again.wait(1)[0].status, VD_ERR_KERNEL);
}

TEST(NotifyHost, OfTheEndIsNoReportOfAFailure) {
  const api::Context ctx = api::host_context();
  api::Graph graph;
  ASSERT_OK(vd_graph_create(ctx, nullptr, graph.out()));
  ASSERT_OK(vd_graph_call(
      graph, [](void*) { throw std::runtime_error("no more milk"); }, nullptr, nullptr, nullptr));
  vd_ticket failed = 0;
  ASSERT_OK(vd_graph_submit(graph, nullptr, &failed));
  api::Calls calls;
  EXPECT_FAILS(vd_ticket_notify_end(ctx, failed, nullptr, &calls), VD_ERR_INVALID,
               "vd_ticket_notify_end: callback is NULL.");
  for (const vd_ticket ticket : {failed, failed, vd_ticket{0}})
    ASSERT_OK(vd_ticket_notify_end(ctx, ticket, api::Calls::receive, &calls));
  for (const auto& call : calls.wait(3)) EXPECT_EQ(call.status, VD_OK);
  EXPECT_EQ(vd_context_wait_idle(ctx, 0, VD_WAIT_FOREVER), VD_ERR_KERNEL);
  EXPECT_OK(vd_context_wait_idle(ctx, 0, VD_WAIT_FOREVER));
  EXPECT_EQ(vd_ticket_wait(ctx, failed, VD_WAIT_FOREVER), VD_ERR_KERNEL);
}

// A kernel on the host that writes to a buffer and fails.
class FailingKernel {
 public:
  FailingKernel() {
    static constexpr char kText[] =
        "kernel \"fails\"\nargument 0 buffer f32 \"x\"\n{\n  %0: storage f32 = index @0, u32 0\n"
        "  store %0, f32 1\n  assert bool 0\n}\n";
    api::Kernel kernel;
    EXPECT_OK(vd_kernel_parse(kText, sizeof(kText) - 1, kernel.out()));
    plan_ = api::make_plan(ctx, kernel);
    buffer = api::make_buffer(ctx, 64);
  }
  vd_ticket launch() {
    const vd_binding binding = VD_BINDING_OF(buffer, 0, VD_WHOLE_SIZE);
    vd_launch_desc desc = VD_LAUNCH_DESC_INIT;
    desc.invocations[0] = 1;
    desc.bindings = &binding;
    desc.binding_count = 1;
    vd_ticket ticket = 0;
    EXPECT_OK(vd_plan_launch(plan_, &desc, &ticket));
    return ticket;
  }
  vd_status map(vd_map_flags flags) {
    api::Mapping mapping;
    return vd_buffer_map(buffer, 0, VD_WHOLE_SIZE, VD_MAP_READ | flags, 0, mapping.out());
  }

  api::Context ctx = api::host_context();
  api::Buffer buffer;

 private:
  api::Plan plan_;
};

// A question whether work is done takes no failure from a wait, nor does a map that need not wait.
TEST(TicketIsDone, ReportsNoFailure) {
  FailingKernel kernel;
  vd_context* const ctx = kernel.ctx;
  const auto fail_once = [&] {
    vd_ticket after = 0;
    const vd_ticket failed = kernel.launch();
    EXPECT_OK(vd_buffer_fill(kernel.buffer, 0, 64, 1, 0, nullptr, &after));
    vd_bool done = 0;
    while (done == 0) EXPECT_OK(vd_ticket_is_done(ctx, after, &done));
    EXPECT_OK(vd_ticket_is_done(ctx, failed, &done));
    EXPECT_EQ(done, 1u);
    return after;
  };
  EXPECT_EQ(vd_ticket_wait(ctx, fail_once(), VD_WAIT_FOREVER), VD_ERR_KERNEL);
  fail_once();
  EXPECT_EQ(kernel.map(VD_MAP_NO_WAIT), VD_ERR_KERNEL);
  EXPECT_OK(kernel.map(VD_MAP_NO_WAIT));
  vd_bool done = 0;
  EXPECT_OK(vd_ticket_is_done(ctx, 0, &done));
  EXPECT_EQ(done, 1u);
  EXPECT_FAILS(vd_ticket_is_done(ctx, ~uint64_t{0}, &done), VD_ERR_INVALID,
               "vd_ticket_is_done: ticket (0xffffffffffffffff) belongs to another context.");
  EXPECT_FAILS(vd_ticket_is_done(ctx, 0, nullptr), VD_ERR_INVALID, "vd_ticket_is_done: out_done is NULL.");
}

// Bytes that failed work wrote can be mapped once somebody has heard of the failure.
TEST(FailedWork, IsReportedToAMapUnlessItWasBefore) {
  FailingKernel kernel;
  EXPECT_EQ(vd_ticket_wait(kernel.ctx, kernel.launch(), VD_WAIT_FOREVER), VD_ERR_KERNEL);
  for (int i = 0; i < 2; ++i) EXPECT_OK(kernel.map(0));
  kernel.launch();
  EXPECT_EQ(kernel.map(0), VD_ERR_KERNEL);
  for (int i = 0; i < 2; ++i) EXPECT_OK(kernel.map(0));
}

class TicketIsDoneOnEach : public EachBackend {};

TEST_P(TicketIsDoneOnEach, OnceTheWorkIs) {
  const api::Buffer buffer = words(5, 1000);
  vd_ticket ticket = 0;
  ASSERT_OK(vd_buffer_fill(buffer, 0, 4000, 7, 0, nullptr, &ticket));
  vd_bool done = 0;
  while (done == 0) ASSERT_OK(vd_ticket_is_done(ctx_, ticket, &done));  // asked for, it needs no wait to be submitted
  EXPECT_OK(vd_ticket_wait(ctx_, ticket, 0));
}

TEST(NotifyDummy, WhereNothingRunsAllIsDone) {
  vd_context_desc desc = VD_CONTEXT_DESC_INIT;
  desc.backend = VD_BACKEND_DUMMY;
  api::Context ctx;
  ASSERT_OK(vd_context_create(&desc, ctx.out()));
  api::Calls calls;
  ASSERT_OK(vd_ticket_notify(ctx, 0, api::Calls::receive, &calls));
  EXPECT_EQ(calls.wait(1)[0].status, VD_OK);
}

// ---- Bytes that are fetched

class Fetch : public EachBackend {};

TEST_P(Fetch, BringsTheBytesOfItsTime) {
  for (const uint32_t count : {1u, 1000u, 3'000'000u}) {
    SCOPED_TRACE(count);
    const api::Buffer buffer = words(5, count);
    api::Blob blob;
    vd_ticket ticket = 0;
    ASSERT_OK(vd_buffer_fetch(buffer, 0, count * uint64_t{4}, 0, nullptr, blob.out(), &ticket));
    fill(buffer, 0xffffffff);  // behind it
    EXPECT_NE(ticket, 0u);
    ASSERT_OK(vd_ticket_wait(ctx_, ticket, VD_WAIT_FOREVER));
    std::vector<uint32_t> expected(count);
    std::iota(expected.begin(), expected.end(), 5u);
    EXPECT_EQ(words_of(blob), expected);
    if (count < 1000) continue;
    ASSERT_OK(vd_buffer_fetch(buffer, 40, 8, 0, nullptr, blob.out(), &ticket));
    ASSERT_OK(vd_ticket_wait(ctx_, ticket, VD_WAIT_FOREVER));
    EXPECT_EQ(words_of(blob), (std::vector<uint32_t>{0xffffffff, 0xffffffff}));
  }
}

TEST_P(Fetch, IsNotThereBeforeItsTicket) {
  api::Buffer buffer = words(5, 1000);
  api::Gate gate(ctx_);
  if (!gate.works()) GTEST_SKIP() << "no kernel of this device can be held";
  api::Watchdog watchdog(gate);
  api::Blob blob, dropped;
  vd_ticket ticket = 0;
  ASSERT_OK(vd_buffer_fetch(buffer, 4, 3996, 0, nullptr, dropped.out(), nullptr));
  ASSERT_OK(vd_buffer_fetch(buffer, 4, 3996, 0, nullptr, blob.out(), &ticket));
  buffer = api::Buffer();
  dropped = api::Blob();
  uint64_t size = 7;
  EXPECT_EQ(vd_blob_data(blob, &size), nullptr);
  EXPECT_EQ(size, 0u);
  EXPECT_THAT(vd_last_error(), HasSubstr("vd_blob_data: the bytes of blob are not available before ticket (0x"));
  EXPECT_FALSE(watchdog.barked()) << "a fetch waited for a kernel";
  gate.open();
  api::Calls calls;
  ASSERT_OK(vd_ticket_notify(ctx_, ticket, api::Calls::receive, &calls));
  calls.wait(1);
  std::vector<uint32_t> expected(999);
  std::iota(expected.begin(), expected.end(), 6u);
  EXPECT_EQ(words_of(blob), expected);
}

TEST_P(Fetch, OutlivesItsContext) {
  open_own_context();
  api::Blob blob;
  {
    const api::Buffer buffer = words(9, 64);
    vd_ticket ticket = 0;
    ASSERT_OK(vd_buffer_fetch(buffer, 0, 256, 0, nullptr, blob.out(), &ticket));
    ASSERT_OK(vd_ticket_wait(ctx_, ticket, VD_WAIT_FOREVER));
  }
  ctx_ = api::Context();
  EXPECT_EQ(words_of(blob)[63], 72u);
}

TEST_P(Fetch, MistakesAreRefused) {
  const api::Buffer buffer = api::make_buffer(ctx_, 300, "x");
  vd_blob* blob = reinterpret_cast<vd_blob*>(1);
  vd_ticket ticket = 7;
  EXPECT_FAILS(vd_buffer_fetch(buffer, 256, 64, 0, nullptr, &blob, &ticket), VD_ERR_INVALID,
               "vd_buffer_fetch: offset (256) + size (64) is past the end of buffer \"x\" (300).");
  EXPECT_EQ(blob, nullptr);
  EXPECT_EQ(ticket, 0u);
  EXPECT_FAILS(vd_buffer_fetch(buffer, 301, 0, 0, nullptr, &blob, &ticket), VD_ERR_INVALID,
               "vd_buffer_fetch: offset (301) + size (0) is past the end of buffer \"x\" (300).");
  EXPECT_FAILS(vd_buffer_fetch(buffer, 0, 300, 3, nullptr, &blob, &ticket), VD_ERR_INVALID,
               "vd_buffer_fetch: queue (3) is not below the context's queues (1).");
  EXPECT_FAILS(vd_buffer_fetch(buffer, 0, 300, 0, nullptr, nullptr, &ticket), VD_ERR_INVALID,
               "vd_buffer_fetch: out_blob is NULL.");
  EXPECT_FAILS(vd_buffer_fetch(nullptr, 0, 300, 0, nullptr, &blob, &ticket), VD_ERR_INVALID,
               "vd_buffer_fetch: buffer is NULL.");
  // No bytes are there at once.
  ASSERT_OK(vd_buffer_fetch(buffer, 300, 0, 0, nullptr, &blob, &ticket));
  uint64_t size = 7;
  EXPECT_NE(vd_blob_data(blob, &size), nullptr);
  EXPECT_EQ(size, 0u);
  EXPECT_OK(vd_ticket_wait(ctx_, ticket, VD_WAIT_FOREVER));
  vd_blob_release(blob);
  ASSERT_OK(vd_buffer_discard(buffer));
  EXPECT_FAILS(vd_buffer_fetch(buffer, 0, 300, 0, nullptr, &blob, &ticket), VD_ERR_STATE,
               "vd_buffer_fetch: buffer \"x\" was discarded.");
}

// ---- Work behind a kernel that does not end

class Behind : public EachBackend {
 protected:
  void SetUp() override {
    EachBackend::SetUp();
    if (IsSkipped()) return;
    ASSERT_OK(vd_context_get_device(ctx_, 0, &info_));
  }
  api::Plan plan(const std::string& text) {
    api::Kernel kernel;
    EXPECT_OK(vd_kernel_parse(text.data(), text.size(), kernel.out()));
    return api::make_plan(ctx_, kernel);
  }
  // x[i] = x[i] * 3 + c
  static std::string step(const std::string& name) {
    return "kernel \"" + name +
           "\"\nargument 0 buffer u32 \"x\"\nargument 1 constant u32 \"c\"\n{\n%0: u32 = index global_id, u32 0\n"
           "%1: storage u32 = index @0, %0\n%2: u32 = load %1\n%3: u32 = mul %2, u32 3\n%4: u32 = load @1\n"
           "%5: u32 = add %3, %4\nstore %1, %5\n}\n";
  }
  // x[0] = the last of kManyValues values: more than fit in a kernel's parameters.
  static constexpr uint32_t kManyValues = 1200;
  static std::string many() {
    std::string text = "kernel \"many\"\nargument 0 buffer u32 \"x\"\n";
    for (uint32_t i = 1; i <= kManyValues; ++i)
      text += "argument " + std::to_string(i) + " constant u32 \"v" + std::to_string(i) + "\"\n";
    return text + "{\n%0: storage u32 = index @0, u32 0\n%1: u32 = load @" + std::to_string(kManyValues) +
           "\nstore %0, %1\n}\n";
  }
  // Prints an element.
  api::Plan prints() {
    api::Writer w("prints");
    const vd_value x = w.buffer("x");
    vd_value format = 0;
    EXPECT_OK(vd_builder_string(w.builder, "%d\n", &format));
    const vd_value word = w.emit(VD_OP_LOAD, {w.at(x, w.u32(0))});
    w.emit(VD_OP_PRINTF, {format, w.emit(VD_OP_CONVERT, {word}, VD_TYPE_I32)});
    return api::make_plan(ctx_, w.finish());
  }
  // A transform of several kernels, with a workspace between them.
  api::Plan transform(uint32_t length) {
    setenv("VKDISPATCH_FFT_TUNE", "shared=512", 1);
    vd_fft_desc desc = VD_FFT_DESC_INIT;
    desc.rank = 1;
    desc.shape[0] = length;
    api::Plan made;
    EXPECT_OK(vd_plan_create_fft(ctx_, &desc, made.out()));
    unsetenv("VKDISPATCH_FFT_TUNE");
    return made;
  }
  void record(vd_graph* graph, vd_plan* plan, vd_buffer* buffer, uint32_t value, uint32_t* node = nullptr) {
    const api::Launch launch(kCount, {{buffer, 0, 0}}, value);
    EXPECT_OK(vd_graph_launch(graph, plan, &launch.desc, node));
  }
  void submit(vd_graph* graph, uint32_t repeat = 1) {
    vd_submit_desc desc = VD_SUBMIT_DESC_INIT;
    desc.repeat = repeat;
    EXPECT_OK(vd_graph_submit(graph, &desc, nullptr));
  }

  static constexpr uint32_t kCount = 64;
  vd_device_info info_ = VD_DEVICE_INFO_INIT;
};

TEST_P(Behind, NothingThatIsGivenWaits) {
  const api::Plan first = plan(step("first")), large = plan(many()), fft = transform(4096);
  api::Plan dropped = plan(step("dropped")), printing;
  if ((info_.features & VD_FEATURE_PRINTF) != 0) printing = prints();
  const api::Buffer x = api::make_buffer(ctx_, std::vector<uint32_t>(kCount, 1)),
                    y = api::make_buffer(ctx_, std::vector<uint32_t>(kCount, 2)), z = api::make_buffer(ctx_, 4096 * 8);
  api::Buffer gone = api::make_buffer(ctx_, std::vector<uint32_t>(kCount, 3)), unused = api::make_buffer(ctx_, 1 << 20);
  vd_buffer_desc host_desc = VD_BUFFER_DESC_INIT;
  host_desc.flags = VD_BUFFER_HOST;
  host_desc.size = 1 << 20;
  api::Buffer host;
  ASSERT_OK(vd_buffer_create(ctx_, &host_desc, host.out()));
  std::vector<api::Buffer> apart(40);
  for (api::Buffer& one : apart) one = api::make_buffer(ctx_, std::vector<uint32_t>(kCount, 3));
  const std::vector<uint32_t> values(kManyValues, 9);
  ASSERT_OK(vd_context_wait_idle(ctx_, 0, VD_WAIT_FOREVER));
  {
    api::Gate gate(ctx_);
    if (!gate.works()) GTEST_SKIP() << "no kernel of this device can be held";
    api::Watchdog watchdog(gate);
    const auto not_held = [&](const char* what) { ASSERT_FALSE(watchdog.barked()) << what << " waited for a kernel"; };

    for (uint32_t i = 0; i < 50; ++i) {
      const api::Launch launch(kCount, {{x, 0, 0}}, i);
      ASSERT_OK(vd_plan_launch(first, &launch.desc, nullptr));
    }
    not_held("a launch");
    EXPECT_OK(api::launch_whole(fft, {z}));
    EXPECT_OK(api::launch_whole(fft, {z}));
    not_held("a launch with a workspace");
    const vd_binding binding = VD_BINDING_OF(y, 0, VD_WHOLE_SIZE);
    vd_launch_desc many_desc = VD_LAUNCH_DESC_INIT;
    many_desc.invocations[0] = 1;
    many_desc.bindings = &binding;
    many_desc.binding_count = 1;
    many_desc.values = values.data();
    many_desc.values_size = kManyValues * 4;
    for (int i = 0; i < 3; ++i) ASSERT_OK(vd_plan_launch(large, &many_desc, nullptr));
    not_held("a launch with many values");
    if (printing != nullptr) {
      vd_launch_desc desc = VD_LAUNCH_DESC_INIT;
      desc.invocations[0] = 1;
      desc.bindings = &binding;
      desc.binding_count = 1;
      ASSERT_OK(vd_plan_launch(printing, &desc, nullptr));
      ASSERT_OK(vd_plan_launch(printing, &desc, nullptr));
      not_held("a launch that prints");
    }

    // Objects that were released earlier are freed by later calls, and their driver may wait.
    {
      const api::Launch launch(kCount, {{gone, 0, 0}}, 1);
      ASSERT_OK(vd_plan_launch(dropped, &launch.desc, nullptr));
    }
    gone = api::Buffer();
    unused = api::Buffer();
    host = api::Buffer();
    dropped = api::Plan();
    for (uint32_t i = 0; i < 20; ++i) {
      const api::Launch launch(kCount, {{x, 0, 0}}, i);
      ASSERT_OK(vd_plan_launch(first, &launch.desc, nullptr));
    }
    not_held("a release");

    api::Graph graph, other;
    ASSERT_OK(vd_graph_create(ctx_, nullptr, graph.out()));
    ASSERT_OK(vd_graph_create(ctx_, nullptr, other.out()));
    uint32_t node = 0;
    record(graph, first, x, 5, &node);
    for (int i = 0; i < 3; ++i) submit(graph);
    submit(graph, 4);
    const uint32_t changed = 6;
    ASSERT_OK(vd_graph_set_values(graph, node, 0, &changed, 4));
    submit(graph);
    not_held("a graph with other values");
    for (uint32_t turn = 0; turn < 3; ++turn) {  // the same shape, and others
      ASSERT_OK(vd_graph_reset(graph));
      for (uint32_t i = 0; i <= turn / 2; ++i) record(graph, first, x, turn);
      submit(graph);
      submit(graph);
    }
    not_held("a graph that is recorded again");
    for (uint32_t i = 0; i < 300; ++i) record(other, first, y, i);
    submit(other);
    not_held("a long graph");
    ASSERT_OK(vd_graph_reset(other));
    for (const api::Buffer& one : apart) record(other, first, one, 1);
    for (int i = 0; i < 3; ++i) submit(other);
    not_held("a wide graph");
    ASSERT_OK(vd_graph_reset(other));
    ASSERT_OK(vd_graph_launch(other, large, &many_desc, nullptr));
    for (int i = 0; i < 3; ++i) submit(other);
    not_held("a graph with many values");
    vd_ticket ticket = 0;
    ASSERT_OK(vd_buffer_fill(x, 0, kCount * 4, 11, 0, nullptr, &ticket));
    ASSERT_OK(vd_buffer_copy(x, 0, y, 0, kCount * 4, 0, nullptr, nullptr));
    vd_order_desc order = VD_ORDER_DESC_INIT;
    order.waits = &ticket;
    order.wait_count = 1;
    vd_submit_desc after = VD_SUBMIT_DESC_INIT;
    after.order = &order;
    ASSERT_OK(vd_graph_reset(other));
    ASSERT_OK(vd_graph_submit(other, &after, nullptr));
    not_held("a fill, a copy or an empty graph");
    api::Blob blob;
    ASSERT_OK(vd_buffer_fetch(y, 0, kCount * 4, 0, nullptr, blob.out(), &ticket));
    not_held("a fetch");
    gate.open();
    ASSERT_OK(vd_ticket_wait(ctx_, ticket, VD_WAIT_FOREVER));
    EXPECT_EQ(words_of(blob), std::vector<uint32_t>(kCount, 11));
  }
}

// The order of all that is held up is that in which it was given.
TEST_P(Behind, WorkRunsInItsOrder) {
  const api::Plan first = plan(step("first"));
  const api::Buffer x = api::make_buffer(ctx_, std::vector<uint32_t>(kCount, 1));
  ASSERT_OK(vd_context_wait_idle(ctx_, 0, VD_WAIT_FOREVER));
  api::Gate gate(ctx_);
  if (!gate.works()) GTEST_SKIP() << "no kernel of this device can be held";
  api::Watchdog watchdog(gate);
  uint32_t expected = 1;
  api::Graph graph;
  ASSERT_OK(vd_graph_create(ctx_, nullptr, graph.out()));
  std::vector<api::Blob> blobs(12);
  std::vector<uint32_t> seen;
  vd_ticket ticket = 0;
  for (uint32_t i = 0; i < 12; ++i) {
    const api::Launch launch(kCount, {{x, 0, 0}}, i);
    ASSERT_OK(vd_plan_launch(first, &launch.desc, nullptr));
    expected = expected * 3 + i;
    ASSERT_OK(vd_graph_reset(graph));
    for (uint32_t k = 0; k <= i % 3; ++k) {
      record(graph, first, x, i + k);
      expected = expected * 3 + i + k;
    }
    submit(graph);
    ASSERT_OK(vd_buffer_fetch(x, 4 * i, 4, 0, nullptr, blobs[i].out(), &ticket));
    seen.push_back(expected);
  }
  EXPECT_FALSE(watchdog.barked());
  gate.open();
  ASSERT_OK(vd_ticket_wait(ctx_, ticket, VD_WAIT_FOREVER));
  for (size_t i = 0; i < blobs.size(); ++i) EXPECT_EQ(words_of(blobs[i])[0], seen[i]) << i;
}

// A driver that gives memory back may wait for all work of the device, and keep every call waiting meanwhile. CUDA's does
// so for all contexts of ours on the device, since they share one of its own.
TEST_P(Behind, MemoryOfAnotherContextIsGivenBack) {
  const api::Context other = api::open_context(GetParam());
  ASSERT_NE(other, nullptr) << vd_last_error();
  const api::Buffer x = words(0, 16);
  const std::vector<uint32_t> values(1024);
  std::vector<api::Buffer> given_back;
  for (const vd_buffer_flags flags : {0u, uint32_t{VD_BUFFER_HOST}}) {
    vd_buffer_desc desc = VD_BUFFER_DESC_INIT;
    desc.flags = flags;
    desc.size = values.size() * sizeof(values[0]);
    desc.data = values.data();
    ASSERT_OK(vd_buffer_create(other, &desc, given_back.emplace_back().out()));
  }
  ASSERT_OK(vd_context_wait_idle(other, 0, VD_WAIT_FOREVER));
  api::Gate gate(ctx_);
  if (!gate.works()) GTEST_SKIP() << "no kernel of this device can be held";
  api::Watchdog watchdog(gate);
  given_back.clear();  // at once, or on a thread of the library's while the calls below are made
  vd_ticket ticket = 0;
  for (uint32_t i = 0; i < 50 && !watchdog.barked(); ++i) {
    ticket = fill(x, i);
    EXPECT_EQ(vd_ticket_wait(ctx_, ticket, 2'000'000), VD_TIMEOUT);
  }
  EXPECT_FALSE(watchdog.barked()) << "calls waited for the kernel";
  gate.open();
  EXPECT_OK(vd_ticket_wait(ctx_, ticket, VD_WAIT_FOREVER));
}

INSTANTIATE_TEST_SUITE_P(Completion, Notify, api::each_backend(), api::backend_name);
INSTANTIATE_TEST_SUITE_P(Completion, TicketIsDoneOnEach, api::each_backend(), api::backend_name);
INSTANTIATE_TEST_SUITE_P(Completion, Fetch, api::each_backend(), api::backend_name);
INSTANTIATE_TEST_SUITE_P(Completion, Behind, api::each_backend(), api::backend_name);

}  // namespace
