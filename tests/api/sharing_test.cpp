// Semaphores and memory that contexts, APIs and the host share.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "api/cuda_types.h"
#include "api/support.h"

namespace {

constexpr uint64_t kSoon = 50'000'000;      // for what does not end
constexpr uint64_t kLong = 60'000'000'000;  // for what ends

// Opens a backend's first device, or gives the reason why there is none.
std::string open(vd_backend backend, api::Context& ctx, vd_device_info& info) {
  vd_context_desc desc = VD_CONTEXT_DESC_INIT;
  desc.backend = backend;
  if (vd_context_create(&desc, ctx.out()) != VD_OK) return vd_last_error();
  return vd_context_get_device(ctx, 0, &info) == VD_OK ? "" : vd_last_error();
}

api::Semaphore make_semaphore(vd_context* ctx, const char* label = "theirs", uint64_t timeout_ns = 0) {
  vd_semaphore_desc desc = VD_SEMAPHORE_DESC_INIT;
  desc.label = label;
  desc.timeout_ns = timeout_ns;
  api::Semaphore semaphore;
  EXPECT_OK(vd_semaphore_create(ctx, &desc, semaphore.out()));
  return semaphore;
}

// An order that waits for one value and sets another; 0 is none.
struct Step {
  vd_semaphore_point wait, signal;
  vd_order_desc order = VD_ORDER_DESC_INIT;

