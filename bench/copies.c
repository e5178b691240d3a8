/* How fast the driver of Vulkan copies between host and device: rates of 512 MiB each way, by one queue and by several
 * at a time, of each family of queues.
 *
 *   build/release/bench/copies
 *
 * Vulkan by hand, without the library: the bound of what its transfers can reach. The host's memory is cached by the
 * processor. A line of JSON is the best of seven turns: milliseconds, GB/s up and down. */
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <vulkan/vulkan.h>

enum { kMib = 1 << 20, kAll = 512, kPiece = 16, kTurns = 7, kMostParts = 4 };

/* The loader's own functions, which it gives by their names. */
#define FUNCTIONS(X)                          \
  X(vkAllocateCommandBuffers)                 \
  X(vkAllocateMemory)                         \
  X(vkBeginCommandBuffer)                     \
  X(vkBindBufferMemory)                       \
  X(vkCmdCopyBuffer)                          \
  X(vkCreateBuffer)                           \
  X(vkCreateCommandPool)                      \
  X(vkCreateDevice)                           \
  X(vkCreateFence)                            \
  X(vkCreateInstance)                         \
  X(vkEndCommandBuffer)                       \
  X(vkEnumeratePhysicalDevices)               \
  X(vkGetBufferMemoryRequirements)            \
  X(vkGetDeviceQueue)                         \
  X(vkGetPhysicalDeviceMemoryProperties)      \
  X(vkGetPhysicalDeviceProperties)            \
  X(vkGetPhysicalDeviceQueueFamilyProperties) \
  X(vkMapMemory)                              \
  X(vkQueueSubmit)                            \
  X(vkResetFences)                            \
  X(vkWaitForFences)
#define DECLARE(name) static PFN_##name name;
FUNCTIONS(DECLARE)

static void load(void) {
  void* const loader = dlopen("libvulkan.so.1", RTLD_NOW);
  if (loader == NULL) {
    fprintf(stderr, "copies: %s\n", dlerror());
    exit(1);
  }
#define LOAD(name) *(void**)&name = dlsym(loader, #name);
  FUNCTIONS(LOAD)
}

static void check(VkResult result, const char* call) {
  if (result == VK_SUCCESS) return;
  fprintf(stderr, "copies: %s failed with %d\n", call, result);
  exit(1);
}
#define CHECK(call) check(call, #call)

typedef struct {
  VkQueue handle;
  VkCommandPool pool;
} queue;

typedef struct {
  VkPhysicalDevice physical;
  VkDevice device;
  VkPhysicalDeviceMemoryProperties memory;
  /* Queues of families with graphics, with compute alone and with copies alone; NULL where the device has too few. */
  queue graphics, compute[2], copy[2];
  VkBuffer host_up, host_down, device_up, device_down;
} state;

/* A part of a transfer: MiB that a queue copies. */
typedef struct {
  const queue* by;
  int down, first, size;
} part;

static double now_ms(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return 1e3 * (double)time.tv_sec + 1e-6 * (double)time.tv_nsec;
}

static VkBuffer make_buffer(state* s, VkMemoryPropertyFlags wanted) {
  const VkDeviceSize size = (VkDeviceSize)kAll * kMib;
  const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                   .size = size,
                                   .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT};
  VkBuffer buffer = VK_NULL_HANDLE;
  CHECK(vkCreateBuffer(s->device, &info, NULL, &buffer));
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(s->device, buffer, &needs);
  uint32_t type = 0;
  while (type < s->memory.memoryTypeCount &&
         ((needs.memoryTypeBits >> type & 1) == 0 || (s->memory.memoryTypes[type].propertyFlags & wanted) != wanted))
    ++type;
  const VkMemoryAllocateInfo how = {
      .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = needs.size, .memoryTypeIndex = type};
  VkDeviceMemory memory = VK_NULL_HANDLE;
  CHECK(vkAllocateMemory(s->device, &how, NULL, &memory));
  CHECK(vkBindBufferMemory(s->device, buffer, memory, 0));
  if ((wanted & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) != 0) { /* its pages are there */
    void* bytes = NULL;
    CHECK(vkMapMemory(s->device, memory, 0, size, 0, &bytes));
    memset(bytes, 1, size);
  }
  return buffer;
}

