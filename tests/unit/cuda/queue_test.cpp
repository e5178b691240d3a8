#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>
#include <thread>

#include "unit/cuda/fixture.h"

namespace vd::cuda {
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
  Overrides events;
  events.write_values = false;
  all.push_back({"Events", events});
  Overrides no_pools;
  no_pools.memory_pools = false;
  all.push_back({"NoPools", no_pools});
  Overrides small;
  small.staging_size = 4096;
  small.copy_node_size = 1000;
  all.push_back({"SmallStaging", small});
  return all;
}

class CudaQueue : public CudaTest, public testing::WithParamInterface<Variant> {
 protected:
  Overrides overrides() const override { return GetParam().overrides; }
};

std::vector<uint32_t> iota(size_t count) {
  std::vector<uint32_t> values(count);
  std::iota(values.begin(), values.end(), 0u);
  return values;
}

TEST_P(CudaQueue, ReadsWhatWasWritten) {
  const auto values = iota(100'000);
  const auto buffer = words(values);
  EXPECT_EQ(read_words(*buffer), values);
}

TEST_P(CudaQueue, WritesAndReadsAPart) {
  const auto buffer = words(std::vector<uint32_t>(256, 7));
  const uint32_t nine = 9;
  queue().write({buffer.get(), 40, 4}, &nine);
  uint32_t got[3] = {};
  queue().read({buffer.get(), 36, 12}, got);
  EXPECT_THAT(got, ElementsAre(7, 9, 7));
  queue().read({buffer.get(), 36, 0}, nullptr);
  queue().write({buffer.get(), 36, 0}, nullptr);
}

TEST_P(CudaQueue, WritesKeepTheirOrderWithKernels) {
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

TEST_P(CudaQueue, DependentListsRunInOrder) {
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

TEST_P(CudaQueue, LevelsRunInOrder) {
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

TEST_P(CudaQueue, AnEmptyListIsDoneAfterWhatCameBefore) {
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

TEST_P(CudaQueue, AGraphRunsManyTimes) {
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

TEST_P(CudaQueue, AGraphOfTransfersKeepsItsOrderWithKernels) {
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

TEST_P(CudaQueue, WaitingGivesUpInTime) {
  const auto module =
      cuda(R"(extern "C" __global__ void __launch_bounds__(64) vkdispatch_main(unsigned* x, unsigned turns) {
  unsigned v = x[0];
  for (unsigned i = 0; i < turns; ++i) v = v * 1664525u + 1013904223u + (v >> 7);
  x[0] = v;
})",
           1, 4, {1, 1, 1});
  const auto buffer = words({1});
  ListBuilder work;
  for (uint32_t level = 0; level < 60; ++level) work.level(level).dispatch(*module, 1, {whole(*buffer)}, {1'000'000});
  const uint64_t value = queue().submit(work.list);
  EXPECT_FALSE(queue().wait(value, 0));
  EXPECT_FALSE(queue().wait(value, 1000));
  EXPECT_LT(queue().completed(), value);
  EXPECT_TRUE(queue().wait(value, VD_WAIT_FOREVER));
  EXPECT_TRUE(queue().wait(value, 0));
}

TEST_P(CudaQueue, LargeTransfersGoInPieces) {
  const uint64_t count = GetParam().overrides.staging_size != 0 ? 50'000 : 10'000'000;
  const auto values = iota(count);
  const auto buffer = memory(count * 4 + 12);
  queue().write({buffer.get(), 12, count * 4}, values.data());
  std::vector<uint32_t> got(count);
  queue().read({buffer.get(), 12, count * 4}, got.data());
  EXPECT_EQ(got, values);
}

TEST_P(CudaQueue, ThreadsMayShareAQueue) {
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

TEST_P(CudaQueue, ALongBurstIsHeldBack) {
  const auto module = affine();
  const auto buffer = words({0});
  ListBuilder work;
  work.dispatch(*module, 1, {whole(*buffer)}, {1, 1, 1});
  uint64_t last = 0;
  bool full = false;
  for (int i = 0; i < 2000; ++i) {
    last = queue().submit(work.list);
    full = full || queue().would_block();
  }
  if (control().delay != nullptr) {  // a real device may be as fast as the host
    EXPECT_TRUE(full);
  }
  EXPECT_TRUE(queue().wait(last, VD_WAIT_FOREVER));
  EXPECT_FALSE(queue().would_block());
  EXPECT_EQ(read_words(*buffer)[0], 2000u);
}

TEST_P(CudaQueue, HostBuffersShowWhatKernelsWrote) {
  const auto module = affine();
  const auto buffer = memory(64, true);
  ASSERT_NE(buffer->host_pointer(), nullptr);
  const auto* seen = static_cast<const uint32_t*>(buffer->host_pointer());
  ListBuilder work;
  work.level(0).fill(whole(*buffer), 4);
  work.level(1).dispatch(*module, 1, {whole(*buffer)}, {16, 10, 2});
  EXPECT_TRUE(queue().wait(queue().submit(work.list), VD_WAIT_FOREVER));
  EXPECT_EQ(seen[15], 42u);
}

TEST_P(CudaQueue, RefusesWhatDoesNotFit) {
  const auto module = affine();
  const auto buffer = words(std::vector<uint32_t>(64, 1));
  const auto expect = [&](const ListBuilder& work, vd_status status, const std::string& part) {
    try {
      queue().submit(work.list);
      ADD_FAILURE() << "accepted; expected: " << part;
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), status) << error.what();
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  ListBuilder missing, values, empty;
  expect(missing.dispatch(*module, 1, {}, {1, 1, 1}), VD_ERR_INVALID, "has 1 buffers; the launch gives 0");
  expect(values.dispatch(*module, 1, {whole(*buffer)}, {1}), VD_ERR_INVALID, "12 bytes of values; the launch gives 4");
  expect(empty.dispatch(*module, 1, {{buffer.get(), 0, 0}}, {1, 1, 1}), VD_ERR_INVALID, "is empty");
  EXPECT_EQ(read_words(*buffer)[0], 1u) << "the queue goes on after a refusal";
}

// A barrier between two kernels orders, for the runtime, the first one before a later copy too.
TEST_P(CudaQueue, ABarrierHoldsForLaterWorkOfOtherKinds) {
  const auto module = affine();
  const uint32_t count = 100'000;
  const auto a = words(std::vector<uint32_t>(count, 1));
  const auto b = words(std::vector<uint32_t>(count, 2));
  const auto c = words(std::vector<uint32_t>(count, 3));
  ListBuilder first, second;
  first.dispatch(*module, count / 64 + 1, {whole(*a)}, {count, 5, 1}).dispatch(*module, 1, {whole(*b)}, {1, 1, 1});
  second.dispatch(*module, 1, {whole(*b)}, {1, 1, 1});
  ListBuilder copy(false);
  copy.copy(whole(*a), whole(*c));
  queue().submit(first.list);
  queue().submit(second.list);
  queue().submit(copy.list);
  EXPECT_THAT(read_words(*c), Each(6u));
}

// The real test of barriers: random work on a few buffers, in lists, graphs and transfers, against the same work done
// one by one on the host.
TEST_P(CudaQueue, RandomWorkMatchesSerialExecution) {
  const auto scale = affine();
  const auto sum = accumulate();
  constexpr size_t kBuffers = 4, kCount = 3000;
  for (uint32_t seed = 0; seed < 6; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937 random(seed);
    const auto pick = [&](size_t n) { return static_cast<size_t>(random() % n); };
    std::vector<std::unique_ptr<backends::Memory>> buffers;
    std::vector<std::vector<uint32_t>> expected;
    for (size_t i = 0; i < kBuffers; ++i) {
      expected.push_back(iota(kCount));
      buffers.push_back(words(expected.back()));
    }
    std::vector<std::unique_ptr<backends::Executable>> graphs;
    // Barriers are asked for as the runtime does: where a list conflicts with what came since the last one.
    uint32_t epoch = 1;
    std::vector<uint32_t> written(kBuffers, 0), used(kBuffers, 0);
    written.back() = used.back() = epoch;  // a write is a barrier for what came before it, not for itself
    for (int turn = 0; turn < 60; ++turn) {
      if (pick(6) == 0) {
        const size_t b = pick(kBuffers), first = pick(kCount / 2), count = pick(kCount / 2) + 1;
        const std::vector<uint32_t> data(count, random());
        std::copy(data.begin(), data.end(), expected[b].begin() + static_cast<std::ptrdiff_t>(first));
        queue().write({buffers[b].get(), first * 4, count * 4}, data.data());
        written[b] = used[b] = ++epoch;
        continue;
      }
      ListBuilder work;
      const size_t commands = pick(pick(2) == 0 ? 1 : 6) + 1;
      std::vector<std::function<void()>> serial;
      std::vector<size_t> reads, writes;
      for (uint32_t level = 0; level < commands; ++level) {
        work.level(level);
        const size_t a = pick(kBuffers);
        const size_t b = (a + 1 + pick(kBuffers - 1)) % kBuffers;
        const uint32_t k = random() % 1000;
        switch (pick(4)) {
          case 0:
            writes.push_back(a);
            work.dispatch(*scale, 47, {whole(*buffers[a])}, {kCount, 3, k});
            serial.push_back([&expected, a, k] {
              for (auto& v : expected[a]) v = v * 3 + k;
            });
            break;
          case 1:
            writes.push_back(a);
            reads.push_back(b);
            work.dispatch(*sum, 47, {whole(*buffers[a]), whole(*buffers[b])}, {kCount});
            serial.push_back([&expected, a, b] {
              for (size_t i = 0; i < kCount; ++i) expected[a][i] = expected[a][i] * 3 + expected[b][i];
            });
            break;
          case 2:
            writes.push_back(b);
            reads.push_back(a);
            work.copy(whole(*buffers[a]), whole(*buffers[b]));
            serial.push_back([&expected, a, b] { expected[b] = expected[a]; });
            break;
          default:
            writes.push_back(a);
            work.fill({buffers[a].get(), 400, 4000}, k);
            serial.push_back([&expected, a, k] { std::fill_n(expected[a].begin() + 100, 1000, k); });
        }
      }
      uint32_t repeat = 1;
      if (pick(3) == 0) {
        repeat = static_cast<uint32_t>(pick(3)) + 1;
        graphs.push_back(device().make_executable(work.list));
        queue().submit(*graphs.back(), repeat);
        ++epoch;
      } else {
        work.list.wait_before = false;
        for (const size_t b : writes) work.list.wait_before |= used[b] == epoch;
        for (const size_t b : reads) work.list.wait_before |= written[b] == epoch;
        if (work.list.wait_before) ++epoch;
        queue().submit(work.list);
      }
      for (const size_t b : writes) written[b] = used[b] = epoch;
      for (const size_t b : reads) used[b] = epoch;
      for (uint32_t r = 0; r < repeat; ++r)
        for (const auto& step : serial) step();
      if (pick(10) == 0) {
        const size_t b = pick(kBuffers);
        ASSERT_EQ(read_words(*buffers[b]), expected[b]) << "turn " << turn;
      }
    }
    for (size_t b = 0; b < kBuffers; ++b) EXPECT_EQ(read_words(*buffers[b]), expected[b]) << "buffer " << b;
  }
}

INSTANTIATE_TEST_SUITE_P(All, CudaQueue, testing::ValuesIn(variants()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace vd::cuda
