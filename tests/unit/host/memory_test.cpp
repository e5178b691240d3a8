// The budget of host buffers: what is past it is refused with its numbers, and comes back when a buffer goes.
#include "backends/host/memory.h"

#include <gmock/gmock.h>

#include <thread>
#include <vector>

#include "core/error.h"
#include "core/platform.h"

namespace vd::host {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string refusal(uint64_t size, bool checked) {
  try {
    Memory memory(size, checked, "large");
    return "";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), VD_ERR_OUT_OF_MEMORY);
    return error.what();
  }
}

// No page of these is written, so that they take none.
TEST(HostMemory, BuffersPastTheMachinesMemoryAreRefusedInSum) {
  const uint64_t limit = platform::memory_size(), before = MemoryBudget::of_process().taken();
  std::vector<std::unique_ptr<Memory>> held;
  for (int i = 0; i < 3; ++i) held.push_back(std::make_unique<Memory>(limit / 4, false, "quarter"));
  EXPECT_EQ(MemoryBudget::of_process().taken(), before + limit / 4 * 3);
  EXPECT_THAT(refusal(limit / 2, false),
              AllOf(HasSubstr("buffer \"large\" takes " + std::to_string(limit / 2) + " bytes"),
                    HasSubstr("buffers of this process " + std::to_string(before + limit / 4 * 3)),
                    HasSubstr("may have " + std::to_string(limit))));
  held.pop_back();
  held.pop_back();
  EXPECT_EQ(refusal(limit / 2, false), "");
  held.clear();
  EXPECT_EQ(MemoryBudget::of_process().taken(), before);
}

// Its shadow alone would be written in full, and end the process.
TEST(HostMemory, ACheckedBufferCountsWithItsShadow) {
  const uint64_t limit = platform::memory_size();
  EXPECT_THAT(refusal(limit, true), HasSubstr("takes " + std::to_string(limit + limit / 8 + 1) + " bytes"));
  EXPECT_THAT(refusal(limit - limit / 16, true), HasSubstr("host memory ran out"));
  EXPECT_THAT(refusal(UINT64_MAX / 2, false), HasSubstr("host memory ran out"));
  const uint64_t before = MemoryBudget::of_process().taken();
  Memory memory(1000, true, "small");
  EXPECT_EQ(MemoryBudget::of_process().taken() - before, 1126u);
  memory.watch();
  memory.watch();
  EXPECT_EQ(MemoryBudget::of_process().taken() - before, 2126u + 512);  // and who touched each of 32 sectors
}

TEST(HostMemory, ThreadsShareTheBudget) {
  const uint64_t before = MemoryBudget::of_process().taken();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([] {
      for (int i = 0; i < 2000; ++i) Memory memory(64, i % 2 == 0, "small");
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(MemoryBudget::of_process().taken(), before);
}

}  // namespace
}  // namespace vd::host
