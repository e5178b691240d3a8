#include "backends/cuda/shared_memory.h"

#include "core/platform.h"

namespace vd::cuda {

ExportableMemory::ExportableMemory(std::shared_ptr<const Gpu> gpu, uint64_t size, const std::string& what)
    : gpu_(std::move(gpu)) {
  gpu_->require_alive();
  const Current current(*gpu_);
  const Driver& cu = gpu_->cu;
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, gpu_->physical.handle};
  size_t unit = 0;
  gpu_->check(cu.cuMemGetAllocationGranularity(&unit, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM),
              "cuMemGetAllocationGranularity", "memory to export");
  size_ = (size + unit - 1) / unit * unit;
  const std::string bytes = fmt::format("{} bytes to export{}", size_, what);
  gpu_->check(cu.cuMemCreate(&memory_, size_, &properties, 0), "cuMemCreate", "{}", bytes);
  try {
    map(bytes);
  } catch (...) {
    free();
    throw;
  }
}

void ExportableMemory::map(const std::string& what) {
  const Driver& cu = gpu_->cu;
  gpu_->check(cu.cuMemAddressReserve(&address_, size_, 0, 0, 0), "cuMemAddressReserve", "{}", what);
  gpu_->check(cu.cuMemMap(address_, size_, 0, memory_, 0), "cuMemMap", "{}", what);
  mapped_ = true;
  CUmemAccessDesc access{};
  access.location = {CU_MEM_LOCATION_TYPE_DEVICE, gpu_->physical.handle};
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  gpu_->check(cu.cuMemSetAccess(address_, size_, &access, 1), "cuMemSetAccess", "{}", what);
}

void ExportableMemory::free() noexcept {
  const Driver& cu = gpu_->cu;
  if (mapped_) cu.cuMemUnmap(address_, size_);
  if (address_ != 0) cu.cuMemAddressFree(address_, size_);
  cu.cuMemRelease(memory_);
}

// The runtime frees memory when no work uses it any more, so unmapping waits for nothing.
ExportableMemory::~ExportableMemory() {
  try {
    const Current current(*gpu_);
    free();
  } catch (...) {
    // The context is gone, and its memory with it.
  }
}

backends::ExportedMemory ExportableMemory::export_memory() const {
  gpu_->require_alive();
  const Current current(*gpu_);
  backends::ExportedMemory exported;
  exported.size = size_;
  gpu_->check(gpu_->cu.cuMemExportToShareableHandle(&exported.fd, memory_, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
              "cuMemExportToShareableHandle", "{} bytes", size_);
  return exported;
}

ForeignMemory::ForeignMemory(std::shared_ptr<const Gpu> gpu, const backends::ExternalMemory& memory)
    : gpu_(std::move(gpu)) {
  gpu_->require_alive();
  gpu_->expect_captures();
  const Current current(*gpu_);
  const Driver& cu = gpu_->cu;
  CUDA_EXTERNAL_MEMORY_HANDLE_DESC handle{};
  handle.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
  handle.handle.fd = platform::copy_descriptor(static_cast<int>(memory.handle));
  handle.size = memory.memory_size;
  if (handle.handle.fd < 0) fail(VD_ERR_INVALID, "desc->fd->fd ({}) is no file descriptor", memory.handle);
  const CUresult taken = cu.cuImportExternalMemory(&memory_, &handle);
  if (taken != CUDA_SUCCESS) {
    platform::close_descriptor(handle.handle.fd);  // which the driver takes only where it succeeds
    const std::string why = cu.describe(taken, "cuImportExternalMemory", fmt::format("{} bytes", memory.memory_size));
    if (Driver::ends_context(taken)) gpu_->check(taken, "cuImportExternalMemory", "{} bytes", memory.memory_size);
    fail(taken == CUDA_ERROR_OUT_OF_MEMORY ? VD_ERR_OUT_OF_MEMORY : VD_ERR_INVALID,
         "desc->fd->fd ({}) cannot be imported: {}", memory.handle, why);
  }
  CUDA_EXTERNAL_MEMORY_BUFFER_DESC buffer{};
  buffer.offset = memory.offset;
  buffer.size = memory.size;
  const CUresult mapped = cu.cuExternalMemoryGetMappedBuffer(&address_, memory_, &buffer);
  if (mapped != CUDA_SUCCESS) cu.cuDestroyExternalMemory(memory_);
  gpu_->check(mapped, "cuExternalMemoryGetMappedBuffer", "{} bytes at {}", memory.size, memory.offset);
}

// cuMemFree() waits for the whole device.
ForeignMemory::~ForeignMemory() {
  gpu_->dispose([gpu = gpu_.get(), memory = memory_, address = address_] {
    try {
      const Current current(*gpu);
      gpu->cu.cuMemFree(address);
      gpu->cu.cuDestroyExternalMemory(memory);
    } catch (...) {
      // The context is gone, and its memory with it.
    }
  });
}

}  // namespace vd::cuda
