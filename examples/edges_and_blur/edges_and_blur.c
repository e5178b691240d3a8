/* Edge detection and a 9x9 blur of a photograph, in C: two kernels written through vd_builder_emit, recorded in a
 * graph.
 *
 *   edges_and_blur PICTURE.ppm [BACKEND]          writes blur.ppm and edges.pgm into the current folder
 *   edges_and_blur BACKEND PLANES.f32 SIZE RESULT.f32 SECONDS
 *       the same on three planes of SIZE x SIZE floats, timed; prints a line of JSON (edges_and_blur.py calls it so)
 *
 * Any tool makes a PPM of a photograph, as "convert photo.jpg photo.ppm". */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "vkdispatch.h"

enum { kRadius = 4, kTile = 16, kSpan = kTile + 2 * kRadius, kPlanes = 3 };

/* Ends the program with the library's message: what a small program does with an error. */
static void check(vd_status status) {
  if (status < 0) {
    fprintf(stderr, "%s\n", vd_last_error());
    exit(1);
  }
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- Writing kernels: an op of up to three operands, and names for what the kernels use. ---- */

static vd_builder* b; /* the kernel being written */

static vd_value emit(vd_op op, vd_type type, uint64_t immediate, vd_value x, vd_value y, vd_value z) {
  const vd_value operands[3] = {x, y, z};
  vd_value result = 0;
  check(vd_builder_emit(b, op, type, operands, z ? 3u : y ? 2u : x ? 1u : 0u, immediate, 0, &result));
  return result;
}
static vd_value op1(vd_op op, vd_value x) { return emit(op, VD_TYPE_NONE, 0, x, 0, 0); }
static vd_value op2(vd_op op, vd_value x, vd_value y) { return emit(op, VD_TYPE_NONE, 0, x, y, 0); }
static vd_value add(vd_value x, vd_value y) { return op2(VD_OP_ADD, x, y); }
static vd_value sub(vd_value x, vd_value y) { return op2(VD_OP_SUB, x, y); }
static vd_value mul(vd_value x, vd_value y) { return op2(VD_OP_MUL, x, y); }
static vd_value at(vd_value array, vd_value index) { return op2(VD_OP_INDEX, array, index); }
static vd_value let(vd_value x) { return op1(VD_OP_LET, x); }
static void store(vd_value reference, vd_value x) { op2(VD_OP_STORE, reference, x); }
static vd_value integer(int32_t x) { return emit(VD_OP_CONST, VD_TYPE_I32, (uint32_t)x, 0, 0, 0); }
static vd_value real(float x) {
  uint32_t bits;
  memcpy(&bits, &x, 4);
  return emit(VD_OP_CONST, VD_TYPE_F32, bits, 0, 0, 0);
}
static vd_value clamp(vd_value x, vd_value low, vd_value high) {
  return emit(VD_OP_CLAMP, VD_TYPE_NONE, 0, x, low, high);
}
/* One component of a built-in value, as a signed integer. */
static vd_value id(vd_builtin which, int axis) {
  vd_value all = emit(VD_OP_BUILTIN, VD_TYPE_NONE, (uint64_t)which, 0, 0, 0);
  return let(emit(VD_OP_CONVERT, VD_TYPE_I32, 0, at(all, integer(axis)), 0, 0));
}
static vd_value argument(vd_argument_kind kind, vd_type type, const char* name) {
  vd_value result = 0;
  check(vd_builder_argument(b, &(vd_argument_desc)VD_ARGUMENT_DESC_OF(kind, type, name), &result));
  return result;
}
static vd_value buffer(const char* name) { return argument(VD_ARGUMENT_BUFFER, VD_TYPE_F32, name); }
static vd_value constant(const char* name) { return let(argument(VD_ARGUMENT_CONSTANT, VD_TYPE_I32, name)); }

static void begin(const char* name) {
  vd_builder_desc desc = VD_BUILDER_DESC_INIT;
  desc.name = name;
  desc.flags = VD_BUILDER_NO_EXEC_BOUNDS; /* the kernels test their own bounds */
  check(vd_builder_create(&desc, &b));
}

static vd_plan* finish(vd_context* ctx, uint32_t x, uint32_t y) {
  vd_kernel* kernel = NULL;
  vd_plan_desc desc = VD_PLAN_DESC_INIT;
  vd_plan* plan = NULL;
  check(vd_builder_finish(b, &kernel));
  vd_builder_release(b);
  desc.kernel = kernel;
  desc.workgroup_size[0] = x, desc.workgroup_size[1] = y, desc.workgroup_size[2] = 1;
  check(vd_plan_create(ctx, &desc, &plan));
  vd_kernel_release(kernel);
  return plan;
}

/* Each workgroup copies its pixels and a rim of 4 around them to shared memory, then every pixel sums 81 of them. */
static vd_plan* make_blur(vd_context* ctx) {
  begin("blur");
  const vd_value out = buffer("out"), image = buffer("image"), width = constant("width"), height = constant("height");
  vd_value tile = 0;
  check(vd_builder_shared(b, VD_TYPE_F32, kSpan * kSpan, VD_SHARED_OFFSET_AUTO, "tile", &tile));
  const vd_value left = let(sub(mul(id(VD_BUILTIN_WORKGROUP_ID, 0), integer(kTile)), integer(kRadius)));
  const vd_value top = let(sub(mul(id(VD_BUILTIN_WORKGROUP_ID, 1), integer(kTile)), integer(kRadius)));
  const vd_value lx = id(VD_BUILTIN_LOCAL_ID, 0), ly = id(VD_BUILTIN_LOCAL_ID, 1);
  const vd_value first = let(add(lx, mul(ly, integer(kTile))));
  const vd_value place = emit(VD_OP_FOR, VD_TYPE_NONE, 0, first, integer(kSpan * kSpan), integer(kTile * kTile));
  const vd_value x = clamp(add(left, op2(VD_OP_REM, place, integer(kSpan))), integer(0), sub(width, integer(1)));
  const vd_value y = clamp(add(top, op2(VD_OP_DIV, place, integer(kSpan))), integer(0), sub(height, integer(1)));
  store(at(tile, place), at(image, add(mul(y, width), x)));
  emit(VD_OP_END, VD_TYPE_NONE, 0, 0, 0, 0);
  emit(VD_OP_BARRIER, VD_TYPE_NONE, 0, 0, 0, 0);

  double weights[2 * kRadius + 1], sum = 0;
  for (int k = -kRadius; k <= kRadius; ++k) sum += weights[k + kRadius] = exp(-k * k / (2 * 1.8 * 1.8));
  const vd_value corner = let(add(lx, mul(ly, integer(kSpan))));
  const vd_value total = emit(VD_OP_VAR, VD_TYPE_F32, 0, 0, 0, 0);
  check(vd_builder_name(b, total, "total"));
  for (int dy = 0; dy <= 2 * kRadius; ++dy)
    for (int dx = 0; dx <= 2 * kRadius; ++dx) {
      const float weight = (float)(weights[dy] * weights[dx] / (sum * sum));
      store(total, add(total, mul(at(tile, add(corner, integer(dy * kSpan + dx))), real(weight))));
    }
  const vd_value gx = id(VD_BUILTIN_GLOBAL_ID, 0), gy = id(VD_BUILTIN_GLOBAL_ID, 1);
  op1(VD_OP_IF, op2(VD_OP_LAND, op2(VD_OP_LT, gx, width), op2(VD_OP_LT, gy, height)));
  store(at(out, add(mul(gy, width), gx)), total);
  emit(VD_OP_END, VD_TYPE_NONE, 0, 0, 0, 0);
  return finish(ctx, kTile, kTile);
}

/* The length of the Sobel gradient of the brightness. */
static vd_plan* make_edges(vd_context* ctx) {
  begin("edges");
  const vd_value out = buffer("out"), red = buffer("red"), green = buffer("green"), blue = buffer("blue");
  const vd_value width = constant("width"), height = constant("height");
  const vd_value x = id(VD_BUILTIN_GLOBAL_ID, 0), y = id(VD_BUILTIN_GLOBAL_ID, 1);
  op1(VD_OP_IF, op2(VD_OP_LAND, op2(VD_OP_LT, x, width), op2(VD_OP_LT, y, height)));
  vd_value p[3][3];
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx) {
      const vd_value px = clamp(add(x, integer(dx)), integer(0), sub(width, integer(1)));
      const vd_value py = clamp(add(y, integer(dy)), integer(0), sub(height, integer(1)));
      const vd_value place = let(add(mul(py, width), px));
      p[dy + 1][dx + 1] = let(add(add(mul(at(red, place), real(0.299f)), mul(at(green, place), real(0.587f))),
                                  mul(at(blue, place), real(0.114f))));
    }
  const vd_value two = real(2);
  const vd_value gx =
      let(sub(add(add(p[0][2], mul(p[1][2], two)), p[2][2]), add(add(p[0][0], mul(p[1][0], two)), p[2][0])));
  const vd_value gy =
      let(sub(add(add(p[2][0], mul(p[2][1], two)), p[2][2]), add(add(p[0][0], mul(p[0][1], two)), p[0][2])));
  store(at(out, add(mul(y, width), x)), op1(VD_OP_SQRT, add(mul(gx, gx), mul(gy, gy))));
  emit(VD_OP_END, VD_TYPE_NONE, 0, 0, 0, 0);
  return finish(ctx, 64, 4);
}

