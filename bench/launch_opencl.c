/* What launches and transfers cost through libvkdispatch beside OpenCL by hand, in one process and in turns.
 *
 *   launch_opencl [--quick] [--device N] [--rounds N]
 *
 * A line of JSON a case, then a table on standard error. Times are medians of the rounds, in microseconds; the ratio is
 * ours divided by the best raw way. The rival sets a kernel's arguments before ("raw_bare") or with each launch
 * ("raw_set", and "raw_flush", which also flushes the queue each time), enqueues on an in-order queue and waits by
 * clFinish. */
#define _POSIX_C_SOURCE 200809L
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "measure.h"
#include "vkdispatch.h"
#ifdef LAUNCH_LIBRARY
#include "launch_library.h"
#define main launch_main
#endif

enum { kMaxRounds = 101, kMaxWays = 4, kTiny = 64, kSmall = 1024, kPlatforms = 8, kDevices = 16 };
static const uint32_t kBestDevice = ~0u; /* the library's choice: GPUs before CPUs */

static const char kSource[] =
    "__kernel __attribute__((reqd_work_group_size(64, 1, 1)))\n"
    "void tiny(__global float* y, __global const float* x, float a, float b) {\n"
    "  const uint i = get_global_id(0);\n  y[i] = y[i] * a + x[i] * b;\n}\n"
    "__kernel __attribute__((reqd_work_group_size(256, 1, 1)))\n"
    "void saxpy(__global float4* y, __global const float4* x, float a, float b) {\n"
    "  const uint i = get_global_id(0);\n  y[i] = y[i] * a + x[i] * b;\n}\n";
static const char kText[] =
    "kernel \"%s\" no_exec_bounds\n"
    "argument 0 buffer %s \"y\"\nargument 1 buffer %s \"x\"\n"
    "argument 2 constant f32 \"a\"\nargument 3 constant f32 \"b\"\n"
    "{\n"
    "  %%0: u32 = index global_id, u32 0\n"
    "  %%1: storage %s = index @0, %%0\n  %%2: %s = load %%1\n  %%3: f32 = load @2\n  %%4: %s = construct %%3\n"
    "  %%5: %s = mul %%2, %%4\n"
    "  %%6: storage %s = index @1, %%0\n  %%7: %s = load %%6\n  %%8: f32 = load @3\n  %%9: %s = construct %%8\n"
    "  %%10: %s = mul %%7, %%9\n"
    "  %%11: %s = add %%5, %%10\n  store %%1, %%11\n"
    "}\n";

/* ---- The rival. Every call ends the program with a message if OpenCL fails. */

static void* library;

static void* entry(const char* name) {
  void* address = library ? dlsym(library, name) : NULL;
  if (address) return address;
  fprintf(stderr, "launch_opencl: no OpenCL loader with %s\n", name);
  exit(77);
}
/* CL(Finish)(queue): the entry point, looked up once. */
#define CL_DECLARE(name) static __typeof__(&cl##name) p##name
CL_DECLARE(GetPlatformIDs);
CL_DECLARE(GetDeviceIDs);
CL_DECLARE(GetDeviceInfo);
CL_DECLARE(CreateContext);
CL_DECLARE(CreateCommandQueue);
CL_DECLARE(CreateProgramWithSource);
CL_DECLARE(BuildProgram);
CL_DECLARE(CreateKernel);
CL_DECLARE(CreateBuffer);
CL_DECLARE(SetKernelArg);
CL_DECLARE(EnqueueNDRangeKernel);
CL_DECLARE(EnqueueFillBuffer);
CL_DECLARE(EnqueueWriteBuffer);
CL_DECLARE(EnqueueReadBuffer);
CL_DECLARE(Flush);
CL_DECLARE(Finish);

static void load_opencl(void) {
  library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
#define CL_LOAD(name) *(void**)&p##name = entry("cl" #name)
  CL_LOAD(GetPlatformIDs);
  CL_LOAD(GetDeviceIDs);
  CL_LOAD(GetDeviceInfo);
  CL_LOAD(CreateContext);
  CL_LOAD(CreateCommandQueue);
  CL_LOAD(CreateProgramWithSource);
  CL_LOAD(BuildProgram);
  CL_LOAD(CreateKernel);
  CL_LOAD(CreateBuffer);
  CL_LOAD(SetKernelArg);
  CL_LOAD(EnqueueNDRangeKernel);
  CL_LOAD(EnqueueFillBuffer);
  CL_LOAD(EnqueueWriteBuffer);
  CL_LOAD(EnqueueReadBuffer);
  CL_LOAD(Flush);
  CL_LOAD(Finish);
}

