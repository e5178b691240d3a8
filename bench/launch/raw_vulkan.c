#define _POSIX_C_SOURCE 200809L
#define VOLK_IMPLEMENTATION
#include "raw_vulkan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <volk.h>

enum { kRing = 64 };

#define VK(call) check((call), #call)

static void check(VkResult result, const char* call) {
  if (result >= 0) return;
  fprintf(stderr, "raw_vulkan: %s gave %d\n", call, (int)result);
  exit(1);
}

static void* allocate(size_t size) {
  void* memory = calloc(1, size);
  if (memory == NULL) {
    fprintf(stderr, "raw_vulkan: out of memory\n");
    exit(1);
  }
  return memory;
}

struct raw_device {
  VkInstance instance;
  VkPhysicalDevice physical;
  VkDevice device;
  VkQueue queue;
  uint32_t family;
  VkSemaphore timeline;
  uint64_t value; /* of the last submit */
  VkCommandPool pool;
  VkCommandBuffer ring[kRing];
  uint64_t ring_value[kRing];
  uint32_t next;
  VkBuffer word_buffer;
  VkDeviceMemory word_memory;
  uint32_t* word; /* 1: the last work is done */
  char name[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE];
};

struct raw_kernel {
  raw_device* device;
  VkBuffer buffers[2];
  VkDeviceMemory memory[2];
  uint64_t size; /* of each */
  VkDescriptorSetLayout set_layout;
  VkPipelineLayout layout;
  VkDescriptorPool pool;
  VkDescriptorSet set;
  VkPipeline pipeline;
};

struct raw_graph {
  raw_device* device;
  VkCommandBuffer commands;
  VkBuffer host_buffer; /* of a round trip */
  VkDeviceMemory host_memory;
};

/* ---- Device */

static uint32_t pick_family(VkPhysicalDevice physical) {
  VkQueueFamilyProperties families[32];
  uint32_t count = 32, any = UINT32_MAX;
  vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families);
  for (uint32_t i = 0; i < count; ++i) {
    if ((families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) == 0) continue;
    if ((families[i].queueFlags & VK_QUEUE_GRAPHICS_BIT) == 0) return i;
    if (any == UINT32_MAX) any = i;
  }
  return any;
}

static VkBuffer create_memory(raw_device* d, uint64_t size, VkMemoryPropertyFlags wanted, VkDeviceMemory* memory) {
  const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                   .size = size,
                                   .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                            VK_BUFFER_USAGE_TRANSFER_DST_BIT};
  VkBuffer buffer;
  VK(vkCreateBuffer(d->device, &info, NULL, &buffer));
  VkMemoryRequirements needs;
  VkPhysicalDeviceMemoryProperties types;
  vkGetBufferMemoryRequirements(d->device, buffer, &needs);
  vkGetPhysicalDeviceMemoryProperties(d->physical, &types);
  uint32_t type = 0;
  while ((needs.memoryTypeBits & 1u << type) == 0 || (types.memoryTypes[type].propertyFlags & wanted) != wanted) ++type;
  const VkMemoryAllocateInfo allocation = {
      .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = needs.size, .memoryTypeIndex = type};
  VK(vkAllocateMemory(d->device, &allocation, NULL, memory));
  VK(vkBindBufferMemory(d->device, buffer, *memory, 0));
  return buffer;
}

static VkBuffer create_host_memory(raw_device* d, uint64_t size, VkDeviceMemory* memory, void** mapped) {
  const VkBuffer buffer = create_memory(
      d, size,
      VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
      memory);
  VK(vkMapMemory(d->device, *memory, 0, VK_WHOLE_SIZE, 0, mapped));
  return buffer;
}

static void create_word(raw_device* d) {
  d->word_buffer = create_host_memory(d, 64, &d->word_memory, (void**)&d->word);
}