  Step(vd_semaphore* semaphore, uint64_t waits, uint64_t sets) : Step(semaphore, waits, semaphore, sets) {}
  Step(vd_semaphore* first, uint64_t waits, vd_semaphore* second, uint64_t sets)
      : wait{first, waits, 0}, signal{second, sets, 0} {
    order.wait_semaphores = &wait;
    order.wait_semaphore_count = waits != 0 ? 1 : 0;
    order.signal_semaphores = &signal;
    order.signal_semaphore_count = sets != 0 ? 1 : 0;
  }
  Step(const Step&) = delete;
};

struct SemaphoreTest : testing::Test {
  void SetUp() override {
    if (const std::string why = open(VD_BACKEND_VULKAN, ctx, info); !why.empty()) GTEST_SKIP() << why;
  }
  api::Context ctx;
  vd_device_info info = VD_DEVICE_INFO_INIT;
};

TEST_F(SemaphoreTest, WorkWaitsAndSets) {
  const api::Semaphore semaphore = make_semaphore(ctx);
  const api::Buffer buffer = api::make_buffer(ctx, std::vector<uint32_t>(64, 1), "x");
  ASSERT_OK(vd_context_wait_idle(ctx, 0, kLong));
  const Step step(semaphore, 3, 7);
  vd_ticket ticket = 0;
  ASSERT_OK(vd_buffer_fill(buffer, 0, 256, 9, 0, &step.order, &ticket));
  EXPECT_EQ(vd_ticket_wait(ctx, ticket, kSoon), VD_TIMEOUT);
  ASSERT_OK(vd_semaphore_signal(semaphore, 2));
  EXPECT_EQ(vd_ticket_wait(ctx, ticket, kSoon), VD_TIMEOUT);
  EXPECT_EQ(vd_semaphore_wait(semaphore, 7, kSoon), VD_TIMEOUT);
  uint64_t value = 0;
  ASSERT_OK(vd_semaphore_get_value(semaphore, &value));
  EXPECT_EQ(value, 2u);
  ASSERT_OK(vd_semaphore_signal(semaphore, 4));
  ASSERT_EQ(vd_semaphore_wait(semaphore, 7, kLong), VD_OK);
  ASSERT_OK(vd_ticket_wait(ctx, ticket, kLong));
  EXPECT_EQ(api::read<uint32_t>(buffer, 64), std::vector<uint32_t>(64, 9));
}

// One kind of work after the other, each held by the one before through the host.
TEST_F(SemaphoreTest, EachKindOfWork) {
  const api::Semaphore semaphore = make_semaphore(ctx);
  const api::Buffer x = api::make_buffer(ctx, std::vector<uint32_t>(4096, 1), "x");
  const api::Buffer y = api::make_buffer(ctx, 4096 * 4, "y");
  const api::Plan plan = api::make_plan(ctx, api::mix_kernel());
  api::Graph graph;
  ASSERT_OK(vd_graph_create(ctx, nullptr, graph.out()));
  ASSERT_OK(vd_graph_fill(graph, y, 0, 4096, 5, nullptr));
  ASSERT_OK(vd_graph_copy(graph, y, 0, x, 0, 4096, nullptr));
  const std::vector<uint32_t> data(4096, 2);
  const uint8_t pattern[3] = {1, 2, 3};
  api::Blob blob;
  uint64_t at = 0;
  const auto check = [&](auto&& submit) {
    const Step step(semaphore, 2 * at + 1, 2 * at + 2);
    vd_ticket ticket = 0;
    ASSERT_OK(submit(&step.order, &ticket));
    EXPECT_EQ(vd_semaphore_wait(semaphore, 2 * at + 2, kSoon / 5), VD_TIMEOUT) << at;
    ASSERT_OK(vd_semaphore_signal(semaphore, 2 * at + 1));
    EXPECT_EQ(vd_semaphore_wait(semaphore, 2 * at + 2, kLong), VD_OK) << at;
    ++at;
  };
  check([&](const vd_order_desc* order, vd_ticket* ticket) {
    return vd_buffer_copy(x, 0, y, 0, VD_WHOLE_SIZE, 0, order, ticket);
  });
  check([&](const vd_order_desc* order, vd_ticket* ticket) {
    return vd_buffer_send(x, 0, data.data(), 4096 * 4, 0, order, ticket);
  });
  check([&](const vd_order_desc* order, vd_ticket* ticket) {
    return vd_buffer_fill_pattern(y, 0, 3 * 5000, pattern, 3, 0, order, ticket);
  });
  check([&](const vd_order_desc* order, vd_ticket* ticket) {
    return vd_buffer_fetch(x, 0, 64, 0, order, blob.out(), ticket);
  });
  check([&](const vd_order_desc* order, vd_ticket* ticket) {
    api::Launch launch(4096, {{x, 0, 0}, {y, 0, 0}}, 1);
    launch.desc.order = order;
    return vd_plan_launch(plan, &launch.desc, ticket);
  });
  for (const uint32_t repeat : {1u, 3u})
    check([&](const vd_order_desc* order, vd_ticket* ticket) {
      vd_submit_desc desc = VD_SUBMIT_DESC_INIT;
      desc.repeat = repeat;
      desc.order = order;
      return vd_graph_submit(graph, &desc, ticket);
    });
  check([&](const vd_order_desc* order, vd_ticket* ticket) {
    return vd_buffer_fill(x, 0, 0, 1, 0, order, ticket);  // nothing, in order
  });
  EXPECT_EQ(api::read<uint32_t>(x, 1)[0], 5u);
}

TEST_F(SemaphoreTest, OneThatNobodySetsEndsInAStatus) {
  const api::Buffer buffer = api::make_buffer(ctx, std::vector<uint32_t>(64, 1), "x");
  const api::Semaphore semaphore = make_semaphore(ctx, "never", 200'000'000);
  const Step step(semaphore, 5, 0);
  vd_ticket before = 0, ticket = 0;
  ASSERT_OK(vd_buffer_fill(buffer, 0, 128, 3, 0, nullptr, &before));
  ASSERT_OK(vd_buffer_fill(buffer, 0, 256, 9, 0, &step.order, &ticket));
  EXPECT_OK(vd_ticket_wait(ctx, before, kLong));
  EXPECT_FAILS(vd_ticket_wait(ctx, ticket, VD_WAIT_FOREVER), VD_ERR_STATE,
               "vd_ticket_wait: the queue waited for semaphore \"never\" to reach 5 for 200 ms, and nobody set it.");
  EXPECT_EQ(vd_buffer_fill(buffer, 0, 256, 9, 0, nullptr, nullptr), VD_ERR_STATE);
  uint32_t word = 0;
  EXPECT_EQ(vd_buffer_read(buffer, 0, 4, 0, &word), VD_ERR_STATE);
  EXPECT_EQ(vd_context_wait_idle(ctx, VD_QUEUE_ALL, VD_WAIT_FOREVER), VD_ERR_STATE);
  EXPECT_OK(vd_ticket_wait(ctx, before, kLong)) << "nothing before it is lost";
  uint64_t value = 0;
  EXPECT_OK(vd_semaphore_get_value(semaphore, &value));
  EXPECT_EQ(value, 5u);
}

// The last release comes back, whatever waits.
TEST_F(SemaphoreTest, AContextEndsWithAWait) {
  api::Buffer buffer = api::make_buffer(ctx, 256, "x");
  api::Semaphore semaphore = make_semaphore(ctx, "never", 100'000'000);
  const Step step(semaphore, 5, 6);
  ASSERT_OK(vd_buffer_fill(buffer, 0, 256, 9, 0, &step.order, nullptr));
  semaphore = {};
  buffer = {};
  ctx = {};
}

TEST_F(SemaphoreTest, TheProgramsOwn) {
  const api::Semaphore semaphore = make_semaphore(ctx);
  vd_semaphore_desc desc = VD_SEMAPHORE_DESC_INIT;
  desc.source = VD_SEMAPHORE_NATIVE;
  ASSERT_OK(vd_semaphore_get_native(semaphore, "VkSemaphore", &desc.handle));
  api::Semaphore alias;
  ASSERT_OK(vd_semaphore_create(ctx, &desc, alias.out()));
  const Step step(alias, 0, 4);
  const api::Buffer buffer = api::make_buffer(ctx, 256, "x");
  ASSERT_OK(vd_buffer_fill(buffer, 0, 256, 9, 0, &step.order, nullptr));
  EXPECT_EQ(vd_semaphore_wait(semaphore, 4, kLong), VD_OK);
  EXPECT_EQ(vd_semaphore_get_native(semaphore, "CUexternalSemaphore", &desc.handle), VD_ERR_UNSUPPORTED);
}

TEST_F(SemaphoreTest, WhatIsRefused) {
  const api::Semaphore semaphore = make_semaphore(ctx);
  const api::Buffer buffer = api::make_buffer(ctx, 256, "x");
  const auto fill = [&](const Step& step) { return vd_buffer_fill(buffer, 0, 256, 9, 0, &step.order, nullptr); };
  EXPECT_FAILS(fill(Step(nullptr, 1, 0)), VD_ERR_INVALID,
               "vd_buffer_fill: order->wait_semaphores[0].semaphore is NULL.");
  Step reserved(semaphore, 1, 0);
  reserved.wait.reserved = 3;
  EXPECT_FAILS(fill(reserved), VD_ERR_INVALID, "vd_buffer_fill: order->wait_semaphores[0].reserved (3) is not zero.");
  ASSERT_OK(fill(Step(semaphore, 0, 5)));
  EXPECT_FAILS(
      fill(Step(semaphore, 0, 5)), VD_ERR_INVALID,
      "vd_buffer_fill: order->signal_semaphores[0].value (5) is not above the last value of semaphore \"theirs\" (5).");
  ASSERT_EQ(vd_semaphore_wait(semaphore, 5, kLong), VD_OK);
  EXPECT_FAILS(vd_semaphore_signal(semaphore, 4), VD_ERR_INVALID,
               "vd_semaphore_signal: value (4) is not above the present value of semaphore \"theirs\" (5).");
  const api::Semaphore gate = make_semaphore(ctx, "gate");
  ASSERT_OK(fill(Step(gate, 1, semaphore, 8)));
  EXPECT_FAILS(
      vd_semaphore_signal(semaphore, 8), VD_ERR_INVALID,
      "vd_semaphore_signal: value (8) is not below the one to which work in flight sets semaphore \"theirs\" (8).");
  ASSERT_OK(vd_semaphore_signal(semaphore, 6));
  ASSERT_OK(vd_semaphore_signal(gate, 1));
  api::Context other;
  vd_device_info none = VD_DEVICE_INFO_INIT;
  ASSERT_EQ(open(VD_BACKEND_VULKAN, other, none), "");
  const api::Semaphore others = make_semaphore(other);
  EXPECT_FAILS(fill(Step(others, 1, 0)), VD_ERR_INVALID,
               "vd_buffer_fill: order->wait_semaphores[0].semaphore belongs to another context.");
  vd_semaphore_desc desc = VD_SEMAPHORE_DESC_INIT;
  api::Semaphore made;
  desc.source = static_cast<vd_semaphore_source>(9);
  EXPECT_FAILS(vd_semaphore_create(ctx, &desc, made.out()), VD_ERR_INVALID,
               "vd_semaphore_create: desc->source (9) is unknown.");
  desc.source = VD_SEMAPHORE_NATIVE;
  EXPECT_FAILS(vd_semaphore_create(ctx, &desc, made.out()), VD_ERR_INVALID,
               "vd_semaphore_create: desc->handle (0) is null, not the handle of a semaphore.");
  desc = VD_SEMAPHORE_DESC_INIT;
  desc.device = 4;
  EXPECT_FAILS(vd_semaphore_create(ctx, &desc, made.out()), VD_ERR_INVALID,
               "vd_semaphore_create: desc->device (4) is not below the context's devices (1).");
  desc.device = 0;
  desc.source = VD_SEMAPHORE_FD;
  desc.handle = uint64_t{1} << 31;
  EXPECT_FAILS(vd_semaphore_create(ctx, &desc, made.out()), VD_ERR_INVALID,
               "vd_semaphore_create: desc->handle (2147483648) is above 2147483647, the largest file descriptor.");
  desc.handle = 1000000;
  const bool by_fd = (info.features & VD_FEATURE_SEMAPHORE_FD) != 0;
  EXPECT_EQ(vd_semaphore_create(ctx, &desc, made.out()), by_fd ? VD_ERR_INVALID : VD_ERR_UNSUPPORTED);
  int32_t fd = 0;
  const vd_status exported = vd_semaphore_export_fd(semaphore, &fd);
  EXPECT_EQ(exported, by_fd ? VD_OK : VD_ERR_UNSUPPORTED);
  EXPECT_EQ(fd >= 0, by_fd);
  if (fd >= 0) close(fd);
}

// Work whose values cannot be set is refused before any of it is submitted, and leaves the values to others.
TEST_F(SemaphoreTest, ValuesAreClaimedBeforeTheWork) {
  const api::Semaphore semaphore = make_semaphore(ctx);
  const api::Buffer buffer = api::make_buffer(ctx, std::vector<uint32_t>(4, 1), "x");
  vd_semaphore_point points[2] = {{semaphore, 5, 0}, {semaphore, 4, 0}};
  vd_order_desc order = VD_ORDER_DESC_INIT;
  order.signal_semaphores = points;
  order.signal_semaphore_count = 2;
  for (const uint64_t second : {4, 5}) {
    points[1].value = second;
    vd_ticket ticket = 1;
    EXPECT_EQ(vd_buffer_fill(buffer, 0, 16, 9, 0, &order, &ticket), VD_ERR_INVALID);
    EXPECT_EQ(std::string(vd_last_error()), "vd_buffer_fill: order->signal_semaphores[1].value (" +
                                                std::to_string(second) +
                                                ") is not above the last value of semaphore \"theirs\" (5).");
    EXPECT_EQ(ticket, 0u);
  }
  points[1].value = 6;
  EXPECT_EQ(vd_buffer_fill(buffer, 16, 16, 9, 0, &order, nullptr), VD_ERR_INVALID);  // past the end
  ASSERT_OK(vd_context_wait_idle(ctx, 0, kLong));
  EXPECT_EQ(api::read<uint32_t>(buffer, 1)[0], 1u);
  uint64_t value = 1;
  ASSERT_OK(vd_semaphore_get_value(semaphore, &value));
  EXPECT_EQ(value, 0u);
  ASSERT_OK(vd_semaphore_signal(semaphore, 4));
  ASSERT_OK(vd_buffer_fill(buffer, 0, 16, 9, 0, &order, nullptr));
  ASSERT_OK(vd_semaphore_wait(semaphore, 6, kLong));
  EXPECT_EQ(api::read<uint32_t>(buffer, 1)[0], 9u);
}

// Threads that set one value: one of them is refused, before its work is submitted. Two semaphores that they name in
// different orders do not make them wait for each other.
TEST_F(SemaphoreTest, OneOfTwoThreadsSetsAValue) {
  constexpr uint64_t kValues = 500;
  const api::Semaphore semaphore = make_semaphore(ctx), second = make_semaphore(ctx);
  const api::Buffer buffers[2] = {api::make_buffer(ctx, 64), api::make_buffer(ctx, 64)};
  std::atomic<uint64_t> set{0}, arrived{0};
  const auto run = [&](uint32_t thread) {
    for (uint64_t value = 1; value <= kValues; ++value) {
      ++arrived;
      while (arrived < 2 * value) std::this_thread::yield();
      vd_semaphore_point points[2] = {{semaphore, value, 0}, {second, value, 0}};
      if (thread == 1) std::swap(points[0], points[1]);
      vd_order_desc order = VD_ORDER_DESC_INIT;
      order.signal_semaphores = points;
      order.signal_semaphore_count = 2;
      vd_ticket ticket = 0;
      if (vd_buffer_fill(buffers[thread], 0, 64, 1, 0, &order, &ticket) == VD_OK) {
        ++set;
        continue;
      }
      EXPECT_EQ(std::string(vd_last_error()).rfind("vd_buffer_fill: order->signal_semaphores[0].value", 0), 0u)
          << vd_last_error();
      EXPECT_EQ(ticket, 0u);
    }
  };
  std::thread other(run, 1);
  run(0);
  other.join();
  EXPECT_EQ(set, kValues);
  EXPECT_OK(vd_semaphore_wait(semaphore, kValues, kLong));
  EXPECT_OK(vd_semaphore_wait(second, kValues, kLong));
}

TEST(Semaphores, AreVulkansAndCudas) {
  const api::Context ctx = api::host_context();
  api::Semaphore semaphore;
  EXPECT_FAILS(vd_semaphore_create(ctx, nullptr, semaphore.out()), VD_ERR_UNSUPPORTED,
               "vd_semaphore_create: the host backend has no semaphores.");
  vd_buffer_desc desc = VD_BUFFER_DESC_INIT;
  desc.size = 64;
  desc.flags = VD_BUFFER_EXPORT;
  api::Buffer buffer;
  EXPECT_EQ(vd_buffer_create(ctx, &desc, buffer.out()), VD_ERR_UNSUPPORTED);
  buffer = api::make_buffer(ctx, 64, "x");
  vd_memory_fd fd = VD_MEMORY_FD_INIT;
  EXPECT_FAILS(vd_buffer_export_fd(buffer, &fd), VD_ERR_INVALID,
               "vd_buffer_export_fd: buffer \"x\" was not made with VD_BUFFER_EXPORT.");
  EXPECT_EQ(fd.fd, -1);
}

bool is_open(int fd) { return fcntl(fd, F_GETFD) != -1; }

// A memory file is a semaphore of the emulated driver's, and of no other.
TEST(SemaphoreFd, IsClosedWithASemaphoreThatIsMade) {
  api::Context ctx;
  vd_device_info info = VD_DEVICE_INFO_INIT;
  if (const std::string why = open(VD_BACKEND_CUDA, ctx, info); !why.empty()) GTEST_SKIP() << why;
  if ((info.features & VD_FEATURE_SEMAPHORE_FD) == 0) GTEST_SKIP() << info.name << " takes no file descriptors";
  const int fd = memfd_create("semaphore", MFD_CLOEXEC);
  ASSERT_EQ(ftruncate(fd, 4096), 0);
  vd_semaphore_desc desc = VD_SEMAPHORE_DESC_INIT;
  desc.source = VD_SEMAPHORE_FD;
  desc.handle = static_cast<uint64_t>(fd);
  desc.device = 1;
  api::Semaphore made;
  EXPECT_EQ(vd_semaphore_create(ctx, &desc, made.out()), VD_ERR_INVALID);
  EXPECT_TRUE(is_open(fd)) << "the caller's, since there is no semaphore";
  desc.device = 0;
  const vd_status status = vd_semaphore_create(ctx, &desc, made.out());
  EXPECT_TRUE(status == VD_OK || status == VD_ERR_INVALID) << vd_last_error();
  EXPECT_EQ(is_open(fd), status != VD_OK);
  if (is_open(fd)) close(fd);
}

// ---- Memory by file descriptors

api::Buffer make_exportable(vd_context* ctx, uint64_t size, const char* label) {
  vd_buffer_desc desc = VD_BUFFER_DESC_INIT;
  desc.size = size;
  desc.flags = VD_BUFFER_EXPORT;
  desc.label = label;
  api::Buffer buffer;
  EXPECT_OK(vd_buffer_create(ctx, &desc, buffer.out()));
  return buffer;
}

vd_buffer_import_desc import_of(const vd_memory_fd& fd, const char* label) {
  vd_buffer_import_desc desc = VD_BUFFER_IMPORT_DESC_INIT;
  desc.kind = VD_MEMORY_KIND_FD;
  desc.fd = &fd;
  desc.size = fd.size;
  desc.label = label;
  return desc;
}

// From one context of Vulkan to another, and back.
TEST(MemoryFd, BetweenContextsOfVulkan) {
  api::Context ctx, other;
  vd_device_info info = VD_DEVICE_INFO_INIT;
  if (const std::string why = open(VD_BACKEND_VULKAN, ctx, info); !why.empty()) GTEST_SKIP() << why;
  ASSERT_EQ(open(VD_BACKEND_VULKAN, other, info), "");
  if ((info.features & VD_FEATURE_MEMORY_FD) == 0) {
    vd_buffer_desc desc = VD_BUFFER_DESC_INIT;
    desc.size = 64;
    desc.flags = VD_BUFFER_EXPORT;
    api::Buffer none;
    EXPECT_EQ(vd_buffer_create(ctx, &desc, none.out()), VD_ERR_UNSUPPORTED);
    GTEST_SKIP() << info.name << " has no memory by file descriptors: " << vd_last_error();
  }
  const uint32_t count = 10000;
  api::Buffer ours = make_exportable(ctx, count * 4, "ours"), slice;
  std::vector<uint32_t> data(count);
  for (uint32_t i = 0; i < count; ++i) data[i] = i;
  ASSERT_OK(vd_buffer_write(ours, 0, data.data(), count * 4, 0));
  ASSERT_OK(vd_context_wait_idle(ctx, 0, kLong));
  vd_memory_fd fd = VD_MEMORY_FD_INIT;
  ASSERT_OK(vd_buffer_export_fd(ours, &fd));
  EXPECT_EQ(fd.size, count * 4u);
  EXPECT_GE(fd.memory_size, fd.size);
  vd_buffer_import_desc desc = import_of(fd, "theirs");
  api::Buffer theirs;
  ASSERT_OK(vd_buffer_import(other, &desc, theirs.out()));
  EXPECT_FALSE(is_open(fd.fd)) << "the library has closed it";
  EXPECT_EQ(api::read<uint32_t>(theirs, count), data);
  ASSERT_OK(vd_buffer_fill(theirs, 0, 400, 8, 0, nullptr, nullptr));
  ASSERT_OK(vd_context_wait_idle(other, 0, kLong));
  EXPECT_EQ(api::read<uint32_t>(ours, 1)[0], 8u);

  // A slice, which both keep.
  ASSERT_OK(vd_buffer_slice(ours, 4004, 400, slice.out()));
  ASSERT_OK(vd_buffer_export_fd(slice, &fd));
  EXPECT_EQ(fd.offset, 4004u);
  desc = import_of(fd, "part");
  ours = {};
  slice = {};
  api::Buffer part;
  ASSERT_OK(vd_buffer_import(other, &desc, part.out()));
  vd_buffer_info got = VD_BUFFER_INFO_INIT;
  ASSERT_OK(vd_buffer_get_info(part, &got));
  EXPECT_EQ(got.offset, 0u);
  EXPECT_EQ(api::read<uint32_t>(part, 2), (std::vector<uint32_t>{1001, 1002}));
  const api::Plan plan = api::make_plan(other, api::mix_kernel());
  api::Launch launch(50, {{part, 0, 0}, {theirs, 0, 400}}, 1);
  ASSERT_OK(vd_plan_launch(plan, &launch.desc, nullptr));
  EXPECT_EQ(api::read<uint32_t>(part, 1)[0], 1001u * 3 + 8 + 1);
}

// Alignment goes by where bytes lie in the memory behind the descriptor.
TEST(MemoryFd, AtAnOddOffset) {
  for (const vd_backend backend : {VD_BACKEND_VULKAN, VD_BACKEND_CUDA}) {
    api::Context ctx;
    vd_device_info info = VD_DEVICE_INFO_INIT;
    if (!open(backend, ctx, info).empty() || (info.features & VD_FEATURE_MEMORY_FD) == 0) continue;
    const api::Buffer ours = make_exportable(ctx, 4096, "ours");
    ASSERT_OK(vd_buffer_fill(ours, 0, 4096, 0, 0, nullptr, nullptr));
    ASSERT_OK(vd_context_wait_idle(ctx, 0, kLong));
    vd_memory_fd fd = VD_MEMORY_FD_INIT;
    ASSERT_OK(vd_buffer_export_fd(ours, &fd));
    fd.offset = 1;
    fd.size = 64;
    const vd_buffer_import_desc desc = import_of(fd, "theirs");
    api::Buffer theirs;
    ASSERT_OK(vd_buffer_import(ctx, &desc, theirs.out()));
    EXPECT_FAILS(vd_buffer_fill(theirs, 0, 4, 9, 0, nullptr, nullptr), VD_ERR_INVALID,
                 "vd_buffer_fill: offset (0) from byte 1 on behind a file descriptor is not a multiple of 4.");
    api::Graph graph;
    ASSERT_OK(vd_graph_create(ctx, nullptr, graph.out()));
    EXPECT_EQ(vd_graph_fill(graph, theirs, 0, 4, 9, nullptr), VD_ERR_INVALID);
    const api::Plan plan = api::make_plan(ctx, api::mix_kernel());
    api::Launch launch(4, {{theirs, 0, 16}, {ours, 0, 16}}, 1);
    EXPECT_EQ(vd_plan_launch(plan, &launch.desc, nullptr), VD_ERR_INVALID);
    ASSERT_OK(vd_buffer_fill(theirs, 3, 4, 9, 0, nullptr, nullptr));
    ASSERT_OK(vd_context_wait_idle(ctx, 0, kLong));
    EXPECT_EQ(api::read<uint32_t>(ours, 3), (std::vector<uint32_t>{0, 9, 0}));
  }
}

TEST(MemoryFd, WhatIsNone) {
  api::Context ctx;
  vd_device_info info = VD_DEVICE_INFO_INIT;
  if (const std::string why = open(VD_BACKEND_VULKAN, ctx, info); !why.empty()) GTEST_SKIP() << why;
  if ((info.features & VD_FEATURE_MEMORY_FD) == 0) GTEST_SKIP() << info.name << " has no memory by file descriptors";
  const api::Buffer ours = make_exportable(ctx, 4096, "ours");
  vd_memory_fd fd = VD_MEMORY_FD_INIT;
  ASSERT_OK(vd_buffer_export_fd(ours, &fd));
  const int kept = fd.fd;
  api::Buffer buffer;
  const auto fails = [&](const vd_memory_fd& wrong, uint64_t size, const char* message) {
    vd_buffer_import_desc desc = import_of(wrong, "theirs");
    desc.size = size;
    EXPECT_FAILS(vd_buffer_import(ctx, &desc, buffer.out()), VD_ERR_INVALID, message);
    EXPECT_TRUE(is_open(kept)) << "the caller's, since the import failed";
  };
  vd_memory_fd wrong = fd;
  wrong.fd = -1;
  fails(wrong, 4096, "vd_buffer_import: desc->fd->fd (-1) is no file descriptor.");
  wrong.fd = 1000000;
  fails(wrong, 4096, "vd_buffer_import: desc->fd->fd (1000000) is no file descriptor.");
  wrong = fd;
  fails(wrong, 8192, "vd_buffer_import: desc->size (8192) is more than desc->fd->size (4096).");
  wrong.offset = wrong.memory_size;
  fails(wrong, 4096,
        ("vd_buffer_import: desc->fd->offset (" + std::to_string(fd.memory_size) +
         ") + desc->fd->size (4096) is past desc->fd->memory_size (" + std::to_string(fd.memory_size) + ").")
            .c_str());
  wrong = fd;
  wrong.uuid[3] ^= 1;
  fails(wrong, 4096,
        ("vd_buffer_import: desc->fd->uuid is another device's than that of \"" + std::string(info.name) + "\".")
            .c_str());
  vd_buffer_import_desc desc = import_of(fd, "theirs");
  desc.handle = 5;
  EXPECT_FAILS(vd_buffer_import(ctx, &desc, buffer.out()), VD_ERR_INVALID,
               "vd_buffer_import: desc->handle (0x5) is not 0 beside desc->fd.");
  vd_buffer_desc flags = VD_BUFFER_DESC_INIT;
  flags.size = 64;
  flags.flags = VD_BUFFER_EXPORT | VD_BUFFER_HOST;
  EXPECT_FAILS(vd_buffer_create(ctx, &flags, buffer.out()), VD_ERR_INVALID,
               "vd_buffer_create: desc->flags (0x5) has others beside VD_BUFFER_EXPORT.");
  close(kept);
}

// The backend has imported the memory by then, and only its stream is in the way.
TEST(MemoryFd, IsTheCallersWhereTheStreamIsCapturing) {
  using namespace vd::cuda;
  api::Context ctx;
  vd_device_info info = VD_DEVICE_INFO_INIT;
  if (const std::string why = open(VD_BACKEND_CUDA, ctx, info); !why.empty()) GTEST_SKIP() << why;
  if ((info.features & VD_FEATURE_MEMORY_FD) == 0) GTEST_SKIP() << info.name << " has no memory by file descriptors";
  void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr);
  const auto push = reinterpret_cast<CUresult (*)(CUctx_st*)>(dlsym(library, "cuCtxPushCurrent_v2"));
  const auto pop = reinterpret_cast<CUresult (*)(CUctx_st**)>(dlsym(library, "cuCtxPopCurrent_v2"));
  const auto create = reinterpret_cast<CUresult (*)(CUstream_st**, unsigned)>(dlsym(library, "cuStreamCreate"));
  const auto destroy = reinterpret_cast<CUresult (*)(CUstream_st*)>(dlsym(library, "cuStreamDestroy_v2"));
  const auto synchronize = reinterpret_cast<CUresult (*)(CUstream_st*)>(dlsym(library, "cuStreamSynchronize"));
  const auto begin =
      reinterpret_cast<CUresult (*)(CUstream_st*, CUstreamCaptureMode)>(dlsym(library, "cuStreamBeginCapture_v2"));
  const auto end = reinterpret_cast<CUresult (*)(CUstream_st*, CUgraph_st**)>(dlsym(library, "cuStreamEndCapture"));
  constexpr CUresult kSuccess{};
  constexpr CUstreamCaptureMode kGlobal{};
  uint64_t context = 0;
  ASSERT_OK(vd_context_get_native(ctx, 0, "CUcontext", &context));
  ASSERT_EQ(push(reinterpret_cast<CUctx_st*>(context)), kSuccess);
  CUstream_st* stream = nullptr;
  ASSERT_EQ(create(&stream, 1), kSuccess);

