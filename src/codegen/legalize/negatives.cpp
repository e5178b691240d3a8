// The negative of an integer, where NVIDIA's compilers would lose it.
//
// They compute min(min(a, b), c) and max(max(a, b), c) of 32 bits as one op, and drop the sign of a negated operand
// (driver 580: Vulkan, CUDA, OpenCL; `min %1, zero` of `%1 = min %0, %x` and `%0 = neg %y`). Every spelling by sums and
// complements is turned into the negation that it is. So where a kernel has both, -x is
//
//   ~high(x * (2^32 - 1)) + (x == 0)
//
// since x * (2^32 - 1) = x * 2^32 - x, whose upper half is x - 1, or 0 for 0. No compiler recognises that. Values that
// only the compiler finds to be negatives (a difference from 0, a quotient by -2) give wrong results, too: a minimum or
// maximum of one is hidden from the minimum or maximum around it, as high(x * (2^32 - 1)) + (x != 0).
#include "codegen/legalize/legalize.h"
#include "ir/rewriter.h"
#include "ir/type_rules.h"
#include "ir/walk.h"

namespace vd::codegen {

using namespace ir;

namespace {

bool has_32_bits(Type type) {
  return (type.is_scalar() || type.is_vector()) && type.is_integer() && scalar_bits(type.scalar()) == 32;
}

// The operand that an instruction negates, or kNoValue: -x, 0 - x, x * -1, ~x + 1, ~x - -1.
ValueId negated(const Kernel& kernel, const Inst& inst) {
  if (!has_32_bits(inst.type)) return kNoValue;
  const auto operands = kernel.operands_of(inst);
  const auto is = [&](ValueId id, uint64_t bits) {
    const Inst& i = kernel.insts[id];
    return (i.op == VD_OP_CONST && static_cast<uint32_t>(i.immediate) == bits) || (i.op == VD_OP_ZERO && bits == 0);
  };
  const auto complemented = [&](ValueId id) {
    return kernel.insts[id].op == VD_OP_NOT ? kernel.operands_of(id)[0] : kNoValue;
  };
  switch (inst.op) {
    case VD_OP_NEG:
      return operands[0];
    case VD_OP_SUB:
      if (is(operands[0], 0)) return operands[1];
      return is(operands[1], 0xffffffffu) ? complemented(operands[0]) : kNoValue;
    case VD_OP_MUL:
      return is(operands[1], 0xffffffffu) ? operands[0] : kNoValue;
    case VD_OP_ADD:
      return is(operands[1], 1) ? complemented(operands[0]) : kNoValue;
    default:
      return kNoValue;
  }
}

bool is_limit(Op op) { return op == VD_OP_MIN || op == VD_OP_MAX || op == VD_OP_ATOMIC_MIN || op == VD_OP_ATOMIC_MAX; }

// Whether a compiler may know the value as a negative: not a constant, a minimum or maximum, a value from memory, or
// bits. (The lower half of a negative of 64 bits is one.)
bool may_be_negative(const Inst& inst) {
  switch (inst.op) {
    case VD_OP_CONST:
    case VD_OP_ZERO:
    case VD_OP_LOAD:
    case VD_OP_MIN:
    case VD_OP_MAX:
    case VD_OP_AND:
    case VD_OP_OR:
    case VD_OP_XOR:
    case VD_OP_NOT:
    case VD_OP_POPCOUNT:
    case VD_OP_CLZ:
    case VD_OP_CTZ:
      return false;
    default:
      return !op_info(inst.op).has(kStatement);
  }
}

// Whether each value is a minimum or maximum of a possible negative, or of another such minimum or maximum. Operands
// come before their users.
std::vector<bool> find_doubtful_limits(const Kernel& kernel) {
  std::vector<bool> doubtful(kernel.insts.size(), false);
  for_each_inst(kernel, [&](ValueId id, const Inst& inst) {
    if (!is_min_or_max(inst)) return;
    for (const ValueId operand : kernel.operands_of(inst)) {
      const Inst& from = kernel.insts[operand];
      if (may_be_negative(from) || (from.op == inst.op && doubtful[operand])) doubtful[id] = true;
    }
  });
  return doubtful;
}

// high(x * (2^32 - 1)), unsigned: x - 1, or 0 for 0.
ValueId one_less(Emitter& e, ValueId x) {
  const Type bits = e.type(x).with(Scalar::U32);
  return e.emit(kOpMulHigh, e.bitcast(bits, x), e.bits(bits, 0xffffffffu));
}

}  // namespace

ValueId hidden(Emitter& e, ValueId x) {
  const Type type = e.type(x), bits = type.with(Scalar::U32);
  if (scalar_bits(type.scalar()) == 64) {
    const Type whole = type.with(Scalar::U64);
    const ValueId all = e.bitcast(whole, x), low = e.convert(whole, hidden(e, e.convert(bits, all)));
    return e.bitcast(type, e.emit(VD_OP_OR, e.emit(VD_OP_AND, all, e.bits(whole, 0xffffffff00000000u)), low));
  }
  return e.bitcast(type, e.add(one_less(e, x), e.convert(bits, e.emit(VD_OP_NE, x, e.zero(type)))));
}

ValueId hidden_negative(Emitter& e, ValueId x) {
  const Type type = e.type(x), bits = type.with(Scalar::U32);
  const ValueId is_zero = e.convert(bits, e.emit(VD_OP_EQ, x, e.zero(type)));
  return e.bitcast(type, e.add(e.emit(VD_OP_NOT, one_less(e, x)), is_zero));
}

Kernel hide_negatives(Kernel kernel) {
  uint32_t limits = 0, negatives = 0;
  for_each_inst(kernel, [&](ValueId, const Inst& inst) {
    if (inst.operand_count == 0) return;
    limits += is_limit(inst.op) && has_32_bits(kernel.insts[kernel.operands_of(inst)[0]].type.value());
    negatives += has_32_bits(inst.type.value()) && may_be_negative(inst);
  });
  if (limits < 2 || negatives == 0) return kernel;
  const std::vector<bool> doubtful = find_doubtful_limits(kernel);
  return rewrite(std::move(kernel), [&](Rewriter& r, ValueId id, const Inst& inst) {
    if (const ValueId x = negated(r.source(), inst); x != kNoValue) {
      r.replace(id, hidden_negative(r.out, r[x]));
      return true;
    }
    if (!is_min_or_max(inst) || !has_32_bits(inst.type)) return false;
    ValueId operands[2];
    bool any = false;
    for (uint32_t i = 0; i < 2; ++i) {
      const ValueId old = r.operand(inst, i);
      const bool inner = doubtful[old] && r.source().insts[old].op == inst.op;
      operands[i] = inner ? hidden(r.out, r[old]) : r[old];
      any |= inner;
    }
    if (any) r.replace(id, r.out.emit(inst.op, operands[0], operands[1]));
    return any;
  });
}

}  // namespace vd::codegen
