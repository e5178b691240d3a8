// Processes that end by exit() while a context is open: with work that runs, that is held, after a fork, and while
// another thread closes its context. Each runs in a process of its own.
#include <dlfcn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string>
#include <thread>

#include "api/gate.h"
#include "support/samples.h"

namespace {

constexpr int kLaunches = 2000;
constexpr uint32_t kWords = 64;

class ProcessEndDeathTest : public testing::TestWithParam<vd_backend> {
 protected:
  void SetUp() override {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    api::Context ctx = open();
    if (ctx == nullptr) GTEST_SKIP() << vd_last_error();
  }
  static api::Context open() { return api::open_context(GetParam()); }
};

// A kernel that no cache has, for drivers that compile it while it is launched.
api::Kernel new_kernel() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return api::mix_kernel(("mix_" + std::to_string(now.count())).c_str());
}

// A context with launches under way, which nobody waited for; as many as its queue takes at once.
struct Work {
  api::Context ctx;
  api::Buffer dst, src;
  api::Plan plan;

  void begin(api::Context context) {
    ctx = std::move(context);
    dst = api::make_buffer(ctx, std::vector<uint32_t>(kWords, 1));
    src = api::make_buffer(ctx, std::vector<uint32_t>(kWords, 2));
    plan = api::make_plan(ctx, new_kernel());
    vd_buffer* const buffers[] = {dst, src};
    const uint32_t value = 3;
    for (int i = 0; i < kLaunches; ++i)
      (void)vd_plan_try_launch(plan, nullptr, 0, kWords, 1, 1, buffers, 2, &value, sizeof(value));
  }
};

// Objects that are released while the process ends may stay: a leak check finds them here.
std::array<void*, 4> remembered;
void remember(const Work& work) { remembered = {work.ctx, work.dst, work.src, work.plan}; }

TEST_P(ProcessEndDeathTest, FinishesTheWork) {
  const auto run = [] {
    auto* work = new Work;  // never released
    work->begin(open());
    std::exit(3);
  };
  for (int i = 0; i < 3; ++i) EXPECT_EXIT(run(), testing::ExitedWithCode(3), "");
}

// The driver may be gone when an object of static duration is destroyed.
TEST_P(ProcessEndDeathTest, ReleasesComeTooLate) {
  const auto run = [] {
    static Work work;  // destroyed after the library's own end, since no context was open when it was made
    work.begin(open());
    std::exit(3);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(3), "");
}

TEST_P(ProcessEndDeathTest, WaitsForAContextThatCloses) {
  const auto run = [] {
    auto* work = new Work;
    work->begin(open());
    std::atomic<bool> closing{false};
    remember(*work);
    std::thread([&] {
      closing = true;
      delete work;
    }).detach();
    while (!closing) std::this_thread::yield();
    std::exit(3);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(3), "");
}

// Objects of static duration, which a callback may use, are destroyed behind the library's end. The first callback lasts
// until then, and the second one would come later.
TEST_P(ProcessEndDeathTest, CallsNothingBackBehindTheEnd) {
  const auto run = [] {
    static std::atomic<bool> calls{false}, gone{false};
    static const struct Last {
      ~Last() {
        gone = true;
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
      }
    } last;
    static const auto first = [](vd_status, const char*, void*) {
      calls = true;
      while (!gone) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    };
    static const auto second = [](vd_status, const char*, void*) { _exit(5); };
    auto* ctx = new api::Context(open());
    if (vd_ticket_notify(*ctx, 0, first, nullptr) != VD_OK || vd_ticket_notify(*ctx, 0, second, nullptr) != VD_OK)
      std::exit(1);
    while (!calls) std::this_thread::yield();
    std::exit(3);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(3), "");
}

// A callback that ends the process never returns: nothing that waits for it is waited for, or it would take seconds, at
// whose end the library complains.
constexpr char kComplaint[] = "still runs";

// A graph that calls back between two launches.
struct CallingGraph {
  Work work;
  api::Graph graph;