  const api::Buffer ours = make_exportable(ctx, 4096, "ours");
  vd_memory_fd fd = VD_MEMORY_FD_INIT;
  ASSERT_OK(vd_buffer_export_fd(ours, &fd));
  vd_buffer_import_desc desc = import_of(fd, "theirs");
  desc.stream = reinterpret_cast<uint64_t>(stream);
  api::Buffer theirs;
  const auto refused = [&](const char* part) {
    EXPECT_EQ(vd_buffer_import(ctx, &desc, theirs.out()), VD_ERR_STATE);
    EXPECT_THAT(vd_last_error(), testing::HasSubstr(part));
    EXPECT_TRUE(is_open(fd.fd)) << "the caller's, since the import failed";
  };
  ASSERT_EQ(begin(stream, kGlobal), kSuccess);
  refused("is capturing");
  EXPECT_NE(synchronize(stream), kSuccess);  // the program's mistake
  refused("was aborted");
  CUgraph_st* graph = nullptr;
  EXPECT_NE(end(stream, &graph), kSuccess);
  EXPECT_OK(vd_buffer_import(ctx, &desc, theirs.out()));
  EXPECT_FALSE(is_open(fd.fd)) << "the library has closed it";
  EXPECT_OK(vd_context_wait_idle(ctx, 0, kLong));
  EXPECT_EQ(synchronize(stream), kSuccess);
  EXPECT_EQ(destroy(stream), kSuccess);
  CUctx_st* popped = nullptr;
  EXPECT_EQ(pop(&popped), kSuccess);
}

