#include "ir/passes/bounds_guard.h"

#include "ir/rewriter.h"
#include "ir/walk.h"

namespace vd::ir {
namespace {

ValueId inside(Emitter& e) {
  const ValueId id = e.builtin(VD_BUILTIN_GLOBAL_ID), size = e.builtin(VD_BUILTIN_EXEC_SIZE);
  ValueId all = kNoValue;
  for (uint32_t axis = 0; axis < 3; ++axis) {
    const ValueId one = e.emit(VD_OP_LT, e.at(id, axis), e.at(size, axis));
    all = all == kNoValue ? one : e.emit(VD_OP_LAND, all, one);
  }
  return all;
}

bool is_convergent(const Kernel& kernel) {
  bool any = false;
  for_each_inst(kernel, [&](ValueId, const Inst& inst) { any |= op_info(inst.op).has(kConvergent); });
  return any;
}

// May an invocation past the end do this?
bool is_guarded(const Kernel& k, const Inst& inst) {
  const auto space = [&](uint32_t i) { return k.insts[k.operands[inst.first_operand + i]].type.space(); };
  switch (inst.op) {
    case VD_OP_LOAD:
    case VD_OP_STORE:
      return space(0) == Space::Storage;
    case VD_OP_ASYNC_COPY:
    case VD_OP_PRINTF:
    case VD_OP_ASSERT:
    case VD_OP_IMAGE_SAMPLE:
    case VD_OP_IMAGE_LOAD:
    case VD_OP_IMAGE_STORE:
      return true;
    default:
      return is_atomic(inst.op) || inst.op == kOpImageRead;
  }
}

void wrap(Kernel& kernel) {
  // The body moves as it is into the `if`; only the condition is new.
  const RegionId old = kernel.body;
  const RegionId outer = kernel.add_region();
  kernel.body = outer;
  Emitter e(kernel, outer);
  const ValueId guard = e.begin_if(inside(e));
  kernel.insts[guard].regions[0] = old;
}

}  // namespace

void bounds_guard(Kernel& kernel) {
  if (kernel.is_function() || (kernel.flags & VD_BUILDER_NO_EXEC_BOUNDS) != 0) return;
  kernel.flags |= VD_BUILDER_NO_EXEC_BOUNDS;
  if (!is_convergent(kernel)) return wrap(kernel);
  ValueId condition = kNoValue;
  kernel = rewrite(std::move(kernel), [&](Rewriter& r, ValueId id, const Inst& inst) {
    if (condition == kNoValue) condition = inside(r.out);
    if (!is_guarded(r.source(), inst)) return false;
    Emitter& e = r.out;
    // A load or an old value reaches the code behind through a variable, zero where the access is not made.
    const bool gives = !inst.type.none();
    const ValueId result = gives ? e.var(e.zero(inst.type)) : kNoValue;
    e.begin_if(condition);
    const ValueId copy = r.copy(id);
    if (gives) e.store(result, copy);
    e.end();
    if (gives) r.replace(id, e.load(result));
    return true;
  });
}

}  // namespace vd::ir
