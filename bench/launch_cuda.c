/* What launches, graphs and transfers cost through libvkdispatch beside CUDA's driver API by hand, in one process and
 * in turns.
 *
 *   launch_cuda [--quick] [--rounds N]
 *
 * A line of JSON a case, then a table on standard error. Times are medians of the rounds, in microseconds; the ratio is
 * ours divided by the best raw way. The rival's kernels are compiled by the NVRTC that VKDISPATCH_NVRTC names, or the
 * loader finds. Half a second of full-size work comes before each case, so that the clock is up. */
#define _POSIX_C_SOURCE 200809L
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

enum {
  kMaxRounds = 101,
  kMaxWays = 4,
  kTiny = 64,
  kSmall = 1024,
  kRebound = 100,
  kInstances = 1000,
  kInstanceNodes = 10
};

static const char kSource[] =
    "extern \"C\" __global__ void __launch_bounds__(64) tiny(float* y, const float* x, float a, float b, unsigned n) "
    "{\n"
    "  unsigned i = blockIdx.x * 64u + threadIdx.x;\n  if (i < n) y[i] = y[i] * a + x[i] * b;\n}\n"
    "struct __align__(16) four { float x, y, z, w; };\n"
    "extern \"C\" __global__ void __launch_bounds__(256) saxpy(four* y, const four* x, float a, float b, unsigned n) "
    "{\n"
    "  unsigned i = blockIdx.x * 256u + threadIdx.x;\n  if (i >= n) return;\n  four u = y[i], v = x[i];\n"
    "  u.x = u.x * a + v.x * b; u.y = u.y * a + v.y * b; u.z = u.z * a + v.z * b; u.w = u.w * a + v.w * b;\n"
    "  y[i] = u;\n}\n";
static const char kTinyText[] =
    "kernel \"tiny\"\nargument 0 buffer f32 \"y\"\nargument 1 buffer f32 \"x\"\n"
    "argument 2 constant f32 \"a\"\nargument 3 constant f32 \"b\"\n{\n"
    "  %0: u32 = index global_id, u32 0\n"
    "  %1: storage f32 = index @0, %0\n  %2: f32 = load %1\n  %3: f32 = load @2\n  %4: f32 = mul %2, %3\n"
    "  %5: storage f32 = index @1, %0\n  %6: f32 = load %5\n  %7: f32 = load @3\n  %8: f32 = mul %6, %7\n"
    "  %9: f32 = add %4, %8\n  store %1, %9\n}\n";
static const char kSaxpyText[] =
    "kernel \"saxpy\"\nargument 0 buffer f32x4 \"y\"\nargument 1 buffer f32x4 \"x\"\n"
    "argument 2 constant f32 \"a\"\nargument 3 constant f32 \"b\"\n{\n"
    "  %0: u32 = index global_id, u32 0\n"
    "  %1: storage f32x4 = index @0, %0\n  %2: f32x4 = load %1\n  %3: f32 = load @2\n  %4: f32x4 = construct %3\n"
    "  %5: f32x4 = mul %2, %4\n  %6: storage f32x4 = index @1, %0\n  %7: f32x4 = load %6\n  %8: f32 = load @3\n"
    "  %9: f32x4 = construct %8\n  %10: f32x4 = mul %7, %9\n  %11: f32x4 = add %5, %10\n  store %1, %11\n}\n";
static const float kValues[2] = {0.5f, 0.25f};

/* ---- The driver, by hand */

typedef unsigned long long address;
typedef struct {
  void* function;
  unsigned grid[3], block[3], shared;
  void **parameters, **extra, *kern, *context;
} kernel_node;

