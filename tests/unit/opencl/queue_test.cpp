#include <gmock/gmock.h>

#include <algorithm>
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

class OpenClQueue : public OpenClTest, public testing::WithParamInterface<Variant> {
 protected:
  Overrides overrides() const override { return GetParam().overrides; }
};

std::vector<uint32_t> iota(size_t count) {
  std::vector<uint32_t> values(count);
  std::iota(values.begin(), values.end(), 0u);
  return values;
}

TEST_P(OpenClQueue, ReadsWhatWasWritten) {
  const auto values = iota(100'000);
  const auto buffer = words(values);
  EXPECT_EQ(read_words(*buffer), values);
}

TEST_P(OpenClQueue, WritesAndReadsAPart) {
  const auto buffer = words(std::vector<uint32_t>(256, 7));
  const uint32_t nine = 9;
  queue().write({buffer.get(), 40, 4}, &nine);
  uint32_t got[3] = {};
  queue().read({buffer.get(), 36, 12}, got);
  EXPECT_THAT(got, ElementsAre(7, 9, 7));
  queue().read({buffer.get(), 36, 0}, nullptr);
  queue().write({buffer.get(), 36, 0}, nullptr);
}

TEST_P(OpenClQueue, WritesKeepTheirOrderWithKernels) {
  const auto module = affine();
  const auto buffer = words({1, 2, 3, 4});
  for (uint32_t turn = 0; turn < 20; ++turn) {
    ListBuilder work;
    work.dispatch(*module, 1, {whole(*buffer)}, {4, 10, 1});
    queue().submit(work.list);
    const uint32_t value = turn;
    queue().write({buffer.get(), 4, 4}, &value);
  }
  ListBuilder work;
  work.dispatch(*module, 1, {whole(*buffer)}, {4, 1, 0});
  queue().submit(work.list);
  EXPECT_EQ(read_words(*buffer)[1], 19u);
}

TEST_P(OpenClQueue, DependentListsRunInOrder) {
  const auto module = affine();
  const auto buffer = words({0, 1, 2});
  uint32_t expected = 1;
  uint64_t last = 0;
  for (uint32_t i = 0; i < 1000; ++i) {
    ListBuilder work;
    work.dispatch(*module, 1, {whole(*buffer)}, {3, i % 5 + 1, i});
    const uint64_t value = queue().submit(work.list);
    EXPECT_GT(value, last);
    last = value;
    expected = expected * (i % 5 + 1) + i;
  }
  EXPECT_TRUE(queue().wait(last, VD_WAIT_FOREVER));
  EXPECT_GE(queue().completed(), last);
  EXPECT_EQ(read_words(*buffer)[1], expected);
}

TEST_P(OpenClQueue, LevelsRunInOrder) {
  const auto module = affine();
  const auto sum = accumulate();
  const auto a = words(std::vector<uint32_t>(1000, 1));
  const auto b = words(std::vector<uint32_t>(1000, 2));
  ListBuilder work;
  work.level(0).dispatch(*module, 16, {whole(*a)}, {1000, 5, 1}).dispatch(*module, 16, {whole(*b)}, {1000, 7, 2});
  work.level(1).dispatch(*sum, 16, {whole(*a), whole(*b)}, {1000});
  work.level(2).copy(whole(*a), whole(*b));
  work.level(3).fill({a.get(), 0, 2000}, 0xabcdu);
  work.level(4).dispatch(*sum, 16, {whole(*a), whole(*b)}, {1000});
  queue().submit(work.list);
  // a = 6, b = 16; a = 6 * 3 + 16 = 34; b = 34; the first half of a is 0xabcd; a = a * 3 + 34.
  const auto got = read_words(*a);
  EXPECT_EQ(got[0], 0xabcdu * 3 + 34);
  EXPECT_EQ(got[499], 0xabcdu * 3 + 34);
  EXPECT_EQ(got[500], 34u * 3 + 34);
  EXPECT_THAT(read_words(*b), Each(34u));
}

TEST_P(OpenClQueue, AnEmptyListIsDoneAfterWhatCameBefore) {
  const auto module = affine();
  const auto buffer = words({5});
  ListBuilder work;
  work.dispatch(*module, 1, {whole(*buffer)}, {1, 2, 0}).dispatch(*module, 0, {whole(*buffer)}, {1, 100, 0});
  const uint64_t first = queue().submit(work.list);
  const uint64_t second = queue().submit(backends::CommandList{});
  EXPECT_GT(second, first);
  EXPECT_TRUE(queue().wait(second, VD_WAIT_FOREVER));
  EXPECT_GE(queue().completed(), second);
  EXPECT_EQ(read_words(*buffer)[0], 10u);
}

TEST_P(OpenClQueue, WhoOnlyAsksSeesTheEnd) {
  const auto module = affine();
  const auto buffer = words({5});
  ListBuilder work;
  work.dispatch(*module, 1, {whole(*buffer)}, {1, 2, 0});
  const uint64_t value = queue().submit(work.list);
  while (queue().completed() < value) std::this_thread::yield();
  EXPECT_TRUE(queue().wait(value, 0));
}

TEST_P(OpenClQueue, AGraphRunsManyTimes) {
  const auto module = affine();
  const auto buffer = words({1});
  ListBuilder work;
  work.level(0).dispatch(*module, 1, {whole(*buffer)}, {1, 3, 1});
  work.level(1).dispatch(*module, 1, {whole(*buffer)}, {1, 1, 5});
  const auto graph = device().make_executable(work.list);
  uint32_t expected = 1;
  for (uint32_t i = 0; i < 150; ++i) expected = expected * 3 + 6;
  queue().submit(*graph, 150);
  for (uint32_t i = 0; i < 20; ++i) {
    queue().submit(*graph, 1);
    expected = expected * 3 + 6;
    ListBuilder eager;
    eager.dispatch(*module, 1, {whole(*buffer)}, {1, 7, i});
    queue().submit(eager.list);
    expected = expected * 7 + i;
  }
  const uint64_t last = queue().submit(*graph, 0);
  EXPECT_TRUE(queue().wait(last, VD_WAIT_FOREVER));
  EXPECT_EQ(read_words(*buffer)[0], expected);
}

TEST_P(OpenClQueue, AGraphOfTransfersKeepsItsOrderWithKernels) {
  const auto module = affine();
  const auto a = words({1, 2, 3, 4});
  const auto b = words({0, 0, 0, 0});
  ListBuilder transfers;
  transfers.level(0).copy(whole(*a), whole(*b));
  transfers.level(1).fill({a.get(), 0, 4}, 9);
  const auto graph = device().make_executable(transfers.list);
  ListBuilder compute;
  compute.dispatch(*module, 1, {whole(*a)}, {4, 10, 0}).dispatch(*module, 1, {whole(*b)}, {4, 1, 1});
  queue().submit(compute.list);
  queue().submit(*graph, 1);
  queue().submit(compute.list);
  queue().submit(*graph, 2);
  EXPECT_THAT(read_words(*a), ElementsAre(9, 200, 300, 400));
  EXPECT_THAT(read_words(*b), ElementsAre(9, 200, 300, 400));
}

TEST_P(OpenClQueue, WaitingGivesUpInTime) {
  const auto module = source(R"(typedef struct { uint turns; } Values;
__kernel void vkdispatch_main(__global uint* x, const Values v) {
  uint t = x[0];
  for (uint i = 0; i < v.turns; ++i) t = t * 1664525u + 1013904223u + (t >> 7);
  x[0] = t;
})",
                             1, 4);
  const auto buffer = words({1});
  ListBuilder work;
  work.dispatch(*module, 1, {whole(*buffer)}, {1});
  queue().wait(queue().submit(work.list), VD_WAIT_FOREVER);  // some drivers compile at the first launch
  ListBuilder long_work;
  long_work.dispatch(*module, 1, {whole(*buffer)}, {30'000'000});
  const uint64_t value = queue().submit(long_work.list);
  EXPECT_FALSE(queue().wait(value, 0));
  EXPECT_FALSE(queue().wait(value, 1000));
  EXPECT_LT(queue().completed(), value);
  EXPECT_TRUE(queue().wait(value, 60'000'000'000));
  EXPECT_TRUE(queue().wait(value, 0));
}

TEST_P(OpenClQueue, LargeTransfersGoInPieces) {
  const uint64_t count = GetParam().overrides.staging_size != 0 ? 50'000 : 20'000'000;
  const auto values = iota(count);
  const auto buffer = memory(count * 4 + 12);
  queue().write({buffer.get(), 12, count * 4}, values.data());
  std::vector<uint32_t> got(count);
  queue().read({buffer.get(), 12, count * 4}, got.data());
  EXPECT_EQ(got, values);
}

TEST_P(OpenClQueue, ThreadsMayShareAQueue) {
  const auto module = affine();
  constexpr uint32_t kThreads = 4, kTurns = 50;
  std::vector<std::unique_ptr<backends::Memory>> buffers;
  for (uint32_t t = 0; t < kThreads; ++t) buffers.push_back(words({t, t, t}));
  std::vector<std::thread> threads;
  std::vector<uint32_t> results(kThreads);
  for (uint32_t t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      for (uint32_t i = 0; i < kTurns; ++i) {
        ListBuilder work;
        work.dispatch(*module, 1, {whole(*buffers[t])}, {3, 3, t});
        const uint64_t value = queue().submit(work.list);
        if (i % 8 == 0) {
          EXPECT_TRUE(queue().wait(value, VD_WAIT_FOREVER));
        }
        if (i % 16 == 5) results[t] = read_words(*buffers[t])[2];
      }
      results[t] = read_words(*buffers[t])[2];
    });
  for (auto& thread : threads) thread.join();
  for (uint32_t t = 0; t < kThreads; ++t) {
    uint32_t expected = t;
    for (uint32_t i = 0; i < kTurns; ++i) expected = expected * 3 + t;
    EXPECT_EQ(results[t], expected) << t;
  }
}

TEST_P(OpenClQueue, ALongBurstIsHeldBack) {
  const auto module = affine();
  const auto buffer = words({0});
  ListBuilder work;
  for (uint32_t i = 0; i < 100; ++i) work.level(i).dispatch(*module, 1, {whole(*buffer)}, {1, 1, 1});
  uint64_t last = 0;
  for (int i = 0; i < 100; ++i) last = queue().submit(work.list);
  EXPECT_TRUE(queue().wait(last, VD_WAIT_FOREVER));
  EXPECT_FALSE(queue().would_block());
  EXPECT_EQ(read_words(*buffer)[0], 10'000u);
}

TEST_P(OpenClQueue, RefusesWhatDoesNotFit) {
  const auto module = affine();
  const auto buffer = words(std::vector<uint32_t>(64, 1));
  const auto expect = [&](const ListBuilder& work, vd_status status, const std::string& part) {
    expect_error([&] { queue().submit(work.list); }, status, part);
  };
  ListBuilder missing, values, empty;
  expect(missing.dispatch(*module, 1, {}, {1, 1, 1}), VD_ERR_INVALID, "has 1 buffers; the launch gives 0");
  expect(values.dispatch(*module, 1, {whole(*buffer)}, {1}), VD_ERR_INVALID, "12 bytes of values; the launch gives 4");
  expect(empty.dispatch(*module, 1, {{buffer.get(), 0, 0}}, {1, 1, 1}), VD_ERR_INVALID, "is empty");
  EXPECT_EQ(read_words(*buffer)[0], 1u) << "the queue goes on after a refusal";
}

// Random work on a few buffers, in lists, graphs and transfers, against the same work done one by one on the host.
TEST_P(OpenClQueue, RandomWorkMatchesSerialExecution) {
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
        queue().write({buffers[b].get(), first * 4, count * 4}, data.data());
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

INSTANTIATE_TEST_SUITE_P(Devices, OpenClQueue, testing::ValuesIn(variants()),
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
    second.wait_for(first, first.write(whole(*buffer), values.data()));
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
