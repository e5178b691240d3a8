// The CUDA context that holds the clock beside a Vulkan device: the emulated driver stands for CUDA.
#include "backends/vulkan/clock_hold.h"

#ifdef VD_EMULATED_DIR
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/log.h"
#include "unit/vulkan/fixture.h"

namespace vd::cuda {
enum CUresult : int;
struct CUctx_st;
}  // namespace vd::cuda

namespace vd::vulkan {
namespace {

using namespace std::chrono_literals;

constexpr const char* kLibrary = VD_EMULATED_DIR "/libcuda.so.1";
constexpr int kFailed = 999;

// The emulated driver's control functions (support/emulated_cuda/control.h), and two of CUDA's.
struct Emulated {
  void (*fail)(const char* call, unsigned nth, int code) = nullptr;
  uint64_t (*calls)(const char* call) = nullptr;
  void (*slow)(const char* call, unsigned milliseconds) = nullptr;
  void (*compute_mode)(int mode) = nullptr;
  void (*uuid)(int device, const uint8_t* bytes) = nullptr;
  unsigned (*references)(int device) = nullptr;
  vd::cuda::CUresult (*current)(vd::cuda::CUctx_st** context) = nullptr;

  static const Emulated& get() {
    static const Emulated loaded;
    return loaded;
  }

 private:
  Emulated() {
    void* library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
    EXPECT_NE(library, nullptr) << dlerror();
    const auto load = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
      EXPECT_NE(function, nullptr) << name;
    };
    load(fail, "vd_emulated_fail");
    load(calls, "vd_emulated_calls");
    load(slow, "vd_emulated_slow");
    load(compute_mode, "vd_emulated_compute_mode");
    load(uuid, "vd_emulated_uuid");
    load(references, "vd_emulated_references");
    load(current, "cuCtxGetCurrent");
  }
};

const Emulated& cuda() { return Emulated::get(); }

// The messages about the clock.
class Said {
 public:
  Said() : receiver_(add_log_receiver(VD_LOG_INFO, &Said::add, this)) {}
  ~Said() { remove_log_receiver(receiver_); }
  // Ends with such a message; false if there is none for a long time.
  bool waits_for(const std::string& part) {
    return until([&] {
      const std::lock_guard lock(mutex_);
      return std::ranges::any_of(lines_, [&](const std::string& line) { return line.find(part) != std::string::npos; });
    });
  }
  template <class F>
  static bool until(F&& is_so) {
    const auto end = std::chrono::steady_clock::now() + 60s;
    while (!is_so()) {
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::yield();
    }
    return true;
  }