static struct {
  int (*cuInit)(unsigned);
  int (*cuDeviceGet)(int*, int);
  int (*cuDevicePrimaryCtxRetain)(void**, int);
  int (*cuCtxSetCurrent)(void*);
  int (*cuStreamCreate)(void**, unsigned);
  int (*cuStreamSynchronize)(void*);
  int (*cuMemAlloc_v2)(address*, size_t);
  int (*cuMemFree_v2)(address);
  int (*cuMemHostAlloc)(void**, size_t, unsigned);
  int (*cuMemcpyHtoD_v2)(address, const void*, size_t);
  int (*cuMemcpyDtoH_v2)(void*, address, size_t);
  int (*cuMemcpyAsync)(address, address, size_t, void*);
  int (*cuMemsetD32Async)(address, unsigned, size_t, void*);
  int (*cuModuleLoadDataEx)(void**, const void*, unsigned, int*, void**);
  int (*cuModuleGetFunction)(void**, void*, const char*);
  int (*cuLaunchKernel)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**,
                        void**);
  int (*cuStreamWriteValue64_v2)(void*, address, uint64_t, unsigned);
  int (*cuGraphCreate)(void**, unsigned);
  int (*cuGraphAddKernelNode_v2)(void**, void*, void* const*, size_t, const kernel_node*);
  int (*cuGraphInstantiateWithFlags)(void**, void*, unsigned long long);
  int (*cuGraphExecKernelNodeSetParams_v2)(void*, void*, const kernel_node*);
  int (*cuGraphLaunch)(void*, void*);
  int (*cuGraphExecDestroy)(void*);
  int (*cuGraphDestroy)(void*);
} cu;

#define CU(call) check_cuda((call), #call)
static void check_cuda(int result, const char* call) {
  if (result == 0) return;
  fprintf(stderr, "launch_cuda: %s gave %d\n", call, result);
  exit(1);
}
static void* open_library(const char* const* names) {
  for (; *names != NULL; ++names) {
    void* library = dlopen(*names, RTLD_NOW);
    if (library != NULL) return library;
  }
  return NULL;
}
static void* symbol(void* library, const char* name) {
  void* found = dlsym(library, name);
  if (found != NULL) return found;
  fprintf(stderr, "launch_cuda: there is no %s\n", name);
  exit(1);
}

typedef struct {
  void *stream, *tiny, *saxpy;
  address tiny_buffers[2], saxpy_buffers[2], large;
  uint64_t* word; /* written behind work, for who spins */
  uint64_t value;
  vd_context* ctx;
  vd_plan *our_tiny, *our_saxpy;
  vd_buffer *our_tiny_buffers[8], *our_saxpy_buffers[2], *our_large;
  uint32_t vectors; /* of four floats, in a full-size buffer */
  void* host;
  uint64_t host_size;
  char name[256];
} sides;

typedef struct {
  void *graph, *exec, *node; /* the node in the middle */
  uint32_t turn;
  vd_graph* ours;
} state;

static int load_driver(void) {
  const char* names[] = {"libcuda.so.1", NULL};
  void* library = open_library(names);
  if (library == NULL) return 0;
#define LOAD(name) *(void**)&cu.name = symbol(library, #name)
  LOAD(cuInit);
  LOAD(cuDeviceGet);
  LOAD(cuDevicePrimaryCtxRetain);
  LOAD(cuCtxSetCurrent);
  LOAD(cuStreamCreate);
  LOAD(cuStreamSynchronize);
  LOAD(cuMemAlloc_v2);
  LOAD(cuMemFree_v2);
  LOAD(cuMemHostAlloc);
  LOAD(cuMemcpyHtoD_v2);
  LOAD(cuMemcpyDtoH_v2);
  LOAD(cuMemcpyAsync);
  LOAD(cuMemsetD32Async);
  LOAD(cuModuleLoadDataEx);
  LOAD(cuModuleGetFunction);
  LOAD(cuLaunchKernel);
  LOAD(cuStreamWriteValue64_v2);
  LOAD(cuGraphCreate);
  LOAD(cuGraphAddKernelNode_v2);
  LOAD(cuGraphInstantiateWithFlags);
  LOAD(cuGraphExecKernelNodeSetParams_v2);
  LOAD(cuGraphLaunch);
  LOAD(cuGraphExecDestroy);
  LOAD(cuGraphDestroy);
#undef LOAD
  return 1;
}

