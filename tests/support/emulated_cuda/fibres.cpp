// A workgroup whose invocations wait for each other: each is a fibre with a stack of its own, and runs until it comes
// to a barrier or a warp's exchange that others have not reached.
#include <sys/mman.h>
#include <ucontext.h>

#include <algorithm>
#include <list>

#include "support/emulated_cuda/state.h"

#if defined(__SANITIZE_ADDRESS__)
#define VD_ASAN 1
#elif defined(__SANITIZE_THREAD__)
#define VD_TSAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define VD_ASAN 1
#elif __has_feature(thread_sanitizer)
#define VD_TSAN 1
#endif
#endif
#ifdef VD_ASAN
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef VD_TSAN
#include <sanitizer/tsan_interface.h>
#endif

namespace vd::cuda::emulated {
namespace {

constexpr size_t kStack = 256 * 1024;  // touched only as far as it is used
constexpr unsigned kWarp = 32;

// Invocations that bring values to each other.
struct Exchange {
  unsigned mask = 0, arrived = 0, generation = 0;
  unsigned long long slots[2][kWarp];
};

struct Warp {
  unsigned first = 0;     // of its fibres
  unsigned size = 0;      // lanes
  unsigned running = 0;   // lanes that neither wait nor have finished
  unsigned finished = 0;  // mask
  std::list<Exchange> exchanges;
};

struct Fibre {
  ucontext_t context;
  void* stack;
  vd_emulated_thread thread;
  Warp* warp = nullptr;
  bool waits = false, finished = false;
  bool at_barrier = false;
  const Exchange* at_exchange = nullptr;
  const void* at_place = nullptr;  // in active()
  unsigned mask = 0;               // its answer
  void* fake_stack = nullptr;      // AddressSanitizer's
  void* seen_as = nullptr;         // ThreadSanitizer's

