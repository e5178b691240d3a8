#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
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

class QueueTest : public CudaTest, public testing::WithParamInterface<Variant> {
 protected:
  static constexpr uint32_t kSpinLaunches = 60, kSpinTurns = 1'000'000, kBurstLaunches = 20;

  Overrides overrides() const override { return GetParam().overrides; }
  uint64_t large_count() const { return GetParam().overrides.staging_size != 0 ? 50'000 : 10'000'000; }
  std::shared_ptr<backends::Module> spinner() {
    return cuda(R"(extern "C" __global__ void __launch_bounds__(64) vkdispatch_main(unsigned* x, unsigned turns) {
  unsigned v = x[0];
  for (unsigned i = 0; i < turns; ++i) v = v * 1664525u + 1013904223u + (v >> 7);
  x[0] = v;
})",
                1, 4, {1, 1, 1});
  }
};

#include "support/queue/tests.inc"

// Other buffers, values, sizes and patterns: the instance stays, also for a queue that comes later.
TEST_P(QueueTest, AGraphIsUpdatedInPlace) {
  const auto scale = affine();
  const auto sum = accumulate();
  constexpr uint32_t kCount = 700;
  const auto make = [&](backends::Memory& a, backends::Memory& b, uint32_t k) {
    ListBuilder work;
    work.level(0).dispatch(*scale, k % 2 + 11, {whole(a)}, {kCount, 3, k});
    work.level(1).dispatch(*sum, 11, {whole(b), whole(a)}, {kCount});
    work.level(2).copy({&b, 0, 1200}, {&a, 400, 1200});
    work.level(3).fill({&b, 0, 4 * k}, k);
    return work.list;
  };
  const auto serial = [&](std::vector<uint32_t>& a, std::vector<uint32_t>& b, uint32_t k) {
    for (auto& v : a) v = v * 3 + k;
    for (uint32_t i = 0; i < kCount; ++i) b[i] = b[i] * 3 + a[i];
    std::copy_n(b.begin(), 300, a.begin() + 100);
    std::fill_n(b.begin(), k, k);
  };
  std::vector<std::vector<uint32_t>> expected(3, iota(kCount));
  std::vector<std::unique_ptr<backends::Memory>> buffers;
  for (const auto& values : expected) buffers.push_back(words(values));
  const uint64_t made = control().calls != nullptr ? control().calls("cuGraphInstantiate") : 0;
  const auto graph = device().make_executable(make(*buffers[0], *buffers[1], 5));
  ASSERT_TRUE(graph->updatable());
  queue().submit(*graph, 1);
  serial(expected[0], expected[1], 5);
  std::mt19937 random(1);
  for (uint32_t turn = 0; turn < 20; ++turn) {
    const uint32_t a = random() % 3, b = (a + 1 + random() % 2) % 3, k = 1 + random() % 50;
    EXPECT_TRUE(graph->update(make(*buffers[a], *buffers[b], k)));
    queue().submit(*graph, turn % 3);
    for (uint32_t repeat = 0; repeat < turn % 3; ++repeat) serial(expected[a], expected[b], k);
  }
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(read_words(*buffers[i]), expected[i]) << i;
  if (control().calls != nullptr) {
    EXPECT_EQ(control().calls("cuGraphInstantiate"), made + 1);
  }
}

// Values that do not fit in a kernel's parameters change in the instance, too, while earlier runs have theirs.
TEST_P(QueueTest, ManyValuesAreChangedInPlace) {
  const auto many = many_values();
  const auto sum = accumulate();
  const auto a = words({0, 0}), b = words({0, 0}), other = words({0, 0});
  const auto make = [&](backends::Memory& to, uint32_t k) {
    std::vector<uint32_t> values(kManyValues, k);
    values.back() = 100 * k;
    ListBuilder work;
    work.level(0).dispatch(*many, 1, {whole(to)}, values);
    work.level(1).dispatch(*sum, 1, {whole(*b), whole(to)}, {2});
    return work.list;
  };
  const auto graph = device().make_executable(make(*a, 1));
  ASSERT_TRUE(graph->updatable());
  queue().submit(*graph, 1);
  const uint64_t made = control().calls != nullptr ? control().calls("cuGraphInstantiate") : 0;
  const uint32_t first[] = {0};
  for (const uint32_t k : {2u, 3u, 4u}) {
    EXPECT_TRUE(graph->patch(make(*a, k), first));
    queue().submit(*graph, 1);
  }
  EXPECT_TRUE(graph->update(make(*other, 5)));
  queue().submit(*graph, 2);
  uint32_t sums = 0;
  for (const uint32_t k : {1u, 2u, 3u, 4u, 5u, 5u}) sums = 3 * sums + k;
  EXPECT_EQ(read_words(*b), (std::vector<uint32_t>{100 * sums, sums}));
  EXPECT_EQ(read_words(*a), (std::vector<uint32_t>{400, 4}));
  EXPECT_EQ(read_words(*other), (std::vector<uint32_t>{500, 5}));
  if (control().calls != nullptr) {
    EXPECT_EQ(control().calls("cuGraphInstantiate"), made);
  }
}

