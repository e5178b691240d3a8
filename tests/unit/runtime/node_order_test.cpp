#include "runtime/node_order.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using vd::runtime::NodeOrder;
using Use = NodeOrder::Use;

const void* region(int number) {
  static int regions[2];
  return &regions[number];
}

struct Order {
  explicit Order(bool finds_edges = true) : order(finds_edges) {}
  Order& add(const std::vector<Use>& accesses) {
    order.add(accesses);
    last = count++;
    return *this;
  }
  uint32_t level() const { return order.level(last); }
  std::vector<uint32_t> edges() const {
    const auto edges = order.edges(last);
    return {edges.begin(), edges.end()};
  }
  NodeOrder order;
  uint32_t count = 0, last = 0;
};

TEST(NodeOrder, ChainRises) {
  Order order;
  for (uint32_t i = 0; i < 5; ++i) EXPECT_EQ(order.add({{region(0), {0, 10}, true}}).level(), i);
  EXPECT_EQ(order.order.level_count(), 5u);
}

TEST(NodeOrder, AFenceSeparates) {
  Order order;
  const auto write = [](int number) { return Use{region(number), {0, 10}, true}; };
  order.add({write(0)}).add({write(0)}).add({write(1)});
  order.order.fence();
  order.order.fence();  // of nothing
  EXPECT_EQ(order.add({}).level(), 2u);
  EXPECT_THAT(order.edges(), ElementsAre(1, 2));
  order.order.fence();
  // The fence orders it after all of the nodes that it would have edges to.
  EXPECT_EQ(order.add({write(0)}).level(), 3u);
  EXPECT_THAT(order.edges(), ElementsAre(3));
  EXPECT_EQ(order.add({{region(0), {0, 5}, false}}).level(), 4u);
  EXPECT_THAT(order.edges(), ElementsAre(4));
  EXPECT_EQ(order.add({write(1)}).level(), 3u);
  EXPECT_THAT(order.edges(), ElementsAre(3));
}

TEST(NodeOrder, IndependentAccessesShareALevel) {
  Order order;
  EXPECT_EQ(order.add({{region(0), {0, 10}, true}}).level(), 0u);
  EXPECT_EQ(order.add({{region(1), {0, 10}, true}}).level(), 0u);
  EXPECT_EQ(order.add({{region(0), {10, 20}, true}}).level(), 0u);
  EXPECT_EQ(order.add({{region(0), {0, 20}, false}}).level(), 1u);
  EXPECT_EQ(order.add({{region(0), {5, 15}, false}}).level(), 1u);
  EXPECT_EQ(order.add({{region(0), {12, 13}, true}}).level(), 2u);
  EXPECT_EQ(order.add({{region(0), {0, 5}, false}}).level(), 1u);
  EXPECT_EQ(order.order.level_count(), 3u);
}

TEST(NodeOrder, AReaderWaitsForTheWriterAndAWriterForTheReaders) {
  Order order;
  const auto of = [](uint64_t begin, uint64_t end, bool write) { return Use{region(0), {begin, end}, write}; };
  EXPECT_THAT(order.add({of(0, 64, true)}).edges(), IsEmpty());
  EXPECT_THAT(order.add({of(0, 64, false)}).edges(), ElementsAre(0));
  EXPECT_THAT(order.add({of(32, 64, false), of(100, 200, true)}).edges(), ElementsAre(0));
  EXPECT_THAT(order.add({of(0, 32, true)}).edges(), ElementsAre(0, 1));
  EXPECT_THAT(order.add({of(16, 48, true)}).edges(), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(order.add({of(0, 16, false)}).edges(), ElementsAre(3));
  EXPECT_THAT(order.add({of(48, 150, false)}).edges(), ElementsAre(0, 2));
  EXPECT_THAT(order.add({of(200, 300, false)}).edges(), IsEmpty());
  EXPECT_THAT(order.add({of(0, 16, false), of(0, 16, true)}).edges(), ElementsAre(3, 5)) << "not for itself";
  EXPECT_THAT(order.add({{region(1), {0, 300}, true}}).edges(), IsEmpty()) << "other memory";
}

// Many kernels with one table: each is looked at once, not by all that follow.
TEST(NodeOrder, ManyReadersCostNoMoreEach) {
  Order order;
  order.add({{region(0), {0, 1 << 20}, true}});
  constexpr uint32_t kReaders = 200'000;  // minutes if each were compared with each
  for (uint32_t i = 1; i <= kReaders; ++i)
    ASSERT_THAT(order.add({{region(0), {0, 1 << 20}, false}}).edges(), ElementsAre(0));
  EXPECT_EQ(order.add({{region(0), {5, 6}, true}}).edges().size(), kReaders + 1);
}

// Each of many writers waits for each of many readers; only callers that want the edges pay for them.
TEST(NodeOrder, LevelsAreFoundWithoutEdges) {
  Order order(false);
  constexpr uint32_t kNodes = 100'000;  // the edges would be 40 GB
  for (uint32_t i = 0; i < kNodes; ++i) ASSERT_EQ(order.add({{region(0), {0, kNodes}, false}}).level(), 0u);
  for (uint32_t i = 0; i < kNodes; ++i) ASSERT_EQ(order.add({{region(0), {i, i + 1}, true}}).level(), 1u);
  EXPECT_THAT(order.edges(), IsEmpty());
}

// Against the rule itself, pair by pair: levels, with and without edges, and the order that the edges give.
TEST(NodeOrder, RandomAccessesAgainstThePairs) {
  for (uint32_t seed = 0; seed < 50; ++seed) {
    std::mt19937 random(seed);
    Order order, levels(false);
    std::vector<std::vector<Use>> all;
    std::vector<std::set<uint32_t>> before;  // all that must be done, by node
    for (uint32_t i = 0; i < 60; ++i) {
      std::vector<Use> accesses;
      for (uint32_t n = 1 + random() % 3; n != 0; --n) {
        const uint64_t begin = random() % 50;
        accesses.push_back(
            {region(static_cast<int>(random() % 2)), {begin, begin + 1 + random() % 20}, random() % 3 == 0});
      }
      std::set<uint32_t> reached;
      for (const uint32_t other : order.add(accesses).edges()) {
        reached.insert(other);
        reached.insert(before[other].begin(), before[other].end());
      }
      std::set<uint32_t> wanted;
      uint32_t level = 0;
      for (uint32_t j = 0; j < i; ++j)
        for (const Use& a : all[j])
          for (const Use& b : accesses)
            if (a.region == b.region && (a.write || b.write) && a.span.overlaps(b.span)) {
              wanted.insert(j);
              wanted.insert(before[j].begin(), before[j].end());
              level = std::max(level, order.order.level(j) + 1);
            }
      ASSERT_EQ(reached, wanted) << "seed " << seed << ", node " << i;
      ASSERT_EQ(order.level(), level) << "seed " << seed << ", node " << i;
      ASSERT_EQ(levels.add(accesses).level(), level) << "seed " << seed << ", node " << i;
      before.push_back(std::move(reached));
      all.push_back(std::move(accesses));
    }
  }
}

}  // namespace