// ---- Vulkan and CUDA on one device

// The same GPU through both. Skipped where a machine has no such device: CPUs that stand in for a GPU are not CUDA's.
struct BothTest : testing::Test {
  void SetUp() override {
    if (const std::string why = open(VD_BACKEND_VULKAN, vulkan, vulkan_info); !why.empty())
      GTEST_SKIP() << "needs one GPU on Vulkan and CUDA: " << why;
    if (const std::string why = open(VD_BACKEND_CUDA, cuda, cuda_info); !why.empty())
      GTEST_SKIP() << "needs one GPU on Vulkan and CUDA: " << why;
    if (std::memcmp(vulkan_info.uuid, cuda_info.uuid, 16) != 0)
      GTEST_SKIP() << "needs one GPU on Vulkan and CUDA, and \"" << vulkan_info.name << "\" is not \"" << cuda_info.name
                   << "\"";
    constexpr vd_features kBoth = VD_FEATURE_MEMORY_FD | VD_FEATURE_SEMAPHORE_FD;
    for (const vd_device_info* info : {&vulkan_info, &cuda_info})
      if ((info->features & kBoth) != kBoth)
        GTEST_SKIP() << "\"" << info->name << "\" lacks memory or semaphores by file descriptors";
    vulkan_plan = api::make_plan(vulkan, api::mix_kernel());
    cuda_plan = api::make_plan(cuda, api::mix_kernel());
  }

