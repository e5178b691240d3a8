// Visits a kernel's code in program order.
#pragma once

#include <vector>

#include "ir/kernel.h"
#include "ir/op.h"

namespace vd::ir {

// Call f(id, inst) for each instruction in a region, parents first. `f` must not add instructions.
template <class F>
void for_each_inst(const Kernel& kernel, RegionId root, F&& f) {
  struct Cursor {
    RegionId region;
    size_t next;
  };
  std::vector<Cursor> stack{{root, 0}};
  while (!stack.empty()) {
    Cursor& cursor = stack.back();
    const auto& list = kernel.regions[cursor.region].insts;
    if (cursor.next == list.size()) {
      stack.pop_back();
      continue;
    }
    const ValueId id = list[cursor.next++];
    const Inst& inst = kernel.insts[id];
    f(id, inst);
    for (int i = 1; i >= 0; --i) {
      if (inst.regions[i] != kNoRegion) stack.push_back({inst.regions[i], 0});
    }
  }
}

template <class F>
void for_each_inst(const Kernel& kernel, F&& f) {
  for_each_inst(kernel, kernel.body, std::forward<F>(f));
}

inline bool is_leaf(const Kernel& kernel, ValueId id) { return op_info(kernel.insts[id].op).has(kLeaf); }

// The root of a reference behind INDEX, MEMBER and VIEW: an argument, a shared array or a variable.
inline ValueId reference_root(const Kernel& kernel, ValueId id) {
  while (true) {
    const Inst& inst = kernel.insts[id];
    if (inst.op != VD_OP_INDEX && inst.op != VD_OP_MEMBER && inst.op != VD_OP_VIEW) return id;
    id = kernel.operands[inst.first_operand];
  }
}

}  // namespace vd::ir
