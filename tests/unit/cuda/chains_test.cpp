#include "backends/cuda/chains.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace vd::cuda {
namespace {

using Edges = std::vector<std::vector<uint32_t>>;  // of each node, those that it comes behind

// The same edges, and those that were found missing.
Edges narrowed(const Edges& edges, uint32_t most, size_t* added = nullptr) {
  Chains chains(most);
  Edges out = edges;
  if (added != nullptr) *added = 0;
  for (uint32_t i = 0; i < edges.size(); ++i) {
    const auto besides = chains.add(i, edges[i]);
    if (!besides) continue;
    out[i].push_back(*besides);
    if (added != nullptr) ++*added;
  }
  return out;
}

// The most nodes of which none comes behind another: by a largest matching of nodes with nodes behind them (Dilworth 1950).
size_t width(const Edges& edges) {
  std::vector<std::set<uint32_t>> behind(edges.size());  // of each node, all that it comes behind
  for (uint32_t i = 0; i < edges.size(); ++i)
    for (const uint32_t other : edges[i]) {
      behind[i].insert(other);
      behind[i].insert(behind[other].begin(), behind[other].end());
    }
  std::vector<int> match(edges.size(), -1);
  size_t matched = 0;
  for (uint32_t i = 0; i < edges.size(); ++i) {
    std::set<uint32_t> seen;
    const auto find = [&](const auto& self, uint32_t node) -> bool {
      for (const uint32_t other : behind[node]) {
        if (!seen.insert(other).second) continue;
        if (match[other] >= 0 && !self(self, static_cast<uint32_t>(match[other]))) continue;
        match[other] = static_cast<int>(node);
        return true;
      }
      return false;
    };
    matched += find(find, i) ? 1 : 0;
  }
  return edges.size() - matched;
}

TEST(Chains, NodesApartBecomeChains) {
  const Edges apart(20);
  EXPECT_EQ(width(apart), 20u);
  EXPECT_EQ(width(narrowed(apart, 8)), 8u);
  EXPECT_EQ(width(narrowed(apart, 1)), 1u);
}

TEST(Chains, NothingIsAddedToWhatIsNarrow) {
  Edges chains(40);  // four, side by side
  for (uint32_t i = 4; i < 40; ++i) chains[i] = {i - 4};
  Edges forks(30);  // one node, four, one, four ...
  for (uint32_t i = 1; i < 30; ++i) {
    const uint32_t first = i / 5 * 5;
    if (i != first) forks[i] = {first};
    if (i == first) forks[i] = {i - 4, i - 3, i - 2, i - 1};
  }
  for (const Edges& edges : {chains, forks}) {
    size_t added = 0;
    EXPECT_EQ(width(narrowed(edges, 4, &added)), 4u);
    EXPECT_EQ(added, 0u);
  }
}

TEST(Chains, RandomGraphsAreNarrow) {
  std::mt19937 random(20261127);
  for (int turn = 0; turn < 200; ++turn) {
    Edges edges(1 + random() % 60);
    for (uint32_t i = 1; i < edges.size(); ++i)
      for (uint32_t count = random() % 3; count > 0; --count) edges[i].push_back(random() % i);
    const uint32_t most = 1 + random() % 8;
    EXPECT_LE(width(narrowed(edges, most)), most);
  }
}

}  // namespace
}  // namespace vd::cuda
