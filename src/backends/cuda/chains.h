// A graph's nodes laid out in chains, each node of a chain behind the one before it: as many chains as may run side by side.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace vd::cuda {

class Chains {
 public:
  explicit Chains(uint32_t most) : most_(most) {}

  // Adds a node, which comes behind `after`; numbers of nodes rise. Returns a node that it has to come behind besides, so that
  // there are no more chains than the most.
  std::optional<uint32_t> add(uint32_t node, std::span<const uint32_t> after);

 private:
  std::span<uint32_t> before(uint32_t node) { return {before_.data() + size_t{node} * most_, most_}; }
  void come_behind(uint32_t node, uint32_t other);

  uint32_t most_;
  std::vector<uint32_t> ends_;    // of each chain, its last node
  std::vector<uint32_t> before_;  // by node and chain: one more than the last node that it comes behind or is, 0: none
};

}  // namespace vd::cuda
