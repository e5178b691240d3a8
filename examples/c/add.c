/* The smallest whole program: a kernel that adds two arrays, built in C, run and read back.
 *
 *   add [vulkan|cuda|opencl|host]      without a name the library chooses */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vkdispatch_build.h"

enum { kCount = 1000 };

static void check(vd_status status) {
  if (status < 0) {
    fprintf(stderr, "%s\n", vd_last_error());
    exit(1);
  }
}

/* out[i] = a[i] + scale * b[i], where i is the invocation's place in the launch. */
static vd_kernel* build_kernel(void) {
  vd_builder_desc desc = VD_BUILDER_DESC_INIT;
  vd_builder* builder = NULL;
  vd_kernel* kernel = NULL;
  vd_value out, a, b, scale, i;

  desc.name = "add";
  check(vd_builder_create(&desc, &builder));
  out = vd_argument_buffer(builder, VD_TYPE_F32, "out");
  a = vd_argument_buffer(builder, VD_TYPE_F32, "a");
  b = vd_argument_buffer(builder, VD_TYPE_F32, "b");
  scale = vd_argument_constant(builder, VD_TYPE_F32, "scale");
  i = vd_global_id(builder, 0);
  vd_store_at(builder, out, i, vd_add(builder, vd_at(builder, a, i), vd_mul(builder, scale, vd_at(builder, b, i))));
  check(vd_builder_finish(builder, &kernel));
  vd_builder_release(builder);
  return kernel;
}

static vd_buffer* make_buffer(vd_context* ctx, const char* label, const float* data) {
  vd_buffer_desc desc = VD_BUFFER_DESC_INIT;
  vd_buffer* buffer = NULL;
  desc.size = kCount * sizeof(float);
  desc.label = label;
  desc.data = data;
  check(vd_buffer_create(ctx, &desc, &buffer));
  return buffer;
}

int main(int argc, char** argv) {
  static const char* const names[] = {"", "vulkan", "cuda", "opencl", "host"}; /* by vd_backend */
  vd_context_desc context_desc = VD_CONTEXT_DESC_INIT;
  vd_device_info device = VD_DEVICE_INFO_INIT;
  vd_context* ctx = NULL;
  vd_plan_desc plan_desc = VD_PLAN_DESC_INIT;
  vd_plan* plan = NULL;
  vd_launch_desc launch = VD_LAUNCH_DESC_INIT;
  static float a[kCount], b[kCount], out[kCount];
  const float scale = 2.0f;
  int wrong = 0;

  for (int i = 1; argc > 1 && i < 5; ++i)
    if (strcmp(argv[1], names[i]) == 0) context_desc.backend = (vd_backend)i;
  if (argc > 1 && context_desc.backend == VD_BACKEND_AUTO) {
    fprintf(stderr, "usage: %s [vulkan|cuda|opencl|host]\n", argv[0]);
    return 2;
  }
  check(vd_context_create(&context_desc, &ctx));
  check(vd_context_get_device(ctx, 0, &device));

  vd_kernel* kernel = build_kernel();
  plan_desc.kernel = kernel;
  check(vd_plan_create(ctx, &plan_desc, &plan));

  for (int i = 0; i < kCount; ++i) {
    a[i] = (float)i;
    b[i] = 0.5f * (float)i;
  }
  vd_buffer* buffer_out = make_buffer(ctx, "out", NULL);
  vd_buffer* buffer_a = make_buffer(ctx, "a", a);
  vd_buffer* buffer_b = make_buffer(ctx, "b", b);

  const vd_binding bindings[] = {VD_BINDING_OF(buffer_out, 0, VD_WHOLE_SIZE), VD_BINDING_OF(buffer_a, 0, VD_WHOLE_SIZE),
                                 VD_BINDING_OF(buffer_b, 0, VD_WHOLE_SIZE)};
  launch.invocations[0] = kCount;
  launch.bindings = bindings;
  launch.binding_count = 3;
  launch.values = &scale;
  launch.values_size = sizeof(scale);
  check(vd_plan_launch(plan, &launch, NULL));
  check(vd_buffer_read(buffer_out, 0, sizeof(out), 0, out));

  for (int i = 0; i < kCount; ++i) wrong += out[i] != a[i] + scale * b[i];
  printf("%s: %d sums, %d wrong\n", device.name, kCount, wrong);

  vd_buffer_release(buffer_out);
  vd_buffer_release(buffer_a);
  vd_buffer_release(buffer_b);
  vd_plan_release(plan);
  vd_kernel_release(kernel);
  vd_context_release(ctx);
  return wrong != 0;
}
