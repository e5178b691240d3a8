/* How soon a waiting thread goes on when it is woken by vd_ticket_notify(), beside vd_ticket_wait(), and what 10,000
 * notifications cost that wait.
 *
 *   notify [--quick] [vulkan|cuda|opencl|host]
 *
 * Each round launches a kernel and waits for it in each way, in turns. "sleeps" waits on a semaphore that the call back
 * posts; "looks" looks at a flag for so long as the work takes before it sleeps, as vd_ticket_wait() itself does on a
 * GPU, and only there. The kernel takes a tenth of a millisecond, so that the thread does wait; beside it, one
 * that is over at once, for which vd_ticket_wait() often has nothing to wait for, and a call back has to wake a thread
 * all the same. A line of JSON a case: microseconds from the launch to the waiting thread, medians, and the ratio. */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "measure.h"
#include "vkdispatch.h"

enum { kRounds = 3001, kQuickRounds = 101, kPending = 10000, kWays = 3 };

/* x[i] goes through so many steps. */
static const char kText[] =
    "kernel \"steps\"\nargument 0 buffer u32 \"x\"\nargument 1 constant u32 \"count\"\n{\n"
    "  %0: u32 = index global_id, u32 0\n  %1: storage u32 = index @0, %0\n  %2: u32 = load @1\n"
    "  %3: u32 = for u32 0, %2, u32 1 {\n    %4: u32 = load %1\n    %5: u32 = mul %4, u32 1664525\n"
    "    %6: u32 = xor %5, %3\n    store %1, %6\n  }\n}\n";

typedef struct waiter {
  sem_t semaphore;
  atomic_int done;
} waiter;

static void wake(vd_status status, const char* message, void* user) {
  waiter* w = user;
  if (status != VD_OK) fprintf(stderr, "%s\n", message);
  atomic_store(&w->done, 1);
  sem_post(&w->semaphore);
}

static void count(vd_status status, const char* message, void* user) {
  (void)message;
  if (status == VD_OK) atomic_fetch_add((atomic_int*)user, 1);
}

/* Nanoseconds of a processor that the library's thread for notifications has had, and how many threads there are. */
static unsigned long long thread_time(int* threads) {
  unsigned long long sum = 0;
  DIR* folder = opendir("/proc/self/task");
  *threads = 0;
  for (struct dirent* entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
    if (entry->d_name[0] == '.') continue;
    ++*threads;
    char path[300], name[32] = "";
    unsigned long long time = 0;
    snprintf(path, sizeof path, "/proc/self/task/%s/comm", entry->d_name);
    FILE* file = fopen(path, "r");
    if (file != NULL && fgets(name, sizeof name, file) == NULL) name[0] = '\0';
    if (file != NULL) fclose(file);
    if (strncmp(name, "vd-notify", 9) != 0) continue;
    snprintf(path, sizeof path, "/proc/self/task/%s/schedstat", entry->d_name);
    file = fopen(path, "r");
    if (file != NULL && fscanf(file, "%llu", &time) == 1) sum += time;
    if (file != NULL) fclose(file);
  }
  if (folder != NULL) closedir(folder);
  return sum;
}

typedef struct work {
  vd_context* ctx;
  vd_plan* plan;
  vd_buffer* buffer;
  uint32_t steps;
  double us; /* that it takes, about */
} work;

static vd_ticket launch(const work* k) {
  const vd_binding binding = VD_BINDING_OF(k->buffer, 0, VD_WHOLE_SIZE);
  vd_launch_desc desc = VD_LAUNCH_DESC_INIT;
  desc.invocations[0] = 64;
  desc.values = &k->steps;
  desc.values_size = sizeof k->steps;
  desc.bindings = &binding;
  desc.binding_count = 1;
  vd_ticket ticket = 0;
  check(vd_plan_launch(k->plan, &desc, &ticket));
  return ticket;
}

static double once(const work* k, int way, waiter* w) {
  const double start = now_us();
  const vd_ticket ticket = launch(k);
  if (way == 0) {
    check(vd_ticket_wait(k->ctx, ticket, VD_WAIT_FOREVER));
    return now_us() - start;
  }
  atomic_store(&w->done, 0);
  check(vd_ticket_notify(k->ctx, ticket, wake, w));
  if (way == 2) {
    const double end = now_us() + k->us + 50;
    while (!atomic_load(&w->done) && now_us() < end) {
    }
  }
  while (sem_wait(&w->semaphore) != 0) {
  }
  return now_us() - start;
}

