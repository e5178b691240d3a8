#include "ir/recipe.h"

#include <algorithm>

namespace vd::ir {
namespace {

constexpr uint64_t mix(uint64_t h, uint64_t value) {
  h ^= value;
  h *= 0x9e3779b97f4a7c15u;
  return h ^ h >> 32;
}

}  // namespace

RecipeTable::RecipeTable() : nodes_(1), slots_(256, 0) {}

NodeId RecipeTable::intern(Op op, Type type, std::span<const NodeId> operands, uint64_t immediate, uint32_t location,
                           bool shared) {
  const bool located = op != kOpFrozen && op_info(op).has(kLocated);
  uint64_t h = mix(static_cast<uint64_t>(op) << 32 | type.bits(), immediate);
  for (const NodeId operand : operands) h = mix(h, operand);
  if (located) h = mix(h, location);
  const auto hash = static_cast<uint32_t>(h);
  const size_t mask = slots_.size() - 1;
  size_t slot = hash & mask;
  if (shared) {
    for (; slots_[slot] != 0; slot = (slot + 1) & mask) {
      const Node& other = nodes_[slots_[slot]];
      if (other.hash == hash && other.op == op && other.type == type && other.immediate == immediate &&
          (!located || other.location == location) && std::ranges::equal(this->operands(other), operands)) {
        return slots_[slot];
      }
    }
  }
  Node node;
  node.op = op;
  node.type = type;
  node.immediate = immediate;
  node.first_operand = static_cast<uint32_t>(operands_.size());
  node.operand_count = static_cast<uint32_t>(operands.size());
  node.location = location;
  node.hash = hash;
  operands_.insert(operands_.end(), operands.begin(), operands.end());
  nodes_.push_back(node);
  const auto id = static_cast<NodeId>(nodes_.size() - 1);
  if (shared) {
    slots_[slot] = id;
    if (nodes_.size() * 2 > slots_.size()) grow();
  }
  return id;
}

void RecipeTable::grow() {
  std::vector<NodeId> slots(slots_.size() * 4, 0);
  const size_t mask = slots.size() - 1;
  for (const NodeId id : slots_) {
    if (id == 0) continue;
    size_t slot = nodes_[id].hash & mask;
    while (slots[slot] != 0) slot = (slot + 1) & mask;
    slots[slot] = id;
  }
  slots_ = std::move(slots);
}

}  // namespace vd::ir
