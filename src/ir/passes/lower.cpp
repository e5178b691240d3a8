#include "ir/passes/lower.h"

#include <utility>

#include "ir/fold.h"
#include "ir/passes/lower_ops.h"
#include "ir/rewriter.h"

namespace vd::ir {
namespace {

ValueId lower_op(Emitter& e, const LoweredOp& op, const LowerOptions& options) {
  const Type first = op.operands.empty() ? op.type : e.type(op.operands[0]);
  const bool select = op.op == VD_OP_SELECT;
  const Type subject = select ? op.type : first;
  if (subject.is_reference()) return kNoValue;
  if (const ValueId value = lower_shape(e, op); value != kNoValue) return value;
  if (op.op == VD_OP_CONSTRUCT || op.op == VD_OP_INDEX || op.op == VD_OP_BITCAST) return kNoValue;
  if (subject.is_complex() || op.op == VD_OP_CIS) return lower_complex(e, op);
  if (subject.is_matrix() || op.op == VD_OP_OUTER || op.op == VD_OP_MATMUL) return lower_matrix(e, op);
  if (const ValueId value = lower_geometry(e, op); value != kNoValue) return value;
  if (const ValueId value = lower_elementwise(e, op); value != kNoValue) return value;
  if (op.op == VD_OP_CONVERT) return lower_convert(e, op, options);
  return first.is_integer() ? lower_integer(e, op, options) : kNoValue;
}

// A loop whose step is known only at run time is rewritten as a loop that counts by hand. The condition's region runs
// before each iteration, also after CONTINUE, so the step is taken there.
bool lower_for(Rewriter& r, ValueId id, const Inst& inst) {
  Emitter& e = r.out;
  uint64_t known = 0;
  const ValueId start = r[r.operand(inst, 0)], stop = r[r.operand(inst, 1)], step = r[r.operand(inst, 2)];
  if (inst.type.is_unsigned() || constant_splat(e.kernel(), step, known)) return false;
  const uint64_t immediate = inst.immediate;
  const RegionId body = inst.regions[1];
  const ValueId counter = e.var(e.sub(start, step));
  const ValueId up = e.emit(VD_OP_GT, step, e.zero(e.type(step)));
  e.begin_while(immediate);
  const ValueId next = e.add(e.load(counter), step);
  e.store(counter, next);
  const ValueId more = e.select(up, e.emit(VD_OP_LT, next, stop), e.emit(VD_OP_GT, next, stop));
  e.begin_body(more);
  r.replace(id, e.load(counter));
  r.copy_region(body);
  e.end();
  return true;
}

}  // namespace

void lower(Kernel& kernel, const LowerOptions& options) {
  kernel = rewrite(std::move(kernel), [&](Rewriter& r, ValueId id, const Inst& inst) {
    if (inst.op == VD_OP_FOR) return lower_for(r, id, inst);
    const OpInfo& info = op_info(inst.op);
    if (info.has(kStatement | kReads | kWrites) || inst.op == VD_OP_SHAPE || inst.op == VD_OP_MEMBER) return false;
    std::array<ValueId, 16> few;
    std::vector<ValueId> many;
    std::span<ValueId> operands;
    if (inst.operand_count <= few.size()) {
      operands = {few.data(), inst.operand_count};
    } else {
      many.resize(inst.operand_count);
      operands = many;
    }
    for (uint32_t i = 0; i < inst.operand_count; ++i) operands[i] = r[r.operand(inst, i)];
    if (info.has(kConvergent)) {
      // Subgroup ops keep to their place; of complex numbers they work part by part.
      if (operands.empty() || !inst.type.is_complex()) return false;
      ValueId parts[2];
      for (uint32_t i = 0; i < 2; ++i) {
        std::array<ValueId, 2> args{r.out.at(operands[0], i), operands.size() > 1 ? operands[1] : kNoValue};
        parts[i] = r.out.emit(inst.op, Type(), std::span<const ValueId>(args.data(), operands.size()));
      }
      r.replace(id, r.out.construct(inst.type, {parts[0], parts[1]}));
      return true;
    }
    ValueId value = lower_op(r.out, {inst.op, inst.type, inst.immediate, operands}, options);
    if (value == kNoValue) {
      const uint64_t math_class = std::exchange(r.out.math_class, 0);  // the immediate has it
      value = r.out.emit(inst.op, inst.type, operands, inst.immediate);
      r.out.math_class = math_class;
    }
    r.replace(id, value);
    return true;
  });
}

}  // namespace vd::ir