static void* compile(uint32_t major, uint32_t minor) {
  const char* wish = getenv("VKDISPATCH_NVRTC");
  const char* names[] = {wish != NULL ? wish : "libnvrtc.so.13", "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so",
                         NULL};
  void* library = open_library(names);
  if (library == NULL) {
    fprintf(stderr, "launch_cuda: no NVRTC; VKDISPATCH_NVRTC may name the file\n");
    exit(1);
  }
  int (*create)(void**, const char*, const char*, int, const char* const*, const char* const*);
  int (*run)(void*, int, const char* const*);
  int (*size_of)(void*, size_t*);
  int (*get)(void*, char*);
  *(void**)&create = symbol(library, "nvrtcCreateProgram");
  *(void**)&run = symbol(library, "nvrtcCompileProgram");
  *(void**)&size_of = symbol(library, "nvrtcGetCUBINSize");
  *(void**)&get = symbol(library, "nvrtcGetCUBIN");
  char architecture[64];
  snprintf(architecture, sizeof architecture, "--gpu-architecture=sm_%u%u", major, minor);
  const char* options[] = {architecture, "--std=c++17"};
  void* program = NULL;
  size_t size = 0;
  CU(create(&program, kSource, "rival.cu", 0, NULL, NULL));
  CU(run(program, 2, options));
  CU(size_of(program, &size));
  char* code = malloc(size);
  CU(get(program, code));
  return code;
}

static void raw_launch(sides* s, void* function, const address* buffers, uint32_t count, uint32_t local) {
  float a = kValues[0], b = kValues[1];
  void* parameters[] = {(void*)&buffers[0], (void*)&buffers[1], &a, &b, &count};
  CU(cu.cuLaunchKernel(function, (count + local - 1) / local, 1, 1, local, 1, 1, 0, s->stream, parameters, NULL));
}
static void raw_finish(sides* s) { CU(cu.cuStreamSynchronize(s->stream)); }
static void raw_spin(sides* s) {
  const uint64_t value = ++s->value;
  CU(cu.cuStreamWriteValue64_v2(s->stream, (address)(uintptr_t)s->word, value, 0));
  while (__atomic_load_n(s->word, __ATOMIC_ACQUIRE) != value) {
  }
}

/* `chains` chains of `length` kernels each. */
static void raw_graph(sides* s, state* st, void* function, const address* buffers, uint32_t count, uint32_t local,
                      uint32_t chains, uint32_t length) {
  float a = kValues[0], b = kValues[1];
  CU(cu.cuGraphCreate(&st->graph, 0));
  for (uint32_t c = 0; c < chains; ++c) {
    void* last = NULL;
    /* Chains of tiny kernels: each has its part of the buffer. */
    address y = buffers[0] + (uint64_t)c * kTiny * 4, x = buffers[1];
    for (uint32_t i = 0; i < length; ++i) {
      void* parameters[] = {&y, &x, &a, &b, &count};
      const kernel_node node = {function, {(count + local - 1) / local, 1, 1}, {local, 1, 1}, 0, parameters, 0, 0, 0};
      void* made = NULL;
      CU(cu.cuGraphAddKernelNode_v2(&made, st->graph, &last, last != NULL, &node));
      last = made;
      if (i == length / 2) st->node = made;
    }
  }
  CU(cu.cuGraphInstantiateWithFlags(&st->exec, st->graph, 0));
  CU(cu.cuGraphLaunch(st->exec, s->stream));
  raw_finish(s);
}

/* ---- Ours */