static void compare(const work* k, waiter* w, const vd_device_info* info, const char* length, int rounds) {
  const int ways =
      info->type == VD_DEVICE_CPU ? kWays - 1 : kWays; /* a thread that looks takes the device's processor */
  static const char* const kNames[kWays] = {"wait", "notify, sleeps", "notify, looks"};
  static double times[kWays][kRounds];
  for (int i = 0; i < 50; ++i)
    for (int way = 0; way < ways; ++way) once(k, way, w);
  for (int i = 0; i < rounds; ++i)
    for (int way = 0; way < ways; ++way) times[way][i] = once(k, way, w);
  double base = 0;
  for (int way = 0; way < ways; ++way) {
    qsort(times[way], (size_t)rounds, sizeof(double), by_value);
    const double median = times[way][rounds / 2];
    if (way == 0) base = median;
    printf(
        "{\"device\": \"%s\", \"work\": \"%s\", \"case\": \"%s\", \"us\": %.2f, \"low\": %.2f, \"high\": %.2f, "
        "\"ratio\": %.2f}\n",
        info->name, length, kNames[way], median, times[way][rounds / 4], times[way][rounds * 3 / 4], median / base);
  }
}

int main(int argc, char** argv) {
  vd_context_desc context_desc = VD_CONTEXT_DESC_INIT;
  context_desc.flags = VD_CONTEXT_USE_CPU;
  int rounds = kRounds;
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "--quick") == 0) rounds = kQuickRounds;
    for (int k = VD_BACKEND_VULKAN; k <= VD_BACKEND_HOST; ++k) {
      vd_backend_info info = VD_BACKEND_INFO_INIT;
      check(vd_backend_get_info((vd_backend)k, &info));
      if (strcmp(info.name, argv[i]) == 0) context_desc.backend = (vd_backend)k;
    }
  }
  vd_context* ctx = NULL;
  check(vd_context_create(&context_desc, &ctx));
  vd_device_info info = VD_DEVICE_INFO_INIT;
  check(vd_context_get_device(ctx, 0, &info));
  vd_kernel* kernel = NULL;
  check(vd_kernel_parse(kText, strlen(kText), &kernel));
  vd_plan_desc plan_desc = VD_PLAN_DESC_INIT;
  plan_desc.kernel = kernel;
  vd_plan* plan = NULL;
  check(vd_plan_create(ctx, &plan_desc, &plan));
  vd_kernel_release(kernel);
  vd_buffer_desc buffer_desc = VD_BUFFER_DESC_INIT;
  buffer_desc.size = 256;
  vd_buffer* buffer = NULL;
  check(vd_buffer_create(ctx, &buffer_desc, &buffer));

  work k = {ctx, plan, buffer, 1, 0};
  waiter w;
  sem_init(&w.semaphore, 0, 0);
  compare(&k, &w, &info, "at once", rounds);
  while (k.us < 100 && k.steps < 1u << 24) {
    k.steps *= 2;
    k.us = 1e9;
    for (int i = 0; i < 20; ++i) {
      const double us = once(&k, 0, &w);
      if (us < k.us) k.us = us;
    }
  }
  compare(&k, &w, &info, "0.1 ms", rounds);

  /* All at once: what a call costs, and the threads that there are while they wait. */
  int before = 0, during = 0;
  static atomic_int called;
  thread_time(&before);
  vd_ticket ticket = 0;
  for (int i = 0; i < 200; ++i) ticket = launch(&k);
  const double start = now_us();
  for (int i = 0; i < kPending; ++i) check(vd_ticket_notify(ctx, ticket, count, &called));
  const double added = now_us() - start;
  thread_time(&during);
  while (atomic_load(&called) < kPending) {
    const struct timespec moment = {0, 100000};
    nanosleep(&moment, NULL);
  }
  printf("{\"device\": \"%s\", \"case\": \"%d notifications\", \"us_each\": %.3f, \"threads_more\": %d}\n", info.name,
         kPending, added / kPending, during - before);

  vd_buffer_release(buffer);
  vd_plan_release(plan);
  vd_context_release(ctx);
  sem_destroy(&w.semaphore);
  return 0;
}