  void begin(api::Context ctx, vd_graph_fn callback) {
    work.begin(std::move(ctx));
    if (vd_graph_create(work.ctx, nullptr, graph.out()) != VD_OK) std::exit(1);
    launch();
    if (vd_graph_call(graph, callback, nullptr, nullptr, nullptr) != VD_OK) std::exit(1);
    launch();
  }
  void submit() const {
    if (vd_graph_submit(graph, nullptr, nullptr) != VD_OK) std::exit(1);
  }

 private:
  void launch() {
    const uint32_t value = 3;
    const vd_binding bindings[] = {VD_BINDING_OF(work.dst, 0, VD_WHOLE_SIZE),
                                   VD_BINDING_OF(work.src, 0, VD_WHOLE_SIZE)};
    vd_launch_desc desc = VD_LAUNCH_DESC_INIT;
    desc.invocations[0] = kWords;
    desc.bindings = bindings;
    desc.binding_count = 2;
    desc.values = &value;
    desc.values_size = sizeof(value);
    if (vd_graph_launch(graph, work.plan, &desc, nullptr) != VD_OK) std::exit(1);
  }
};

TEST_P(ProcessEndDeathTest, ACallOfAGraphEndsIt) {
  const auto run = [] {
    auto* graph = new CallingGraph;
    graph->begin(open(), [](void*) { std::exit(3); });
    graph->submit();
    for (int i = 0; i < 3; ++i) graph->submit();
    for (;;) pause();
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(3), testing::Not(testing::HasSubstr(kComplaint)));
}

// Drivers for Vulkan alone wait for a callback in their queues, and the end of one may wait for these, as that of NVIDIA's does.
using DriverEndDeathTest = ProcessEndDeathTest;
TEST_P(DriverEndDeathTest, ThatWaitsForItsQueues) {
  const auto run = [] {
    static uint64_t device = 0;
    alarm(60);  // ends a process that hangs
    // Called behind the library's own function, which comes with a context.
    std::atexit([] {
      void* const loader = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
      const auto wait_idle = reinterpret_cast<int (*)(void*)>(dlsym(loader, "vkDeviceWaitIdle"));
      if (wait_idle == nullptr || wait_idle(reinterpret_cast<void*>(device)) != 0) _exit(5);
    });
    auto* graph = new CallingGraph;
    graph->begin(open(), [](void*) { std::exit(3); });
    if (vd_context_get_native(graph->work.ctx, 0, "VkDevice", &device) != VD_OK) std::exit(4);
    for (int i = 0; i < 3; ++i) graph->submit();
    for (;;) pause();
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(3), testing::Not(testing::HasSubstr(kComplaint)));
}

// Calls that come later have queues wait for the thread that calls.
TEST_P(ProcessEndDeathTest, ACallbackInFrontOfCallsEndsIt) {
  const auto run = [] {
    static std::atomic<bool> submitted{false};
    auto* graph = new CallingGraph;
    graph->begin(open(), [](void*) {});
    const auto end = [](vd_status, const char*, void*) {
      while (!submitted) std::this_thread::yield();
      std::exit(3);
    };
    if (vd_ticket_notify(graph->work.ctx, 0, end, nullptr) != VD_OK) std::exit(1);
    graph->submit();
    submitted = true;
    for (;;) pause();
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(3), testing::Not(testing::HasSubstr(kComplaint)));
}

TEST_P(ProcessEndDeathTest, ACallbackEndsItWhileItsContextCloses) {
  const auto run = [] {
    static std::atomic<bool> closing{false};
    auto* work = new Work;
    work->begin(open());
    const auto end = [](vd_status, const char*, void*) {
      while (!closing) std::this_thread::yield();
      std::exit(3);
    };
    if (vd_ticket_notify(work->ctx, 0, end, nullptr) != VD_OK) std::exit(1);
    remember(*work);
    std::thread([=] {
      // Drivers may not be called any more once exit() runs, but for a context that closes.
      work->dst = {};
      work->src = {};
      work->plan = {};
      closing = true;
      delete work;
    }).detach();
    for (;;) pause();
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(3), testing::Not(testing::HasSubstr(kComplaint)));
}

