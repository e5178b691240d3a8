// Copies that go to queues which only copy. Where a device has one queue it counts as such a queue, too.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "backends/vulkan/queue.h"
#include "backends/vulkan/semaphore.h"
#include "unit/vulkan/fixture.h"

namespace vd::vulkan {
namespace {

constexpr uint64_t kPiece = 1 << 20;  // the least that goes aside
constexpr uint32_t kWords = kPiece / 4;

class VulkanCopies : public VulkanTest, public testing::WithParamInterface<bool> {
 protected:
  Overrides overrides() const override {
    Overrides wishes;
    wishes.map_memory = false;
    wishes.share_copy_queue = true;
    wishes.spin = GetParam();
    return wishes;
  }
  void SetUp() override {
    VulkanTest::SetUp();
    if (!device_) return;
    // On one VkQueue an older layer, to which the timelines are no order, takes a copy after a kernel for a plain hazard.
    provokes_ = !layer_follows_timelines(*device_);
    aside_before_ = aside();
  }
  uint64_t aside() { return static_cast<Queue&>(queue()).copies_aside() - aside_before_; }
  uint32_t* words_of(backends::Memory& host) { return reinterpret_cast<uint32_t*>(host.host_pointer()); }
  uint64_t copy(const backends::Range& from, const backends::Range& to) {
    ListBuilder work;
    work.copy(from, to);
    return queue().submit(work.list);
  }

 private:
  uint64_t aside_before_ = 0;
};

TEST_P(VulkanCopies, StayInTheOrderOfTheirQueue) {
  constexpr uint32_t kPieces = 80;  // more than a queue has command buffers for
  const auto module = affine();
  const auto in = memory(kPieces * kPiece, true), out = memory(kPieces * kPiece, true), slot = memory(kPiece);
  for (uint32_t i = 0; i < kPieces * kWords; ++i) words_of(*in)[i] = i;
  uint64_t last = 0;
  for (uint32_t piece = 0; piece < kPieces; ++piece) {
    copy({in.get(), piece * kPiece, kPiece}, whole(*slot));
    ListBuilder work;
    work.dispatch(*module, kWords / 64, {whole(*slot)}, {kWords, 3, piece});
    queue().submit(work.list);
    last = copy(whole(*slot), {out.get(), piece * kPiece, kPiece});
  }
  ASSERT_TRUE(queue().wait(last, VD_WAIT_FOREVER));
  for (uint32_t i = 0; i < kPieces * kWords; ++i) ASSERT_EQ(words_of(*out)[i], i * 3 + i / kWords) << i;
  EXPECT_EQ(aside(), kPieces) << "those from the device";
}

TEST_P(VulkanCopies, OfFewBytesOrToTheDeviceStay) {
  const auto host = memory(kPiece, true), first = memory(kPiece), second = memory(kPiece);
  std::fill_n(words_of(*host), kWords, 7u);
  copy(whole(*host), whole(*first));
  ASSERT_TRUE(queue().wait(copy(whole(*first), whole(*second)), VD_WAIT_FOREVER));
  std::fill_n(words_of(*host), kWords, 0u);
  ASSERT_TRUE(queue().wait(copy({second.get(), 0, kPiece / 2}, {host.get(), 0, kPiece / 2}), VD_WAIT_FOREVER));
  EXPECT_EQ(words_of(*host)[kWords / 2 - 1], 7u);
  EXPECT_EQ(aside(), 0u);
}

// The queue that copies would stand still, and other queues with it.
TEST_P(VulkanCopies, StayWhereTheyMayWaitForLong) {
  const auto host = memory(kPiece, true), far = words(std::vector<uint32_t>(kWords, 5));
  const auto open = queue().hold();
  const uint64_t held = copy(whole(*far), whole(*host));
  EXPECT_FALSE(queue().wait(held, 20'000'000));
  EXPECT_EQ(aside(), 0u);
  open();
  ASSERT_TRUE(queue().wait(held, VD_WAIT_FOREVER));
  ASSERT_TRUE(queue().wait(copy(whole(*far), whole(*host)), VD_WAIT_FOREVER));
  EXPECT_EQ(aside(), 1u) << "what came from outside is over";
  EXPECT_EQ(words_of(*host)[kWords - 1], 5u);
}

// A semaphore that is set behind a copy is set when the copy is done.
TEST_P(VulkanCopies, ComeBeforeASignal) {
  const auto host = memory(kPiece, true), far = memory(kPiece), back = memory(kPiece, true);
  std::fill_n(words_of(*host), kWords, 9u);
  std::shared_ptr<backends::Semaphore> semaphore = device().make_semaphore({});
  copy(whole(*host), whole(*far));
  copy(whole(*far), whole(*back));
  backends::SemaphoreUse use;
  use.semaphore = semaphore;
  use.value = 1;
  queue().signal(use);
  queue().wait_for_room();
  ASSERT_TRUE(semaphore->wait(1, 10'000'000'000));
  EXPECT_EQ(words_of(*back)[0], 9u);
  EXPECT_EQ(words_of(*back)[kWords - 1], 9u);
  EXPECT_EQ(aside(), 1u);
}

INSTANTIATE_TEST_SUITE_P(, VulkanCopies, testing::Bool(),
                         [](const auto& info) { return info.param ? "Spinning" : "Sleeping"; });

}  // namespace
}  // namespace vd::vulkan