  Fibre();
  Fibre(const Fibre&) = delete;
  Fibre& operator=(const Fibre&) = delete;
  ~Fibre();
};

// The fibres of one stream's thread, kept from group to group: each waits between two of them.
struct Group {
  std::vector<std::unique_ptr<Fibre>> fibres;
  std::vector<Warp> warps;
  unsigned count = 0, arrived = 0, finished = 0;
  Fibre* running = nullptr;
  ucontext_t scheduler;
  const vd_emulated_kernel* kernel = nullptr;
  void** parameters = nullptr;
  void* fake_stack = nullptr;
  const void* scheduler_stack = nullptr;
  size_t scheduler_stack_size = 0;
  void* scheduler_seen_as = nullptr;
};

thread_local Group t_group;

void to_scheduler(Group& group, Fibre& fibre) {
#ifdef VD_ASAN
  __sanitizer_start_switch_fiber(&fibre.fake_stack, group.scheduler_stack, group.scheduler_stack_size);
#endif
#ifdef VD_TSAN
  __tsan_switch_to_fiber(group.scheduler_seen_as, 0);
#endif
  swapcontext(&fibre.context, &group.scheduler);
#ifdef VD_ASAN
  __sanitizer_finish_switch_fiber(fibre.fake_stack, nullptr, nullptr);
#endif
}

void to_fibre(Group& group, Fibre& fibre) {
#ifdef VD_ASAN
  __sanitizer_start_switch_fiber(&group.fake_stack, fibre.stack, kStack);
#endif
#ifdef VD_TSAN
  __tsan_switch_to_fiber(fibre.seen_as, 0);
#endif
  swapcontext(&group.scheduler, &fibre.context);
#ifdef VD_ASAN
  __sanitizer_finish_switch_fiber(group.fake_stack, nullptr, nullptr);
#endif
}

template <class F>
void for_each_lane(Group& group, const Warp& warp, F&& f) {
  for (unsigned lane = 0; lane < warp.size; ++lane) f(*group.fibres[warp.first + lane]);
}

void let_go(Fibre& fibre) {
  fibre.waits = fibre.at_barrier = false;
  fibre.at_exchange = nullptr;
  fibre.at_place = nullptr;
  ++fibre.warp->running;
}

// When no invocation of a warp can go on, those that ask at one place who is active are the active ones.
void settle_active(Group& group, Warp& warp) {
  if (warp.running != 0) return;
  const void* place = nullptr;
  unsigned mask = 0;
  for_each_lane(group, warp, [&](Fibre& fibre) {
    if (fibre.at_place == nullptr || (place != nullptr && fibre.at_place != place)) return;
    place = fibre.at_place;
    mask |= 1u << fibre.thread.lane;
  });
  for_each_lane(group, warp, [&](Fibre& fibre) {
    if (place == nullptr || fibre.at_place != place) return;
    fibre.mask = mask;
    let_go(fibre);
  });
}

void wait_here(Group& group, Fibre& fibre) {
  fibre.waits = true;
  --fibre.warp->running;
  settle_active(group, *fibre.warp);
  if (fibre.waits) to_scheduler(group, fibre);
}

// Invocations that have finished count as arrived.
void settle_barrier(Group& group) {
  if (group.arrived == 0 || group.arrived + group.finished != group.count) return;
  group.arrived = 0;
  for (unsigned i = 0; i < group.count; ++i)
    if (group.fibres[i]->at_barrier) let_go(*group.fibres[i]);
}

void settle_exchange(Group& group, const Warp& warp, Exchange& exchange) {
  if (exchange.arrived == 0 || exchange.arrived != (exchange.mask & ~warp.finished)) return;
  exchange.arrived = 0;
  ++exchange.generation;
  for_each_lane(group, warp, [&](Fibre& fibre) {
    if (fibre.at_exchange == &exchange) let_go(fibre);
  });
}

void barrier() {
  Group& group = t_group;
  Fibre& fibre = *group.running;
  ++group.arrived;
  fibre.at_barrier = fibre.waits = true;
  --fibre.warp->running;
  settle_barrier(group);
  settle_active(group, *fibre.warp);
  if (fibre.waits) to_scheduler(group, fibre);
}

const unsigned long long* exchange(unsigned mask, unsigned long long value) {
  Group& group = t_group;
  Fibre& fibre = *group.running;
  Warp& warp = *fibre.warp;
  Exchange* here = nullptr;
  for (Exchange& e : warp.exchanges)
    if (e.mask == mask) here = &e;
  if (here == nullptr) {
    warp.exchanges.emplace_back();
    here = &warp.exchanges.back();
    here->mask = mask;
  }
  unsigned long long* slots = here->slots[here->generation & 1];
  slots[fibre.thread.lane] = value;
  here->arrived |= 1u << fibre.thread.lane;
  const unsigned generation = here->generation;
  settle_exchange(group, warp, *here);
  if (here->generation == generation) {
    fibre.at_exchange = here;
    wait_here(group, fibre);
  }
  return slots;
}

unsigned active(const void* place) {
  Group& group = t_group;
  Fibre& fibre = *group.running;
  fibre.at_place = place;
  wait_here(group, fibre);
  return fibre.mask;
}

thread_local Cluster* t_cluster = nullptr;

void cluster_barrier(char* place) {
  barrier();
  Group& group = t_group;
  if (group.running == group.fibres.front().get()) {
    t_cluster->places[group.running->thread.cluster_rank] = place;
    t_cluster->barrier.arrive_and_wait();
  }
  barrier();
}

char* cluster_place(unsigned rank) { return t_cluster->places[rank]; }

constexpr vd_emulated_services kServices = {barrier, exchange, active, cluster_barrier, cluster_place};

void run_invocation(Group& group, Fibre& fibre) {
  group.kernel->run_one(group.parameters);
  fibre.finished = true;
  Warp& warp = *fibre.warp;
  ++group.finished;
  warp.finished |= 1u << fibre.thread.lane;
  --warp.running;
  settle_barrier(group);
  for (Exchange& e : warp.exchanges) settle_exchange(group, warp, e);
  settle_active(group, warp);
}

// An invocation of one group after the other: a function that is left for good looks to ThreadSanitizer as one that
// goes on, and too many of them end the program.
void fibre_main() {
  Group& group = t_group;
  Fibre& fibre = *group.running;
#ifdef VD_ASAN
  __sanitizer_finish_switch_fiber(nullptr, &group.scheduler_stack, &group.scheduler_stack_size);
#endif
  for (;;) {
    run_invocation(group, fibre);
    to_scheduler(group, fibre);
  }
}

Fibre::Fibre()
    : stack(mmap(nullptr, kStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1,
                 0)) {
  getcontext(&context);
  context.uc_stack.ss_sp = stack;
  context.uc_stack.ss_size = kStack;
  context.uc_link = nullptr;
  makecontext(&context, fibre_main, 0);
#ifdef VD_TSAN
  seen_as = __tsan_create_fiber(0);
#endif
}

Fibre::~Fibre() {
#ifdef VD_TSAN
  __tsan_destroy_fiber(seen_as);
#endif
  munmap(stack, kStack);
}

}  // namespace

bool run_waiting_group(const vd_emulated_kernel& kernel, vd_emulated_thread first, void** parameters,
                       Cluster& cluster) {
  t_cluster = &cluster;
  Group& group = t_group;
  group.kernel = &kernel;
  group.parameters = parameters;
  group.count = first.block_size[0] * first.block_size[1] * first.block_size[2];
  group.arrived = group.finished = 0;
  group.warps.clear();
  group.warps.resize((group.count + kWarp - 1) / kWarp);
#ifdef VD_TSAN
  group.scheduler_seen_as = __tsan_get_current_fiber();
#endif
  while (group.fibres.size() < group.count) group.fibres.push_back(std::make_unique<Fibre>());
  for (unsigned i = 0; i < group.count; ++i) {
    Fibre& fibre = *group.fibres[i];
    fibre.thread = first;
    fibre.thread.thread[0] = i % first.block_size[0];
    fibre.thread.thread[1] = i / first.block_size[0] % first.block_size[1];
    fibre.thread.thread[2] = i / first.block_size[0] / first.block_size[1];
    fibre.thread.lane = i % kWarp;
    fibre.warp = &group.warps[i / kWarp];
    fibre.warp->first = i / kWarp * kWarp;
    fibre.thread.warp_size = fibre.warp->size = fibre.warp->running = std::min(kWarp, group.count - fibre.warp->first);
    fibre.waits = fibre.finished = fibre.at_barrier = false;
    fibre.at_exchange = nullptr;
    fibre.at_place = nullptr;
  }
  while (group.finished < group.count) {
    bool moved = false;
    for (unsigned i = 0; i < group.count; ++i) {
      Fibre& fibre = *group.fibres[i];
      if (fibre.finished || fibre.waits) continue;
      moved = true;
      group.running = &fibre;
      kernel.enter(&fibre.thread, &kServices);
      to_fibre(group, fibre);
    }
    if (!moved) {
      group.fibres.clear();  // they are in the middle of it
      return false;
    }
  }
  return true;
}

}  // namespace vd::cuda::emulated
