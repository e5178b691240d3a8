// Minima and maxima with which NVIDIA's compilers never end: min(max(a + 1, b + 2), ~c) of 32 or 64 bits, with min or
// max in either place (NVRTC 13.5, the OpenCL compiler of driver 580). They move the complement into the sums and out
// again. Here the minimum or maximum of the sums is hidden from the other.
#include "codegen/legalize/legalize.h"
#include "ir/rewriter.h"
#include "ir/type_rules.h"
#include "ir/walk.h"

namespace vd::codegen {

using namespace ir;

namespace {

// The instruction behind conversions that change nothing but the sign's meaning.
const Inst& bare(const Kernel& kernel, ValueId id) {
  const Inst* inst = &kernel.insts[id];
  while (inst->op == VD_OP_CONVERT || inst->op == VD_OP_BITCAST) {
    const Inst& from = kernel.insts[kernel.operands_of(*inst)[0]];
    if (!from.type.is_integer() || scalar_bits(from.type.scalar()) != scalar_bits(inst->type.scalar())) break;
    inst = &from;
  }
  return *inst;
}

bool is_all_ones(const Inst& inst) {
  const uint32_t bits = inst.op == VD_OP_CONST ? scalar_bits(inst.type.scalar()) : 0;
  return bits >= 32 && inst.immediate << (64 - bits) == ~uint64_t{0} << (64 - bits);
}

// ~x, x ^ -1 or -1 - x.
bool is_complement(const Kernel& kernel, const Inst& inst) {
  const auto operands = kernel.operands_of(inst);
  if (inst.op == VD_OP_XOR) return is_all_ones(bare(kernel, operands[0])) || is_all_ones(bare(kernel, operands[1]));
  return inst.op == VD_OP_NOT || (inst.op == VD_OP_SUB && is_all_ones(bare(kernel, operands[0])));
}

bool is_limit_of_sums(const Kernel& kernel, const Inst& inst) {
  if (!is_min_or_max(inst)) return false;
  for (const ValueId operand : kernel.operands_of(inst)) {
    const Op op = bare(kernel, operand).op;
    if (op != VD_OP_ADD && op != VD_OP_SUB) return false;
  }
  return true;
}

// The operand of an integer's minimum or maximum with a complement that is itself a minimum or maximum of sums; -1 if
// there is none.
int limit_of_sums(const Kernel& kernel, const Inst& inst) {
  if (!is_min_or_max(inst) || !inst.type.is_integer()) return -1;
  const auto operands = kernel.operands_of(inst);
  for (int i = 0; i < 2; ++i)
    if (is_complement(kernel, bare(kernel, operands[1 - i])) && is_limit_of_sums(kernel, bare(kernel, operands[i])))
      return i;
  return -1;
}

}  // namespace

Kernel hide_limits_of_sums(Kernel kernel) {
  bool any = false;
  for_each_inst(kernel, [&](ValueId, const Inst& inst) { any |= limit_of_sums(kernel, inst) >= 0; });
  if (!any) return kernel;
  return rewrite(std::move(kernel), [&](Rewriter& r, ValueId id, const Inst& inst) {
    const int sums = limit_of_sums(r.source(), inst);
    if (sums < 0) return false;
    ValueId operands[2] = {r[r.operand(inst, 0)], r[r.operand(inst, 1)]};
    operands[sums] = hidden(r.out, operands[sums]);
    r.replace(id, r.out.emit(inst.op, operands[0], operands[1]));
    return true;
  });
}

}  // namespace vd::codegen