/* ---- Running them ---- */

typedef struct job {
  vd_context* ctx;
  vd_plan *blur, *edges;
  vd_buffer *planes[kPlanes], *blurred[kPlanes], *strength;
  vd_graph* graph;
  uint64_t bytes;
} job;

static void record(job* j, vd_plan* plan, vd_buffer** buffers, uint32_t count, uint32_t width, uint32_t height,
                   uint32_t x, uint32_t y) {
  vd_binding bindings[4];
  const int32_t values[2] = {(int32_t)width, (int32_t)height};
  vd_launch_desc desc = VD_LAUNCH_DESC_INIT;
  for (uint32_t k = 0; k < count; ++k) bindings[k] = (vd_binding)VD_BINDING_OF(buffers[k], 0, VD_WHOLE_SIZE);
  desc.workgroups[0] = (width + x - 1) / x, desc.workgroups[1] = (height + y - 1) / y, desc.workgroups[2] = 1;
  desc.bindings = bindings, desc.binding_count = count;
  desc.values = values, desc.values_size = sizeof values;
  check(vd_graph_launch(j->graph, plan, &desc, NULL));
}

static vd_buffer* make_buffer(vd_context* ctx, uint64_t size, const float* data) {
  vd_buffer_desc desc = VD_BUFFER_DESC_INIT;
  vd_buffer* result = NULL;
  desc.size = size;
  desc.data = data;
  check(vd_buffer_create(ctx, &desc, &result));
  return result;
}

