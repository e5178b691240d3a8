// Recipes: the by-name expressions of a kernel being built. Typed, hash-consed nodes in a flat table; a statement
// instantiates the ones it consumes (builder.h). Nothing is evaluated twice within a statement, and nothing is
// remembered from one statement to the next.
#pragma once

#include <span>
#include <vector>

#include "ir/op.h"

namespace vd::ir {

using NodeId = uint32_t;  // 0: none

// A node for a value or variable that the code already holds.
inline constexpr Op kOpFrozen = static_cast<Op>(1028);  // immediate: ValueId

struct Node {
  Op op = VD_OP_NONE;
  Type type;
  uint64_t immediate = 0;
  uint32_t first_operand = 0;
  uint32_t operand_count = 0;
  uint32_t location = 0;
  uint32_t hash = 0;
  uint32_t stamp = 0;  // the statement in which `value` holds, or kAlways
  ValueId value = kNoValue;
  RegionId region = kNoRegion;  // of a frozen value: where it may be used
};

inline constexpr uint32_t kAlways = 0xffffffffu;

class RecipeTable {
 public:
  RecipeTable();

  Node& operator[](NodeId id) { return nodes_[id]; }
  const Node& operator[](NodeId id) const { return nodes_[id]; }
  uint32_t size() const { return static_cast<uint32_t>(nodes_.size()); }
  std::span<const NodeId> operands(const Node& node) const {
    return {operands_.data() + node.first_operand, node.operand_count};
  }
  NodeId operand(NodeId id, uint32_t i) const { return operands_[nodes_[id].first_operand + i]; }

  // The node with this content; `shared` false makes a new one always. The location is part of the content only of
  // nodes that can fail.
  NodeId intern(Op op, Type type, std::span<const NodeId> operands, uint64_t immediate, uint32_t location,
                bool shared = true);

 private:
  void grow();

  std::vector<Node> nodes_;
  std::vector<NodeId> operands_;
  std::vector<NodeId> slots_;  // open addressing, a power of two
};

}  // namespace vd::ir