raw_device* raw_open(uint32_t index) {
  raw_device* d = allocate(sizeof *d);
  VK(volkInitialize());
  const VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_3};
  const VkInstanceCreateInfo instance_info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                              .pApplicationInfo = &app};
  VK(vkCreateInstance(&instance_info, NULL, &d->instance));
  volkLoadInstance(d->instance);
  VkPhysicalDevice devices[16];
  uint32_t count = 16;
  VK(vkEnumeratePhysicalDevices(d->instance, &count, devices));
  if (index >= count) {
    fprintf(stderr, "raw_vulkan: there is no device %u\n", index);
    exit(1);
  }
  d->physical = devices[index];
  VkPhysicalDeviceProperties properties;
  vkGetPhysicalDeviceProperties(d->physical, &properties);
  memcpy(d->name, properties.deviceName, sizeof d->name);
  d->family = pick_family(d->physical);

  const float priority = 1.0f;
  const VkDeviceQueueCreateInfo queue_info = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                              .queueFamilyIndex = d->family,
                                              .queueCount = 1,
                                              .pQueuePriorities = &priority};
  VkPhysicalDeviceTimelineSemaphoreFeatures timelines = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES, .timelineSemaphore = VK_TRUE};
  const VkDeviceCreateInfo device_info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                          .pNext = &timelines,
                                          .queueCreateInfoCount = 1,
                                          .pQueueCreateInfos = &queue_info};
  VK(vkCreateDevice(d->physical, &device_info, NULL, &d->device));
  volkLoadDevice(d->device);
  vkGetDeviceQueue(d->device, d->family, 0, &d->queue);

  const VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                          .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
  const VkSemaphoreCreateInfo semaphore_info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
  VK(vkCreateSemaphore(d->device, &semaphore_info, NULL, &d->timeline));
  const VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                             .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
                                             .queueFamilyIndex = d->family};
  VK(vkCreateCommandPool(d->device, &pool_info, NULL, &d->pool));
  const VkCommandBufferAllocateInfo buffers_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                    .commandPool = d->pool,
                                                    .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                                    .commandBufferCount = kRing};
  VK(vkAllocateCommandBuffers(d->device, &buffers_info, d->ring));
  create_word(d);
  return d;
}

void raw_close(raw_device* d) {
  vkDeviceWaitIdle(d->device);
  vkDestroyBuffer(d->device, d->word_buffer, NULL);
  vkFreeMemory(d->device, d->word_memory, NULL);
  vkDestroySemaphore(d->device, d->timeline, NULL);
  vkDestroyCommandPool(d->device, d->pool, NULL);
  vkDestroyDevice(d->device, NULL);
  vkDestroyInstance(d->instance, NULL);
  free(d);
}

const char* raw_name(const raw_device* d) { return d->name; }
uint32_t raw_family(const raw_device* d) { return d->family; }

/* ---- Submitting */

static void submit(raw_device* d, VkCommandBuffer commands) {
  __atomic_store_n(d->word, 0, __ATOMIC_RELEASE);
  const uint64_t value = ++d->value;
  const VkTimelineSemaphoreSubmitInfo values = {.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                                .signalSemaphoreValueCount = 1,
                                                .pSignalSemaphoreValues = &value};
  const VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                             .pNext = &values,
                             .commandBufferCount = 1,
                             .pCommandBuffers = &commands,
                             .signalSemaphoreCount = 1,
                             .pSignalSemaphores = &d->timeline};
  VK(vkQueueSubmit(d->queue, 1, &info, VK_NULL_HANDLE));
}

static void block(raw_device* d, uint64_t value) {
  const VkSemaphoreWaitInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                    .semaphoreCount = 1,
                                    .pSemaphores = &d->timeline,
                                    .pValues = &value};
  VK(vkWaitSemaphores(d->device, &info, UINT64_MAX));
}