static void must(cl_int result, const char* call) {
  if (result == CL_SUCCESS) return;
  fprintf(stderr, "launch_opencl: %s gave %d\n", call, (int)result);
  exit(1);
}

typedef struct raw_kernel {
  cl_kernel kernel;
  cl_mem buffers[2];
  size_t local;
} raw_kernel;

typedef struct sides {
  cl_device_id device;
  cl_context context;
  cl_command_queue queue;
  raw_kernel raw_tiny, raw_saxpy;
  vd_context* ctx;
  vd_plan *tiny, *saxpy;
  vd_buffer *tiny_buffers[2], *saxpy_buffers[2];
  vd_graph* graph; /* of the case that runs */
  uint32_t graph_size;
  uint32_t vectors; /* of four floats, in a full-size buffer */
  char* host;       /* as large as one, pageable */
  char name[256];
} sides;

static const float kValues[2] = {0.5f, 0.25f};

static void raw_arguments(const raw_kernel* k) {
  must(pSetKernelArg(k->kernel, 0, sizeof(cl_mem), &k->buffers[0]), "clSetKernelArg");
  must(pSetKernelArg(k->kernel, 1, sizeof(cl_mem), &k->buffers[1]), "clSetKernelArg");
  must(pSetKernelArg(k->kernel, 2, sizeof(float), &kValues[0]), "clSetKernelArg");
  must(pSetKernelArg(k->kernel, 3, sizeof(float), &kValues[1]), "clSetKernelArg");
}

static raw_kernel raw_make(const sides* s, cl_program program, const char* name, size_t local, size_t size) {
  raw_kernel k = {NULL, {NULL, NULL}, local};
  cl_int result = CL_SUCCESS;
  const float zero = 0;
  k.kernel = pCreateKernel(program, name, &result);
  must(result, "clCreateKernel");
  for (int i = 0; i < 2; ++i) {
    k.buffers[i] = pCreateBuffer(s->context, CL_MEM_READ_WRITE, size, NULL, &result);
    must(result, "clCreateBuffer");
    must(pEnqueueFillBuffer(s->queue, k.buffers[i], &zero, sizeof zero, 0, size, 0, NULL, NULL), "clEnqueueFillBuffer");
  }
  raw_arguments(&k);
  must(pFinish(s->queue), "clFinish");
  return k;
}

static void raw_open(sides* s, uint32_t index) {
  cl_platform_id platforms[kPlatforms];
  cl_uint platform_count = 0, seen = 0;
  must(pGetPlatformIDs(kPlatforms, platforms, &platform_count), "clGetPlatformIDs");
  for (cl_uint p = 0; p < platform_count && p < kPlatforms && !s->device; ++p) {
    cl_device_id devices[kDevices];
    cl_uint count = 0;
    if (pGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, kDevices, devices, &count) != CL_SUCCESS) continue;
    if (index < seen + count) s->device = devices[index - seen];
    seen += count;
  }
  if (!s->device) must(CL_DEVICE_NOT_FOUND, "clGetDeviceIDs");
  must(pGetDeviceInfo(s->device, CL_DEVICE_NAME, sizeof s->name, s->name, NULL), "clGetDeviceInfo");
  cl_int result = CL_SUCCESS;
  s->context = pCreateContext(NULL, 1, &s->device, NULL, NULL, &result);
  must(result, "clCreateContext");
  s->queue = pCreateCommandQueue(s->context, s->device, 0, &result);
  must(result, "clCreateCommandQueue");
}

static void raw_launch(const sides* s, const raw_kernel* k, size_t threads) {
  must(pEnqueueNDRangeKernel(s->queue, k->kernel, 1, NULL, &threads, &k->local, 0, NULL, NULL),
       "clEnqueueNDRangeKernel");
}

/* ---- Ours */

