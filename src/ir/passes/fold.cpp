#include "ir/passes/fold.h"

#include "ir/evaluate.h"
#include "ir/fold.h"
#include "ir/rewriter.h"

namespace vd::ir {
namespace {

// Whether a for loop with constant bounds has no iteration.
bool never_turns(const Kernel& kernel, ValueId start, ValueId stop, ValueId step) {
  uint64_t a = 0, b = 0, s = 0;
  if (!constant_splat(kernel, start, a) || !constant_splat(kernel, stop, b) || !constant_splat(kernel, step, s))
    return false;
  const Type type = kernel.insts[start].type;
  if (type.is_unsigned()) return a >= b;
  const int64_t from = extend(type.scalar(), a), to = extend(type.scalar(), b);
  return extend(type.scalar(), s) > 0 ? from >= to : from <= to;
}

}  // namespace

void fold(Kernel& kernel) {
  std::vector<ValueId> operands;
  kernel = rewrite(std::move(kernel), [&](Rewriter& r, ValueId id, const Inst& inst) {
    uint64_t value = 0;
    switch (inst.op) {
      case VD_OP_IF: {
        if (!constant_splat(r.out.kernel(), r[r.operand(inst, 0)], value)) return false;
        const RegionId taken = inst.regions[value != 0 ? 0 : 1];
        if (taken != kNoRegion) r.copy_region(taken);
        return true;
      }
      case VD_OP_FOR:
        return never_turns(r.out.kernel(), r[r.operand(inst, 0)], r[r.operand(inst, 1)], r[r.operand(inst, 2)]);
      default:
        break;
    }
    if (!op_info(inst.op).is_pure()) return false;
    operands.clear();
    for (uint32_t i = 0; i < inst.operand_count; ++i) operands.push_back(r[r.operand(inst, i)]);
    r.out.math_class = 0;  // the immediate has it
    r.replace(id, r.out.emit(inst.op, inst.type, operands, inst.immediate));
    return true;
  });
}

}  // namespace vd::ir
