/* VkFFT's CUDA backend behind a few C functions, so that the benchmark does without NVIDIA's headers and libraries: only
 * the module is compiled with them, and it is opened where there is a device. Each function gives a line that says what
 * failed, or NULL. Calls from one thread. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct vkfft_shape {
  uint32_t rank;     /* 1 to 3 */
  uint64_t size[3];  /* the fastest dimension first */
  int first_is_kept; /* the fastest dimension is not transformed */
  int is_real;       /* real numbers in rows that have room for the spectrum */
  int is_double;
  uint64_t count; /* transforms, one behind the other */
} vkfft_shape;

/* An array of so many bytes, and one to begin with, on the primary context of device 0. */
const char* vkfft_cuda_open(uint64_t bytes);
/* Fills the array to begin with by repeating a block. */
const char* vkfft_cuda_load(const void* block, uint64_t size);
const char* vkfft_cuda_prepare(const vkfft_shape* shape);
const char* vkfft_cuda_reset(void);
/* So many transforms in place, done when it returns. */
const char* vkfft_cuda_run(int iterations);
const char* vkfft_cuda_read(uint64_t offset, uint64_t bytes, void* to);
void vkfft_cuda_close(void);

#ifdef __cplusplus
}
#endif