static vd_plan* make_plan(vd_context* ctx, const char* name, const char* t, uint32_t local) {
  char text[2048];
  snprintf(text, sizeof text, kText, name, t, t, t, t, t, t, t, t, t, t, t);
  vd_kernel* kernel = NULL;
  vd_plan* plan = NULL;
  check(vd_kernel_parse(text, strlen(text), &kernel));
  vd_plan_desc desc = VD_PLAN_DESC_INIT;
  desc.kernel = kernel;
  desc.workgroup_size[0] = local;
  desc.workgroup_size[1] = desc.workgroup_size[2] = 1;
  check(vd_plan_create(ctx, &desc, &plan));
  vd_kernel_release(kernel);
  return plan;
}

static void our_launch(sides* s) {
  const vd_status status =
      vd_plan_try_launch(s->tiny, NULL, 0, kTiny, 1, 1, s->tiny_buffers, 2, kValues, sizeof kValues);
  if (status != VD_ERR_WOULD_BLOCK) {
    check(status);
    return;
  }
  vd_binding bindings[2] = {VD_BINDING_OF(s->tiny_buffers[0], 0, VD_WHOLE_SIZE),
                            VD_BINDING_OF(s->tiny_buffers[1], 0, VD_WHOLE_SIZE)};
  vd_launch_desc desc = VD_LAUNCH_DESC_INIT;
  desc.invocations[0] = kTiny;
  desc.bindings = bindings;
  desc.binding_count = 2;
  desc.values = kValues;
  desc.values_size = sizeof kValues;
  check(vd_plan_launch(s->tiny, &desc, NULL));
}

static void our_finish(const sides* s) { check(vd_context_wait_idle(s->ctx, 0, VD_WAIT_FOREVER)); }

static void make_graph(sides* s, vd_plan* plan, vd_buffer** buffers, uint32_t threads, uint32_t count) {
  vd_graph_release(s->graph);
  check(vd_graph_create(s->ctx, NULL, &s->graph));
  for (uint32_t i = 0; i < count; ++i)
    check(vd_plan_try_launch(plan, s->graph, 0, threads, 1, 1, buffers, 2, kValues, sizeof kValues));
  check(vd_graph_submit(s->graph, NULL, NULL)); /* compiles it */
  our_finish(s);
  s->graph_size = count;
}

static void open_sides(sides* s, uint32_t device, uint64_t floats) {
  memset(s, 0, sizeof *s);
  load_opencl();
  vd_context_desc desc = VD_CONTEXT_DESC_INIT;
  desc.backend = VD_BACKEND_OPENCL;
  if (device != kBestDevice) {
    desc.device_count = 1;
    desc.devices = &device;
  }
  check(vd_context_create(&desc, &s->ctx));
  vd_device_info info = VD_DEVICE_INFO_INIT;
  check(vd_context_get_device(s->ctx, 0, &info));
  device = info.index;
  raw_open(s, device);
  if (strcmp(info.name, s->name) != 0) {
    fprintf(stderr, "device %u is \"%s\" for us and \"%s\" for raw OpenCL\n", device, info.name, s->name);
    exit(1);
  }
  while (floats * 4 > info.max_allocation_size) floats /= 2;
  s->vectors = (uint32_t)(floats / 4);
  const size_t full = (size_t)s->vectors * 16;
  s->host = malloc(full);
  if (!s->host) exit(1);
  memset(s->host, 1, full);

  cl_int result = CL_SUCCESS;
  const char* source = kSource;
  cl_program program = pCreateProgramWithSource(s->context, 1, &source, NULL, &result);
  must(result, "clCreateProgramWithSource");
  must(pBuildProgram(program, 1, &s->device, "-cl-std=CL1.2", NULL, NULL), "clBuildProgram");
  s->raw_tiny = raw_make(s, program, "tiny", 64, kTiny * sizeof(float));
  s->raw_saxpy = raw_make(s, program, "saxpy", 256, full);
  s->tiny = make_plan(s->ctx, "tiny", "f32", 64);
  s->saxpy = make_plan(s->ctx, "saxpy", "f32x4", 256);
  for (int i = 0; i < 4; ++i) {
    vd_buffer** out = i < 2 ? &s->tiny_buffers[i] : &s->saxpy_buffers[i - 2];
    vd_buffer_desc buffer = VD_BUFFER_DESC_INIT;
    buffer.size = i < 2 ? kTiny * sizeof(float) : full;
    check(vd_buffer_create(s->ctx, &buffer, out));
    check(vd_buffer_fill(*out, 0, 0, buffer.size, 0, NULL, NULL));
  }
  our_finish(s);
}

