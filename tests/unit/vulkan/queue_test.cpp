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