static vd_plan* make_plan(vd_context* ctx, const char* text, uint32_t local) {
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
static vd_buffer* make_buffer(vd_context* ctx, uint64_t size, float value) {
  vd_buffer_desc desc = VD_BUFFER_DESC_INIT;
  vd_buffer* buffer = NULL;
  uint32_t pattern;
  memcpy(&pattern, &value, 4);
  desc.size = size;
  check(vd_buffer_create(ctx, &desc, &buffer));
  check(vd_buffer_fill(buffer, 0, size, pattern, 0, NULL, NULL));
  return buffer;
}
static void our_launch_of(vd_plan* plan, vd_buffer** buffers, uint32_t threads) {
  const vd_status status = vd_plan_try_launch(plan, NULL, 0, threads, 1, 1, buffers, 2, kValues, sizeof kValues);
  if (status != VD_ERR_WOULD_BLOCK) {
    check(status);
    return;
  }
  vd_binding bindings[2] = {VD_BINDING_OF(buffers[0], 0, VD_WHOLE_SIZE), VD_BINDING_OF(buffers[1], 0, VD_WHOLE_SIZE)};
  vd_launch_desc desc = VD_LAUNCH_DESC_INIT;
  desc.invocations[0] = threads;
  desc.bindings = bindings;
  desc.binding_count = 2;
  desc.values = kValues;
  desc.values_size = sizeof kValues;
  check(vd_plan_launch(plan, &desc, NULL));
}
static void our_launch(sides* s) { our_launch_of(s->our_tiny, s->our_tiny_buffers, kTiny); }
static void our_finish(sides* s) { check(vd_context_wait_idle(s->ctx, 0, VD_WAIT_FOREVER)); }
static void our_graph(sides* s, state* st, vd_plan* plan, vd_buffer** buffers, uint32_t threads, uint32_t chains,
                      uint32_t length) {
  check(vd_graph_create(s->ctx, NULL, &st->ours));
  for (uint32_t i = 0; i < length; ++i)
    for (uint32_t c = 0; c < chains; ++c)
      check(vd_plan_try_launch(plan, st->ours, 0, threads, 1, 1, buffers + 2 * c, 2, kValues, sizeof kValues));
  for (int i = 0; i < 2; ++i) check(vd_graph_submit(st->ours, NULL, NULL)); /* compiles it */
  our_finish(s);
}
static void close_graphs(state* st) {
  CU(cu.cuGraphExecDestroy(st->exec));
  CU(cu.cuGraphDestroy(st->graph));
  vd_graph_release(st->ours);
  memset(st, 0, sizeof *st);
}

/* ---- Both */

static void raw_buffers(sides* s, uint64_t size, address* out, const float* values) {
  for (int i = 0; i < 2; ++i) {
    uint32_t pattern;
    memcpy(&pattern, &values[i], 4);
    CU(cu.cuMemAlloc_v2(&out[i], size));
    CU(cu.cuMemsetD32Async(out[i], pattern, size / 4, s->stream));
  }
}

static void open_sides(sides* s, uint64_t floats, uint64_t host_size) {
  vd_context_desc desc = VD_CONTEXT_DESC_INIT;
  vd_device_info info = VD_DEVICE_INFO_INIT;
  desc.backend = VD_BACKEND_CUDA;
  desc.device_count = 1;
  check(vd_context_create(&desc, &s->ctx));
  check(vd_context_get_device(s->ctx, 0, &info));
  memcpy(s->name, info.name, sizeof s->name);
  int device = 0;
  void *context = NULL, *module = NULL;
  CU(cu.cuInit(0));
  CU(cu.cuDeviceGet(&device, 0));
  CU(cu.cuDevicePrimaryCtxRetain(&context, device)); /* the one that ours uses too */
  CU(cu.cuCtxSetCurrent(context));
  CU(cu.cuStreamCreate(&s->stream, 1));
  CU(cu.cuMemHostAlloc((void**)&s->word, 8, 3));
  *s->word = 0;
  CU(cu.cuModuleLoadDataEx(&module, compile(info.api_version[1], info.api_version[2]), 0, NULL, NULL));
  CU(cu.cuModuleGetFunction(&s->tiny, module, "tiny"));
  CU(cu.cuModuleGetFunction(&s->saxpy, module, "saxpy"));
  const float first[2] = {1.0f, 3.0f};
  s->vectors = (uint32_t)(floats / 4);
  raw_buffers(s, kTiny * 16, s->tiny_buffers, first);
  raw_buffers(s, floats * 4, s->saxpy_buffers, first);
  CU(cu.cuMemAlloc_v2(&s->large, host_size));
  s->host_size = host_size;
  s->host = malloc(host_size);
  memset(s->host, 1, host_size);
  s->our_tiny = make_plan(s->ctx, kTinyText, 64);
  s->our_saxpy = make_plan(s->ctx, kSaxpyText, 256);
  for (int i = 0; i < 8; ++i) s->our_tiny_buffers[i] = make_buffer(s->ctx, kTiny * 4, first[i % 2]);
  for (int i = 0; i < 2; ++i) s->our_saxpy_buffers[i] = make_buffer(s->ctx, floats * 4, first[i]);
  s->our_large = make_buffer(s->ctx, host_size, 0);
}

/* One launch of each kernel on each side gives the same. */
static void compare(sides* s) {
  float ours = 0, theirs = 0;
  raw_launch(s, s->saxpy, s->saxpy_buffers, s->vectors, 256);
  raw_finish(s);
  our_launch_of(s->our_saxpy, s->our_saxpy_buffers, s->vectors);
  const uint64_t last = (uint64_t)s->vectors * 16 - 4;
  CU(cu.cuMemcpyDtoH_v2(&theirs, s->saxpy_buffers[0] + last, 4));
  check(vd_buffer_read(s->our_saxpy_buffers[0], last, 4, 0, &ours));
  if (ours == theirs && ours == 1.25f) return;
  fprintf(stderr, "launch_cuda: ours gives %f, the rival %f, and 1.25 is right\n", (double)ours, (double)theirs);
  exit(1);
}

/* ---- Cases: microseconds for each call or kernel */

typedef double (*measure_fn)(sides* s, state* st, uint32_t count);
typedef struct {
  const char* name; /* the last of a case is ours */
  measure_fn measure;
} way;

#define TIMED(name, work, after)                            \
  static double name(sides* s, state* st, uint32_t count) { \
    (void)st;                                               \
    const double began = now_us();                          \
    work;                                                   \
    const double took = now_us() - began;                   \
    after;                                                  \
    return took / count;                                    \
  }
#define TIMES(work) \
  for (uint32_t i = 0; i < count; ++i) work
#define RAW_TINY raw_launch(s, s->tiny, s->tiny_buffers, kTiny, 64)

TIMED(raw_burst, TIMES(RAW_TINY), raw_finish(s))
TIMED(our_burst, TIMES(our_launch(s)), our_finish(s))
TIMED(
    raw_steady, {
      TIMES(RAW_TINY);
      raw_finish(s);
    }, )
TIMED(
    our_steady, {
      TIMES(our_launch(s));
      our_finish(s);
    }, )
TIMED(raw_latency, TIMES({
        RAW_TINY;
        raw_finish(s);
      }), )
TIMED(raw_latency_word, TIMES({
        RAW_TINY;
        raw_spin(s);
      }), )
TIMED(our_latency, TIMES({
        our_launch(s);
        our_finish(s);
      }), )
TIMED(
    raw_small_saxpy, {
      TIMES(raw_launch(s, s->saxpy, s->saxpy_buffers, kSmall / 4, 256));
      raw_finish(s);
    }, )
TIMED(
    our_small_saxpy, {
      TIMES(our_launch_of(s->our_saxpy, s->our_saxpy_buffers, kSmall / 4));
      our_finish(s);
    }, )
TIMED(
    raw_copy, {
      const address* buffers = s->saxpy_buffers;
      TIMES(CU(cu.cuMemcpyAsync(buffers[0], buffers[1], s->vectors * 16ull, s->stream)));
      raw_finish(s);
    }, )
TIMED(
    our_copy, {
      vd_buffer** buffers = s->our_saxpy_buffers;
      TIMES(check(vd_buffer_copy(buffers[1], 0, buffers[0], 0, s->vectors * 16ull, 0, NULL, NULL)));
      our_finish(s);
    }, )
TIMED(
    raw_graph_wait, {
      CU(cu.cuGraphLaunch(st->exec, s->stream));
      raw_finish(s);
    }, )
TIMED(
    raw_graph_word, {
      CU(cu.cuGraphLaunch(st->exec, s->stream));
      raw_spin(s);
    }, )
TIMED(
    our_graph_wait, {
      vd_ticket ticket = 0;
      check(vd_graph_submit(st->ours, NULL, &ticket));
      check(vd_ticket_wait(s->ctx, ticket, VD_WAIT_FOREVER));
    }, )
/* The node in the middle reads another buffer each time. */
static void raw_rebind(sides* s, state* st) {
  float a = kValues[0], b = kValues[1];
  uint32_t count = kTiny;
  address x = ++st->turn % 2 ? s->saxpy_buffers[1] : s->tiny_buffers[1];
  void* parameters[] = {&s->tiny_buffers[0], &x, &a, &b, &count};
  const kernel_node node = {s->tiny, {1, 1, 1}, {64, 1, 1}, 0, parameters, 0, 0, 0};
  CU(cu.cuGraphExecKernelNodeSetParams_v2(st->exec, st->node, &node));
}
TIMED(
    raw_rebind_wait, {
      raw_rebind(s, st);
      CU(cu.cuGraphLaunch(st->exec, s->stream));
      raw_finish(s);
    }, )
TIMED(
    raw_rebind_word, {
      raw_rebind(s, st);
      CU(cu.cuGraphLaunch(st->exec, s->stream));
      raw_spin(s);
    }, )
TIMED(
    our_rebind_wait, {
      vd_buffer* x = ++st->turn % 2 ? s->our_saxpy_buffers[1] : s->our_tiny_buffers[1];
      const vd_binding binding = VD_BINDING_OF(x, 0, VD_WHOLE_SIZE);
      check(vd_graph_set_bindings(st->ours, kRebound / 2, 1, &binding, 1));
      vd_ticket ticket = 0;
      check(vd_graph_submit(st->ours, NULL, &ticket));
      check(vd_ticket_wait(s->ctx, ticket, VD_WAIT_FOREVER));
    }, )
/* Each of `count` kernels has values of its own. */
static void our_instances(state* st, vd_ticket* ticket) {
  static float values[kInstanceNodes][kInstances][2];
  vd_instance_values each[kInstanceNodes];
  for (uint32_t n = 0; n < kInstanceNodes; ++n) {
    for (uint32_t i = 0; i < kInstances; ++i) {
      values[n][i][0] = kValues[0] + (float)(st->turn++ % 64) / 65536.0f;
      values[n][i][1] = kValues[1];
    }
    each[n] = (vd_instance_values){n, 0, sizeof values[n][0], 0, values[n], sizeof values[n]};
  }
  vd_submit_desc desc = VD_SUBMIT_DESC_INIT;
  desc.repeat = kInstances;
  desc.instance_values = each;
  desc.instance_value_count = kInstanceNodes;
  check(vd_graph_submit(st->ours, &desc, ticket));
}
TIMED(
    our_instances_wait, {
      vd_ticket ticket = 0;
      our_instances(st, &ticket);
      check(vd_ticket_wait(s->ctx, ticket, VD_WAIT_FOREVER));
    }, )
TIMED(
    raw_up, {
      CU(cu.cuMemcpyHtoD_v2(s->large, s->host, s->host_size));
      raw_finish(s);
    }, )
TIMED(
    our_up, {
      check(vd_buffer_write(s->our_large, 0, s->host, s->host_size, 0));
      our_finish(s);
    }, )
TIMED(raw_down, CU(cu.cuMemcpyDtoH_v2(s->host, s->large, s->host_size)), )
TIMED(our_down, check(vd_buffer_read(s->our_large, 0, s->host_size, 0, s->host)), )

static double run_case(sides* s, const char* name, uint32_t count, uint32_t rounds, double warm, state* st,
                       const way* ways, int way_count) {
  static double times[kMaxWays][kMaxRounds];
  for (const double end = now_us() + warm * 1e6; now_us() < end; raw_finish(s))
    raw_launch(s, s->saxpy, s->saxpy_buffers, s->vectors, 256);
  for (uint32_t r = 0; r < rounds + 1; ++r)
    for (int w = 0; w < way_count; ++w) {
      const double t = ways[w].measure(s, st, count);
      if (r != 0) times[w][r - 1] = t; /* the first round warms the caches */
    }
  double best = 0, ours = 0;
  printf("{\"case\": \"cuda %s\", \"device\": \"%s\", \"count\": %u", name, s->name, count);
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
  fprintf(stderr, "%-32s %12.3f %12.3f %8.2f\n", name, best, ours, ours / best);
  return ours / best;
}

int main(int argc, char** argv) {
  uint32_t rounds = 11;
  int quick = 0;
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "--quick") == 0)
      quick = 1;
    else if (strcmp(argv[i], "--rounds") == 0 && i + 1 < argc)
      rounds = (uint32_t)atoi(argv[++i]);
    else {
      fprintf(stderr, "launch_cuda [--quick] [--rounds N]\n");
      return 2;
    }
  }
  if (rounds < 1 || rounds > kMaxRounds) rounds = 11;
  const double warm = quick ? 0.02 : 0.5;
  vd_backend_info info = VD_BACKEND_INFO_INIT;
  check(vd_backend_get_info(VD_BACKEND_CUDA, &info));
  if (!info.available || !load_driver()) {
    fprintf(stderr, "launch_cuda: there is no CUDA device: %s\n", info.reason);
    return 0;
  }
  static sides s;
  state st = {0};
  open_sides(&s, quick ? 1u << 16 : 1u << 28, quick ? 1u << 22 : 1u << 28);
  compare(&s);
  fprintf(stderr, "%s\n%-32s %12s %12s %8s\n", s.name, "case (us)", "raw", "ours", "ratio");

  const way burst[] = {{"raw", raw_burst}, {"ours", our_burst}};
  run_case(&s, "burst of 256, host", 256, rounds, warm, &st, burst, 2);
  const way steady[] = {{"raw", raw_steady}, {"ours", our_steady}};
  run_case(&s, "10,000 until done", quick ? 1000 : 10000, rounds, warm, &st, steady, 2);
  const way latency[] = {{"raw", raw_latency}, {"raw_word", raw_latency_word}, {"ours", our_latency}};
  run_case(&s, "launch and wait", 100, rounds, warm, &st, latency, 3);

  const way graphs[] = {{"raw", raw_graph_wait}, {"raw_word", raw_graph_word}, {"ours", our_graph_wait}};
  char name[64];
  for (uint32_t n = 1; n <= 1000; n *= 10) {
    snprintf(name, sizeof name, "graph of %u, each", n);
    raw_graph(&s, &st, s.tiny, s.tiny_buffers, kTiny, 64, 1, n);
    our_graph(&s, &st, s.our_tiny, s.our_tiny_buffers, kTiny, 1, n);
    run_case(&s, name, n, rounds, warm, &st, graphs, 3);
    close_graphs(&st);
  }
  raw_graph(&s, &st, s.tiny, s.tiny_buffers, kTiny, 64, 4, 100);
  our_graph(&s, &st, s.our_tiny, s.our_tiny_buffers, kTiny, 4, 100);
  run_case(&s, "graph of 4 chains of 100, each", 400, rounds, warm, &st, graphs, 3);
  close_graphs(&st);

  const way rebound[] = {{"raw", raw_rebind_wait}, {"raw_word", raw_rebind_word}, {"ours", our_rebind_wait}};
  raw_graph(&s, &st, s.tiny, s.tiny_buffers, kTiny, 64, 1, kRebound);
  our_graph(&s, &st, s.our_tiny, s.our_tiny_buffers, kTiny, 1, kRebound);
  run_case(&s, "graph of 100, one rebound, each", kRebound, rounds, warm, &st, rebound, 3);
  close_graphs(&st);
  const way instances[] = {{"raw", raw_graph_wait}, {"raw_word", raw_graph_word}, {"ours", our_instances_wait}};
  raw_graph(&s, &st, s.tiny, s.tiny_buffers, kTiny, 64, 1, kInstances * kInstanceNodes);
  our_graph(&s, &st, s.our_tiny, s.our_tiny_buffers, kTiny, 1, kInstanceNodes);
  run_case(&s, "1000 instances of 10, each", kInstances * kInstanceNodes, rounds, warm, &st, instances, 3);
  close_graphs(&st);

  snprintf(name, sizeof name, "saxpy of %u floats", s.vectors * 4);
  raw_graph(&s, &st, s.saxpy, s.saxpy_buffers, s.vectors, 256, 1, 20);
  our_graph(&s, &st, s.our_saxpy, s.our_saxpy_buffers, s.vectors, 1, 20);
  run_case(&s, name, 20, rounds, warm, &st, graphs, 3);
  close_graphs(&st);
  /* What saxpy is beside a copy, which moves two thirds of its bytes; and one that is all launch. */
  const way copy[] = {{"raw", raw_copy}, {"ours", our_copy}};
  snprintf(name, sizeof name, "copy of %u floats", s.vectors * 4);
  run_case(&s, name, 20, rounds, warm, &st, copy, 2);
  const way small[] = {{"raw", raw_small_saxpy}, {"ours", our_small_saxpy}};
  snprintf(name, sizeof name, "small saxpy, %d floats", kSmall);
  run_case(&s, name, 256, rounds, warm, &st, small, 2);

  const way up[] = {{"raw", raw_up}, {"ours", our_up}}, down[] = {{"raw", raw_down}, {"ours", our_down}};
  snprintf(name, sizeof name, "%u MiB up, pageable", (unsigned)(s.host_size >> 20));
  run_case(&s, name, 1, rounds, warm, &st, up, 2);
  snprintf(name, sizeof name, "%u MiB down, pageable", (unsigned)(s.host_size >> 20));
  run_case(&s, name, 1, rounds, warm, &st, down, 2);

  for (int i = 0; i < 8; ++i) vd_buffer_release(s.our_tiny_buffers[i]);
  for (int i = 0; i < 2; ++i) vd_buffer_release(s.our_saxpy_buffers[i]);
  vd_buffer_release(s.our_large);
  vd_plan_release(s.our_tiny);
  vd_plan_release(s.our_saxpy);
  vd_context_release(s.ctx);
  return 0;
}

