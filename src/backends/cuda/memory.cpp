#include "backends/cuda/memory.h"

#include <string_view>

#include "backends/cuda/allocator.h"

namespace vd::cuda {

HostMemory::HostMemory(std::shared_ptr<const Gpu> gpu, uint64_t size, const std::string& what) : gpu_(std::move(gpu)) {
  const Current current(*gpu_);
  gpu_->check(gpu_->cu.cuMemHostAlloc(&data_, size, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP),
              "cuMemHostAlloc", "{} bytes of pinned host memory{}", size, what);
  const CUresult result = gpu_->cu.cuMemHostGetDevicePointer(&address_, data_, 0);
  if (result != CUDA_SUCCESS) gpu_->cu.cuMemFreeHost(data_);
  gpu_->check(result, "cuMemHostGetDevicePointer", "{} bytes of pinned host memory{}", size, what);
}

HostMemory::~HostMemory() {
  try {
    const Current current(*gpu_);
    gpu_->cu.cuMemFreeHost(data_);
  } catch (...) {
    // The context is gone, and its memory with it.
  }
}

Memory::Memory(std::shared_ptr<const Gpu> gpu, uint64_t size, bool host, const std::string& label)
    : gpu_(std::move(gpu)), size_(size) {
  gpu_->require_alive();
  const std::string what = label.empty() ? "" : fmt::format(" for \"{}\"", label);
  if (size > gpu_->info().max_allocation_size)
    fail(VD_ERR_OUT_OF_MEMORY, "{} bytes{} are more than CUDA device \"{}\" has ({})", size, what, gpu_->info().name,
         gpu_->info().max_allocation_size);
  if (host) {
    host_ = std::make_unique<HostMemory>(gpu_, size, what);
    address_ = host_->address();
  } else {
    address_ = gpu_->allocator().allocate(size, what);
  }
}

Memory::~Memory() {
  if (!host_) gpu_->allocator().release(address_);
}

bool Memory::native(const char* kind, uint64_t& out) const {
  const std::string_view wanted = kind;
  if (wanted != "CUdeviceptr" && wanted != "address") return false;
  out = address_;
  return true;
}

}  // namespace vd::cuda
