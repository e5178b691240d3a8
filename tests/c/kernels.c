/* Kernels written in C by the helpers of vkdispatch_build.h: a product of matrices by tiles in shared memory, numbers
 * that loops compute, and the errors of wrong programs.   kernels BACKEND */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vkdispatch_build.h"

#define CHECK(call)                                                        \
  do {                                                                     \
    if ((call) < 0) {                                                      \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, vd_last_error()); \
      return 1;                                                            \
    }                                                                      \
  } while (0)
#define HOLDS(condition)                                                                         \
  do {                                                                                           \
    if (!(condition)) {                                                                          \
      fprintf(stderr, "%s:%d: %s; last: %s\n", __FILE__, __LINE__, #condition, vd_last_error()); \
      return 1;                                                                                  \
    }                                                                                            \
  } while (0)

enum { TILE = 8, N = 40, COUNT = 1000 };

/* ---- Kernels that run */

/* c = a * b of N x N matrices, TILE x TILE elements a workgroup. */
static vd_status multiply(vd_kernel** kernel) {
  vd_builder_desc desc = VD_BUILDER_DESC_INIT;
  desc.name = "multiply";
  desc.workgroup_size[0] = desc.workgroup_size[1] = TILE;
  desc.workgroup_size[2] = 1;
  vd_builder* b = NULL;
  vd_status status = vd_builder_create(&desc, &b);
  if (status < 0) return status;
  const vd_value c = vd_argument_buffer(b, VD_TYPE_F32, "c"), x = vd_argument_buffer(b, VD_TYPE_F32, "x"),
                 y = vd_argument_buffer(b, VD_TYPE_F32, "y");
  const vd_value left = vd_shared_array(b, VD_TYPE_F32, TILE * TILE),
                 right = vd_shared_array(b, VD_TYPE_F32, TILE * TILE);
  const vd_value column = vd_global_id(b, 0), row = vd_global_id(b, 1), i = vd_local_id(b, 0), j = vd_local_id(b, 1);
  const vd_value n = vd_const_u32(b, N), tile = vd_const_u32(b, TILE), zero = vd_const_u32(b, 0),
                 one = vd_const_u32(b, 1);
  const vd_value own = vd_add(b, vd_mul(b, j, tile), i);
  const vd_value sum = vd_var(b, VD_TYPE_F32, 0);
  const vd_value base = vd_for(b, zero, n, tile);
  vd_store_at(b, left, own, vd_load_at(b, x, vd_add(b, vd_mul(b, row, n), vd_add(b, base, i))));
  vd_store_at(b, right, own, vd_load_at(b, y, vd_add(b, vd_mul(b, vd_add(b, base, j), n), column)));
  vd_barrier(b);
  const vd_value k = vd_for(b, zero, tile, one);
  vd_store(b, sum,
           vd_fma(b, vd_at(b, left, vd_add(b, vd_mul(b, j, tile), k)),
                  vd_at(b, right, vd_add(b, vd_mul(b, k, tile), i)), sum));
  vd_end(b);
  vd_barrier(b);
  vd_end(b);
  vd_store_at(b, c, vd_add(b, vd_mul(b, row, n), column), sum);
  status = vd_builder_finish(b, kernel);
  vd_builder_release(b);
  return status;
}

/* How many steps n + 1 takes to 1 by n -> n / 2 or 3 n + 1, at most `limit`; and the sum of those that are even. */
static vd_status collatz(vd_kernel** kernel) {
  vd_builder* b = NULL;
  vd_status status = vd_builder_create(NULL, &b);
  if (status < 0) return status;
  const vd_value steps = vd_argument_buffer(b, VD_TYPE_U32, "steps"),
                 total = vd_argument_buffer(b, VD_TYPE_U32, "total");
  const vd_value limit = vd_argument_constant(b, VD_TYPE_U32, "limit");
  const vd_value i = vd_global_id(b, 0), one = vd_const_u32(b, 1), zero = vd_const_u32(b, 0);
  const vd_value n = vd_var(b, VD_TYPE_U32, vd_add(b, i, one)), count = vd_var(b, VD_TYPE_U32, 0);
  vd_while(b, vd_ne(b, n, one));
  vd_if(b, vd_ge(b, count, limit));
  vd_break(b);
  vd_end(b);
  vd_if(b, vd_eq(b, vd_and(b, n, one), zero));
  vd_store(b, n, vd_shr(b, n, one));
  vd_else(b);
  vd_store(b, n, vd_add(b, vd_mul(b, n, vd_const_u32(b, 3)), one));
  vd_end(b);
  vd_store(b, count, vd_add(b, count, one));
  vd_end(b);
  vd_store_at(b, steps, i, count);
  vd_if(b, vd_eq(b, vd_and(b, count, one), zero));
  (void)vd_atomic_add(b, vd_at(b, total, zero), count);
  vd_end(b);
  status = vd_builder_finish(b, kernel);
  vd_builder_release(b);
  return status;
}

/* A function that vd_call() inlines: x.yx + (1, 2) as vectors, times a factor. */
static vd_status swapped(vd_kernel** function) {
  vd_builder_desc desc = VD_BUILDER_DESC_INIT;
  desc.flags = VD_BUILDER_FUNCTION;
  desc.return_type = VD_TYPE_F32X2;
  vd_builder* b = NULL;
  vd_status status = vd_builder_create(&desc, &b);
  if (status < 0) return status;
  vd_value x = vd_argument_value(b, VD_TYPE_F32X2, "x");
  const vd_value parts[2] = {vd_const_f32(b, 1), vd_const_f32(b, 2)};
  vd_return(b, vd_add(b, vd_swizzle(b, x, "yx"), vd_construct(b, VD_TYPE_F32X2, parts, 2)));
  status = vd_builder_finish(b, function);
  vd_builder_release(b);
  return status;
}

static vd_status vectors(vd_kernel** kernel) {
  vd_kernel* function = NULL;
  vd_builder* b = NULL;
  vd_status status = swapped(&function);
  if (status >= 0) status = vd_builder_create(NULL, &b);
  if (status < 0) return status;
  const vd_value data = vd_argument_buffer(b, VD_TYPE_F32X2, "data"), i = vd_global_id(b, 0);
  const vd_value x = vd_load_at(b, data, i);
  const vd_value y = vd_call(b, function, &x, 1);
  const vd_value half = vd_convert(b, VD_TYPE_F32, vd_const_f64(b, 0.5));
  vd_store_at(b, data, i, vd_mul(b, y, vd_add(b, half, vd_component(b, x, 0))));
  status = vd_builder_finish(b, kernel);
  vd_builder_release(b);
  vd_kernel_release(function);
  return status;
}

/* ---- Running them */

static int run(vd_context* ctx, vd_kernel* kernel, const void* values, uint32_t values_size,
               const uint32_t invocations[3], vd_buffer** buffers, uint32_t count) {
  vd_plan_desc desc = VD_PLAN_DESC_INIT;
  vd_plan* plan = NULL;
  vd_binding bindings[3];
  vd_launch_desc launch = VD_LAUNCH_DESC_INIT;
  desc.kernel = kernel;
  CHECK(vd_plan_create(ctx, &desc, &plan));
  for (uint32_t i = 0; i < count; ++i) {
    const vd_binding whole = VD_BINDING_OF(buffers[i], 0, VD_WHOLE_SIZE);
    bindings[i] = whole;
  }
  launch.bindings = bindings;
  launch.binding_count = count;
  launch.values = values;
  launch.values_size = values_size;
  memcpy(launch.invocations, invocations, sizeof launch.invocations);
  CHECK(vd_plan_launch(plan, &launch, NULL));
  vd_plan_release(plan);
  return 0;
}

static int make_buffer(vd_context* ctx, const void* data, uint64_t size, vd_buffer** buffer) {
  vd_buffer_desc desc = VD_BUFFER_DESC_INIT;
  desc.size = size;
  desc.data = data;
  CHECK(vd_buffer_create(ctx, &desc, buffer));
  return 0;
}

static int products_are_right(vd_context* ctx) {
  static float x[N * N], y[N * N], c[N * N];
  vd_buffer* buffers[3] = {NULL, NULL, NULL};
  vd_kernel* kernel = NULL;
  const uint32_t invocations[3] = {N, N, 1};
  for (int i = 0; i < N * N; ++i) x[i] = (float)(i % 7), y[i] = (float)(i % 5 - 2);
  CHECK(multiply(&kernel));
  if (make_buffer(ctx, c, sizeof c, &buffers[0]) || make_buffer(ctx, x, sizeof x, &buffers[1]) ||
      make_buffer(ctx, y, sizeof y, &buffers[2]) || run(ctx, kernel, NULL, 0, invocations, buffers, 3))
    return 1;
  CHECK(vd_buffer_read(buffers[0], 0, sizeof c, 0, c));
  for (int row = 0; row < N; ++row) {
    for (int column = 0; column < N; ++column) {
      float sum = 0; /* of small integers, so that it is exact */
      for (int k = 0; k < N; ++k) sum += x[row * N + k] * y[k * N + column];
      HOLDS(c[row * N + column] == sum);
    }
  }
  for (int i = 0; i < 3; ++i) vd_buffer_release(buffers[i]);
  vd_kernel_release(kernel);
  return 0;
}

static int loops_are_right(vd_context* ctx) {
  static uint32_t steps[COUNT], zero;
  uint32_t total = 0, even = 0;
  const uint32_t limit = 100, invocations[3] = {COUNT, 1, 1};
  vd_buffer* buffers[2] = {NULL, NULL};
  vd_kernel* kernel = NULL;
  CHECK(collatz(&kernel));
  if (make_buffer(ctx, steps, sizeof steps, &buffers[0]) || make_buffer(ctx, &zero, sizeof zero, &buffers[1]) ||
      run(ctx, kernel, &limit, sizeof limit, invocations, buffers, 2))
    return 1;
  CHECK(vd_buffer_read(buffers[0], 0, sizeof steps, 0, steps));
  CHECK(vd_buffer_read(buffers[1], 0, sizeof total, 0, &total));
  for (uint32_t i = 0; i < COUNT; ++i) {
    uint32_t n = i + 1, count = 0;
    for (; n != 1 && count < limit; ++count) n = n % 2 == 0 ? n / 2 : 3 * n + 1;
    HOLDS(steps[i] == count);
    even += count % 2 == 0 ? count : 0;
  }
  HOLDS(total == even);
  vd_buffer_release(buffers[0]);
  vd_buffer_release(buffers[1]);
  vd_kernel_release(kernel);
  return 0;
}

static int vectors_are_right(vd_context* ctx) {
  float data[4][2] = {{1, 2}, {3, 4}, {5, 6}, {-7, 8}};
  const uint32_t invocations[3] = {4, 1, 1};
  vd_buffer* buffer = NULL;
  vd_kernel* kernel = NULL;
  CHECK(vectors(&kernel));
  if (make_buffer(ctx, data, sizeof data, &buffer) || run(ctx, kernel, NULL, 0, invocations, &buffer, 1)) return 1;
  float result[4][2];
  CHECK(vd_buffer_read(buffer, 0, sizeof result, 0, result));
  for (int i = 0; i < 4; ++i) {
    HOLDS(result[i][0] == (data[i][1] + 1) * (data[i][0] + 0.5f));
    HOLDS(result[i][1] == (data[i][0] + 2) * (data[i][0] + 0.5f));
  }
  vd_buffer_release(buffer);
  vd_kernel_release(kernel);
  return 0;
}

/* ---- Wrong programs */

/* Finishing fails, and the message has all three texts. Releases the builder. */
static int fails(vd_builder* b, const char* what, const char* more, const char* where) {
  vd_kernel* kernel = NULL;
  HOLDS(vd_builder_finish(b, &kernel) == VD_ERR_COMPILE);
  HOLDS(kernel == NULL);
  HOLDS(strstr(vd_last_error(), what) != NULL);
  HOLDS(strstr(vd_last_error(), more) != NULL);
  HOLDS(strstr(vd_last_error(), where) != NULL);
  vd_builder_release(b);
  return 0;
}

static vd_builder* begin(void) {
  vd_builder* b = NULL;
  if (vd_builder_create(NULL, &b) < 0) exit(1);
  return b;
}

static int mistakes_are_reported(void) {
  char where[64];
  vd_builder* b = begin();

  /* The first of several, with its line. */
  const vd_value x = vd_argument_buffer(b, VD_TYPE_F32, "x"), i = vd_global_id(b, 0);
  snprintf(where, sizeof where, "kernels.c:%d", __LINE__ + 1);
  const vd_value wrong = vd_add(b, vd_at(b, x, i), i);
  HOLDS(wrong == 0);
  HOLDS(vd_mul(b, wrong, i) == 0);
  vd_store_at(b, x, i, wrong);
  vd_end(b);
  if (fails(b, "add: ", "u32", where)) return 1;

  b = begin();
  (void)vd_argument_buffer(b, VD_TYPE_F32, NULL);
  (void)vd_neg(b, 0);
  if (fails(b, "vd_builder_argument: ", "name is NULL", "is incomplete")) return 1;

  b = begin();
  snprintf(where, sizeof where, "kernels.c:%d", __LINE__ + 1);
  HOLDS(vd_shared_array(b, VD_TYPE_F32, 0) == 0);
  if (fails(b, "vd_builder_shared: ", "count (0)", where)) return 1;

  static const char* const letters[] = {"xq", "xyzwx", "", NULL};
  for (int k = 0; k < 4; ++k) {
    b = begin();
    snprintf(where, sizeof where, "kernels.c:%d", __LINE__ + 1);
    HOLDS(vd_swizzle(b, vd_zero(b, VD_TYPE_F32X4), letters[k]) == 0);
    if (fails(b, "swizzle: ", "1 to 4 components", where)) return 1;
  }

  b = begin();
  snprintf(where, sizeof where, "kernels.c:%d", __LINE__ + 1);
  HOLDS(vd_global_id(b, 3) == 0);
  if (fails(b, "index (3) is past the end", "3 elements", where)) return 1;

  b = begin();
  snprintf(where, sizeof where, "kernels.c:%d", __LINE__ + 1);
  vd_printf(b, NULL, NULL, 0);
  if (fails(b, "vd_builder_string: ", "text is NULL", where)) return 1;

  b = begin();
  snprintf(where, sizeof where, "kernels.c:%d", __LINE__ + 1);
  vd_printf(b, "%d %d", NULL, 2);
  if (fails(b, "operand (0) is not a value of this builder: the call that gives it failed, or was not made", "", where))
    return 1;

  b = begin();
  snprintf(where, sizeof where, "kernels.c:%d", __LINE__ + 1);
  (void)vd_construct(b, VD_TYPE_F32X2, NULL, 2);
  if (fails(b, "operands is NULL with 2 entries", "", "")) return 1;

  b = begin();
  snprintf(where, sizeof where, "kernels.c:%d", __LINE__ + 1);
  vd_break(b);
  if (fails(b, "break: it is not inside a loop", "", where)) return 1;

  /* A value of another builder, whose number is not known here. */
  vd_builder* other = begin();
  vd_value far = vd_const_u32(other, 1);
  for (uint32_t k = 2; k < 100; ++k) far = vd_add(other, far, vd_const_u32(other, k));
  b = begin();
  HOLDS(vd_neg(b, far) == 0);
  vd_builder_release(other);
  if (fails(b, "operand (0x", "is not a value of this builder", "kernels.c:")) return 1;

  /* An open block is not a failed call: it may be closed yet. */
  vd_kernel* kernel = NULL;
  b = begin();
  vd_if(b, vd_eq(b, vd_global_id(b, 0), vd_const_u32(b, 0)));
  HOLDS(vd_builder_finish(b, &kernel) == VD_ERR_STATE);
  HOLDS(strstr(vd_last_error(), "the block of if is open (") != NULL);
  vd_end(b);
  CHECK(vd_builder_finish(b, &kernel));
  vd_kernel_release(kernel);
  HOLDS(vd_const_u32(b, 1) == 0); /* finished */
  vd_builder_release(b);

  HOLDS(vd_add(NULL, 1, 2) == 0);
  HOLDS(vd_argument_buffer(NULL, VD_TYPE_F32, "x") == 0);
  return 0;
}

/* Each argument of a helper is evaluated once. */
/* Images that are sampled, loaded and stored, and truth values, in the source of a language. */
static int images_and_bools_are_declared(void) {
  vd_builder* b = begin();
  const vd_value photo = vd_argument_image(b, VD_TYPE_F32, 2, "photo");
  const vd_value out =
      vd_argument_storage_image(b, VD_TYPE_F32, 2, VD_FORMAT_RGBA32_F32, VD_ARGUMENT_ACCESS_WRITE, "out");
  const vd_value x = vd_global_id(b, 0), y = vd_global_id(b, 1);
  const vd_value numbers[2] = {x, y}, floats[2] = {vd_convert(b, VD_TYPE_F32, x), vd_convert(b, VD_TYPE_F32, y)};
  const vd_value texel = vd_image_sample(b, photo, vd_construct(b, VD_TYPE_F32X2, floats, 2), 0);
  const vd_value stores = vd_var(b, VD_TYPE_BOOL, vd_const_bool(b, 7));
  vd_if(b, vd_lt(b, x, y));
  vd_store(b, stores, vd_const_bool(b, 0));
  vd_end(b);
  vd_if(b, stores);
  vd_image_store(b, out, vd_convert(b, VD_TYPE_I32X2, vd_construct(b, VD_TYPE_U32X2, numbers, 2)), texel);
  vd_end(b);
  vd_kernel* kernel = NULL;
  HOLDS(vd_builder_finish(b, &kernel) == VD_OK);
  vd_print_desc desc = VD_PRINT_DESC_INIT;
  desc.language = VD_LANGUAGE_GLSL;
  vd_blob* source = NULL;
  HOLDS(vd_kernel_print(kernel, &desc, &source) == VD_OK);
  const char* text = (const char*)vd_blob_data(source, NULL);
  HOLDS(strstr(text, "sampler2D photo") != NULL && strstr(text, "image2D out") != NULL);
  HOLDS(strstr(text, "rgba32f") != NULL && strstr(text, "true") != NULL && strstr(text, "false") != NULL);
  vd_blob_release(source);
  vd_kernel_release(kernel);
  vd_builder_release(b);
  return 0;
}

static int arguments_count_once(void) {
  vd_builder* b = begin();
  int calls = 0;
  vd_builder* builders[2] = {b, NULL};
  const vd_value one = vd_const_u32(builders[calls++], 1);
  HOLDS(calls == 1 && one != 0);
  vd_builder_release(b);
  return 0;
}

int main(int argc, char** argv) {
  vd_context_desc desc = VD_CONTEXT_DESC_INIT;
  vd_context* ctx = NULL;
  const char* name = argc == 2 ? argv[1] : "";
  if (strcmp(name, "host") == 0)
    desc.backend = VD_BACKEND_HOST;
  else if (strcmp(name, "vulkan") == 0)
    desc.backend = VD_BACKEND_VULKAN;
  else if (strcmp(name, "opencl") == 0)
    desc.backend = VD_BACKEND_OPENCL;
  else
    return fprintf(stderr, "kernels: backend (%s) is not host, vulkan or opencl\n", name), 2;
  CHECK(vd_context_create(&desc, &ctx));
  if (products_are_right(ctx) || loops_are_right(ctx) || vectors_are_right(ctx)) return 1;
  vd_context_release(ctx);
  if (images_and_bools_are_declared() || mistakes_are_reported() || arguments_count_once()) return 1;
  HOLDS(vd_live_objects() == 0);
  printf("%s: ok\n", name);
  return 0;
}