TEST_P(QueueTest, AGraphOfAnotherShapeIsNotUpdated) {
  const auto scale = affine();
  const auto sum = accumulate();
  const auto a = words(iota(64)), b = words(iota(64)), c = words(iota(64));
  ListBuilder work;
  work.level(0).dispatch(*scale, 1, {whole(*a)}, {64, 3, 1});
  work.level(1).dispatch(*sum, 1, {whole(*b), whole(*a)}, {64});
  const auto graph = device().make_executable(work.list);
  ListBuilder longer = work;
  longer.level(2).fill(whole(*a), 1);
  EXPECT_FALSE(graph->update(longer.list));
  ListBuilder kernels;
  kernels.level(0)
      .dispatch(*sum, 1, {whole(*a), whole(*b)}, {64})
      .level(1)
      .dispatch(*scale, 1, {whole(*b)}, {64, 3, 1});
  EXPECT_FALSE(graph->update(kernels.list));
  ListBuilder edges;  // nothing depends on the first one any more
  edges.level(0).dispatch(*scale, 1, {whole(*c)}, {64, 3, 1});
  edges.level(1).dispatch(*sum, 1, {whole(*b), whole(*a)}, {64}).after({});
  EXPECT_FALSE(graph->update(edges.list));
  ListBuilder nothing;
  nothing.level(0).dispatch(*scale, 0, {whole(*a)}, {64, 3, 1});
  nothing.level(1).dispatch(*sum, 1, {whole(*b), whole(*a)}, {64});
  EXPECT_FALSE(graph->update(nothing.list));
  queue().submit(*graph, 1);
  EXPECT_EQ(read_words(*b)[5], 5 * 3 + 16u) << "what was refused changed nothing";
}

TEST_P(QueueTest, CommandsThatDoNothingAreUpdatedToo) {
  const auto scale = affine();
  const auto a = words({1}), b = words({2});
  const auto make = [&](backends::Memory& memory) {
    ListBuilder work;
    work.level(0).dispatch(*scale, 0, {whole(memory)}, {1, 5, 5}).fill({&memory, 0, 0}, 7);
    work.level(1).dispatch(*scale, 1, {whole(memory)}, {1, 3, 1});
    return work.list;
  };
  const auto graph = device().make_executable(make(*a));
  EXPECT_TRUE(graph->update(make(*b)));
  queue().submit(*graph, 1);
  EXPECT_EQ(read_words(*a)[0], 1u);
  EXPECT_EQ(read_words(*b)[0], 7u);
}

// Thousands of commands are one graph, made in a time that grows with their number and no faster.
TEST_P(QueueTest, ALongGraph) {
  constexpr uint32_t kCommands = 10000;
  const auto module = affine();
  const auto a = words({0}), b = words({0});
  ListBuilder work;
  for (uint32_t i = 0; i < kCommands; ++i)
    work.level(i / 2).dispatch(*module, 1, {whole(i % 2 == 0 ? *a : *b)}, {1, 1, 1});
  const auto graph = device().make_executable(work.list);
  queue().submit(*graph, 2);
  EXPECT_EQ(read_words(*a)[0], kCommands);
  EXPECT_EQ(read_words(*b)[0], kCommands);
}