static void close_sides(sides* s) {
  vd_graph_release(s->graph);
  for (int i = 0; i < 2; ++i) {
    vd_buffer_release(s->tiny_buffers[i]);
    vd_buffer_release(s->saxpy_buffers[i]);
  }
  vd_plan_release(s->tiny);
  vd_plan_release(s->saxpy);
  vd_context_release(s->ctx);
  free(s->host);
}

/* ---- Cases. One measurement: microseconds for each call or kernel. */

typedef double (*measure_fn)(sides* s, uint32_t count);

typedef struct way {
  const char* name; /* the last of a case is ours */
  measure_fn measure;
} way;

enum { kBare, kSet, kSetAndFlush };

static double raw_many(sides* s, uint32_t count, int how, int until_done) {
  const double began = now_us();
  for (uint32_t i = 0; i < count; ++i) {
    if (how != kBare) raw_arguments(&s->raw_tiny);
    raw_launch(s, &s->raw_tiny, kTiny);
    if (how == kSetAndFlush) must(pFlush(s->queue), "clFlush");
  }
  must(pFlush(s->queue), "clFlush");
  double took = now_us() - began;
  must(pFinish(s->queue), "clFinish");
  if (until_done) took = now_us() - began;
  return took / count;
}
static double raw_burst_bare(sides* s, uint32_t count) { return raw_many(s, count, kBare, 0); }
static double raw_burst_set(sides* s, uint32_t count) { return raw_many(s, count, kSet, 0); }
static double raw_burst_flush(sides* s, uint32_t count) { return raw_many(s, count, kSetAndFlush, 0); }
static double raw_steady_bare(sides* s, uint32_t count) { return raw_many(s, count, kBare, 1); }
static double raw_steady_set(sides* s, uint32_t count) { return raw_many(s, count, kSet, 1); }
static double raw_steady_flush(sides* s, uint32_t count) { return raw_many(s, count, kSetAndFlush, 1); }
static double our_many(sides* s, uint32_t count, int until_done) {
  const double began = now_us();
  for (uint32_t i = 0; i < count; ++i) our_launch(s);
  double took = now_us() - began;
  our_finish(s);
  if (until_done) took = now_us() - began;
  return took / count;
}
static double our_burst(sides* s, uint32_t count) { return our_many(s, count, 0); }
static double our_steady(sides* s, uint32_t count) { return our_many(s, count, 1); }
static double raw_latency(sides* s, uint32_t count) {
  const double began = now_us();
  for (uint32_t i = 0; i < count; ++i) {
    raw_launch(s, &s->raw_tiny, kTiny);
    must(pFinish(s->queue), "clFinish");
  }
  return (now_us() - began) / count;
}
static double our_latency(sides* s, uint32_t count) {
  const double began = now_us();
  for (uint32_t i = 0; i < count; ++i) {
    our_launch(s);
    our_finish(s);
  }
  return (now_us() - began) / count;
}
static double raw_chain(sides* s, uint32_t count) { return raw_many(s, count, kBare, 1); }
static double raw_full(sides* s, uint32_t count) {
  const double began = now_us();
  for (uint32_t i = 0; i < count; ++i) raw_launch(s, &s->raw_saxpy, s->vectors);
  must(pFinish(s->queue), "clFinish");
  return (now_us() - began) / count;
}
static double our_many_saxpy(sides* s, uint32_t count, uint32_t vectors) {
  vd_binding bindings[2] = {VD_BINDING_OF(s->saxpy_buffers[0], 0, VD_WHOLE_SIZE),
                            VD_BINDING_OF(s->saxpy_buffers[1], 0, VD_WHOLE_SIZE)};
  vd_launch_desc desc = VD_LAUNCH_DESC_INIT;
  desc.invocations[0] = vectors;
  desc.bindings = bindings;
  desc.binding_count = 2;
  desc.values = kValues;
  desc.values_size = sizeof kValues;
  const double began = now_us();
  for (uint32_t i = 0; i < count; ++i) check(vd_plan_launch(s->saxpy, &desc, NULL));
  our_finish(s);
  return (now_us() - began) / count;
}
static double raw_small(sides* s, uint32_t count) {
  const double began = now_us();
  for (uint32_t i = 0; i < count; ++i) raw_launch(s, &s->raw_saxpy, kSmall / 4);
  must(pFinish(s->queue), "clFinish");
  return (now_us() - began) / count;
}
static double our_small(sides* s, uint32_t count) { return our_many_saxpy(s, count, kSmall / 4); }
static double our_graph(sides* s, uint32_t count) {
  vd_ticket ticket = 0;
  const double began = now_us();
  check(vd_graph_submit(s->graph, NULL, &ticket));
  check(vd_ticket_wait(s->ctx, ticket, VD_WAIT_FOREVER));
  return (now_us() - began) / count;
}
static double raw_write(sides* s, uint32_t count) {
  const double began = now_us();
  must(pEnqueueWriteBuffer(s->queue, s->raw_saxpy.buffers[0], CL_TRUE, 0, count, s->host, 0, NULL, NULL),
       "clEnqueueWriteBuffer");
  return now_us() - began;
}
static double raw_read(sides* s, uint32_t count) {
  const double began = now_us();
  must(pEnqueueReadBuffer(s->queue, s->raw_saxpy.buffers[0], CL_TRUE, 0, count, s->host, 0, NULL, NULL),
       "clEnqueueReadBuffer");
  return now_us() - began;
}
static double our_write(sides* s, uint32_t count) {
  const double began = now_us();
  check(vd_buffer_write(s->saxpy_buffers[0], 0, s->host, count, 0));
  our_finish(s);
  return now_us() - began;
}
static double our_read(sides* s, uint32_t count) {
  const double began = now_us();
  check(vd_buffer_read(s->saxpy_buffers[0], 0, count, 0, s->host));
  return now_us() - began;
}

