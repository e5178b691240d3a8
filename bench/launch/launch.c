/* What launches cost through libvkdispatch beside Vulkan by hand, in one process and in turns.
 *
 *   launch [--quick] [--device N] [--rounds N] [--only WAY]
 *
 * `--only raw_batched` measures that way alone, `--only ours` ours, and gives no ratio.
 *
 * A line of JSON a case, then a table on standard error. Times are medians of the rounds, in microseconds; the ratio is
 * ours divided by the best raw way. A GPU that was idle runs at a fifth of its clock, so half a second of full-size
 * work comes before each case. The two sides are two devices for the driver, and the GPU takes 150 us to turn from
 * one's work to the other's, so a lap that is not timed comes before each measurement. On some machines the GPU takes
 * up work 30 us late if it comes right after the end of the last; a blocking wait ends later than that and a spinning
 * one does not, so a pause follows the lap, the same for all. */
#define _POSIX_C_SOURCE 200809L
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../measure.h"
#include "raw_vulkan.h"
#include "vkdispatch.h"

#include "saxpy.comp.h"
#include "tiny.comp.h"

enum {
  kMaxRounds = 101,
  kMaxWays = 4,
  kTiny = 64,
  kBatch = 128,
  kInstances = 1000,
  kInstanceNodes = 10,
  kChains = 4,
  kChainLength = 100
};

static const char kTinyText[] =
    "kernel \"tiny\"\n"
    "argument 0 buffer f32 \"y\"\nargument 1 buffer f32 \"x\"\n"
    "argument 2 constant f32 \"a\"\nargument 3 constant f32 \"b\"\n"
    "{\n"
    "  %0: u32 = index global_id, u32 0\n"
    "  %1: storage f32 = index @0, %0\n  %2: f32 = load %1\n  %3: f32 = load @2\n  %4: f32 = mul %2, %3\n"
    "  %5: storage f32 = index @1, %0\n  %6: f32 = load %5\n  %7: f32 = load @3\n  %8: f32 = mul %6, %7\n"
    "  %9: f32 = add %4, %8\n  store %1, %9\n"
    "}\n";
static const char kSaxpyText[] =
    "kernel \"saxpy\"\n"
    "argument 0 buffer f32x4 \"y\"\nargument 1 buffer f32x4 \"x\"\n"
    "argument 2 constant f32 \"a\"\nargument 3 constant f32 \"b\"\n"
    "{\n"
    "  %0: u32 = index global_id, u32 0\n"
    "  %1: storage f32x4 = index @0, %0\n  %2: f32x4 = load %1\n  %3: f32 = load @2\n  %4: f32x4 = construct %3\n"
    "  %5: f32x4 = mul %2, %4\n"
    "  %6: storage f32x4 = index @1, %0\n  %7: f32x4 = load %6\n  %8: f32 = load @3\n  %9: f32x4 = construct %8\n"
    "  %10: f32x4 = mul %7, %9\n"
    "  %11: f32x4 = add %5, %10\n  store %1, %11\n"
    "}\n";

/* ---- The two sides: each holds a tiny and a full-size kernel */

typedef struct sides {
  raw_device* device;
  raw_kernel *raw_tiny, *raw_saxpy;
  vd_context* ctx;
  vd_plan *tiny, *saxpy;
  vd_buffer *tiny_buffers[2], *saxpy_buffers[2];
  uint32_t vectors; /* of four floats, in a full-size buffer */
} sides;

static const raw_values kTinyValues = {0.5f, 0.25f, kTiny};
static const float kOurValues[2] = {0.5f, 0.25f};

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

static void make_buffers(vd_context* ctx, uint64_t size, vd_buffer** out) {
  vd_buffer_desc desc = VD_BUFFER_DESC_INIT;
  desc.size = size;
  for (int i = 0; i < 2; ++i) {
    check(vd_buffer_create(ctx, &desc, &out[i]));
    check(vd_buffer_fill(out[i], 0, 0, size, 0, NULL, NULL));
  }
}

