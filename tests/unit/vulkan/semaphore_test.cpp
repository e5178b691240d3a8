// Semaphores that live long.
#include "backends/vulkan/semaphore.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "runtime/open.h"
#include "runtime/semaphore.h"
#include "unit/vulkan/fixture.h"

namespace vd::vulkan {
namespace {

class VulkanSemaphore : public VulkanTest {};

// A program may have work set one a million times.
TEST_F(VulkanSemaphore, ForgetsValuesThatWorkHasSet) {
#ifdef __GLIBC__
  constexpr uint64_t kValues = 100'000, kAtOnce = 1000;
  SharedSemaphore semaphore({device_, &device().gpu()}, {.label = "semaphore \"long\""});
  const size_t before = mallinfo2().uordblks;
  for (uint64_t value = 1; value <= kValues; ++value) {
    semaphore.claim(value, "value");
    if (value % kAtOnce == 0) semaphore.force(value);  // as the work does
  }
  EXPECT_LT(mallinfo2().uordblks, before + kValues * 8);
  semaphore.claim(kValues + 5, "value");
  EXPECT_THROW(semaphore.signal(kValues + 5), Error);
  semaphore.signal(kValues + 4);
  EXPECT_EQ(semaphore.value(), kValues + 4);
#else
  GTEST_SKIP() << "memory in use is known with glibc alone";
#endif
}

// Work that is refused gives back what it claimed, and nobody was told meanwhile that the value had been set.
TEST_F(VulkanSemaphore, AValueBelowAClaimWaitsForItsEnd) {
  const Ref<vd_context> ctx = runtime::open_context({.backend = VD_BACKEND_VULKAN});
  const auto semaphore =
      make_ref<vd_semaphore>(*ctx, 0u, VD_WAIT_FOREVER, backends::SemaphoreDesc{.label = "a semaphore"});
  const auto order = [&](uint64_t value) {
    return std::make_unique<runtime::SemaphoreOrder>(*ctx, runtime::SemaphoreUses{{}, {semaphore->use(value)}});
  };
  const auto set = [&](uint64_t value) {
    const auto setting = order(value);
    setting->claim("list");
    setting->signal(ctx->queue(0));
  };
  set(3);
  for (const bool is_set : {false, true}) {
    auto other = order(is_set ? 20 : 10);
    other->claim("list");
    expect_error([&] { set(3); }, VD_ERR_INVALID,
                 fmt::format("list[0].value (3) is not above the last value of a semaphore ({})", is_set ? 5 : 3));
    std::atomic<bool> ended{false};
    std::thread second([&] {
      if (is_set) {
        expect_error([&] { set(7); }, VD_ERR_INVALID,
                     "list[0].value (7) is not above the last value of a semaphore (20)");
      } else {
        EXPECT_NO_THROW(set(5));
      }
      ended = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_FALSE(ended);
    if (is_set) other->signal(ctx->queue(0));
    other.reset();
    second.join();
  }
  EXPECT_TRUE(semaphore->get().wait(20, VD_WAIT_FOREVER));
}

}  // namespace
}  // namespace vd::vulkan