INSTANTIATE_TEST_SUITE_P(All, ProcessEndDeathTest, api::each_backend(), api::backend_name);
INSTANTIATE_TEST_SUITE_P(Vulkan, DriverEndDeathTest, testing::Values(VD_BACKEND_VULKAN), api::backend_name);

// Processes that fork while their threads work. On the host alone: the functions that a driver has called at the end may
// themselves fail in a forked child, as those of NVIDIA's Vulkan driver do.
class ForkDeathTest : public testing::Test {
 protected:
  void SetUp() override {
    // C's own allocator is whole again after a fork.
    if (vd::test::kSanitized) GTEST_SKIP() << "a sanitizer's allocator stays locked in a child if a thread was in it";
    GTEST_FLAG_SET(death_test_style, "threadsafe");
  }
};

TEST_F(ForkDeathTest, TheChildOwnsNoWork) {
  const auto run = [] {
    auto* work = new Work;
    work->begin(api::host_context());
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);  // ends a child that hangs
      std::exit(4);
    }
    int status = 0;
    const bool ended = waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 4;
    std::exit(ended ? 3 : 1);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(3), "");
}

// A child that opens a context of its own finishes that alone: its parent's work has no threads there.
TEST_F(ForkDeathTest, TheChildFinishesItsOwnContexts) {
  const auto run = [] {
    auto* ctx = new api::Context(api::host_context());
    auto* gate = new api::Gate(*ctx);
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);  // ends a child that hangs
      auto* own = new api::Context(api::host_context());
      std::exit(*own != nullptr ? 4 : 1);
    }
    int status = 0;
    const bool ended = waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 4;
    gate->open();
    std::exit(ended ? 3 : 1);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(3), testing::Not(testing::HasSubstr("the process ends while")));
}

// A child that lets go of what its parent gave it, as the end of a scope does: the threads that would finish the work are
// the parent's alone.
TEST_F(ForkDeathTest, TheChildReleasesItsParentsObjects) {
  const auto run = [] {
    auto* work = new Work;
    work->begin(api::host_context());
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);  // ends a child that hangs
      delete work;
      _exit(4);
    }
    int status = 0;
    const bool ended = waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 4;
    std::exit(ended ? 3 : 1);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(3), "");
}

// The system's own call runs no handlers of fork(), and in a namespace of its own a child may have its parent's number.
TEST_F(ForkDeathTest, AClonedChildIsOneToo) {
  const auto run = [] {
    auto* ctx = new api::Context(api::host_context());
    auto* buffer = new api::Buffer(api::make_buffer(*ctx, std::vector<uint32_t>(kWords, 1)));
    const auto child = static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
    if (child == 0) {
      alarm(60);  // ends a child that hangs
      uint32_t word = 0;
      if (vd_buffer_read(*buffer, 0, sizeof(word), 0, &word) != VD_ERR_STATE) _exit(5);
      if (std::string(vd_last_error()).find("forked") == std::string::npos) _exit(6);
      delete buffer;
      delete ctx;
      std::exit(4);
    }
    int status = 0;
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status)) std::exit(1);
    std::exit(WEXITSTATUS(status) == 4 ? 3 : WEXITSTATUS(status));
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(3), "");
}

// On each backend, since nothing of the driver is called there.
class ForkedDeathTest : public ProcessEndDeathTest {
 protected:
  void SetUp() override {
    if (vd::test::kSanitized) GTEST_SKIP() << "a sanitizer's allocator stays locked in a child if a thread was in it";
    ProcessEndDeathTest::SetUp();
  }
};

