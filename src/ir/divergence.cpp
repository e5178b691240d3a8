// Walks the code again and again until nothing more is found to vary: variables carry values round loops, and a break
// or return of some invocations parts what stands before it in a loop.
#include "ir/divergence.h"

#include <algorithm>

#include "ir/op.h"
#include "ir/walk.h"

namespace vd::ir {
namespace {

class Analysis {
 public:
  Analysis(const Kernel& kernel, const std::array<uint32_t, 3>& workgroup_size)
      : k_(kernel), size_(workgroup_size), varies_(kernel.insts.size()), parts_(kernel.insts.size()) {}

  std::vector<ValueId> run() {
    do {
      changed_ = left_ = false;
      found_.clear();
      region(k_.body, false);
    } while (changed_);
    return std::move(found_);
  }

 private:
  void mark(std::vector<bool>& list, ValueId id) {
    if (list[id]) return;
    list[id] = changed_ = true;
  }

  bool index_varies(uint32_t axes) const {  // a bit an axis
    for (uint32_t axis = 0; axis < 3; ++axis)
      if ((axes >> axis & 1) != 0 && size_[axis] > 1) return true;
    return false;
  }

  bool leaf_varies(const Inst& inst) const {
    if (inst.op != VD_OP_BUILTIN) return false;
    switch (inst.immediate) {
      case VD_BUILTIN_GLOBAL_ID:
      case VD_BUILTIN_LOCAL_ID:
      case VD_BUILTIN_LOCAL_INDEX:
      case VD_BUILTIN_SUBGROUP_ID:
      case VD_BUILTIN_SUBGROUP_LANE:
        return index_varies(7);
      default:
        return false;
    }
  }

  bool varies(ValueId id) const { return varies_[id] || leaf_varies(k_.insts[id]); }
  bool any_varies(const Inst& inst) const {
    return std::ranges::any_of(k_.operands_of(inst), [&](ValueId operand) { return varies(operand); });
  }

  // Along an axis with one invocation an index is the same everywhere.
  bool component_varies(const Inst& inst) const {
    const auto operands = k_.operands_of(inst);
    const Inst& of = k_.insts[operands[0]];
    const Inst& which = k_.insts[operands[1]];
    const bool of_index =
        of.op == VD_OP_BUILTIN && (of.immediate == VD_BUILTIN_GLOBAL_ID || of.immediate == VD_BUILTIN_LOCAL_ID);
    if (of_index && which.op == VD_OP_CONST && which.immediate < 3) return index_varies(1u << which.immediate);
    return any_varies(inst);
  }

  void region(RegionId id, bool parted) {
    for (const ValueId inst : k_.regions[id].insts)
      statement(inst, parted || left_ || (!loops_.empty() && parts_[loops_.back()]));
  }

  void loop(ValueId id, RegionId body, bool parted) {
    loops_.push_back(id);
    region(body, parted);
    loops_.pop_back();
  }

  void statement(ValueId id, bool parted) {
    const Inst& inst = k_.insts[id];
    const auto operands = k_.operands_of(inst);
    switch (inst.op) {
      case VD_OP_IF: {
        const bool inside = parted || varies(operands[0]);
        for (const RegionId r : inst.regions)
          if (r != kNoRegion) region(r, inside);
        return;
      }
      case VD_OP_WHILE:
        loop(id, inst.regions[0], parted);
        if (varies(operands[0])) mark(parts_, id);
        loop(id, inst.regions[1], parted);
        return;
      case VD_OP_FOR:
        if (any_varies(inst)) {
          mark(parts_, id);
          mark(varies_, id);
        }
        loop(id, inst.regions[1], parted);
        return;
      case VD_OP_LOOP:
        loop(id, inst.regions[1], parted);
        return;
      case VD_OP_SCOPE:
        region(inst.regions[0], parted);
        return;
      case VD_OP_BREAK:
      case VD_OP_CONTINUE:
        if (parted) mark(parts_, loops_.back());
        return;
      case VD_OP_RETURN:
        // Who has returned stays away from all that follows, and from further turns of the loops around.
        if (!parted) return;
        left_ = true;
        for (const ValueId around : loops_) mark(parts_, around);
        return;
      case VD_OP_BARRIER:
      case VD_OP_CLUSTER_BARRIER:
        if (parted) found_.push_back(id);
        return;
      case VD_OP_VAR:
        if (parted || any_varies(inst)) mark(varies_, id);
        return;
      case VD_OP_STORE: {
        const ValueId root = reference_root(k_, operands[0]);
        if (k_.insts[root].op == VD_OP_VAR && (parted || any_varies(inst))) mark(varies_, root);
        return;
      }
      case VD_OP_INDEX:
        if (component_varies(inst)) mark(varies_, id);
        return;
      default:
        if (varies_own(inst) || any_varies(inst)) mark(varies_, id);
        return;
    }
  }

  static bool varies_own(const Inst& inst) {
    // An atomic that changes memory gives each invocation another old value.
    const OpInfo& info = op_info(inst.op);
    return (info.has(kAtomic) && info.has(kReads) && info.has(kWrites)) || inst.op == VD_OP_SUBGROUP_ELECT;
  }

  const Kernel& k_;
  const std::array<uint32_t, 3> size_;
  std::vector<bool> varies_;    // by value; of a variable what it holds
  std::vector<bool> parts_;     // by loop: not all invocations make the same turns
  std::vector<ValueId> loops_;  // around the running statement
  std::vector<ValueId> found_;
  bool changed_ = false;
  bool left_ = false;  // some invocations have returned
};

}  // namespace

std::vector<ValueId> divergent_barriers(const Kernel& kernel, const std::array<uint32_t, 3>& workgroup_size) {
  if (!kernel.uses_barrier) return {};
  return Analysis(kernel, workgroup_size).run();
}

}  // namespace vd::ir
