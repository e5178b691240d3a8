/* A program that knows the library by the header that it was compiled with, which may be another release's: adds two
 * arrays on the host. With LATER the header's structs have a field that the library does not know. */
#include <stdio.h>
#include <string.h>
#include <vkdispatch.h>

static int failed;
static void expect(int condition, const char* what) {
  if (condition) return;
  printf("%s: %s\n", what, vd_last_error());
  failed = 1;
}

int main(void) {
  static const char text[] =
      "kernel \"add\"\nargument 0 buffer u32 \"dst\"\nargument 1 buffer u32 \"src\"\n{\n"
      "  %0: u32 = index global_id, u32 0\n  %1: storage u32 = index @0, %0\n  %2: storage u32 = index @1, %0\n"
      "  %3: u32 = load %1\n  %4: u32 = load %2\n  %5: u32 = add %3, %4\n  store %1, %5\n}\n";
  vd_context_desc context = VD_CONTEXT_DESC_INIT;
  vd_context_info seen = VD_CONTEXT_INFO_INIT;
  vd_buffer_desc buffer = VD_BUFFER_DESC_INIT;
  vd_plan_desc plan = VD_PLAN_DESC_INIT, plans[2];
  vd_launch_desc launch = VD_LAUNCH_DESC_INIT;
  vd_binding bindings[2];
  vd_context* ctx = NULL;
  vd_buffer *a = NULL, *b = NULL;
  vd_kernel* kernel = NULL;
  vd_plan* made[2] = {NULL, NULL};
  uint32_t numbers[64], i;

  context.backend = VD_BACKEND_HOST;
#ifdef LATER
  context.later = 1;
  expect(
      vd_context_create(&context, &ctx) == VD_ERR_INVALID && strstr(vd_last_error(), "that this library knows") != NULL,
      "what the library does not know is refused");
  context.later = 0;
  seen.later = 7;
#endif
  expect(vd_context_create(&context, &ctx) == VD_OK, "vd_context_create");
  expect(vd_context_get_info(ctx, &seen) == VD_OK && seen.backend == VD_BACKEND_HOST, "vd_context_get_info");
  expect(seen.struct_size == sizeof(seen), "struct_size stays");
#ifdef LATER
  expect(seen.later == 0, "what the library does not know is zero");
#endif
  for (i = 0; i < 64; ++i) numbers[i] = i;
  buffer.size = sizeof(numbers);
  buffer.data = numbers;
  expect(vd_buffer_create(ctx, &buffer, &a) == VD_OK, "vd_buffer_create");
  expect(vd_buffer_create(ctx, &buffer, &b) == VD_OK, "vd_buffer_create");
  expect(vd_kernel_parse(text, sizeof(text) - 1, &kernel) == VD_OK, "vd_kernel_parse");
  plan.kernel = kernel;
  plans[0] = plans[1] = plan;
  expect(vd_plan_create_many(ctx, plans, 2, made) == VD_OK, "vd_plan_create_many");
  memset(bindings, 0, sizeof(bindings));
  bindings[0].buffer = a;
  bindings[1].buffer = b;
  bindings[0].size = bindings[1].size = VD_WHOLE_SIZE;
  launch.invocations[0] = 64;
  launch.bindings = bindings;
  launch.binding_count = 2;
  expect(vd_plan_launch(made[1], &launch, NULL) == VD_OK, "vd_plan_launch");
  expect(vd_buffer_read(a, 0, sizeof(numbers), 0, numbers) == VD_OK, "vd_buffer_read");
  expect(numbers[63] == 126, "the sum");
  vd_plan_release(made[0]);
  vd_plan_release(made[1]);
  vd_kernel_release(kernel);
  vd_buffer_release(a);
  vd_buffer_release(b);
  vd_context_release(ctx);
  expect(vd_live_objects() == 0, "objects are left");
  return failed;
}
