#include <algorithm>

#include "codegen/legalize/legalize.h"
#include "ir/rewriter.h"

namespace vd::codegen {

using namespace ir;

Kernel narrow_indices(Kernel kernel, const Dialect& dialect) {
  const auto is_wide = [&](const Kernel& k, const Inst& inst) {
    if (inst.op != VD_OP_INDEX || scalar_size(k.insts[k.operands_of(inst)[1]].type.scalar()) != 8) return false;
    const Inst& base = k.insts[k.operands_of(inst)[0]];
    const bool element = base.type.space() == Space::Storage && (base.op == kOpArgument || base.op == VD_OP_VIEW);
    return !(element && dialect.wide_elements);
  };
  if (dialect.wide_indices || std::ranges::none_of(kernel.insts, [&](const Inst& i) { return is_wide(kernel, i); }))
    return kernel;
  return rewrite(std::move(kernel), [&](Rewriter& r, ValueId id, const Inst& inst) {
    if (!is_wide(r.source(), inst)) return false;
    const ValueId base = r[r.operand(inst, 0)], at = r[r.operand(inst, 1)];
    r.replace(id, r.out.index(base, r.out.convert(kU32, at)));
    return true;
  });
}

}  // namespace vd::codegen
