#include "ir/passes/lower_async.h"

#include <algorithm>

#include "core/error.h"
#include "ir/rewriter.h"

namespace vd::ir {
namespace {

// The reference `step` elements behind an element of an array; step 0 is the reference itself.
ValueId element_behind(Emitter& e, ValueId reference, uint32_t step) {
  if (step == 0) return reference;
  const Inst index = e.kernel().insts[reference];
  const ValueId base = e.kernel().operands[index.first_operand], at = e.kernel().operands[index.first_operand + 1];
  return e.index(base, e.add(at, e.bits(e.type(at), step)));
}

bool is_element(const Kernel& k, ValueId reference) {
  const Inst& inst = k.insts[reference];
  return inst.op == VD_OP_INDEX && k.insts[k.operands[inst.first_operand]].type.is_array();
}

}  // namespace

void lower_async(Kernel& kernel) {
  kernel = rewrite(std::move(kernel), [](Rewriter& r, ValueId, const Inst& inst) {
    if (inst.op == VD_OP_ASYNC_COMMIT || inst.op == VD_OP_ASYNC_WAIT) return true;
    if (inst.op != VD_OP_ASYNC_COPY) return false;
    Emitter& e = r.out;
    const ValueId to = r[r.operand(inst, 0)], from = r[r.operand(inst, 1)];
    const Type element = e.type(from).value();
    const uint64_t size = e.kernel().types.size(element);
    const bool fits = element == e.type(to).value() && size != 0 && inst.immediate % size == 0;
    const auto count = fits ? static_cast<uint32_t>(inst.immediate / size) : 0;
    if (!fits || (count > 1 && !(is_element(e.kernel(), to) && is_element(e.kernel(), from)))) {
      fail(VD_ERR_COMPILE, "async_copy: {} bytes are not a whole number of elements of one type ({}, {}).",
           inst.immediate, e.kernel().types.name(e.type(to)), e.kernel().types.name(e.type(from)));
    }
    const bool scalar = element.is_scalar();
    for (uint32_t i = 0; i < count;) {
      const uint32_t width = !scalar ? 1 : count - i >= 4 ? 4 : count - i >= 2 ? 2 : 1;
      // The whole copy is aligned to its size, and so is each part.
      const auto bytes = static_cast<uint32_t>(width * size);
      uint32_t log = 0;
      while ((2u << log) <= bytes) ++log;
      const uint64_t access = width == 1 ? 0 : width | (log + 1) << 8;
      e.store(element_behind(e, to, i), e.load(element_behind(e, from, i), access), access);
      i += width;
    }
    return true;
  });
}

}  // namespace vd::ir
