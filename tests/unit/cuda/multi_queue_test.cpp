// Several queues of one device: streams that wait for each other.
#include <thread>

#include "unit/cuda/fixture.h"

namespace vd::cuda {
namespace {

class CudaMultiQueue : public CudaTest {
 protected:
  uint32_t queue_count() const override { return 4; }
};

TEST_F(CudaMultiQueue, AQueueWaitsForAnother) {
  const auto module = affine();
  const uint32_t count = 1 << 16;
  const auto buffer = words(std::vector<uint32_t>(count, 1));
  queue().wait(queue().submit(backends::CommandList{}), VD_WAIT_FOREVER);
  uint32_t expected = 1;
  uint64_t value = 0;
  for (uint32_t i = 0; i < 200; ++i) {
    auto& mine = device().queue(i % device().queue_count());
    if (i != 0) mine.wait_for(device().queue((i - 1) % device().queue_count()), value);
    ListBuilder work;
    work.dispatch(*module, count / 64, {whole(*buffer)}, {count, 3, i});
    value = mine.submit(work.list);
    expected = expected * 3 + i;
  }
  auto& last = device().queue(199 % device().queue_count());
  std::vector<uint32_t> got(count);
  last.read(whole(*buffer), got.data());
  EXPECT_EQ(got.front(), expected);
  EXPECT_EQ(got.back(), expected);
}

TEST_F(CudaMultiQueue, TransfersWaitToo) {
  const uint32_t count = 1 << 16;
  const auto buffer = memory(count * 4);
  auto& first = queue();
  auto& second = device().queue(1);
  for (uint32_t i = 0; i < 20; ++i) {
    const std::vector<uint32_t> values(count, i);
    second.wait_for(first, test::write(first, whole(*buffer), values.data()));
    std::vector<uint32_t> got(count);
    second.read(whole(*buffer), got.data());
    ASSERT_EQ(got, values);
  }
}

TEST_F(CudaMultiQueue, GraphsRunOnAnyQueue) {
  const auto module = affine();
  for (uint32_t i = 0; i < device().queue_count(); ++i) {
    const auto buffer = words({2});
    queue().wait(queue().submit(backends::CommandList{}), VD_WAIT_FOREVER);
    ListBuilder work;
    work.dispatch(*module, 1, {whole(*buffer)}, {1, 2, 1});
    const auto graph = device().make_executable(work.list);
    auto& mine = device().queue(i);
    mine.submit(*graph, 3);
    uint32_t got = 0;
    mine.read(whole(*buffer), &got);
    EXPECT_EQ(got, 23u) << "queue " << i;
  }
}

// Each call makes its device's context the thread's own, and leaves the thread as it was.
TEST_F(CudaMultiQueue, DevicesAreUsedSideBySide) {
  if (device_count(Driver::get()) < 2) GTEST_SKIP() << "there is one device";
  const std::shared_ptr<Device> second = open_device({1, 1}, {});
  EXPECT_NE(second->gpu().context(), device().gpu().context());
  std::vector<std::shared_ptr<Device>> both{device_, second};
  std::vector<std::thread> threads;
  for (const auto& one : both)
    threads.emplace_back([one] {
      for (uint32_t turn = 0; turn < 20; ++turn) {
        const auto buffer = one->make_memory(4000, false, "");
        const std::vector<uint32_t> values(1000, turn);
        test::write(one->queue(0), whole(*buffer), values.data());
        std::vector<uint32_t> got(1000);
        one->queue(0).read(whole(*buffer), got.data());
        EXPECT_EQ(got, values);
      }
    });
  for (auto& thread : threads) thread.join();
  CUcontext current = nullptr;
  EXPECT_EQ(Driver::get().cuCtxGetCurrent(&current), CUDA_SUCCESS);
  EXPECT_EQ(current, nullptr);
}

}  // namespace
}  // namespace vd::cuda