static void pause_thread(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

void raw_finish(raw_device* d, raw_wait how) {
  if (how == RAW_WAIT_BLOCK) {
    block(d, d->value);
    return;
  }
  if (how == RAW_WAIT_WORD) {
    while (__atomic_load_n(d->word, __ATOMIC_ACQUIRE) == 0) pause_thread();
    return;
  }
  for (uint64_t reached = 0; reached < d->value;) VK(vkGetSemaphoreCounterValue(d->device, d->timeline, &reached));
}

static void begin(VkCommandBuffer commands, VkCommandBufferUsageFlags usage) {
  const VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, .flags = usage};
  VK(vkBeginCommandBuffer(commands, &info));
}

static void order_kernels(VkCommandBuffer commands) {
  const VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                   .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
                                   .dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT};
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1,
                       &barrier, 0, NULL, 0, NULL);
}

static void dispatch(const raw_kernel* k, VkCommandBuffer commands, const raw_values* values, uint32_t groups) {
  vkCmdPushConstants(commands, k->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof *values, values);
  vkCmdDispatch(commands, groups, 1, 1);
}

static void encode(const raw_kernel* k, VkCommandBuffer commands, const raw_values* values, uint32_t groups) {
  order_kernels(commands);
  dispatch(k, commands, values, groups);
}

static void bind(const raw_kernel* k, VkCommandBuffer commands) {
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, k->pipeline);
  vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, k->layout, 0, 1, &k->set, 0, NULL);
}

/* The quickest of the ways that were tried: fill, update, an event, a kernel that stores. */
static void write_word(const raw_device* d, VkCommandBuffer commands) {
  const uint32_t done = 1;
  VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                             .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
                             .dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT | VK_ACCESS_HOST_READ_BIT};
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                       VK_PIPELINE_STAGE_TRANSFER_BIT | VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, NULL, 0, NULL);
  vkCmdUpdateBuffer(commands, d->word_buffer, 0, sizeof done, &done);
  barrier.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, NULL, 0,
                       NULL);
}

void raw_launch_many(raw_kernel* k, raw_values values, uint32_t groups, uint32_t launches, raw_wait how) {
  raw_device* d = k->device;
  const uint32_t slot = d->next++ % kRing;
  const VkCommandBuffer commands = d->ring[slot];
  block(d, d->ring_value[slot]);
  begin(commands, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT);
  bind(k, commands);
  for (uint32_t i = 0; i < launches; ++i) encode(k, commands, &values, groups);
  if (how == RAW_WAIT_WORD) write_word(d, commands);
  VK(vkEndCommandBuffer(commands));
  submit(d, commands);
  d->ring_value[slot] = d->value;
}

void raw_launch(raw_kernel* k, raw_values values, uint32_t groups, raw_wait how) {
  raw_launch_many(k, values, groups, 1, how);
}

static raw_graph* make_graph(raw_device* device) {
  raw_graph* g = allocate(sizeof *g);
  g->device = device;
  const VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                            .commandPool = device->pool,
                                            .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                            .commandBufferCount = 1};
  VK(vkAllocateCommandBuffers(device->device, &info, &g->commands));
  return g;
}

raw_graph* raw_graph_create(raw_kernel* k, raw_values values, uint32_t groups, uint32_t dispatches, raw_wait how) {
  raw_graph* g = make_graph(k->device);
  raw_graph_record(g, k, values, groups, dispatches, how);
  return g;
}

void raw_graph_record(raw_graph* g, raw_kernel* k, raw_values values, uint32_t groups, uint32_t dispatches,
                      raw_wait how) {
  begin(g->commands, VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT);
  bind(k, g->commands);
  for (uint32_t i = 0; i < dispatches; ++i) encode(k, g->commands, &values, groups);
  if (how == RAW_WAIT_WORD) write_word(k->device, g->commands);
  VK(vkEndCommandBuffer(g->commands));
}