  // The semaphore as CUDA knows it.
  api::Semaphore for_cuda(vd_semaphore* semaphore, uint64_t timeout_ns = 0) {
    int32_t fd = -1;
    EXPECT_OK(vd_semaphore_export_fd(semaphore, &fd));
    vd_semaphore_desc desc = VD_SEMAPHORE_DESC_INIT;
    desc.source = VD_SEMAPHORE_FD;
    desc.handle = static_cast<uint64_t>(fd);
    desc.label = "Vulkan's";
    desc.timeout_ns = timeout_ns;
    api::Semaphore made;
    EXPECT_OK(vd_semaphore_create(cuda, &desc, made.out()));
    EXPECT_FALSE(is_open(fd));
    return made;
  }

  // Ours in one context, theirs in the other: one memory.
  void share(vd_context* from, vd_context* to, uint32_t count) {
    ours = make_exportable(from, count * 4, "ours");
    vd_memory_fd fd = VD_MEMORY_FD_INIT;
    ASSERT_OK(vd_buffer_export_fd(ours, &fd));
    const vd_buffer_import_desc desc = import_of(fd, "theirs");
    ASSERT_OK(vd_buffer_import(to, &desc, theirs.out()));
    EXPECT_FALSE(is_open(fd.fd));
  }

  // x[i] = 3 * x[i] + one[i] + c, as the other API does too, so that their order matters.
  void step(vd_plan* plan, vd_buffer* x, vd_buffer* one, uint32_t count, uint32_t c, const vd_order_desc* order) {
    api::Launch launch(count, {{x, 0, 0}, {one, 0, 0}}, c);
    launch.desc.order = order;
    ASSERT_OK(vd_plan_launch(plan, &launch.desc, nullptr));
  }