static void open_sides(sides* s, uint32_t device, uint64_t floats) {
  memset(s, 0, sizeof *s);
  s->device = raw_open(device);
  vd_context_desc desc = VD_CONTEXT_DESC_INIT;
  desc.backend = VD_BACKEND_VULKAN;
  desc.flags = VD_CONTEXT_USE_CPU;
  desc.device_count = 1;
  desc.devices = &device;
  check(vd_context_create(&desc, &s->ctx));
  vd_device_info info = VD_DEVICE_INFO_INIT;
  check(vd_context_get_device(s->ctx, 0, &info));
  if (strcmp(info.name, raw_name(s->device)) != 0) {
    fprintf(stderr, "device %u is \"%s\" for us and \"%s\" for raw Vulkan\n", device, info.name, raw_name(s->device));
    exit(1);
  }
  while (floats * 4 > info.max_storage_buffer_range) floats /= 2;
  s->vectors = (uint32_t)(floats / 4);
  s->raw_tiny = raw_kernel_create(s->device, tiny_comp, sizeof tiny_comp, kTiny * 4);
  s->raw_saxpy = raw_kernel_create(s->device, saxpy_comp, sizeof saxpy_comp, (uint64_t)s->vectors * 16);
  s->tiny = make_plan(s->ctx, kTinyText, 64);
  s->saxpy = make_plan(s->ctx, kSaxpyText, 256);
  make_buffers(s->ctx, kTiny * 4, s->tiny_buffers);
  make_buffers(s->ctx, (uint64_t)s->vectors * 16, s->saxpy_buffers);
  check(vd_context_wait_idle(s->ctx, VD_QUEUE_ALL, VD_WAIT_FOREVER));
}

static void close_sides(sides* s) {
  for (int i = 0; i < 2; ++i) {
    vd_buffer_release(s->tiny_buffers[i]);
    vd_buffer_release(s->saxpy_buffers[i]);
  }
  vd_plan_release(s->tiny);
  vd_plan_release(s->saxpy);
  vd_context_release(s->ctx);
  raw_kernel_destroy(s->raw_tiny);
  raw_kernel_destroy(s->raw_saxpy);
  raw_close(s->device);
}

static void our_launch(sides* s) {
  const vd_status status =
      vd_plan_try_launch(s->tiny, NULL, 0, kTiny, 1, 1, s->tiny_buffers, 2, kOurValues, sizeof kOurValues);
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
  desc.values = kOurValues;
  desc.values_size = sizeof kOurValues;
  check(vd_plan_launch(s->tiny, &desc, NULL));
}

static void our_finish(sides* s) { check(vd_context_wait_idle(s->ctx, 0, VD_WAIT_FOREVER)); }

/* Chains of `length` dispatches, each with two buffers of its own. */
static vd_graph* our_chains(sides* s, vd_plan* plan, vd_buffer** buffers, uint32_t threads, uint32_t chains,
                            uint32_t length) {
  vd_graph* graph = NULL;
  check(vd_graph_create(s->ctx, NULL, &graph));
  for (uint32_t i = 0; i < length; ++i)
    for (uint32_t c = 0; c < chains; ++c)
      check(vd_plan_try_launch(plan, graph, 0, threads, 1, 1, buffers + 2 * c, 2, kOurValues, sizeof kOurValues));
  check(vd_graph_submit(graph, NULL, NULL)); /* compiles it */
  our_finish(s);
  return graph;
}
static vd_graph* our_graph(sides* s, vd_plan* plan, vd_buffer** buffers, uint32_t threads, uint32_t dispatches) {
  return our_chains(s, plan, buffers, threads, 1, dispatches);
}

/* ---- Cases */

/* One measurement: microseconds for each call or kernel. */
typedef double (*measure_fn)(sides* s, void* state, uint32_t count);

typedef struct way {
  const char* name; /* the last of a case is ours */
  measure_fn measure;
} way;

typedef struct state {
  raw_graph *raw, *raw_with_word; /* the second writes the word at its end */
  vd_graph* ours;
} state;

static void warm_up(sides* s, double seconds) {
  const raw_values values = {0.5f, 0.25f, s->vectors};
  const double end = now_us() + seconds * 1e6;
  while (now_us() < end) {
    raw_launch(s->raw_saxpy, values, (s->vectors + 255) / 256, RAW_WAIT_BLOCK);
    raw_finish(s->device, RAW_WAIT_BLOCK);
  }
}

