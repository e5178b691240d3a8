#include "backends/cuda/edges.h"

#include <gmock/gmock.h>

#include <random>
#include <set>

namespace vd::cuda {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Edges, AReaderWaitsForTheWriterAndAWriterForTheReaders) {
  Hazards hazards;
  EXPECT_THAT(hazards.add(0, {{0, 64, true}}), IsEmpty());
  EXPECT_THAT(hazards.add(1, {{0, 64, false}}), ElementsAre(0));
  EXPECT_THAT(hazards.add(2, {{32, 64, false}, {100, 200, true}}), ElementsAre(0));
  EXPECT_THAT(hazards.add(3, {{0, 32, true}}), ElementsAre(0, 1));
  EXPECT_THAT(hazards.add(4, {{16, 48, true}}), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(hazards.add(5, {{0, 16, false}}), ElementsAre(3));
  EXPECT_THAT(hazards.add(6, {{48, 150, false}}), ElementsAre(0, 2));
  EXPECT_THAT(hazards.add(7, {{200, 300, false}}), IsEmpty());
  EXPECT_THAT(hazards.add(8, {{0, 16, false}, {0, 16, true}}), ElementsAre(3, 5)) << "not for itself";
}

// Many kernels with one table: each is looked at once, not by all that follow.
TEST(Edges, ManyReadersCostNoMoreEach) {
  Hazards hazards;
  hazards.add(0, {{0, 1 << 20, true}});
  constexpr uint32_t kReaders = 200'000;  // minutes if each were compared with each
  for (uint32_t i = 1; i <= kReaders; ++i) ASSERT_THAT(hazards.add(i, {{0, 1 << 20, false}}), ElementsAre(0));
  EXPECT_EQ(hazards.add(kReaders + 1, {{5, 6, true}}).size(), kReaders + 1);
}

// The order that the edges give is the one that comparing all with all gives.
TEST(Edges, RandomUsesAreOrderedAsByComparingAll) {
  for (uint32_t seed = 0; seed < 50; ++seed) {
    std::mt19937 random(seed);
    Hazards hazards;
    std::vector<std::vector<Access>> all;
    std::vector<std::set<uint32_t>> before;  // all that must be done, by command
    for (uint32_t i = 0; i < 60; ++i) {
      std::vector<Access> uses;
      for (uint32_t n = 1 + random() % 3; n != 0; --n) {
        const CUdeviceptr begin = random() % 50;
        uses.push_back({begin, begin + 1 + random() % 20, random() % 3 == 0});
      }
      std::set<uint32_t> reached;
      for (const uint32_t other : hazards.add(i, uses)) {
        reached.insert(other);
        reached.insert(before[other].begin(), before[other].end());
      }
      std::set<uint32_t> wanted;
      for (uint32_t j = 0; j < i; ++j)
        for (const Access& a : all[j])
          for (const Access& b : uses)
            if ((a.write || b.write) && a.begin < b.end && b.begin < a.end) {
              wanted.insert(j);
              wanted.insert(before[j].begin(), before[j].end());
            }
      ASSERT_EQ(reached, wanted) << "seed " << seed << ", command " << i;
      before.push_back(std::move(reached));
      all.push_back(std::move(uses));
    }
  }
}

}  // namespace
}  // namespace vd::cuda