/* Opens the backend, builds the kernels, uploads the planes, and records one frame. Gives the time that building took.
 */
static double prepare(job* j, vd_backend backend, const float* planes, uint32_t width, uint32_t height) {
  vd_context_desc desc = VD_CONTEXT_DESC_INIT;
  desc.backend = backend;
  desc.flags = VD_CONTEXT_USE_CPU;
  check(vd_context_create(&desc, &j->ctx));
  const double start = now();
  j->blur = make_blur(j->ctx);
  j->edges = make_edges(j->ctx);
  const double built = now() - start;
  j->bytes = (uint64_t)width * height * sizeof(float);
  check(vd_graph_create(j->ctx, NULL, &j->graph));
  for (int c = 0; c < kPlanes; ++c) {
    j->planes[c] = make_buffer(j->ctx, j->bytes, planes + (size_t)c * width * height);
    j->blurred[c] = make_buffer(j->ctx, j->bytes, NULL);
    record(j, j->blur, (vd_buffer*[]){j->blurred[c], j->planes[c]}, 2, width, height, kTile, kTile);
  }
  j->strength = make_buffer(j->ctx, j->bytes, NULL);
  record(j, j->edges, (vd_buffer*[]){j->strength, j->planes[0], j->planes[1], j->planes[2]}, 4, width, height, 64, 4);
  return built;
}

static void frame(job* j) {
  vd_ticket ticket = 0;
  check(vd_graph_submit(j->graph, NULL, &ticket));
  check(vd_ticket_wait(j->ctx, ticket, VD_WAIT_FOREVER));
}

/* Four planes: the blurred channels and the edges. */
static float* results(job* j) {
  float* data = malloc(4 * j->bytes);
  if (data == NULL) exit(1);
  for (int c = 0; c < 4; ++c)
    check(
        vd_buffer_read(c < kPlanes ? j->blurred[c] : j->strength, 0, j->bytes, 0, (char*)data + (size_t)c * j->bytes));
  return data;
}

static void finish_job(job* j) {
  for (int c = 0; c < kPlanes; ++c) vd_buffer_release(j->planes[c]), vd_buffer_release(j->blurred[c]);
  vd_buffer_release(j->strength);
  vd_graph_release(j->graph);
  vd_plan_release(j->blur), vd_plan_release(j->edges);
  vd_context_release(j->ctx);
}

static vd_backend backend_named(const char* name) {
  vd_backend_info info = VD_BACKEND_INFO_INIT;
  for (vd_backend k = VD_BACKEND_VULKAN; k <= VD_BACKEND_HOST; k = (vd_backend)(k + 1)) {
    check(vd_backend_get_info(k, &info));
    if (strcmp(info.name, name) == 0) return k;
  }
  fprintf(stderr, "there is no backend \"%s\": vulkan, cuda, opencl or host\n", name);
  exit(2);
}