/* The sides have a context each, and a device takes 140 us to change over from one to the other: before the clock runs.
 */
static double measured(const way* way, sides* s, uint32_t count) {
  if (strncmp(way->name, "raw", 3) == 0)
    raw_latency(s, 1);
  else
    our_latency(s, 1);
  return way->measure(s, count);
}

static void run_case(sides* s, const char* name, uint32_t count, uint32_t rounds, const way* ways, int way_count) {
  static double times[kMaxWays][kMaxRounds];
  const double warm = now_us() + 100e3;
  while (now_us() < warm) raw_full(s, 1);
  for (uint32_t r = 0; r < rounds + 1; ++r)
    for (int w = 0; w < way_count; ++w) {
      const double t = measured(&ways[w], s, count);
      if (r != 0) times[w][r - 1] = t; /* the first round warms the caches */
    }
  double best = 0, ours = 0;
  printf("{\"case\": \"%s\", \"device\": \"%s\", \"count\": %u", name, s->name, count);
  for (int w = 0; w < way_count; ++w) {
    qsort(times[w], rounds, sizeof(double), by_value);
    const double median = times[w][rounds / 2];
    printf(", \"%s\": %.3f, \"%s_least\": %.3f", ways[w].name, median, ways[w].name, times[w][0]);
    if (w + 1 == way_count)
      ours = median;
    else if (best == 0 || median < best)
      best = median;
  }
  printf(", \"ratio\": %.3f}\n", ours / best);
  fflush(stdout);
  fprintf(stderr, "%-28s %12.3f %12.3f %8.2f\n", name, best, ours, ours / best);
}

