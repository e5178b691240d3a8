#include "backends/cuda/allocator.h"

#include <algorithm>

namespace vd::cuda {
namespace {

// Bytes that the pool keeps for the next allocation instead of giving them back to the device, where others may want
// them.
constexpr uint64_t kKeep = uint64_t{1} << 30;

}  // namespace

Allocator::Allocator(const Gpu& gpu) : gpu_(gpu) {
  const Current current(gpu_);
  gpu_.check(gpu_.cu.cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING), "cuStreamCreate", "the allocator's stream");
  if (!gpu_.physical.memory_pools || !gpu_.overrides.memory_pools) return;
  try {
    CUmemPoolProps properties{};
    properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    properties.location.id = gpu_.physical.handle;
    gpu_.check(gpu_.cu.cuMemPoolCreate(&pool_, &properties), "cuMemPoolCreate", "on \"{}\"", gpu_.info().name);
    uint64_t keep = std::min(kKeep, gpu_.info().memory_size / 16);
    gpu_.check(gpu_.cu.cuMemPoolSetAttribute(pool_, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &keep), "cuMemPoolSetAttribute",
               "a release threshold of {} bytes", keep);
    // Else an allocation may get memory that a queue's stream has yet to free, and wait for that stream's kernels.
    int reuse = 0;
    gpu_.check(gpu_.cu.cuMemPoolSetAttribute(pool_, CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES, &reuse),
               "cuMemPoolSetAttribute", "no reuse by internal dependencies");
  } catch (...) {
    destroy();
    throw;
  }
}

Allocator::~Allocator() {
  try {
    const Current current(gpu_);
    destroy();
  } catch (...) {
    // A context that an error ended takes its pool with it.
  }
}

void Allocator::destroy() noexcept {
  if (pool_ != nullptr) gpu_.cu.cuMemPoolDestroy(pool_);
  if (stream_ != nullptr) gpu_.cu.cuStreamDestroy(stream_);
}

CUresult Allocator::take(CUdeviceptr& address, uint64_t size, CUstream stream) const {
  const auto once = [&] {
    return pool_ == nullptr ? gpu_.cu.cuMemAlloc(&address, size)
                            : gpu_.cu.cuMemAllocFromPoolAsync(&address, size, pool_, stream);
  };
  const CUresult result = once();
  return result == CUDA_ERROR_OUT_OF_MEMORY && trim() ? once() : result;
}

bool Allocator::trim() const {
  gpu_.finish_disposing();  // memory that was freed just before
  return pool_ == nullptr || gpu_.cu.cuMemPoolTrimTo(pool_, 0) == CUDA_SUCCESS;
}

CUdeviceptr Allocator::allocate(uint64_t size, const std::string& what) const {
  const Current current(gpu_);
  const CUdeviceptr address = allocate(size, stream_, what);
  if (pool_ != nullptr) {
    const CUresult result = gpu_.cu.cuStreamSynchronize(stream_);
    if (result != CUDA_SUCCESS) release(address, stream_);
    gpu_.check(result, "cuStreamSynchronize", "{} bytes{}", size, what);
  }
  return address;
}

void Allocator::release(CUdeviceptr address) const noexcept { release(address, stream_); }

CUdeviceptr Allocator::allocate(uint64_t size, CUstream stream, const std::string& what) const {
  CUdeviceptr address = 0;
  gpu_.check(take(address, size, stream), pool_ != nullptr ? "cuMemAllocFromPoolAsync" : "cuMemAlloc",
             "{} bytes of device memory{} on \"{}\"", size, what, gpu_.info().name);
  return address;
}

void Allocator::release(CUdeviceptr address, CUstream stream) const noexcept {
  const auto free = [gpu = &gpu_, pooled = pool_ != nullptr, address, stream] {
    try {
      const Current current(*gpu);
      if (pooled)
        gpu->cu.cuMemFreeAsync(address, stream);
      else
        gpu->cu.cuMemFree(address);  // waits for the device, so for the stream's work too
    } catch (...) {
      // The context is gone, and its memory with it.
    }
  };
  if (pool_ != nullptr)
    free();
  else
    gpu_.dispose(free);
}

}  // namespace vd::cuda