static double raw_burst(sides* s, void* unused, uint32_t count) {
  (void)unused;
  const double began = now_us();
  for (uint32_t i = 0; i < count; ++i) raw_launch(s->raw_tiny, kTinyValues, 1, RAW_WAIT_BLOCK);
  const double took = now_us() - began;
  raw_finish(s->device, RAW_WAIT_BLOCK);
  return took / count;
}
static double raw_burst_recorded(sides* s, void* p, uint32_t count) {
  const double began = now_us();
  for (uint32_t i = 0; i < count; ++i) raw_resubmit(((state*)p)->raw);
  const double took = now_us() - began;
  raw_finish(s->device, RAW_WAIT_BLOCK);
  return took / count;
}
static double our_burst(sides* s, void* unused, uint32_t count) {
  (void)unused;
  const double began = now_us();
  for (uint32_t i = 0; i < count; ++i) our_launch(s);
  const double took = now_us() - began;
  our_finish(s);
  return took / count;
}

static double raw_steady(sides* s, void* unused, uint32_t count) {
  (void)unused;
  const double began = now_us();
  for (uint32_t i = 0; i < count; ++i) raw_launch(s->raw_tiny, kTinyValues, 1, RAW_WAIT_BLOCK);
  raw_finish(s->device, RAW_WAIT_BLOCK);
  return (now_us() - began) / count;
}
/* As a program would that knows beforehand how many launches come. */
static double raw_steady_batched(sides* s, void* unused, uint32_t count) {
  (void)unused;
  const double began = now_us();
  for (uint32_t i = 0; i < count; i += kBatch)
    raw_launch_many(s->raw_tiny, kTinyValues, 1, i + kBatch < count ? kBatch : count - i, RAW_WAIT_BLOCK);
  raw_finish(s->device, RAW_WAIT_BLOCK);
  return (now_us() - began) / count;
}
static double raw_steady_recorded(sides* s, void* p, uint32_t count) {
  const double began = now_us();
  for (uint32_t i = 0; i < count; ++i) raw_resubmit(((state*)p)->raw);
  raw_finish(s->device, RAW_WAIT_BLOCK);
  return (now_us() - began) / count;
}
static double our_steady(sides* s, void* unused, uint32_t count) {
  (void)unused;
  const double began = now_us();
  for (uint32_t i = 0; i < count; ++i) our_launch(s);
  our_finish(s);
  return (now_us() - began) / count;
}

static double raw_round_trip(sides* s, raw_graph* graph, uint32_t count, raw_wait how) {
  raw_finish(s->device, RAW_WAIT_BLOCK);
  const double began = now_us();
  raw_resubmit(graph);
  raw_finish(s->device, how);
  return (now_us() - began) / count;
}
static double raw_graph_blocking(sides* s, void* p, uint32_t count) {
  return raw_round_trip(s, ((state*)p)->raw, count, RAW_WAIT_BLOCK);
}
static double raw_graph_spinning(sides* s, void* p, uint32_t count) {
  return raw_round_trip(s, ((state*)p)->raw, count, RAW_WAIT_SPIN);
}
static double raw_graph_word(sides* s, void* p, uint32_t count) {
  return raw_round_trip(s, ((state*)p)->raw_with_word, count, RAW_WAIT_WORD);
}
static double our_graph_round_trip(sides* s, void* p, uint32_t count) {
  vd_ticket ticket = 0;
  const double began = now_us();
  check(vd_graph_submit(((state*)p)->ours, NULL, &ticket));
  check(vd_ticket_wait(s->ctx, ticket, VD_WAIT_FOREVER));
  return (now_us() - began) / count;
}
/* A graph of which one node reads another buffer each time: by hand it is recorded once more. What a second descriptor
 * set would cost is left out there. */
