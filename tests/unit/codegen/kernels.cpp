#include "unit/codegen/kernels.h"

namespace vd::test {

using namespace ir;

namespace {

Kernel scale() {
  Draft d;
  const ValueId x = d.buffer(kF32, "x"), y = d.buffer(kF32, "out"), a = d.value(kF32, "alpha");
  const ValueId i = d.gid();
  Emitter& e = d.e;
  d.set(y, i, e.add(e.mul(e.load(a), d.get(x, i)), e.constant(kF32, 0.5)));
  return d.take();
}

// What stands once is in place, what stands twice has a name; a load does not pass a store.
Kernel order() {
  Draft d;
  const ValueId x = d.buffer(kF32, "x");
  Emitter& e = d.e;
  const ValueId a = d.get(x, d.u(0)), b = d.get(x, d.u(1));
  d.set(x, d.u(0), b);
  d.set(x, d.u(1), a);
  const ValueId sum = e.add(a, e.constant(kF32, 1));
  d.set(x, d.u(2), e.mul(sum, sum));
  return d.take();
}

Kernel control() {
  Draft d;
  const ValueId out = d.buffer(kI32, "out"), n = d.value(kU32, "n");
  Emitter& e = d.e;
  const ValueId total = d.named(e.var(e.constant(kI32, 0)), "total");
  const ValueId i = d.named(e.begin_for(d.u(0), e.load(n), d.u(2)), "i");
  e.begin_if(e.emit(VD_OP_EQ, i, d.u(4)));
  e.emit(VD_OP_CONTINUE, Type(), {});
  e.begin_else();
  e.begin_if(e.emit(VD_OP_GT, e.load(total), e.constant(kI32, 100)));
  e.leave();
  e.begin_else();
  e.store(total, e.add(e.load(total), e.convert(kI32, i)));
  e.end();
  e.end();
  e.end();
  const ValueId left = d.named(e.var(d.u(10)), "left");
  e.begin_while();
  e.begin_body(e.emit(VD_OP_GT, e.load(left), d.u(0)));
  e.store(left, e.sub(e.load(left), d.u(1)));
  e.end();
  e.begin_loop();
  const ValueId inner = d.named(e.var(e.load(left)), "float");
  e.store(inner, e.add(e.load(inner), d.u(1)));
  e.begin_if(e.emit(VD_OP_GE, e.load(inner), d.u(1)));
  e.leave();
  e.end();
  e.end();
  d.set(out, d.gid(), e.add(e.load(total), e.convert(kI32, e.load(inner))));
  return d.take();
}

}  // namespace

const std::vector<Case>& kernel_cases() {
  static const std::vector<Case> cases = {{"control", control}, {"order", order}, {"scale", scale}};
  return cases;
}

}  // namespace vd::test
