#include "ir/fixed_index.h"

#include <algorithm>

#include "ir/invocation_index.h"
#include "ir/walk.h"

namespace vd::ir {
namespace {

bool may_return(const Kernel& kernel, const Inst& inst) {
  bool any = inst.op == VD_OP_RETURN;
  for (const RegionId region : inst.regions) {
    if (region == kNoRegion) continue;
    for_each_inst(kernel, region, [&](ValueId, const Inst& inner) { any |= inner.op == VD_OP_RETURN; });
  }
  return any;
}

// The reference that an instruction goes through to memory, or kNoValue.
ValueId accessed(const Kernel& kernel, const Inst& inst) {
  if (inst.operand_count == 0) return kNoValue;
  const OperandRule rule = op_info(inst.op).operands;
  const bool touches = inst.op == VD_OP_LOAD || inst.op == VD_OP_STORE || rule == OperandRule::AtomicNumber ||
                       rule == OperandRule::AtomicInteger;
  return touches ? kernel.operands[inst.first_operand] : kNoValue;
}

// An element of `size` bytes is accessed at this index.
void note_index(const Kernel& kernel, ValueId at, uint64_t size, FixedIndex& known) {
  if (is_invocation_number(kernel, at)) known.number_size = std::max(known.number_size, size);
  if (kernel.insts[at].op != VD_OP_CONST) return;
  const uint64_t index = kernel.insts[at].immediate;
  const uint64_t end = size == 0 ? 0 : index >= ~uint64_t{0} / size ? ~uint64_t{0} : (index + 1) * size;
  if (end <= known.end) return;
  known.index = index;
  known.element_size = size;
  known.end = end;
}

}  // namespace

std::vector<FixedIndex> fixed_indices(const Kernel& kernel) {
  std::vector<FixedIndex> all(kernel.arguments.size());
  for (const ValueId id : kernel.regions[kernel.body].insts) {
    const Inst& inst = kernel.insts[id];
    if (may_return(kernel, inst)) break;
    ValueId at = accessed(kernel, inst);
    // Down to the element of the buffer, or of a view of it.
    while (at != kNoValue) {
      const Inst& step = kernel.insts[at];
      if (step.op != VD_OP_INDEX && step.op != VD_OP_MEMBER) break;
      const auto operands = kernel.operands_of(step);
      const Inst* array = &kernel.insts[operands[0]];
      if (array->op == VD_OP_VIEW) array = &kernel.insts[kernel.operands[array->first_operand]];
      const bool element = step.op == VD_OP_INDEX && array->op == kOpArgument &&
                           kernel.arguments[array->immediate].kind == VD_ARGUMENT_BUFFER;
      if (element) note_index(kernel, operands[1], kernel.types.size(step.type.value()), all[array->immediate]);
      at = operands[0];
    }
  }
  return all;
}

}  // namespace vd::ir
