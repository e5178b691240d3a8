/* What recording a launch costs from C: the kernel of bench/python_overheads.py, recorded 1,000 times into a graph.
 *   record [vulkan|cuda|opencl|host]      prints a line of JSON: nanoseconds a launch, least and median of 21 turns */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"
#include "vkdispatch_build.h"

enum { kTurns = 21, kLaunches = 1000 };

static vd_value emit(vd_builder* b, vd_op op, vd_type type, uint64_t immediate, vd_value x, vd_value y) {
  const vd_value operands[2] = {x, y};
  vd_value result = 0;
  check(vd_builder_emit(b, op, type, operands, y ? 2u : x ? 1u : 0u, immediate, 0, &result));
  return result;
}

int main(int argc, char** argv) {
  vd_builder* b = NULL;
  vd_value out, x, scale, shift;
  check(vd_builder_create(NULL, &b));
  out = vd_argument_buffer(b, VD_TYPE_F32, "out");
  x = vd_argument_buffer(b, VD_TYPE_F32, "x");
  scale = vd_argument_constant(b, VD_TYPE_F32, "scale");
  shift = vd_argument_constant(b, VD_TYPE_F32, "shift");
  const vd_value id = emit(b, VD_OP_BUILTIN, VD_TYPE_NONE, VD_BUILTIN_GLOBAL_ID, 0, 0);
  const vd_value i = emit(b, VD_OP_INDEX, VD_TYPE_NONE, 0, id, emit(b, VD_OP_CONST, VD_TYPE_U32, 0, 0, 0));
  const vd_value product = emit(b, VD_OP_MUL, VD_TYPE_NONE, 0, emit(b, VD_OP_INDEX, VD_TYPE_NONE, 0, x, i), scale);
  emit(b, VD_OP_STORE, VD_TYPE_NONE, 0, emit(b, VD_OP_INDEX, VD_TYPE_NONE, 0, out, i),
       emit(b, VD_OP_ADD, VD_TYPE_NONE, 0, product, shift));
  vd_kernel* kernel = NULL;
  check(vd_builder_finish(b, &kernel));
  vd_builder_release(b);

  vd_context_desc context_desc = VD_CONTEXT_DESC_INIT;
  context_desc.flags = VD_CONTEXT_USE_CPU;
  for (int k = VD_BACKEND_VULKAN; argc > 1 && k <= VD_BACKEND_HOST; ++k) {
    vd_backend_info info = VD_BACKEND_INFO_INIT;
    check(vd_backend_get_info((vd_backend)k, &info));
    if (strcmp(info.name, argv[1]) == 0) context_desc.backend = (vd_backend)k;
  }
  vd_context* ctx = NULL;
  check(vd_context_create(&context_desc, &ctx));
  vd_plan_desc plan_desc = VD_PLAN_DESC_INIT;
  plan_desc.kernel = kernel;
  vd_plan* plan = NULL;
  check(vd_plan_create(ctx, &plan_desc, &plan));
  vd_buffer_desc buffer_desc = VD_BUFFER_DESC_INIT;
  buffer_desc.size = 256;
  vd_buffer* buffers[2] = {NULL, NULL};
  for (int k = 0; k < 2; ++k) check(vd_buffer_create(ctx, &buffer_desc, &buffers[k]));
  vd_graph* graph = NULL;
  check(vd_graph_create(ctx, NULL, &graph));

  double times[kTurns];
  const float values[2] = {2, 1};
  for (int turn = 0; turn < kTurns; ++turn) {
    check(vd_graph_reset(graph));
    const double start = now_us();
    for (int k = 0; k < kLaunches; ++k)
      check(vd_plan_try_launch(plan, graph, 0, 64, 1, 1, buffers, 2, values, sizeof values));
    times[turn] = (now_us() - start) * 1e3 / kLaunches;
  }
  qsort(times, kTurns, sizeof times[0], by_value);
  vd_device_info device = VD_DEVICE_INFO_INIT;
  check(vd_context_get_device(ctx, 0, &device));
  printf("{\"case\": \"record_c\", \"device\": \"%s\", \"ns\": %.1f, \"median_ns\": %.1f}\n", device.name, times[0],
         times[kTurns / 2]);
  vd_graph_release(graph);
  for (int k = 0; k < 2; ++k) vd_buffer_release(buffers[k]);
  vd_plan_release(plan), vd_kernel_release(kernel), vd_context_release(ctx);
  return 0;
}