raw_graph* raw_chains_create(raw_kernel** kernels, uint32_t count, raw_values values, uint32_t groups, uint32_t length,
                             raw_wait how) {
  raw_graph* g = make_graph(kernels[0]->device);
  begin(g->commands, VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT);
  for (uint32_t i = 0; i < length; ++i) {
    order_kernels(g->commands);
    for (uint32_t c = 0; c < count; ++c) {
      bind(kernels[c], g->commands);
      dispatch(kernels[c], g->commands, &values, groups);
    }
  }
  if (how == RAW_WAIT_WORD) write_word(g->device, g->commands);
  VK(vkEndCommandBuffer(g->commands));
  return g;
}

static void order(VkCommandBuffer commands, VkPipelineStageFlags from, VkAccessFlags written, VkPipelineStageFlags to,
                  VkAccessFlags used) {
  const VkMemoryBarrier barrier = {
      .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER, .srcAccessMask = written, .dstAccessMask = used};
  vkCmdPipelineBarrier(commands, from, to, 0, 1, &barrier, 0, NULL, 0, NULL);
}

// Copies the kernel's first buffer to the graph's host memory, behind the dispatches.
static void encode_download(const raw_kernel* k, const raw_graph* g) {
  const VkBufferCopy whole = {.size = k->size};
  order(g->commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT,
        VK_ACCESS_TRANSFER_READ_BIT);
  vkCmdCopyBuffer(g->commands, k->buffers[0], g->host_buffer, 1, &whole);
  order(g->commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_HOST_BIT,
        VK_ACCESS_HOST_READ_BIT);
}

raw_graph* raw_round_trip_create(raw_kernel* k, raw_values values, uint32_t groups, uint32_t dispatches,
                                 void** out_memory) {
  raw_graph* g = raw_graph_create(k, values, groups, 0, RAW_WAIT_BLOCK);
  g->host_buffer = create_host_memory(g->device, k->size, &g->host_memory, out_memory);
  const VkBufferCopy whole = {.size = k->size};
  begin(g->commands, VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT);
  vkCmdCopyBuffer(g->commands, g->host_buffer, k->buffers[0], 1, &whole);
  order(g->commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
        VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
  bind(k, g->commands);
  for (uint32_t i = 0; i < dispatches; ++i) encode(k, g->commands, &values, groups);
  encode_download(k, g);
  VK(vkEndCommandBuffer(g->commands));
  return g;
}

void raw_kernel_read(raw_kernel* k, void* out_memory) {
  raw_graph* g = raw_graph_create(k, (raw_values){0}, 1, 0, RAW_WAIT_BLOCK);
  void* memory = NULL;
  g->host_buffer = create_host_memory(g->device, k->size, &g->host_memory, &memory);
  begin(g->commands, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT);
  encode_download(k, g);
  VK(vkEndCommandBuffer(g->commands));
  raw_resubmit(g);
  raw_finish(g->device, RAW_WAIT_BLOCK);
  memcpy(out_memory, memory, k->size);
  raw_graph_destroy(g);
}

void raw_graph_destroy(raw_graph* g) {
  if (g->host_buffer != VK_NULL_HANDLE) {
    vkDestroyBuffer(g->device->device, g->host_buffer, NULL);
    vkFreeMemory(g->device->device, g->host_memory, NULL);
  }
  vkFreeCommandBuffers(g->device->device, g->device->pool, 1, &g->commands);
  free(g);
}

void raw_resubmit(raw_graph* g) { submit(g->device, g->commands); }

double raw_replay(raw_graph** graphs, uint32_t count, uint32_t turns, raw_wait how) {
  struct timespec from, to;
  clock_gettime(CLOCK_MONOTONIC, &from);
  for (uint32_t turn = 0; turn < turns; ++turn)
    for (uint32_t i = 0; i < count; ++i) {
      raw_resubmit(graphs[i]);
      raw_finish(graphs[i]->device, how);
    }
  clock_gettime(CLOCK_MONOTONIC, &to);
  return (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
}

/* ---- Kernel */

static void create_layout(raw_kernel* k) {
  raw_device* d = k->device;
  VkDescriptorSetLayoutBinding bindings[2] = {{0}};
  for (uint32_t i = 0; i < 2; ++i)
    bindings[i] = (VkDescriptorSetLayoutBinding){.binding = i,
                                                 .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                                 .descriptorCount = 1,
                                                 .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
  const VkDescriptorSetLayoutCreateInfo set_info = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 2, .pBindings = bindings};
  VK(vkCreateDescriptorSetLayout(d->device, &set_info, NULL, &k->set_layout));
  const VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(raw_values)};
  const VkPipelineLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                           .setLayoutCount = 1,
                                           .pSetLayouts = &k->set_layout,
                                           .pushConstantRangeCount = 1,
                                           .pPushConstantRanges = &range};
  VK(vkCreatePipelineLayout(d->device, &info, NULL, &k->layout));
}

