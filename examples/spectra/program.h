/* What the two programs share: files of floats, the device, and plans that launch buffers. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vkdispatch.h"

/* Ends the program with the library's message: what a small program does with an error. */
static void check(vd_status status) {
  if (status < 0) {
    fprintf(stderr, "%s\n", vd_last_error());
    exit(1);
  }
}

static float* read_floats(const char* name, size_t count) {
  FILE* file = fopen(name, "rb");
  float* data = malloc(count * sizeof(float));
  if (!file || !data || fread(data, sizeof(float), count, file) != count) {
    fprintf(stderr, "cannot read %zu numbers from %s\n", count, name);
    exit(1);
  }
  fclose(file);
  return data;
}

static void write_floats(const char* name, const float* data, size_t count) {
  FILE* file = fopen(name, "wb");
  if (!file || fwrite(data, sizeof(float), count, file) != count || fclose(file) != 0) {
    fprintf(stderr, "cannot write %s\n", name);
    exit(1);
  }
}

static vd_context* open_context(const char* backend) {
  vd_context_desc desc = VD_CONTEXT_DESC_INIT;
  vd_context* ctx = NULL;
  for (vd_backend k = VD_BACKEND_VULKAN; k <= VD_BACKEND_HOST; k = (vd_backend)(k + 1)) {
    vd_backend_info info = VD_BACKEND_INFO_INIT;
    check(vd_backend_get_info(k, &info));
    if (strcmp(info.name, backend) == 0) desc.backend = k;
  }
  check(vd_context_create(&desc, &ctx));
  return ctx;
}

static vd_buffer* make_buffer(vd_context* ctx, uint64_t size, const void* data) {
  vd_buffer_desc desc = VD_BUFFER_DESC_INIT;
  vd_buffer* buffer = NULL;
  desc.size = size;
  desc.data = data;
  check(vd_buffer_create(ctx, &desc, &buffer));
  return buffer;
}

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

/* ---- Writing what goes inside a transform ---- */

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
