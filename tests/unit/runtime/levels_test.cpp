#include "runtime/levels.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace {

using vd::runtime::LevelMap;
using vd::runtime::Span;

uint32_t use(LevelMap& map, const void* block, Span span, bool write) {
  const uint32_t level = map.level_for(block, span, write);
  map.put(block, span, write, level);
  return level;
}

TEST(LevelMap, ChainRises) {
  LevelMap map;
  int a = 0;
  for (uint32_t i = 0; i < 5; ++i) EXPECT_EQ(use(map, &a, {0, 10}, true), i);
}

TEST(LevelMap, IndependentUsesShareALevel) {
  LevelMap map;
  int a = 0, b = 0;
  EXPECT_EQ(use(map, &a, {0, 10}, true), 0u);
  EXPECT_EQ(use(map, &b, {0, 10}, true), 0u);
  EXPECT_EQ(use(map, &a, {10, 20}, true), 0u);
  EXPECT_EQ(use(map, &a, {0, 20}, false), 1u);
  EXPECT_EQ(use(map, &a, {5, 15}, false), 1u);
  EXPECT_EQ(use(map, &a, {12, 13}, true), 2u);
  EXPECT_EQ(use(map, &a, {0, 5}, false), 1u);
}

// Against the rule itself, pair by pair.
TEST(LevelMap, RandomUsesAgainstThePairs) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    struct Past {
      int block;
      Span span;
      bool write;
      uint32_t level;
    };
    std::vector<Past> past;
    LevelMap map;
    int blocks[2] = {};
    for (int i = 0; i < 60; ++i) {
      const int block = static_cast<int>(random() % 2);
      const uint64_t begin = random() % 30, end = begin + 1 + random() % 10;
      const Span span{begin, end};
      const bool write = random() % 3 == 0;
      uint32_t expected = 0;
      for (const Past& p : past) {
        if (p.block == block && p.span.overlaps(span) && (p.write || write)) expected = std::max(expected, p.level + 1);
      }
      const uint32_t level = use(map, &blocks[block], span, write);
      ASSERT_EQ(level, expected) << "round " << round << " use " << i;
      past.push_back({block, span, write, level});
    }
  }
}

}  // namespace