static void create_set(raw_kernel* k) {
  raw_device* d = k->device;
  const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2};
  const VkDescriptorPoolCreateInfo pool = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1, .poolSizeCount = 1, .pPoolSizes = &size};
  VK(vkCreateDescriptorPool(d->device, &pool, NULL, &k->pool));
  const VkDescriptorSetAllocateInfo set = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                           .descriptorPool = k->pool,
                                           .descriptorSetCount = 1,
                                           .pSetLayouts = &k->set_layout};
  VK(vkAllocateDescriptorSets(d->device, &set, &k->set));
  for (uint32_t i = 0; i < 2; ++i) {
    const VkDescriptorBufferInfo buffer = {k->buffers[i], 0, VK_WHOLE_SIZE};
    const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                        .dstSet = k->set,
                                        .dstBinding = i,
                                        .descriptorCount = 1,
                                        .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                        .pBufferInfo = &buffer};
    vkUpdateDescriptorSets(d->device, 1, &write, 0, NULL);
  }
}

raw_kernel* raw_kernel_create(raw_device* d, const uint32_t* words, uint64_t word_bytes, uint64_t size) {
  raw_kernel* k = allocate(sizeof *k);
  k->device = d;
  k->size = size;
  for (int i = 0; i < 2; ++i)
    k->buffers[i] = create_memory(d, size, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, &k->memory[i]);
  create_layout(k);
  create_set(k);
  const VkShaderModuleCreateInfo module_info = {
      .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = word_bytes, .pCode = words};
  VkShaderModule module;
  VK(vkCreateShaderModule(d->device, &module_info, NULL, &module));
  const VkComputePipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                            .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                      .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                                      .module = module,
                                                      .pName = "main"},
                                            .layout = k->layout};
  VK(vkCreateComputePipelines(d->device, VK_NULL_HANDLE, 1, &info, NULL, &k->pipeline));
  vkDestroyShaderModule(d->device, module, NULL);

  const VkCommandBuffer commands = d->ring[d->next++ % kRing];
  begin(commands, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT);
  for (int i = 0; i < 2; ++i) vkCmdFillBuffer(commands, k->buffers[i], 0, VK_WHOLE_SIZE, 0);
  VK(vkEndCommandBuffer(commands));
  submit(d, commands);
  raw_finish(d, RAW_WAIT_BLOCK);
  return k;
}

void raw_kernel_destroy(raw_kernel* k) {
  raw_device* d = k->device;
  vkDeviceWaitIdle(d->device);
  vkDestroyPipeline(d->device, k->pipeline, NULL);
  vkDestroyDescriptorPool(d->device, k->pool, NULL);
  vkDestroyPipelineLayout(d->device, k->layout, NULL);
  vkDestroyDescriptorSetLayout(d->device, k->set_layout, NULL);
  for (int i = 0; i < 2; ++i) {
    vkDestroyBuffer(d->device, k->buffers[i], NULL);
    vkFreeMemory(d->device, k->memory[i], NULL);
  }
  free(k);
}
