// Semaphores that live long.
#include "backends/vulkan/semaphore.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

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

}  // namespace
}  // namespace vd::vulkan