static FILE* open_file(const char* name, const char* mode) {
  FILE* file = fopen(name, mode);
  if (file == NULL) {
    fprintf(stderr, "cannot open %s\n", name);
    exit(1);
  }
  return file;
}

/* ---- The two ways to call the program ---- */

static int run_timed(const char* backend, const char* planes_name, uint32_t size, const char* result_name,
                     double seconds) {
  const size_t count = (size_t)size * size;
  vd_backend_info info = VD_BACKEND_INFO_INIT;
  const vd_backend which = backend_named(backend);
  check(vd_backend_get_info(which, &info));
  if (!info.available) {
    printf("{\"unavailable\": \"%s\"}\n", info.reason);
    return 0;
  }
  float* planes = malloc(kPlanes * count * sizeof(float));
  FILE* file = open_file(planes_name, "rb");
  if (planes == NULL || fread(planes, sizeof(float), kPlanes * count, file) != kPlanes * count) {
    fprintf(stderr, "%s does not hold three planes of %ux%u floats\n", planes_name, size, size);
    return 1;
  }
  fclose(file);
  job j;
  const double built = prepare(&j, which, planes, size, size);
  free(planes);
  /* The first frame still pays for the driver's own compiler. It counts only where that is little beside it. */
  double start = now();
  frame(&j);
  unsigned frames = 1;
  if (now() - start < seconds) start = now(), frames = 0;
  for (; now() - start < seconds; ++frames) frame(&j);
  const double each = (now() - start) / frames;
  float* data = results(&j);
  file = open_file(result_name, "wb");
  fwrite(data, 1, 4 * j.bytes, file);
  fclose(file);
  free(data);
  vd_device_info device = VD_DEVICE_INFO_INIT;
  check(vd_context_get_device(j.ctx, 0, &device));
  printf("{\"device\": \"%s\", \"build\": %.6f, \"frame\": %.6f, \"frames\": %u}\n", device.name, built, each, frames);
  finish_job(&j);
  return 0;
}

static unsigned char byte_of(float x) { return (unsigned char)(fminf(fmaxf(x, 0), 1) * 255 + 0.5f); }

static int run_picture(const char* name, vd_backend backend) {
  unsigned width = 0, height = 0, most = 0;
  FILE* file = open_file(name, "rb");
  if (fscanf(file, "P6 %u %u %u", &width, &height, &most) != 3 || fgetc(file) == EOF || most != 255 ||
      width - 1 > 32767 || height - 1 > 32767) {
    fprintf(stderr, "%s is not a binary PPM of at most 32768x32768 pixels with 8 bits a channel\n", name);
    return 1;
  }
  const size_t count = (size_t)width * height;
  unsigned char* bytes = malloc(count * kPlanes);
  float* planes = malloc(count * kPlanes * sizeof(float));
  if (bytes == NULL || planes == NULL || fread(bytes, kPlanes, count, file) != count) {
    fprintf(stderr, "%s ends early\n", name);
    return 1;
  }
  fclose(file);
  for (size_t k = 0; k < count * kPlanes; ++k) planes[k % kPlanes * count + k / kPlanes] = (float)bytes[k] / 255;
  job j;
  prepare(&j, backend, planes, width, height);
  frame(&j);
  float* data = results(&j);
  for (size_t k = 0; k < count * kPlanes; ++k) bytes[k] = byte_of(data[k % kPlanes * count + k / kPlanes]);
  file = open_file("blur.ppm", "wb");
  fprintf(file, "P6\n%u %u\n255\n", width, height);
  fwrite(bytes, kPlanes, count, file);
  fclose(file);
  for (size_t k = 0; k < count; ++k) bytes[k] = byte_of(data[kPlanes * count + k]);
  file = open_file("edges.pgm", "wb");
  fprintf(file, "P5\n%u %u\n255\n", width, height);
  fwrite(bytes, 1, count, file);
  fclose(file);
  vd_device_info device = VD_DEVICE_INFO_INIT;
  check(vd_context_get_device(j.ctx, 0, &device));
  printf("%ux%u pixels on %s: blur.ppm, edges.pgm\n", width, height, device.name);
  finish_job(&j);
  free(data), free(planes), free(bytes);
  return 0;
}

int main(int argc, char** argv) {
  if (argc == 6) return run_timed(argv[1], argv[2], (uint32_t)atoi(argv[3]), argv[4], atof(argv[5]));
  if (argc == 2 || argc == 3) return run_picture(argv[1], argc == 3 ? backend_named(argv[2]) : VD_BACKEND_AUTO);
  fprintf(stderr, "usage: edges_and_blur PICTURE.ppm [vulkan|cuda|opencl|host]\n");
  return 2;
}