TEST_P(QueueTest, SaysWhenItIsFull) {
  if (control().delay == nullptr) GTEST_SKIP() << "a real device may be as fast as the host";
  const auto module = affine();
  const auto buffer = words({0});
  ListBuilder work;
  work.dispatch(*module, 1, {whole(*buffer)}, {1, 1, 1});
  uint64_t last = 0;
  bool full = false;
  control().delay(2000);  // slower than a checked build's host
  for (int i = 0; i < 2000 && !full; ++i) {
    last = queue().submit(work.list);
    full = queue().would_block();
  }
  control().delay(100);
  EXPECT_TRUE(full);
  EXPECT_TRUE(queue().wait(last, VD_WAIT_FOREVER));
  EXPECT_FALSE(queue().would_block());
}

// A caller that asks whether there is room, and submits no more than that, is never blocked by the driver; so it may
// hold a lock meanwhile.
TEST_P(QueueTest, WorkForWhichThereIsRoomIsTakenAtOnce) {
  if (control().held_back == nullptr) GTEST_SKIP() << "a real driver does not say whether it held its caller back";
  const auto module = affine();
  const auto buffer = words({0});
  ListBuilder few, once;
  for (uint32_t i = 0; i < 200; ++i) few.level(i).dispatch(*module, 1, {whole(*buffer)}, {1, 1, 1});
  once.dispatch(*module, 1, {whole(*buffer)}, {1, 1, 1});
  const auto graph = device().make_executable(once.list);
  const uint32_t repeats = queue().repeats_at_once(*graph);
  EXPECT_GE(repeats, 32u) << "each part costs a little";
  uint32_t expected = 0;
  const uint64_t held_back = control().held_back();
  for (uint32_t turn = 0; turn < 8; ++turn) {
    queue().wait_for_room();
    queue().submit(few.list);
    queue().wait_for_room();
    queue().submit(*graph, repeats);
    expected += 200 + repeats;
  }
  EXPECT_EQ(control().held_back(), held_back);
  EXPECT_EQ(read_words(*buffer)[0], expected);
}

// Each costs the device about as long as a small kernel takes.
TEST_P(QueueTest, HasOneStampBetweenTwoCommands) {
  if (control().calls == nullptr) GTEST_SKIP() << "a real driver does not count its calls";
  const auto data = words({0});
  ListBuilder builder;
  for (uint32_t i = 0; i < 10; ++i) builder.level(i).fill(whole(*data), i);
  prepare_timing();
  std::unique_ptr<backends::Timing> timing;
  queue().wait(queue().submit_timed(builder.list, timing), VD_WAIT_FOREVER);  // memory is made
  const uint64_t stamps = control().calls("cuLaunchKernel"), copies = control().calls("cuMemcpyDtoHAsync");
  const auto allocations = [] {
    return control().calls("cuMemHostAlloc") + control().calls("cuMemAllocFromPoolAsync") +
           control().calls("cuMemAlloc");
  };
  const uint64_t allocated = allocations();
  const uint64_t value = queue().submit_timed(builder.list, timing);
  EXPECT_EQ(control().calls("cuLaunchKernel") - stamps, 11u);
  EXPECT_EQ(control().calls("cuMemcpyDtoHAsync") - copies, 1u);
  EXPECT_EQ(allocations(), allocated);
  queue().wait(value, VD_WAIT_FOREVER);
}

// It would hold back the kernel that comes behind.
TEST_P(QueueTest, MarksNoUploadBeforeAThreadAsks) {
  if (control().calls == nullptr) GTEST_SKIP() << "a real driver does not count its calls";
  const char* const mark = GetParam().overrides.write_values ? "cuStreamWriteValue64" : "cuEventRecord";
  const auto host = memory(1 << 20, true), far = memory(1 << 20);
  const auto marks = [&](backends::Memory& from, backends::Memory& to) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // no burst
    const uint64_t before = control().calls(mark);
    ListBuilder builder;
    builder.copy(whole(from), whole(to));
    const uint64_t value = queue().submit(builder.list);
    const uint64_t made = control().calls(mark) - before;
    EXPECT_TRUE(queue().wait(value, VD_WAIT_FOREVER));
    return made;
  };
  EXPECT_EQ(marks(*far, *host), 1u);
  EXPECT_EQ(marks(*host, *far), 0u);
}

INSTANTIATE_TEST_SUITE_P(All, QueueTest, testing::ValuesIn(variants()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace vd::cuda