 private:
  static void add(const vd_log_message* message, void* user) {
    auto& self = *static_cast<Said*>(user);
    const std::lock_guard lock(self.mutex_);
    self.lines_.emplace_back(message->text);
  }
  std::mutex mutex_;
  std::vector<std::string> lines_;
  vd_log_receiver receiver_;
};

vd_device_info some_device() {
  vd_device_info info = VD_DEVICE_INFO_INIT;
  std::copy_n("some Vulkan GPU", 16, info.name);
  for (uint8_t i = 0; i < sizeof(info.uuid); ++i) info.uuid[i] = static_cast<uint8_t>(i + 1);
  info.uuid_valid = 1;
  return info;
}

class ClockHoldTest : public testing::Test {
 protected:
  void SetUp() override {
    if (access(kLibrary, R_OK) != 0) GTEST_SKIP() << "the emulated driver was not built here: " << kLibrary;
    cuda().uuid(1, some_device().uuid);
  }
  void TearDown() override {
    if (IsSkipped() && access(kLibrary, R_OK) != 0) return;
    constexpr uint8_t kUsual[16] = {};
    cuda().uuid(1, kUsual);
    cuda().compute_mode(0);
    EXPECT_EQ(cuda().references(0), 0u);
    EXPECT_EQ(cuda().references(1), 0u);
  }
};

TEST_F(ClockHoldTest, HoldsTheContextOfTheSameDeviceUntilItsEnd) {
  ClockHold first(some_device(), kLibrary, 0ms);
  {
    ClockHold second(some_device(), kLibrary, 0ms);
    first.begin();
    second.begin();
    second.begin();
    EXPECT_TRUE(Said::until([] { return cuda().references(1) == 2; }));
    EXPECT_EQ(cuda().references(0), 0u);
  }
  EXPECT_EQ(cuda().references(1), 1u);
}

TEST_F(ClockHoldTest, NothingIsMadeBeforeItsBeginOrForAProgramThatEndsSoon) {
  const uint64_t before = cuda().calls(nullptr);
  { const ClockHold unused(some_device(), kLibrary); }
  {
    ClockHold brief(some_device(), kLibrary, 1h);
    brief.begin();
  }
  EXPECT_EQ(cuda().calls(nullptr), before);
}

TEST_F(ClockHoldTest, ADeviceOfAnotherUuidIsLeftAlone) {
  vd_device_info other = some_device();
  other.uuid[15] ^= 1;
  vd_device_info unknown = some_device();
  unknown.uuid_valid = 0;
  for (const vd_device_info& info : {other, unknown}) {
    Said said;
    ClockHold hold(info, kLibrary, 0ms);
    hold.begin();
    EXPECT_TRUE(said.waits_for("the clock of device \"some Vulkan GPU\" is not held: no CUDA device has its UUID."));
    EXPECT_EQ(cuda().references(0) + cuda().references(1), 0u);
  }
}

TEST_F(ClockHoldTest, AnExclusiveDeviceIsLeftAlone) {
  for (const int mode : {1, 2, 3}) {
    cuda().compute_mode(mode);
    Said said;
    ClockHold hold(some_device(), kLibrary, 0ms);
    hold.begin();
    EXPECT_TRUE(said.waits_for("its compute mode (" + std::to_string(mode) + ")"));
    EXPECT_EQ(cuda().references(1), 0u);
  }
}

TEST_F(ClockHoldTest, EachFailingCallIsALineInTheLog) {
  for (const std::string call : {"cuInit", "cuDeviceGetCount", "cuDeviceGet", "cuDeviceGetUuid", "cuDeviceGetAttribute",
                                 "cuDevicePrimaryCtxRetain"}) {
    Said said;
    cuda().fail(call.c_str(), 1, kFailed);
    ClockHold hold(some_device(), kLibrary, 0ms);
    hold.begin();
    EXPECT_TRUE(said.waits_for(call + " failed with CUDA's error 999")) << call;
    EXPECT_EQ(cuda().references(1), 0u);
  }
  Said said;
  ClockHold hold(some_device(), "/nowhere/libcuda.so.1", 0ms);
  hold.begin();
  EXPECT_TRUE(said.waits_for("there is no CUDA driver"));
}

// The child has the hold but not its thread, whose locks may be taken; then both processes end while the context is held.
TEST_F(ClockHoldTest, AForkAndTheEndOfTheProcessAreSafe) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        auto hold = std::make_unique<ClockHold>(some_device(), kLibrary, 0ms);
        hold->begin();
        if (!Said::until([] { return cuda().references(1) == 1; })) std::exit(3);
        const pid_t child = fork();
        if (child == 0) {
          {
            // Neither does one that the child makes wait for a lock of the parent's.
            Said said;
            ClockHold own(some_device(), kLibrary, 0ms);
            own.begin();
            if (!said.waits_for("CUDA was started before it was forked")) std::exit(4);
          }
          hold.reset();
          std::exit(cuda().references(1) == 1 ? 0 : 5);
        }
        int status = 0;
        if (waitpid(child, &status, 0) != child || status != 0) std::exit(6);
        static_cast<void>(hold.release());
        std::exit(0);
      },
      testing::ExitedWithCode(0), "");
}

// The driver's own handlers come later, and would find a call that still runs.
TEST_F(ClockHoldTest, TheEndOfTheProcessWaitsForACallThatRuns) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        std::atexit([] { std::_Exit(cuda().references(1) == 1 ? 0 : 7); });
        cuda().slow("cuDevicePrimaryCtxRetain", 300);
        auto* hold = new ClockHold(some_device(), kLibrary, 0ms);
        hold->begin();
        if (!Said::until([] { return cuda().calls("cuDevicePrimaryCtxRetain") == 1; })) std::exit(3);
        if (cuda().references(1) != 0) std::exit(4);
        std::exit(0);
      },
      testing::ExitedWithCode(0), "");
}

