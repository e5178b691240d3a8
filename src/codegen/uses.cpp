#include "codegen/uses.h"

namespace vd::codegen {

using namespace ir;

bool is_leaf(Op op) {
  return op == VD_OP_CONST || op == VD_OP_ZERO || op == VD_OP_BUILTIN || op == kOpArgument || op == kOpShared ||
         op == kOpConstant || op == kOpString;
}

ValueId base_of(const Kernel& kernel, ValueId reference) {
  for (;;) {
    const Inst& inst = kernel.insts[reference];
    if (inst.op != VD_OP_INDEX && inst.op != VD_OP_MEMBER && inst.op != VD_OP_VIEW) return reference;
    reference = kernel.operands_of(inst)[0];
  }
}

std::vector<RegionId> regions_in_order(const Kernel& kernel) {
  std::vector<RegionId> order, stack{kernel.body};
  while (!stack.empty()) {
    const RegionId region = stack.back();
    stack.pop_back();
    order.push_back(region);
    const auto& insts = kernel.regions[region].insts;
    for (size_t i = insts.size(); i-- > 0;) {
      const Inst& inst = kernel.insts[insts[i]];
      for (size_t r = inst.regions.size(); r-- > 0;)
        if (inst.regions[r] != kNoRegion) stack.push_back(inst.regions[r]);
    }
  }
  return order;
}

Uses::Uses(const Kernel& kernel) : of(kernel.insts.size()), region(kernel.insts.size(), kNoRegion) {
  std::vector<RegionId> parent(kernel.regions.size(), kNoRegion);
  const std::vector<RegionId> order = regions_in_order(kernel);
  for (RegionId r : order)
    for (ValueId id : kernel.regions[r].insts) {
      region[id] = r;
      for (RegionId child : kernel.insts[id].regions)
        if (child != kNoRegion) parent[child] = r;
    }

  // A variable may be declared in place if everything that uses it comes later, in its block or one inside.
  std::vector<bool> declared(kernel.insts.size(), false);
  const auto inside = [&](RegionId r, RegionId outer) {
    while (r != kNoRegion && r != outer) r = parent[r];
    return r == outer;
  };
  const auto note = [&](ValueId value, RegionId r) {
    of[value].count++;
    if (region[value] != kNoRegion && region[value] != r) of[value].elsewhere = true;
  };
  const auto note_operand = [&](ValueId operand, RegionId r) {
    if (!kernel.insts[operand].type.is_reference()) return note(operand, r);
    for (ValueId reference = operand;;) {
      note(reference, r);
      const Inst& inst = kernel.insts[reference];
      if (inst.op == VD_OP_VAR && (!declared[reference] || !inside(r, region[reference]))) of[reference].hoist = true;
      if (inst.op != VD_OP_INDEX && inst.op != VD_OP_MEMBER && inst.op != VD_OP_VIEW) return;
      const auto operands = kernel.operands_of(inst);
      if (inst.op == VD_OP_INDEX) note(operands[1], r);
      reference = operands[0];
    }
  };

  // In program order: a region's instructions, with nested regions in their places.
  struct Frame {
    RegionId region;
    size_t next;
  };
  std::vector<Frame> stack{{kernel.body, 0}};
  while (!stack.empty()) {
    Frame& frame = stack.back();
    const RegionId r = frame.region;
    if (frame.next == kernel.regions[r].insts.size()) {
      stack.pop_back();
      continue;
    }
    const ValueId id = kernel.regions[r].insts[frame.next++];
    const Inst& inst = kernel.insts[id];
    const bool is_reference_step =
        inst.type.is_reference() && (inst.op == VD_OP_INDEX || inst.op == VD_OP_MEMBER || inst.op == VD_OP_VIEW);
    if (!is_reference_step) {
      const auto operands = kernel.operands_of(inst);
      // A while condition is computed in region 0 and used there.
      const RegionId at = inst.op == VD_OP_WHILE ? inst.regions[0] : r;
      for (size_t i = 0; i < operands.size(); ++i) {
        if (inst.op == VD_OP_WHILE) {
          of[operands[i]].count++;
          if (region[operands[i]] != kNoRegion && region[operands[i]] != at) of[operands[i]].elsewhere = true;
          continue;
        }
        note_operand(operands[i], r);
        // Stop and step of a counted loop are in its head, which is evaluated at each iteration.
        if (inst.op == VD_OP_FOR && i > 0) of[operands[i]].count++;
      }
    }
    if (inst.op == VD_OP_VAR) declared[id] = true;
    for (size_t i = inst.regions.size(); i-- > 0;)
      if (inst.regions[i] != kNoRegion) stack.push_back({inst.regions[i], 0});
  }
}

}  // namespace vd::codegen