TEST_P(ForkedDeathTest, TheChildHasNoUseOfItsParentsContext) {
  const auto run = [] {
    auto* work = new Work;
    work->begin(open());
    auto* image = new api::Image;
    vd_image_desc texels = VD_IMAGE_DESC_INIT;
    texels.format = VD_FORMAT_R32_U32;
    texels.dimensions = 1;
    texels.extent[0] = 64;
    if (vd_image_create(work->ctx, &texels, image->out()) != VD_OK) std::exit(1);
    const api::Kernel kernel = api::mix_kernel("another");
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);  // ends a child that hangs
      uint32_t word = 0, texels_read[64];
      vd_plan_desc desc = VD_PLAN_DESC_INIT;
      desc.kernel = kernel;
      api::Plan plan;
      api::Buffer buffer;
      vd_buffer_desc memory = VD_BUFFER_DESC_INIT;
      memory.size = 64;
      vd_buffer* const buffers[] = {work->dst, work->src};
      const vd_status statuses[] = {
          vd_context_wait_idle(work->ctx, VD_QUEUE_ALL, VD_WAIT_FOREVER),
          vd_buffer_read(work->dst, 0, 4, 0, &word),
          vd_buffer_write(work->dst, 0, &word, 4, 0),
          vd_buffer_fill(work->dst, 0, 4, 0, 0, nullptr, nullptr),
          vd_buffer_create(work->ctx, &memory, buffer.out()),
          vd_plan_create(work->ctx, &desc, plan.out()),
          vd_plan_try_launch(work->plan, nullptr, 0, kWords, 1, 1, buffers, 2, &word, sizeof(word)),
          vd_image_read(*image, nullptr, sizeof(texels_read), 0, texels_read),
          vd_ticket_notify(
              work->ctx, 0, [](vd_status, const char*, void*) {}, nullptr),
      };
      for (const vd_status status : statuses)
        if (status != VD_ERR_STATE) _exit(5);
      if (std::string(vd_last_error()).find("forked") == std::string::npos) _exit(6);
      delete image;
      delete work;
      _exit(4);
    }
    int status = 0;
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status)) std::exit(1);
    if (WEXITSTATUS(status) != 4) std::exit(WEXITSTATUS(status));
    // The parent's work is untouched.
    std::exit(vd_context_wait_idle(work->ctx, VD_QUEUE_ALL, VD_WAIT_FOREVER) == VD_OK ? 3 : 2);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(3), "");
}

// A driver has threads, which a child lacks: it would wait for them for ever.
TEST_P(ForkedDeathTest, TheChildOpensNoDriverOfItsParents) {
  const auto run = [&] {
    auto* ctx = new api::Context(open());
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);  // ends a child that hangs
      const bool host = GetParam() == VD_BACKEND_HOST;
      vd_context_desc desc = VD_CONTEXT_DESC_INIT;
      desc.flags = VD_CONTEXT_USE_CPU;
      // The automatic choice asks for Vulkan first.
      for (const vd_backend backend : {GetParam(), GetParam() == VD_BACKEND_VULKAN ? VD_BACKEND_AUTO : GetParam()}) {
        desc.backend = backend;
        api::Context own;
        const vd_status status = vd_context_create(&desc, own.out());
        if (status != (host ? VD_OK : VD_ERR_STATE)) _exit(5);
        if (!host && std::string(vd_last_error()).find("forked") == std::string::npos) _exit(6);
      }
      vd_backend_info info = VD_BACKEND_INFO_INIT;
      if (vd_backend_get_info(GetParam(), &info) != VD_OK || (info.available != 0) != host) _exit(7);
      if (info.status != (host ? VD_OK : VD_ERR_STATE)) _exit(9);
      desc.backend = VD_BACKEND_HOST;
      api::Context on_cpu;
      _exit(vd_context_create(&desc, on_cpu.out()) == VD_OK ? 4 : 8);
    }
    int status = 0;
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status)) std::exit(1);
    delete ctx;
    std::exit(WEXITSTATUS(status) == 4 ? 3 : WEXITSTATUS(status));
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(3), "");
}

INSTANTIATE_TEST_SUITE_P(All, ForkedDeathTest, api::each_backend(), api::backend_name);

// A kernel that never ends does not keep its process.
TEST(ProcessEndDeathTest, WaitsNotForEver) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto run = [] {
    auto* ctx = new api::Context(api::host_context());
    auto* gate = new api::Gate(*ctx);
    std::exit(gate->works() ? 3 : 1);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(3), "the process ends while work that it gave to a device still runs");
}

}  // namespace