int main(int argc, char** argv) {
  uint32_t device = kBestDevice, rounds = 11;
  int quick = 0;
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "--quick") == 0)
      quick = 1;
    else if (strcmp(argv[i], "--device") == 0 && i + 1 < argc)
      device = (uint32_t)atoi(argv[++i]);
    else if (strcmp(argv[i], "--rounds") == 0 && i + 1 < argc)
      rounds = (uint32_t)atoi(argv[++i]);
    else {
      fprintf(stderr, "launch_opencl [--quick] [--device N] [--rounds N]\n");
      return 2;
    }
  }
  if (rounds < 1 || rounds > kMaxRounds) rounds = 11;
  sides s;
  open_sides(&s, device, quick ? 1u << 20 : 1u << 28);
  fprintf(stderr, "%s\n%-28s %12s %12s %8s\n", s.name, "case (us)", "raw", "ours", "ratio");

  const way burst[] = {
      {"raw_bare", raw_burst_bare}, {"raw_set", raw_burst_set}, {"raw_flush", raw_burst_flush}, {"ours", our_burst}};
  run_case(&s, "burst of 256, host", 256, rounds, burst, 4);
  const way steady[] = {{"raw_bare", raw_steady_bare},
                        {"raw_set", raw_steady_set},
                        {"raw_flush", raw_steady_flush},
                        {"ours", our_steady}};
  run_case(&s, "10,000 until done", quick ? 1000 : 10000, rounds, steady, 4);
  const way latency[] = {{"raw_bare", raw_latency}, {"ours", our_latency}};
  run_case(&s, "launch and wait", 100, rounds, latency, 2);
  const way graphs[] = {{"raw_bare", raw_chain}, {"ours", our_graph}};
  for (uint32_t n = 1; n <= 1000; n *= 10) {
    char name[64];
    snprintf(name, sizeof name, "graph of %u, each", n);
    make_graph(&s, s.tiny, s.tiny_buffers, kTiny, n);
    run_case(&s, name, n, rounds, graphs, 2);
  }
  char name[64];
  make_graph(&s, s.saxpy, s.saxpy_buffers, s.vectors, 20);
  snprintf(name, sizeof name, "saxpy of %u floats", s.vectors * 4);
  const way full[] = {{"raw_bare", raw_full}, {"ours", our_graph}};
  run_case(&s, name, 20, rounds, full, 2);
  const way small[] = {{"raw_bare", raw_small}, {"ours", our_small}};
  snprintf(name, sizeof name, "small saxpy, %d floats", kSmall);
  run_case(&s, name, 256, rounds, small, 2);
  const uint32_t bytes = s.vectors * 16ull < 256u << 20 ? s.vectors * 16 : 256u << 20;
  const way writes[] = {{"raw_blocking", raw_write}, {"ours", our_write}};
  snprintf(name, sizeof name, "%u MiB up", bytes >> 20);
  run_case(&s, name, bytes, rounds, writes, 2);
  const way reads[] = {{"raw_blocking", raw_read}, {"ours", our_read}};
  snprintf(name, sizeof name, "%u MiB down", bytes >> 20);
  run_case(&s, name, bytes, rounds, reads, 2);
  close_sides(&s);
  return 0;
}

/* ---- As a library */

#ifdef LAUNCH_LIBRARY
static sides library_sides;
static double our_saxpy(sides* s, uint32_t count) { return our_many_saxpy(s, count, s->vectors); }
static const way kLibraryWays[] = {
    {"raw burst", raw_burst_bare}, {"raw burst, arguments set", raw_burst_set},
    {"ours burst", our_burst},     {"raw steady", raw_steady_bare},
    {"ours steady", our_steady},   {"raw steady, arguments set", raw_steady_set},
    {"raw latency", raw_latency},  {"ours latency", our_latency},
    {"raw graph", raw_chain},      {"ours graph", our_graph},
    {"raw saxpy", raw_full},       {"ours saxpy", our_saxpy},
    {"raw small", raw_small},      {"ours small", our_small},
};

int launch_open(uint64_t floats) {
  open_sides(&library_sides, kBestDevice, floats);
  return 0;
}
const char* launch_ways(void) {
  static char names[512];
  names[0] = '\0';
  for (size_t i = 0; i < sizeof kLibraryWays / sizeof *kLibraryWays; ++i)
    strcat(strcat(names, i != 0 ? "\n" : ""), kLibraryWays[i].name);
  return names;
}
double launch_measure(const char* name, uint32_t count) {
  for (size_t i = 0; i < sizeof kLibraryWays / sizeof *kLibraryWays; ++i)
    if (strcmp(kLibraryWays[i].name, name) == 0) return measured(&kLibraryWays[i], &library_sides, count);
  return -1;
}
void launch_record(uint32_t count) {
  make_graph(&library_sides, library_sides.tiny, library_sides.tiny_buffers, kTiny, count);
}
#endif
