#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <numeric>
#include <random>
#include <thread>

#include "unit/opencl/fixture.h"

namespace vd::opencl {
namespace {

using testing::Each;
using testing::ElementsAre;

// Every test of queues runs on a device as it is and on ones that lack something.
struct Variant {
  const char* name;
  Overrides overrides;
};

std::vector<Variant> variants() {
  std::vector<Variant> all;
  all.push_back({"Plain", {}});
  Overrides discrete;
  discrete.direct_transfers = false;
  discrete.command_buffers = false;
  all.push_back({"Discrete", discrete});
  Overrides small = discrete;
  small.staging_size = 4096;
  all.push_back({"SmallStaging", small});
  return all;
}

class QueueTest : public OpenClTest, public testing::WithParamInterface<Variant> {
 protected:
  static constexpr uint32_t kSpinLaunches = 1, kSpinTurns = 30'000'000, kBurstLaunches = 100;

  Overrides overrides() const override { return GetParam().overrides; }
  uint64_t large_count() const { return GetParam().overrides.staging_size != 0 ? 50'000 : 20'000'000; }
  std::shared_ptr<backends::Module> spinner() {
    return source(R"(typedef struct { uint turns; } Values;
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void vkdispatch_main(__global uint* memory, ulong offset, const Values v) {
  __global uint* x = (__global uint*)((__global uchar*)memory + offset);
  uint t = x[0];
  for (uint i = 0; i < v.turns; ++i) t = t * 1664525u + 1013904223u + (t >> 7);
  x[0] = t;
})",
                  1, 4);
  }
};

#include "support/queue/tests.inc"

// Random work on a few buffers, in lists, graphs and transfers, against the same work done one by one on the host.
TEST_P(QueueTest, RandomRangesMatchSerialExecution) {
  const auto scale = affine();
  const auto sum = accumulate();
  constexpr size_t kBuffers = 4, kCount = 1000;
  for (uint32_t seed = 0; seed < 4; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937 random(seed);
    const auto pick = [&](size_t n) { return static_cast<uint32_t>(random() % n); };
    std::vector<std::unique_ptr<backends::Memory>> buffers;
    std::vector<std::vector<uint32_t>> expected;
    for (size_t i = 0; i < kBuffers; ++i) {
      expected.push_back(iota(kCount));
      buffers.push_back(words(expected.back()));
    }
    std::vector<std::unique_ptr<backends::Executable>> graphs;
    for (int turn = 0; turn < 40; ++turn) {
      if (pick(6) == 0) {
        const uint32_t b = pick(kBuffers), first = pick(kCount / 2), count = pick(kCount / 2) + 1;
        const std::vector<uint32_t> data(count, static_cast<uint32_t>(random()));
        std::copy(data.begin(), data.end(), expected[b].begin() + first);
        test::write(queue(), {buffers[b].get(), first * 4, count * 4}, data.data());
        continue;
      }
      const uint32_t repeat = pick(3) == 0 ? pick(3) + 1 : 0;  // of a graph
      ListBuilder work;
      std::vector<std::function<void()>> serial;
      const uint32_t nodes = 1 + pick(6);
      for (uint32_t n = 0; n < nodes; ++n) {
        const uint32_t a = pick(kBuffers), b = (a + 1 + pick(kBuffers - 1)) % kBuffers, first = pick(kCount),
                       count = 1 + pick(kCount - first), x = pick(7), y = pick(99);
        const backends::Range to{buffers[a].get(), first * 4, count * 4}, from{buffers[b].get(), first * 4, count * 4};
        work.level(n);
        switch (pick(4)) {
          case 0:
            work.dispatch(*scale, (count + 63) / 64, {to}, {count, x, y});
            serial.emplace_back([&expected, a, first, count, x, y] {
              for (uint32_t i = 0; i < count; ++i) expected[a][first + i] = expected[a][first + i] * x + y;
            });
            break;
          case 1:
            work.dispatch(*sum, (count + 63) / 64, {to, from}, {count});
            serial.emplace_back([&expected, a, b, first, count] {
              for (uint32_t i = 0; i < count; ++i)
                expected[a][first + i] = expected[a][first + i] * 3 + expected[b][first + i];
            });
            break;
          case 2:
            work.copy(from, to);
            serial.emplace_back([&expected, a, b, first, count] {
              std::copy_n(expected[b].begin() + first, count, expected[a].begin() + first);
            });
            break;
          default:
            work.fill(to, y);
            serial.emplace_back(
                [&expected, a, first, count, y] { std::fill_n(expected[a].begin() + first, count, y); });
        }
      }
      if (repeat != 0) {
        graphs.push_back(device().make_executable(work.list));
        queue().submit(*graphs.back(), repeat);
      } else {
        queue().submit(work.list);
      }
      for (uint32_t i = 0; i < std::max(repeat, 1u); ++i)
        for (const auto& step : serial) step();
    }
    for (size_t i = 0; i < kBuffers; ++i) ASSERT_EQ(read_words(*buffers[i]), expected[i]) << "buffer " << i;
    queue().wait(queue().submit(backends::CommandList{}), VD_WAIT_FOREVER);
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, QueueTest, testing::ValuesIn(variants()),
                         [](const auto& info) { return std::string(info.param.name); });

// ---- Several queues of one device

class OpenClQueues : public OpenClTest {
 protected:
  void SetUp() override {
    OpenClTest::SetUp();
    if (!device_) return;
    std::string reason;
    device_ = open_fresh({}, "", reason, 4);
    ASSERT_EQ(device_->queue_count(), 4u);
  }
};

TEST_F(OpenClQueues, AQueueWaitsForAnother) {
  const auto module = affine();
  const uint32_t count = 1 << 16;
  const auto buffer = words(std::vector<uint32_t>(count, 1));
  queue().wait(queue().submit(backends::CommandList{}), VD_WAIT_FOREVER);
  uint32_t expected = 1;
  uint64_t value = 0;
  for (uint32_t i = 0; i < 200; ++i) {
    auto& mine = device().queue(i % 4);
    if (i != 0) mine.wait_for(device().queue((i - 1) % 4), value);
    ListBuilder work;
    work.dispatch(*module, count / 64, {whole(*buffer)}, {count, 3, i});
    value = mine.submit(work.list);
    expected = expected * 3 + i;
  }
  std::vector<uint32_t> got(count);
  device().queue(199 % 4).read(whole(*buffer), got.data());
  EXPECT_EQ(got.front(), expected);
  EXPECT_EQ(got.back(), expected);
}

TEST_F(OpenClQueues, TransfersWaitToo) {
  const uint32_t count = 1 << 18;
  const auto buffer = memory(count * 4);
  auto& first = queue();
  auto& second = device().queue(1);
  for (uint32_t i = 0; i < 10; ++i) {
    const std::vector<uint32_t> values(count, i);
    second.wait_for(first, test::write(first, whole(*buffer), values.data()));
    std::vector<uint32_t> got(count);
    second.read(whole(*buffer), got.data());
    ASSERT_EQ(got, values);
    first.wait_for(second, second.submit(backends::CommandList{}));
  }
}

TEST_F(OpenClQueues, AModuleIsLaunchedOnAllOfThemAtOnce) {
  const auto module = affine();
  std::vector<std::unique_ptr<backends::Memory>> buffers;
  for (uint32_t q = 0; q < 4; ++q) buffers.push_back(words({q}));
  queue().wait(queue().submit(backends::CommandList{}), VD_WAIT_FOREVER);
  std::vector<std::thread> threads;
  for (uint32_t q = 0; q < 4; ++q)
    threads.emplace_back([&, q] {
      uint64_t last = 0;
      for (uint32_t i = 0; i < 100; ++i) {
        ListBuilder work;
        work.dispatch(*module, 1, {whole(*buffers[q])}, {1, 3, q});
        last = device().queue(q).submit(work.list);
      }
      EXPECT_TRUE(device().queue(q).wait(last, VD_WAIT_FOREVER));
    });
  for (auto& thread : threads) thread.join();
  for (uint32_t q = 0; q < 4; ++q) {
    uint32_t expected = q;
    for (uint32_t i = 0; i < 100; ++i) expected = expected * 3 + q;
    EXPECT_EQ(read_words(*buffers[q])[0], expected);
  }
}

}  // namespace
}  // namespace vd::opencl