static void open_device(state* s) {
  const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_1};
  const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
  VkInstance instance = VK_NULL_HANDLE;
  CHECK(vkCreateInstance(&info, NULL, &instance));
  uint32_t count = 1;
  const VkResult found = vkEnumeratePhysicalDevices(instance, &count, &s->physical);
  if (found != VK_INCOMPLETE) check(found, "vkEnumeratePhysicalDevices");
  VkPhysicalDeviceProperties properties;
  vkGetPhysicalDeviceProperties(s->physical, &properties);
  vkGetPhysicalDeviceMemoryProperties(s->physical, &s->memory);
  printf("%s\n", properties.deviceName);

  VkQueueFamilyProperties families[16];
  uint32_t family_count = 16;
  vkGetPhysicalDeviceQueueFamilyProperties(s->physical, &family_count, families);
  int64_t chosen[3] = {-1, -1, -1};
  for (uint32_t i = 0; i < family_count; ++i) {
    const VkQueueFlags flags = families[i].queueFlags;
    const int kind = (flags & VK_QUEUE_GRAPHICS_BIT) != 0                                            ? 0
                     : (flags & VK_QUEUE_COMPUTE_BIT) != 0                                           ? 1
                     : (flags & ~(VkQueueFlags)VK_QUEUE_SPARSE_BINDING_BIT) == VK_QUEUE_TRANSFER_BIT ? 2
                                                                                                     : -1;
    if (kind >= 0 && chosen[kind] < 0) chosen[kind] = i;
  }
  const float priorities[2] = {1, 1};
  VkDeviceQueueCreateInfo wishes[3];
  uint32_t wish_count = 0, counts[3] = {0};
  for (int kind = 0; kind < 3; ++kind) {
    if (chosen[kind] < 0) continue;
    const uint32_t have = families[chosen[kind]].queueCount;
    counts[kind] = have < 2 ? have : 2;
    wishes[wish_count++] = (VkDeviceQueueCreateInfo){.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                                     .queueFamilyIndex = (uint32_t)chosen[kind],
                                                     .queueCount = counts[kind],
                                                     .pQueuePriorities = priorities};
  }
  const VkDeviceCreateInfo how = {
      .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = wish_count, .pQueueCreateInfos = wishes};
  CHECK(vkCreateDevice(s->physical, &how, NULL, &s->device));
  queue* const into[3][2] = {{&s->graphics, NULL}, {&s->compute[0], &s->compute[1]}, {&s->copy[0], &s->copy[1]}};
  for (int kind = 0; kind < 3; ++kind)
    for (uint32_t i = 0; i < counts[kind]; ++i) {
      queue* const to = into[kind][i];
      if (to == NULL) continue;
      vkGetDeviceQueue(s->device, (uint32_t)chosen[kind], i, &to->handle);
      const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                            .queueFamilyIndex = (uint32_t)chosen[kind]};
      CHECK(vkCreateCommandPool(s->device, &pool, NULL, &to->pool));
    }
  const VkMemoryPropertyFlags host = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
  s->host_up = make_buffer(s, host);
  s->host_down = make_buffer(s, host);
  s->device_up = make_buffer(s, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  s->device_down = make_buffer(s, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
}

static VkCommandBuffer record(const state* s, const part* p) {
  const VkCommandBufferAllocateInfo how = {
      .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = p->by->pool, .commandBufferCount = 1};
  VkCommandBuffer commands = VK_NULL_HANDLE;
  CHECK(vkAllocateCommandBuffers(s->device, &how, &commands));
  const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  CHECK(vkBeginCommandBuffer(commands, &begin));
  for (int done = 0; done < p->size; done += kPiece) {
    const VkDeviceSize at = (VkDeviceSize)(p->first + done) * kMib;
    const VkBufferCopy copy = {at, at, (VkDeviceSize)kPiece * kMib};
    vkCmdCopyBuffer(commands, p->down ? s->device_down : s->host_up, p->down ? s->host_down : s->device_up, 1, &copy);
  }
  CHECK(vkEndCommandBuffer(commands));
  return commands;
}

static void run(const state* s, const char* name, const part* parts, int count) {
  VkCommandBuffer commands[kMostParts];
  VkFence fences[kMostParts];
  double mib[2] = {0, 0}, best = 1e9;
  for (int i = 0; i < count; ++i) {
    if (parts[i].by->handle == VK_NULL_HANDLE) return; /* the device has no such queue */
    commands[i] = record(s, &parts[i]);
    const VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    CHECK(vkCreateFence(s->device, &info, NULL, &fences[i]));
    mib[parts[i].down] += parts[i].size;
  }
  for (int turn = 0; turn < kTurns; ++turn) {
    const double begin = now_ms();
    for (int i = 0; i < count; ++i) {
      const VkSubmitInfo work = {
          .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands[i]};
      CHECK(vkQueueSubmit(parts[i].by->handle, 1, &work, fences[i]));
    }
    CHECK(vkWaitForFences(s->device, (uint32_t)count, fences, VK_TRUE, UINT64_MAX));
    const double took = now_ms() - begin;
    if (took < best) best = took;
    CHECK(vkResetFences(s->device, (uint32_t)count, fences));
  }
  const double scale = kMib / best / 1e6;
  printf("{\"case\": \"%s\", \"ms\": %.2f, \"up_GB_s\": %.1f, \"down_GB_s\": %.1f}\n", name, best, mib[0] * scale,
         mib[1] * scale);
}

#define RUN(name, ...)                                  \
  do {                                                  \
    const part parts[] = {__VA_ARGS__};                 \
    run(&s, name, parts, sizeof parts / sizeof *parts); \
  } while (0)

int main(void) {
  state s;
  memset(&s, 0, sizeof s);
  load();
  open_device(&s);
  const queue *g = &s.graphics, *c = &s.compute[0], *c1 = &s.compute[1], *t = &s.copy[0], *t1 = &s.copy[1];
  const int half = kAll / 2;
  RUN("a queue with graphics, up", {g, 0, 0, kAll});
  RUN("a queue with graphics, down", {g, 1, 0, kAll});
  RUN("a queue with compute, up", {c, 0, 0, kAll});
  RUN("a queue with compute, down", {c, 1, 0, kAll});
  RUN("a queue that copies, up", {t, 0, 0, kAll});
  RUN("a queue that copies, down", {t, 1, 0, kAll});
  RUN("compute and copies, half of it up each", {c, 0, 0, half}, {t, 0, half, half});
  RUN("two that copy, half of it up each", {t, 0, 0, half}, {t1, 0, half, half});
  RUN("compute up, another with compute down", {c, 0, 0, kAll}, {c1, 1, 0, kAll});
  RUN("compute up, graphics down", {c, 0, 0, kAll}, {g, 1, 0, kAll});
  RUN("compute up, copies down", {c, 0, 0, kAll}, {t, 1, 0, kAll});
  RUN("copies up, another that copies down", {t, 0, 0, kAll}, {t1, 1, 0, kAll});
  RUN("compute up, two that copy half of it down each", {c, 0, 0, kAll}, {t, 1, 0, half}, {t1, 1, half, half});
  RUN("compute and copies up, two others of them down, half each", {c, 0, 0, half}, {t, 0, half, half},
      {c1, 1, 0, half}, {t1, 1, half, half});
  return 0;
}