/* ---- As a library */

#ifdef LAUNCH_LIBRARY
static sides library_sides;
static state library_state;
TIMED(
    raw_saxpy, {
      TIMES(raw_launch(s, s->saxpy, s->saxpy_buffers, s->vectors, 256));
      raw_finish(s);
    }, )
TIMED(
    our_saxpy, {
      TIMES(our_launch_of(s->our_saxpy, s->our_saxpy_buffers, s->vectors));
      our_finish(s);
    }, )
static const way kLibraryWays[] = {
    {"raw burst", raw_burst},       {"ours burst", our_burst},       {"raw steady", raw_steady},
    {"ours steady", our_steady},    {"raw latency", raw_latency},    {"raw latency by a word", raw_latency_word},
    {"ours latency", our_latency},  {"raw graph", raw_graph_wait},   {"raw graph by a word", raw_graph_word},
    {"ours graph", our_graph_wait}, {"raw saxpy", raw_saxpy},        {"ours saxpy", our_saxpy},
    {"raw small", raw_small_saxpy}, {"ours small", our_small_saxpy},
};

int launch_open(uint64_t floats) {
  if (!load_driver()) return 1;
  open_sides(&library_sides, floats, 1u << 22);
  compare(&library_sides);
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
    if (strcmp(kLibraryWays[i].name, name) == 0) return kLibraryWays[i].measure(&library_sides, &library_state, count);
  return -1;
}
void launch_record(uint32_t count) {
  if (library_state.ours != NULL) close_graphs(&library_state);
  raw_graph(&library_sides, &library_state, library_sides.tiny, library_sides.tiny_buffers, kTiny, 64, 1, count);
  our_graph(&library_sides, &library_state, library_sides.our_tiny, library_sides.our_tiny_buffers, kTiny, 1, count);
}
#endif
