#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <numeric>
#include <random>
#include <thread>

#include "unit/vulkan/fixture.h"

namespace vd::vulkan {
namespace {

using testing::Each;
using testing::ElementsAre;

// Every test of queues runs on a device as it is and on ones that lack something.
struct QueueVariant {
  const char* name;
  Overrides overrides;
};

std::vector<QueueVariant> variants() {
  std::vector<QueueVariant> all;
  all.push_back({"Plain", {}});
  Overrides discrete;
  discrete.map_memory = false;
  all.push_back({"Discrete", discrete});
  Overrides small = discrete;
  small.staging_size = 4096;
  all.push_back({"SmallStaging", small});
  Overrides sets = discrete;
  sets.push_descriptors = false;
  all.push_back({"DescriptorSets", sets});
  // As a GPU is waited for, by the word that the device writes.
  Overrides spins;
  spins.spin = true;
  all.push_back({"Spinning", spins});
  Overrides discrete_spins = small;
  discrete_spins.spin = true;
  all.push_back({"DiscreteSpinning", discrete_spins});
  return all;
}

class QueueTest : public VulkanTest, public testing::WithParamInterface<QueueVariant> {
 protected:
  // Many launches: lavapipe ends loops after 65535 iterations.
  static constexpr uint32_t kSpinLaunches = 60, kSpinTurns = 65'000, kBurstLaunches = 500;

  Overrides overrides() const override { return GetParam().overrides; }
  uint64_t large_count() const { return GetParam().overrides.staging_size != 0 ? 50'000 : 20'000'000; }
  std::shared_ptr<backends::Module> spinner() {
    return glsl(R"(#version 450
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer X { uint x[]; };
layout(push_constant) uniform Values { uint turns; };
void main() {
  uint v = x[0];
  for (uint i = 0; i < turns; ++i) v = v * 1664525u + 1013904223u + (v >> 7);
  x[0] = v;
})",
                1, 4);
  }
};

#include "support/queue/tests.inc"

// Dispatches whose counts are in memory, beside others of their level: written on the device by a kernel and by a copy,
// bounded by the most, in single lists, in a prepared one and timed.
TEST_P(QueueTest, CountsComeFromMemory) {
  const auto scale = affine();
  scale->prepare_counts();
  constexpr uint32_t kCount = 256;  // four workgroups
  const auto a = words(iota(kCount)), b = words(iota(kCount)), c = words(iota(kCount));
  const auto counts = words({0, 0, 0, 0, 2, 1, 1, ~0u, 1, 1}), others = words({3, 1, 1});
  const auto at = [&](uint64_t word) { return backends::Range{counts.get(), 4 * word, 12}; };
  ListBuilder work;
  work.level(0).dispatch(*scale, 1, {{counts.get(), 0, 4}}, {1, 0, 1}).fill({counts.get(), 4, 8}, 1);
  work.level(1).dispatch(*scale, 4, {whole(*a)}, {kCount, 2, 1}).counts(at(0));
  work.dispatch(*scale, 4, {whole(*b)}, {kCount, 2, 1}).counts(at(4));
  work.dispatch(*scale, 4, {whole(*c)}, {kCount, 2, 1});
  work.level(2).copy({others.get(), 0, 12}, at(0));
  work.level(3).dispatch(*scale, 4, {whole(*a)}, {kCount, 2, 1}).counts(at(0));
  work.dispatch(*scale, 4, {whole(*c)}, {kCount, 2, 1}).counts(at(7));
  std::vector<uint32_t> x = iota(kCount), y = x, z = x;
  const auto run = [&] {
    const auto affine = [](std::vector<uint32_t>& values, uint32_t groups) {
      for (uint32_t i = 0; i < 64 * groups; ++i) values[i] = values[i] * 2 + 1;
    };
    affine(x, 1), affine(x, 3), affine(y, 2), affine(z, 4), affine(z, 4);
  };
  queue().submit(work.list), run();
  std::unique_ptr<backends::Timing> timing;
  if (queue().has_clock()) queue().submit_timed(work.list, timing), run();
  const auto graph = device().make_executable(work.list);
  queue().submit(*graph, 2), run(), run();
  queue().submit(*graph, 1), run();
  EXPECT_EQ(read_words(*a), x);
  EXPECT_EQ(read_words(*b), y);
  EXPECT_EQ(read_words(*c), z);
}

// The runtime takes every list that asks for a barrier for one, and then asks for none before the next.
TEST_P(QueueTest, AnEmptyListIsABarrierToo) {
  const auto buffer = memory(64);
  ListBuilder fill(false), nothing;
  queue().submit(fill.fill(whole(*buffer), 7).list);
  queue().submit(nothing.list);
  ASSERT_TRUE(queue().wait(queue().submit(fill.list), VD_WAIT_FOREVER));  // the layer notices where there is none
}

TEST_P(QueueTest, CountsNeedTheirKernel) {
  const auto scale = glsl("#version 450\nlayout(local_size_x = 2) in;\nvoid main() {}", 0, 0);
  const auto counts = words({1, 1, 1});
  ListBuilder work;
  work.dispatch(*scale, 4, {}, {}).counts(whole(*counts));
  expect_error([&] { queue().submit(work.list); }, VD_ERR_INTERNAL, "was not made ready for counts in memory");
  EXPECT_EQ(read_words(*counts), std::vector<uint32_t>(3, 1));  // written before it goes
}

// A thread that waits for the first of two graphs takes both off the list, and submits the one that it waits for.
TEST_P(QueueTest, WhatAWaitLeavesIsSubmittedAllTheSame) {
  const auto buffer = words(std::vector<uint32_t>(64, 1));
  ListBuilder work;
  work.fill(whole(*buffer), 7);
  const auto graph = device().make_executable(work.list);
  for (int i = 0; i < 100; ++i) {
    const uint64_t first = queue().submit(*graph, 1), second = queue().submit(*graph, 1);
    ASSERT_TRUE(queue().wait(first, VD_WAIT_FOREVER));
    // Asking does not submit.
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!queue().wait(second, 0)) ASSERT_LT(std::chrono::steady_clock::now(), end) << "turn " << i;
  }
}

TEST_P(QueueTest, RefusesWhatADescriptorDoesNotTake) {
  const auto module = affine();
  const auto buffer = words(std::vector<uint32_t>(64, 1));
  const auto expect = [&](const ListBuilder& work, const std::string& part) {
    expect_error([&] { queue().submit(work.list); }, VD_ERR_UNSUPPORTED, part);
  };
  ListBuilder unaligned;
  expect(unaligned.dispatch(*module, 1, {{buffer.get(), 2, 8}}, {1, 1, 1}), "the offset (2)");
  const uint64_t range = device().info().max_storage_buffer_range;
  if (range < device().info().max_allocation_size && range < uint64_t{1} << 30) {
    const auto large = memory(range + 16);
    ListBuilder too_long;
    expect(too_long.dispatch(*module, 1, {whole(*large)}, {1, 1, 1}), std::to_string(range));
  }
  EXPECT_EQ(read_words(*buffer)[0], 1u) << "the queue goes on after a refusal";
}

INSTANTIATE_TEST_SUITE_P(All, QueueTest, testing::ValuesIn(variants()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace vd::vulkan