  // CUDA's step is submitted before Vulkan's, which the host holds until both are given. Returns an element.
  uint32_t run(bool vulkan_exports, bool ordered) {
    const uint32_t count = 1 << 20;
    share(vulkan_exports ? vulkan : cuda, vulkan_exports ? cuda : vulkan, count);
    vd_buffer* const on_vulkan = vulkan_exports ? ours : theirs;
    vd_buffer* const on_cuda = vulkan_exports ? theirs : ours;
    const std::vector<uint32_t> ones(count, 1);
    const api::Buffer vulkan_ones = api::make_buffer(vulkan, ones, "ones"),
                      cuda_ones = api::make_buffer(cuda, ones, "ones");
    EXPECT_OK(vd_buffer_fill(on_vulkan, 0, count * 4, 0, 0, nullptr, nullptr));
    EXPECT_OK(vd_context_wait_idle(vulkan, 0, kLong));
    EXPECT_OK(vd_context_wait_idle(cuda, 0, kLong));
    const api::Semaphore gate = make_semaphore(vulkan, "gate"), semaphore = make_semaphore(vulkan, "order");
    const api::Semaphore seen = for_cuda(semaphore);
    const Step first(gate, 1, semaphore, 1), second(seen, ordered ? 1 : 0, seen, ordered ? 2 : 0);
    step(cuda_plan, on_cuda, cuda_ones, count, 10, &second.order);
    step(vulkan_plan, on_vulkan, vulkan_ones, count, 100, &first.order);
    if (!ordered) {
      EXPECT_OK(vd_context_wait_idle(cuda, 0, kLong));
    }
    EXPECT_OK(vd_semaphore_signal(gate, 1));
    if (!ordered) {
      EXPECT_OK(vd_context_wait_idle(vulkan, 0, kLong));
    }
    // Back on Vulkan: a copy that CUDA's step comes before.
    const api::Buffer result = api::make_buffer(vulkan, count * 4, "result");
    const Step third(semaphore, ordered ? 2 : 0, 0);
    EXPECT_OK(vd_buffer_copy(on_vulkan, 0, result, 0, count * 4, 0, &third.order, nullptr));
    const auto got = api::read<uint32_t>(result, count);
    for (const uint32_t word : got) {
      if (word != got[0]) ADD_FAILURE() << word << " beside " << got[0];
      if (word != got[0]) break;
    }
    EXPECT_OK(vd_context_wait_idle(cuda, 0, kLong));
    return got[0];
  }
  static constexpr uint32_t kInOrder = (0 * 3 + 1 + 100) * 3 + 1 + 10;  // Vulkan's step, then CUDA's
  static constexpr uint32_t kOutOfOrder = (0 * 3 + 1 + 10) * 3 + 1 + 100;

