#include "backends/cuda/chains.h"

#include <algorithm>

namespace vd::cuda {

void Chains::come_behind(uint32_t node, uint32_t other) {
  const auto mine = before(node), its = before(other);
  for (uint32_t i = 0; i < most_; ++i) mine[i] = std::max(mine[i], its[i]);
}

std::optional<uint32_t> Chains::add(uint32_t node, std::span<const uint32_t> after) {
  before_.resize((size_t{node} + 1) * most_);
  for (const uint32_t other : after) come_behind(node, other);
  // It continues the chain that ends last, of those whose end it comes behind: the others' ends are behind fewer nodes.
  std::optional<uint32_t> chain;
  for (uint32_t i = 0; i < ends_.size(); ++i)
    if (before(node)[i] == ends_[i] + 1 && (!chain || ends_[i] > ends_[*chain])) chain = i;
  std::optional<uint32_t> besides;
  if (!chain && ends_.size() < most_) {
    chain = static_cast<uint32_t>(ends_.size());
    ends_.push_back(node);
  } else if (!chain) {
    chain = static_cast<uint32_t>(std::ranges::min_element(ends_) - ends_.begin());
    besides = ends_[*chain];
    come_behind(node, *besides);
  }
  ends_[*chain] = node;
  before(node)[*chain] = node + 1;
  return besides;
}

}  // namespace vd::cuda