static double raw_rerecord(sides* s, raw_graph* graph, uint32_t count, raw_wait how) {
  raw_finish(s->device, RAW_WAIT_BLOCK);
  const double began = now_us();
  raw_graph_record(graph, s->raw_tiny, kTinyValues, 1, count, how);
  raw_resubmit(graph);
  raw_finish(s->device, how);
  return (now_us() - began) / count;
}
static double raw_rebind_blocking(sides* s, void* p, uint32_t count) {
  return raw_rerecord(s, ((state*)p)->raw, count, RAW_WAIT_BLOCK);
}
static double raw_rebind_spinning(sides* s, void* p, uint32_t count) {
  return raw_rerecord(s, ((state*)p)->raw, count, RAW_WAIT_SPIN);
}
static double raw_rebind_word(sides* s, void* p, uint32_t count) {
  return raw_rerecord(s, ((state*)p)->raw_with_word, count, RAW_WAIT_WORD);
}
static double our_rebind(sides* s, void* p, uint32_t count) {
  static uint32_t turn;
  vd_buffer* x = ++turn % 2 ? s->saxpy_buffers[1] : s->tiny_buffers[1];
  const vd_binding binding = VD_BINDING_OF(x, 0, VD_WHOLE_SIZE);
  vd_ticket ticket = 0;
  const double began = now_us();
  check(vd_graph_set_bindings(((state*)p)->ours, count / 2, 1, &binding, 1));
  check(vd_graph_submit(((state*)p)->ours, NULL, &ticket));
  check(vd_ticket_wait(s->ctx, ticket, VD_WAIT_FOREVER));
  return (now_us() - began) / count;
}
/* Each of `count` kernels has values of its own. */
static double our_instances(sides* s, void* p, uint32_t count) {
  static float values[kInstanceNodes][kInstances][2];
  static uint32_t turn;
  vd_instance_values each[kInstanceNodes];
  const double began = now_us();
  for (uint32_t n = 0; n < kInstanceNodes; ++n) {
    for (uint32_t i = 0; i < kInstances; ++i) {
      values[n][i][0] = kOurValues[0] + (float)(turn++ % 64) / 65536.0f;
      values[n][i][1] = kOurValues[1];
    }
    each[n] = (vd_instance_values){n, 0, sizeof values[n][0], 0, values[n], sizeof values[n]};
  }
  vd_submit_desc desc = VD_SUBMIT_DESC_INIT;
  desc.repeat = kInstances;
  desc.instance_values = each;
  desc.instance_value_count = kInstanceNodes;
  vd_ticket ticket = 0;
  check(vd_graph_submit(((state*)p)->ours, &desc, &ticket));
  check(vd_ticket_wait(s->ctx, ticket, VD_WAIT_FOREVER));
  return (now_us() - began) / count;
}
static double raw_latency(sides* s, void* unused, uint32_t count) {
  (void)unused;
  const double began = now_us();
  for (uint32_t i = 0; i < count; ++i) {
    raw_launch(s->raw_tiny, kTinyValues, 1, RAW_WAIT_BLOCK);
    raw_finish(s->device, RAW_WAIT_BLOCK);
  }
  return (now_us() - began) / count;
}
static double raw_latency_spinning(sides* s, void* unused, uint32_t count) {
  (void)unused;
  const double began = now_us();
  for (uint32_t i = 0; i < count; ++i) {
    raw_launch(s->raw_tiny, kTinyValues, 1, RAW_WAIT_SPIN);
    raw_finish(s->device, RAW_WAIT_SPIN);
  }
  return (now_us() - began) / count;
}
static double raw_latency_word(sides* s, void* unused, uint32_t count) {
  (void)unused;
  const double began = now_us();
  for (uint32_t i = 0; i < count; ++i) {
    raw_launch(s->raw_tiny, kTinyValues, 1, RAW_WAIT_WORD);
    raw_finish(s->device, RAW_WAIT_WORD);
  }
  return (now_us() - began) / count;
}
static double our_latency(sides* s, void* unused, uint32_t count) {
  (void)unused;
  const double began = now_us();
  for (uint32_t i = 0; i < count; ++i) {
    our_launch(s);
    our_finish(s);
  }
  return (now_us() - began) / count;
}

/* One tiny launch, waited for: the GPU has turned to that side's work then. */
static void raw_lap(sides* s) {
  raw_launch(s->raw_tiny, kTinyValues, 1, RAW_WAIT_BLOCK);
  raw_finish(s->device, RAW_WAIT_BLOCK);
}
static void our_lap(sides* s) {
  our_launch(s);
  our_finish(s);
}

