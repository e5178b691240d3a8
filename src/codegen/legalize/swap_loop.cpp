#include "codegen/legalize/swap_loop.h"

namespace vd::codegen {

using namespace ir;

namespace {

Op plain_op(Op atomic) {
  switch (atomic) {
    case VD_OP_ATOMIC_ADD:
      return VD_OP_ADD;
    case VD_OP_ATOMIC_SUB:
      return VD_OP_SUB;
    case VD_OP_ATOMIC_MIN:
      return VD_OP_MIN;
    default:
      return VD_OP_MAX;
  }
}

}  // namespace

ValueId compute_and_swap(Emitter& e, Op atomic, Type type, ValueId at, ValueId value, uint64_t order) {
  const ValueId expected = e.var(e.load(at));
  e.begin_loop();
  const ValueId before = e.load(expected);
  const ValueId after = e.bitcast(e.type(before), e.emit(plain_op(atomic), e.bitcast(type, before), value));
  const ValueId seen = e.emit(VD_OP_ATOMIC_CAS, Type(), {at, before, after}, order);
  e.store(expected, seen);
  e.begin_if(e.emit(VD_OP_EQ, seen, before));
  e.leave();
  e.end();
  e.end();
  return e.load(expected);
}

}  // namespace vd::codegen