  api::Context vulkan, cuda;
  vd_device_info vulkan_info = VD_DEVICE_INFO_INIT, cuda_info = VD_DEVICE_INFO_INIT;
  api::Plan vulkan_plan, cuda_plan;
  api::Buffer ours, theirs;
};

TEST_F(BothTest, CudaComesAfterVulkanInVulkansMemory) { EXPECT_EQ(run(true, true), kInOrder); }
TEST_F(BothTest, CudaComesAfterVulkanInCudasMemory) { EXPECT_EQ(run(false, true), kInOrder); }
// The control: without the wait CUDA's step comes first, so the tests above show that it waits.
TEST_F(BothTest, WithoutASemaphoreTheOrderIsAnother) {
  EXPECT_EQ(run(true, false), kOutOfOrder);
  EXPECT_EQ(run(false, false), kOutOfOrder);
}

// Back and forth, each side waiting for the other on the device.
TEST_F(BothTest, BackAndForth) {
  const uint32_t count = 1 << 16, turns = 50;
  share(vulkan, cuda, count);
  const std::vector<uint32_t> ones(count, 1);
  const api::Buffer vulkan_ones = api::make_buffer(vulkan, ones, "ones"),
                    cuda_ones = api::make_buffer(cuda, ones, "ones");
  ASSERT_OK(vd_buffer_fill(ours, 0, count * 4, 0, 0, nullptr, nullptr));
  ASSERT_OK(vd_context_wait_idle(vulkan, 0, kLong));
  ASSERT_OK(vd_context_wait_idle(cuda, 0, kLong));
  const api::Semaphore semaphore = make_semaphore(vulkan, "order"), seen = for_cuda(semaphore);
  uint32_t expected = 0;
  for (uint32_t turn = 0; turn < turns; ++turn) {
    const Step first(semaphore, 2 * turn, 2 * turn + 1), second(seen, 2 * turn + 1, 2 * turn + 2);
    step(vulkan_plan, ours, vulkan_ones, count, turn, &first.order);
    step(cuda_plan, theirs, cuda_ones, count, 7, &second.order);
    expected = (expected * 3 + 1 + turn) * 3 + 1 + 7;
  }
  ASSERT_EQ(vd_semaphore_wait(semaphore, 2 * turns, kLong), VD_OK);
  EXPECT_EQ(api::read<uint32_t>(ours, count), std::vector<uint32_t>(count, expected));
  ASSERT_OK(vd_context_wait_idle(cuda, 0, kLong));
}

TEST_F(BothTest, OneThatVulkanNeverSetsEndsInAStatus) {
  const api::Semaphore semaphore = make_semaphore(vulkan, "never"), seen = for_cuda(semaphore, 200'000'000);
  const api::Buffer buffer = api::make_buffer(cuda, 4096, "x");
  const Step step(seen, 5, 0);
  vd_ticket ticket = 0;
  ASSERT_OK(vd_buffer_fill(buffer, 0, 4096, 1, 0, &step.order, &ticket));
  EXPECT_EQ(vd_ticket_wait(cuda, ticket, kSoon / 5), VD_TIMEOUT);
  EXPECT_FAILS(vd_ticket_wait(cuda, ticket, VD_WAIT_FOREVER), VD_ERR_STATE,
               "vd_ticket_wait: the queue waited for semaphore \"Vulkan's\" to reach 5 for 200 ms, and nobody set it.");
  EXPECT_EQ(vd_buffer_fill(buffer, 0, 4096, 1, 0, nullptr, nullptr), VD_ERR_STATE);
}

}  // namespace
