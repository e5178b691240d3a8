/* Transforms on buffers, and writing what goes inside them. */
#ifndef INSIDE_H
#define INSIDE_H

#include "program.h"

/* Runs a transform on up to four buffers. */
static void run(vd_plan* plan, vd_buffer** buffers, uint32_t count, const void* values, uint32_t values_size) {
  vd_binding bindings[4];
  vd_launch_desc launch = VD_LAUNCH_DESC_INIT;
  for (uint32_t i = 0; i < count; ++i) bindings[i] = (vd_binding)VD_BINDING_OF(buffers[i], 0, VD_WHOLE_SIZE);
  launch.bindings = bindings;
  launch.binding_count = count;
  launch.values = values;
  launch.values_size = values_size;
  check(vd_plan_launch(plan, &launch, NULL));
}

static vd_builder* b; /* the kernel being written */

static vd_value emit(vd_op op, vd_type type, uint64_t immediate, vd_value x, vd_value y, vd_value z) {
  const vd_value operands[3] = {x, y, z};
  vd_value result = 0;
  check(vd_builder_emit(b, op, type, operands, z ? 3u : y ? 2u : x ? 1u : 0u, immediate, 0, &result));
  return result;
}
static vd_value op2(vd_op op, vd_value x, vd_value y) { return emit(op, VD_TYPE_NONE, 0, x, y, 0); }
static vd_value add(vd_value x, vd_value y) { return op2(VD_OP_ADD, x, y); }
static vd_value mul(vd_value x, vd_value y) { return op2(VD_OP_MUL, x, y); }
static vd_value at(vd_value array, vd_value index) { return op2(VD_OP_INDEX, array, index); }
static vd_value let(vd_value x) { return emit(VD_OP_LET, VD_TYPE_NONE, 0, x, 0, 0); }
static vd_value number(uint32_t x) { return emit(VD_OP_CONST, VD_TYPE_U32, x, 0, 0, 0); }
static void store(vd_value reference, vd_value x) { op2(VD_OP_STORE, reference, x); }
static vd_value argument(vd_argument_kind kind, vd_type type, const char* name) {
  vd_value value = 0;
  check(vd_builder_argument(b, &(vd_argument_desc)VD_ARGUMENT_DESC_OF(kind, type, name), &value));
  return value;
}
/* x squared plus y squared of a complex number. */
static vd_value power_of(vd_value z) {
  const vd_value re = let(at(z, number(0))), im = let(at(z, number(1)));
  return add(mul(re, re), mul(im, im));
}

#endif