// As the first start of CUDA on a machine can be.
TEST_F(ClockHoldTest, TheEndOfTheProcessSaysThatACallIsTooSlow) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        std::atexit([] { std::_Exit(0); });
        cuda().slow("cuDevicePrimaryCtxRetain", 60'000);
        auto* hold = new ClockHold(some_device(), kLibrary, 0ms);
        hold->begin();
        if (!Said::until([] { return cuda().calls("cuDevicePrimaryCtxRetain") == 1; })) std::exit(3);
        std::exit(4);
      },
      testing::ExitedWithCode(0), "the process ends while a thread of the library's starts CUDA to hold a clock");
}

// A device of Vulkan's, for which the emulated driver has one of the same UUID.
class VulkanClock : public ClockHoldTest {
 protected:
  std::shared_ptr<Device> open() {
    Overrides overrides;
    overrides.cuda_library = kLibrary;
    std::string reason;
    auto device = open_fresh(overrides, "", reason);
    if (device) cuda().uuid(0, device->info().uuid);
    return device;
  }
  void TearDown() override {
    if (IsSkipped() && access(kLibrary, R_OK) != 0) return;
    constexpr uint8_t kUsual[16] = {};
    cuda().uuid(0, kUsual);
    ClockHoldTest::TearDown();
  }
};

TEST_F(VulkanClock, IsHeldFromTheFirstSubmissionToTheEndOfTheDevice) {
  auto device = open();
  if (!device) GTEST_SKIP() << "no Vulkan device";
  const uint64_t before = cuda().calls("cuDevicePrimaryCtxRetain");
  ASSERT_NE(device->info().uuid_valid, 0u);
  auto& queue = device->queue(0);
  EXPECT_EQ(cuda().calls("cuDevicePrimaryCtxRetain"), before);
  const auto work = [&] {
    const auto memory = device->make_memory(64, false, "test");
    ListBuilder list;
    list.fill(whole(*memory), 7);
    EXPECT_TRUE(queue.wait(queue.submit(list.list), VD_WAIT_FOREVER));
  };
  work();
  EXPECT_TRUE(Said::until([] { return cuda().references(0) == 1; }));
  work();
  int other = 0;
  auto* current = reinterpret_cast<vd::cuda::CUctx_st*>(&other);
  EXPECT_EQ(static_cast<int>(cuda().current(&current)), 0);
  EXPECT_EQ(current, nullptr) << "the calling thread's context has changed";
  EXPECT_EQ(cuda().references(0), 1u);
  device.reset();
  EXPECT_EQ(cuda().references(0), 0u);
}

TEST_F(VulkanClock, AFailureOfCudaFailsNothing) {
  cuda().fail("cuInit", 1, kFailed);
  Said said;
  const auto device = open();
  if (!device) GTEST_SKIP() << "no Vulkan device";
  auto& queue = device->queue(0);
  for (int turn = 0; turn < 2; ++turn) {
    const auto memory = device->make_memory(64, false, "test");
    ListBuilder list;
    list.fill(whole(*memory), 7);
    EXPECT_TRUE(queue.wait(queue.submit(list.list), VD_WAIT_FOREVER));
    if (turn == 0) {
      EXPECT_TRUE(said.waits_for("cuInit failed with CUDA's error 999"));
    }
    std::vector<uint32_t> words(16);
    queue.read(whole(*memory), words.data());
    EXPECT_EQ(words, std::vector<uint32_t>(16, 7));
  }
}

TEST_F(VulkanClock, TheOptionTurnsItOff) {
  for (const char* value : {"0", "1", "yes"}) {
    setenv("VKDISPATCH_HOLD_CLOCK", value, 1);
    Said said;
    const auto device = open();
    unsetenv("VKDISPATCH_HOLD_CLOCK");
    if (!device) GTEST_SKIP() << "no Vulkan device";
    EXPECT_EQ(device->gpu().clock_hold != nullptr, std::string(value) != "0") << value;
    if (std::string(value) == "yes") {
      EXPECT_TRUE(said.waits_for("VKDISPATCH_HOLD_CLOCK (yes) is neither 0 nor 1"));
    }
  }
}

TEST_F(VulkanClock, DevicesWithoutTheTraitHaveNone) {
  std::string reason;
  const auto device = open_fresh({}, "", reason);
  if (!device) GTEST_SKIP() << reason;
  EXPECT_EQ(device->gpu().clock_hold != nullptr, device->info().vendor_id == 0x10de);
}

}  // namespace
}  // namespace vd::vulkan
#endif