static const char* only_way; /* NULL: all */
static int measured(const way* w) { return only_way == NULL || strcmp(w->name, only_way) == 0; }

static double run_case(sides* s, const char* name, uint32_t count, uint32_t rounds, double warm, state* st,
                       const way* ways, int way_count) {
  static double times[kMaxWays][kMaxRounds];
  int any = 0;
  for (int w = 0; w < way_count; ++w) any |= measured(&ways[w]);
  if (!any) return 0;
  warm_up(s, warm);
  for (uint32_t r = 0; r < rounds + 1; ++r)
    for (int w = 0; w < way_count; ++w) {
      if (!measured(&ways[w])) continue;
      if (ways[w].name[0] == 'o')
        our_lap(s);
      else
        raw_lap(s);
      for (const double end = now_us() + 200; now_us() < end;) continue;
      const double t = ways[w].measure(s, st, count);
      if (r != 0) times[w][r - 1] = t; /* the first round warms the caches */
    }
  double best = 0, ours = 0;
  printf("{\"case\": \"%s\", \"device\": \"%s\", \"count\": %u", name, raw_name(s->device), count);
  for (int w = 0; w < way_count; ++w) {
    if (!measured(&ways[w])) continue;
    qsort(times[w], rounds, sizeof(double), by_value);
    const double median = times[w][rounds / 2];
    printf(", \"%s\": %.3f, \"%s_least\": %.3f", ways[w].name, median, ways[w].name, times[w][0]);
    if (w + 1 == way_count)
      ours = median;
    else if (best == 0 || median < best)
      best = median;
  }
  if (only_way == NULL)
    printf(", \"ratio\": %.3f}\n", ours / best);
  else
    printf("}\n");
  fflush(stdout);
  if (only_way == NULL)
    fprintf(stderr, "%-28s %10.3f %10.3f %8.2f\n", name, best, ours, ours / best);
  else
    fprintf(stderr, "%-28s %10.3f\n", name, best + ours); /* one of them is 0 */
  return ours / best;
}

