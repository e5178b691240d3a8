/* The rival: Vulkan by hand in C, as a careful programmer would write it for this one job. Knows nothing of
 * libvkdispatch. Every call ends the program with a message if Vulkan fails. */
#ifndef RAW_VULKAN_H
#define RAW_VULKAN_H

#include <stdint.h>

typedef struct raw_device raw_device;
typedef struct raw_kernel raw_kernel; /* a pipeline with its two buffers */
typedef struct raw_graph raw_graph;   /* recorded dispatches, each after the last */

/* A kernel's push constants. */
typedef struct raw_values {
  float a, b;
  uint32_t count;
} raw_values;

/* How a host thread waits for the device: blocking on the timeline semaphore, spinning on its counter, or spinning on a
 * word of host memory that the device writes last. Work that shall be waited for by the word must be given with it. */
typedef enum raw_wait { RAW_WAIT_BLOCK, RAW_WAIT_SPIN, RAW_WAIT_WORD } raw_wait;

/* Device `index` of the loader, on a compute-only queue family if there is one. */
raw_device* raw_open(uint32_t index);
void raw_close(raw_device* device);
const char* raw_name(const raw_device* device);
uint32_t raw_family(const raw_device* device);

/* `words` of SPIR-V; two device buffers of `size` bytes, zeroed. */
raw_kernel* raw_kernel_create(raw_device* device, const uint32_t* words, uint64_t word_bytes, uint64_t size);
void raw_kernel_destroy(raw_kernel* kernel);

/* A launch: take the next command buffer of a ring of 64, write pipeline, arguments, barrier and dispatch, submit. */
void raw_launch(raw_kernel* kernel, raw_values values, uint32_t groups, raw_wait how);
/* The same with many launches in one submit, each behind a barrier. */
void raw_launch_many(raw_kernel* kernel, raw_values values, uint32_t groups, uint32_t launches, raw_wait how);
/* Only the submit of a command buffer that was recorded before. */
void raw_resubmit(raw_graph* graph);

raw_graph* raw_graph_create(raw_kernel* kernel, raw_values values, uint32_t groups, uint32_t dispatches, raw_wait how);
/* The same dispatches once more in its command buffer, which the device must be done with. */
void raw_graph_record(raw_graph* graph, raw_kernel* kernel, raw_values values, uint32_t groups, uint32_t dispatches,
                      raw_wait how);
/* `count` chains beside each other, each of a kernel of its own that runs `length` times. */
raw_graph* raw_chains_create(raw_kernel** kernels, uint32_t count, raw_values values, uint32_t groups, uint32_t length,
                             raw_wait how);
void raw_graph_destroy(raw_graph* graph);

/* Submits all of `graphs` one after the other, each waited for, `turns` times over; the seconds that it took. */
double raw_replay(raw_graph** graphs, uint32_t count, uint32_t turns, raw_wait how);

/* Bytes from host memory that the processor caches to the kernel's first buffer, `dispatches`, and back; recorded once.
 * `out_memory` receives the host memory, of the buffer's size. */
raw_graph* raw_round_trip_create(raw_kernel* kernel, raw_values values, uint32_t groups, uint32_t dispatches,
                                 void** out_memory);

/* Waits for all work, and copies the kernel's first buffer to `out_memory`. */
void raw_kernel_read(raw_kernel* kernel, void* out_memory);

/* Until all work is done; by the word, that was given last. */
void raw_finish(raw_device* device, raw_wait how);

#endif
