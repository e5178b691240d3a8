#include "ir/passes/assert_divisors.h"

#include "ir/rewriter.h"

namespace vd::ir {
namespace {

bool is_division(const Inst& inst) {
  const bool divides =
      inst.op == VD_OP_DIV || inst.op == VD_OP_REM || inst.op == VD_OP_FLOORDIV || inst.op == VD_OP_FLOORMOD;
  return divides && inst.type.is_integer();
}

}  // namespace

void assert_divisors(Kernel& kernel) {
  ValueId text = kNoValue;
  kernel = rewrite(std::move(kernel), [&](Rewriter& r, ValueId id, const Inst& inst) {
    if (!is_division(inst)) return false;
    const Inst& divisor = r.source().insts[r.operand(inst, 1)];
    if (divisor.op == VD_OP_CONST && divisor.immediate != 0) return false;
    Emitter& e = r.out;
    if (text == kNoValue) {
      e.kernel().strings.emplace_back(kDivisionByZero);
      text = e.leaf(kOpString, Type::string(), e.kernel().strings.size() - 1);
    }
    const ValueId by = r[r.operand(inst, 1)];
    const Type type = e.type(by);
    ValueId holds = e.emit(VD_OP_NE, by, e.zero(type));
    if (!type.is_scalar()) holds = e.emit(VD_OP_ALL, holds);
    e.emit(VD_OP_ASSERT, {holds, text});
    r.replace(id, r.copy(id));
    return true;
  });
}

}  // namespace vd::ir
