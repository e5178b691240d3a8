#include "ir/passes/fix_workgroup_size.h"

#include "ir/fold.h"
#include "ir/rewriter.h"

namespace vd::ir {
namespace {

class Sizes {
 public:
  Sizes(Emitter& e, std::array<uint32_t, 3> size) : e_(e), size_(size) {}

  ValueId workgroup_size() {
    const uint64_t scalars[3] = {size_[0], size_[1], size_[2]};
    return e_.components(builtin_type(VD_BUILTIN_WORKGROUP_SIZE), scalars);
  }
  ValueId local_id(uint32_t axis) {
    return size_[axis] == 1 ? e_.bits(kU32, 0) : e_.at(e_.builtin(VD_BUILTIN_LOCAL_ID), axis);
  }
  ValueId local_index() {
    const ValueId plane = e_.add(e_.mul(local_id(2), e_.bits(kU32, size_[1])), local_id(1));
    return e_.add(e_.mul(plane, e_.bits(kU32, size_[0])), local_id(0));
  }

 private:
  Emitter& e_;
  const std::array<uint32_t, 3> size_;
};

}  // namespace

void fix_workgroup_size(Kernel& kernel, std::array<uint32_t, 3> size) {
  kernel.attributes.workgroup_size = size;
  kernel = rewrite(std::move(kernel), [&](Rewriter& r, ValueId id, const Inst& inst) {
    Sizes sizes(r.out, size);
    for (uint32_t i = 0; i < inst.operand_count; ++i) {
      const ValueId operand = r.operand(inst, i);
      const Inst& leaf = r.source().insts[operand];
      if (leaf.op != VD_OP_BUILTIN) continue;
      if (leaf.immediate == VD_BUILTIN_WORKGROUP_SIZE && !r.has(operand)) r.replace(operand, sizes.workgroup_size());
      // Computed anew at each use: a value made in one block is not seen in another. Equal ones are shared later.
      if (leaf.immediate == VD_BUILTIN_LOCAL_INDEX) r.replace(operand, sizes.local_index());
    }
    if (inst.op != VD_OP_INDEX || inst.type.is_reference()) return false;
    uint64_t axis = 0;
    const Inst& of = r.source().insts[r.operand(inst, 0)];
    if (of.op != VD_OP_BUILTIN || !constant_splat(r.out.kernel(), r[r.operand(inst, 1)], axis) || axis > 2)
      return false;
    if (of.immediate == VD_BUILTIN_WORKGROUP_SIZE) {
      r.replace(id, r.out.bits(kU32, size[axis]));
      return true;
    }
    if (of.immediate == VD_BUILTIN_LOCAL_ID) {
      r.replace(id, sizes.local_id(static_cast<uint32_t>(axis)));
      return true;
    }
    return false;
  });
}

}  // namespace vd::ir
