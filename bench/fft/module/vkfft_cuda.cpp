#include "vkfft_cuda.h"

#define VKFFT_BACKEND 1
#include <vkFFT.h>

namespace {

CUdevice device = 0;
cudaStream_t stream = nullptr;
char *source = nullptr, *array = nullptr;
uint64_t array_bytes = 0;
VkFFTApplication application = {};
bool is_planned = false;

const char* said(cudaError_t result) { return result == cudaSuccess ? nullptr : cudaGetErrorString(result); }

const char* said(VkFFTResult result) { return result == VKFFT_SUCCESS ? nullptr : getVkFFTErrorString(result); }

void forget_plan() {
  if (is_planned) deleteVkFFT(&application);
  is_planned = false;
  application = {};
}

const char* wait() { return said(cudaStreamSynchronize(stream)); }

}  // namespace

const char* vkfft_cuda_open(uint64_t bytes) {
  if (cuInit(0) != CUDA_SUCCESS || cuDeviceGet(&device, 0) != CUDA_SUCCESS) return "there is no CUDA device";
  array_bytes = bytes;
  cudaError_t result = cudaSetDevice(0);
  if (result == cudaSuccess) result = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  if (result == cudaSuccess) result = cudaMalloc(reinterpret_cast<void**>(&source), bytes);
  if (result == cudaSuccess) result = cudaMalloc(reinterpret_cast<void**>(&array), bytes);
  return said(result);
}

const char* vkfft_cuda_load(const void* block, uint64_t size) {
  cudaError_t result = cudaSuccess;
  for (uint64_t at = 0; at < array_bytes && result == cudaSuccess; at += size) {
    const uint64_t part = array_bytes - at < size ? array_bytes - at : size;
    result = cudaMemcpyAsync(source + at, block, part, cudaMemcpyHostToDevice, stream);
  }
  return result == cudaSuccess ? wait() : said(result);
}

const char* vkfft_cuda_prepare(const vkfft_shape* shape) {
  // Any thread's: VkFFT loads its modules by the driver, into the thread's current context.
  if (const cudaError_t result = cudaSetDevice(0); result != cudaSuccess) return said(result);
  forget_plan();
  VkFFTConfiguration c = {};
  c.FFTdim = shape->rank;
  for (uint32_t i = 0; i < shape->rank; ++i) c.size[i] = shape->size[i];
  c.omitDimension[0] = shape->first_is_kept != 0 ? 1 : 0;
  c.numberBatches = shape->count;
  c.performR2C = shape->is_real != 0 ? 1 : 0;
  c.doublePrecision = shape->is_double != 0 ? 1 : 0;
  c.makeForwardPlanOnly = 1;
  c.device = &device;
  c.stream = &stream;
  c.num_streams = 1;
  c.buffer = reinterpret_cast<void**>(&array);
  c.bufferSize = &array_bytes;
  const VkFFTResult result = initializeVkFFT(&application, c);
  is_planned = result == VKFFT_SUCCESS;
  return said(result);
}

const char* vkfft_cuda_reset(void) {
  const cudaError_t result = cudaMemcpyAsync(array, source, array_bytes, cudaMemcpyDeviceToDevice, stream);
  return result == cudaSuccess ? wait() : said(result);
}

const char* vkfft_cuda_run(int iterations) {
  VkFFTLaunchParams launch = {};
  launch.buffer = reinterpret_cast<void**>(&array);
  VkFFTResult result = VKFFT_SUCCESS;
  for (int i = 0; i < iterations && result == VKFFT_SUCCESS; ++i) result = VkFFTAppend(&application, -1, &launch);
  return result == VKFFT_SUCCESS ? wait() : said(result);
}

const char* vkfft_cuda_read(uint64_t offset, uint64_t bytes, void* to) {
  return said(cudaMemcpy(to, array + offset, bytes, cudaMemcpyDeviceToHost));
}

void vkfft_cuda_close(void) {
  forget_plan();
  cudaFree(array);
  cudaFree(source);
  if (stream != nullptr) cudaStreamDestroy(stream);
}