int main(int argc, char** argv) {
  uint32_t device = 0, rounds = 11;
  int quick = 0;
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "--quick") == 0)
      quick = 1;
    else if (strcmp(argv[i], "--device") == 0 && i + 1 < argc)
      device = (uint32_t)atoi(argv[++i]);
    else if (strcmp(argv[i], "--rounds") == 0 && i + 1 < argc)
      rounds = (uint32_t)atoi(argv[++i]);
    else if (strcmp(argv[i], "--only") == 0 && i + 1 < argc)
      only_way = argv[++i];
    else {
      fprintf(stderr, "launch [--quick] [--device N] [--rounds N] [--only WAY]\n");
      return 2;
    }
  }
  if (rounds < 1 || rounds > kMaxRounds) rounds = 11;
  const double warm = quick ? 0.02 : 0.5;
  sides s;
  open_sides(&s, device, quick ? 1u << 20 : 1u << 28);
  fprintf(stderr, "%s, queue family %u\n%-28s %10s %10s %8s\n", raw_name(s.device), raw_family(s.device), "case (us)",
          "raw", "ours", "ratio");

  state st = {raw_graph_create(s.raw_tiny, kTinyValues, 1, 1, RAW_WAIT_BLOCK), NULL, NULL};
  const way burst[] = {{"raw_encoded", raw_burst}, {"raw_recorded", raw_burst_recorded}, {"ours", our_burst}};
  run_case(&s, "burst of 256, host", 256, rounds, warm, &st, burst, 3);
  const way steady[] = {{"raw_encoded", raw_steady},
                        {"raw_recorded", raw_steady_recorded},
                        {"raw_batched", raw_steady_batched},
                        {"ours", our_steady}};
  run_case(&s, "10,000 until done", quick ? 1000 : 10000, rounds, warm, &st, steady, 4);
  const way latency[] = {{"raw_block", raw_latency},
                         {"raw_spin", raw_latency_spinning},
                         {"raw_word", raw_latency_word},
                         {"ours", our_latency}};
  run_case(&s, "launch and wait", 100, rounds, warm, &st, latency, 4);
  raw_graph_destroy(st.raw);

  const way graphs[] = {{"raw_block", raw_graph_blocking},
                        {"raw_spin", raw_graph_spinning},
                        {"raw_word", raw_graph_word},
                        {"ours", our_graph_round_trip}};
  for (uint32_t n = 1; n <= 1000; n *= 10) {
    char name[64];
    snprintf(name, sizeof name, "graph of %u, each", n);
    st.raw = raw_graph_create(s.raw_tiny, kTinyValues, 1, n, RAW_WAIT_BLOCK);
    st.raw_with_word = raw_graph_create(s.raw_tiny, kTinyValues, 1, n, RAW_WAIT_WORD);
    st.ours = our_graph(&s, s.tiny, s.tiny_buffers, kTiny, n);
    run_case(&s, name, n, rounds, warm, &st, graphs, 4);
    raw_graph_destroy(st.raw);
    raw_graph_destroy(st.raw_with_word);
    vd_graph_release(st.ours);
  }

  raw_kernel* kernels[kChains];
  vd_buffer* buffers[2 * kChains];
  for (uint32_t c = 0; c < kChains; ++c) {
    kernels[c] = raw_kernel_create(s.device, tiny_comp, sizeof tiny_comp, kTiny * 4);
    make_buffers(s.ctx, kTiny * 4, buffers + 2 * c);
  }
  st.raw = raw_chains_create(kernels, kChains, kTinyValues, 1, kChainLength, RAW_WAIT_BLOCK);
  st.raw_with_word = raw_chains_create(kernels, kChains, kTinyValues, 1, kChainLength, RAW_WAIT_WORD);
  st.ours = our_chains(&s, s.tiny, buffers, kTiny, kChains, kChainLength);
  run_case(&s, "graph of 4 chains of 100, each", kChains * kChainLength, rounds, warm, &st, graphs, 4);
  raw_graph_destroy(st.raw);
  raw_graph_destroy(st.raw_with_word);
  vd_graph_release(st.ours);
  for (uint32_t c = 0; c < kChains; ++c) {
    raw_kernel_destroy(kernels[c]);
    vd_buffer_release(buffers[2 * c]);
    vd_buffer_release(buffers[2 * c + 1]);
  }

  const way rebound[] = {{"raw_block", raw_rebind_blocking},
                         {"raw_spin", raw_rebind_spinning},
                         {"raw_word", raw_rebind_word},
                         {"ours", our_rebind}};
  const way instances[] = {{"raw_block", raw_graph_blocking},
                           {"raw_spin", raw_graph_spinning},
                           {"raw_word", raw_graph_word},
                           {"ours", our_instances}};
  for (int i = 0; i < 2; ++i) {
    const uint32_t n = i == 0 ? 100 : kInstances * kInstanceNodes;
    st.raw = raw_graph_create(s.raw_tiny, kTinyValues, 1, n, RAW_WAIT_BLOCK);
    st.raw_with_word = raw_graph_create(s.raw_tiny, kTinyValues, 1, n, RAW_WAIT_WORD);
    st.ours = our_graph(&s, s.tiny, s.tiny_buffers, kTiny, i == 0 ? n : kInstanceNodes);
    run_case(&s, i == 0 ? "graph of 100, one rebound, each" : "1000 instances of 10, each", n, rounds, warm, &st,
             i == 0 ? rebound : instances, 4);
    raw_graph_destroy(st.raw);
    raw_graph_destroy(st.raw_with_word);
    vd_graph_release(st.ours);
  }

  const raw_values full = {0.5f, 0.25f, s.vectors};
  st.raw = raw_graph_create(s.raw_saxpy, full, (s.vectors + 255) / 256, 20, RAW_WAIT_BLOCK);
  st.raw_with_word = raw_graph_create(s.raw_saxpy, full, (s.vectors + 255) / 256, 20, RAW_WAIT_WORD);
  st.ours = our_graph(&s, s.saxpy, s.saxpy_buffers, s.vectors, 20);
  char name[64];
  snprintf(name, sizeof name, "saxpy of %u floats", s.vectors * 4);
  run_case(&s, name, 20, rounds, warm, &st, graphs, 4);
  raw_graph_destroy(st.raw);
  raw_graph_destroy(st.raw_with_word);
  vd_graph_release(st.ours);
  close_sides(&s);
  return 0;
}
