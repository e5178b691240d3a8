// The emulated driver's memory and semaphores by file descriptors: of memory files, since a process may map those as it likes. A
// semaphore is a page whose first word is its value.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "support/emulated_cuda/state.h"

using namespace vd::cuda;
using namespace vd::cuda::emulated;

namespace vd::cuda {

struct CUextMemory_st {
  int fd = -1;
  size_t size = 0;
};

struct CUextSemaphore_st {
  std::atomic<uint64_t>* value = nullptr;
};

}  // namespace vd::cuda

namespace {

constexpr size_t kUnit = size_t{2} << 20;
constexpr size_t kSemaphoreSize = 4096;

struct Allocation {
  int fd;
  size_t size;
};
std::mutex g_sharing_mutex;
std::map<CUmemGenericAllocationHandle, Allocation>& g_allocations =
    *new std::map<CUmemGenericAllocationHandle, Allocation>;
std::map<CUdeviceptr, size_t>& g_reserved = *new std::map<CUdeviceptr, size_t>;
CUmemGenericAllocationHandle g_next_memory = 1;

size_t size_of(int fd) {
  struct stat info {};
  return fstat(fd, &info) == 0 ? static_cast<size_t>(info.st_size) : 0;
}

}  // namespace

VD_ENTRY(cuMemGetAllocationGranularity, size_t* unit, const CUmemAllocationProp* properties, int) {
  VD_BEGIN_ANYWHERE(cuMemGetAllocationGranularity);
  if (properties->type != CU_MEM_ALLOCATION_TYPE_PINNED) return CUDA_ERROR_INVALID_VALUE;
  *unit = kUnit;
  return CUDA_SUCCESS;
}
VD_ENTRY(cuMemCreate, CUmemGenericAllocationHandle* memory, size_t size, const CUmemAllocationProp* properties,
         unsigned long long) {
  VD_BEGIN(cuMemCreate);
  if (size == 0 || size % kUnit != 0 || properties->requestedHandleTypes != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
    return CUDA_ERROR_INVALID_VALUE;
  if (!reserve(size)) return CUDA_ERROR_OUT_OF_MEMORY;
  const int fd = memfd_create("emulated memory", MFD_CLOEXEC);
  if (fd < 0 || ftruncate(fd, static_cast<off_t>(size)) != 0) {
    close(fd);
    give_back(size);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  const std::lock_guard lock(g_sharing_mutex);
  g_allocations[*memory = g_next_memory++] = {fd, size};
  live(1);
  return CUDA_SUCCESS;
}
VD_ENTRY(cuMemRelease, CUmemGenericAllocationHandle memory) {
  VD_BEGIN_ANYWHERE(cuMemRelease);
  const std::lock_guard lock(g_sharing_mutex);
  const auto found = g_allocations.find(memory);
  if (found == g_allocations.end()) return CUDA_ERROR_INVALID_VALUE;
  give_back(found->second.size);
  close(found->second.fd);
  g_allocations.erase(found);
  live(-1);
  return CUDA_SUCCESS;
}
VD_ENTRY(cuMemAddressReserve, CUdeviceptr* address, size_t size, size_t, CUdeviceptr, unsigned long long) {
  VD_BEGIN(cuMemAddressReserve);
  void* place = mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (place == MAP_FAILED) return CUDA_ERROR_OUT_OF_MEMORY;
  const std::lock_guard lock(g_sharing_mutex);
  g_reserved[*address = reinterpret_cast<CUdeviceptr>(place)] = size;
  live(1);
  return CUDA_SUCCESS;
}
VD_ENTRY(cuMemAddressFree, CUdeviceptr address, size_t size) {
  VD_BEGIN_ANYWHERE(cuMemAddressFree);
  const std::lock_guard lock(g_sharing_mutex);
  const auto found = g_reserved.find(address);
  if (found == g_reserved.end() || found->second != size) return CUDA_ERROR_INVALID_VALUE;
  munmap(reinterpret_cast<void*>(address), size);
  g_reserved.erase(found);
  live(-1);
  return CUDA_SUCCESS;
}
VD_ENTRY(cuMemMap, CUdeviceptr address, size_t size, size_t offset, CUmemGenericAllocationHandle memory,
         unsigned long long) {
  VD_BEGIN(cuMemMap);
  const std::lock_guard lock(g_sharing_mutex);
  const auto found = g_allocations.find(memory);
  if (found == g_allocations.end() || offset != 0 || size > found->second.size || !g_reserved.contains(address))
    return CUDA_ERROR_INVALID_VALUE;
  void* at = reinterpret_cast<void*>(address);
  const void* mapped = mmap(at, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, found->second.fd, 0);
  return mapped == MAP_FAILED ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}
VD_ENTRY(cuMemSetAccess, CUdeviceptr address, size_t size, const CUmemAccessDesc* access, size_t count) {
  VD_BEGIN(cuMemSetAccess);
  if (count != 1 || access->flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE) return CUDA_ERROR_INVALID_VALUE;
  note_memory(address, size, true);
  return CUDA_SUCCESS;
}
VD_ENTRY(cuMemUnmap, CUdeviceptr address, size_t size) {
  VD_BEGIN_ANYWHERE(cuMemUnmap);
  note_memory(address, size, false);
  const void* place =
      mmap(reinterpret_cast<void*>(address), size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  return place == MAP_FAILED ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}
VD_ENTRY(cuMemExportToShareableHandle, void* handle, CUmemGenericAllocationHandle memory, int type,
         unsigned long long) {
  VD_BEGIN_ANYWHERE(cuMemExportToShareableHandle);
  const std::lock_guard lock(g_sharing_mutex);
  const auto found = g_allocations.find(memory);
  if (found == g_allocations.end() || type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) return CUDA_ERROR_INVALID_VALUE;
  *static_cast<int*>(handle) = fcntl(found->second.fd, F_DUPFD_CLOEXEC, 0);
  return CUDA_SUCCESS;
}
VD_ENTRY(cuImportExternalMemory, CUexternalMemory* memory, const CUDA_EXTERNAL_MEMORY_HANDLE_DESC* handle) {
  VD_BEGIN(cuImportExternalMemory);
  if (handle->type != CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD || handle->size == 0 ||
      size_of(handle->handle.fd) < handle->size)
    return CUDA_ERROR_INVALID_VALUE;
  *memory = new CUextMemory_st{handle->handle.fd, handle->size};
  live(1);
  return CUDA_SUCCESS;
}
VD_ENTRY(cuExternalMemoryGetMappedBuffer, CUdeviceptr* address, CUexternalMemory memory,
         const CUDA_EXTERNAL_MEMORY_BUFFER_DESC* buffer) {
  VD_BEGIN(cuExternalMemoryGetMappedBuffer);
  if (buffer->size == 0 || buffer->offset + buffer->size > memory->size) return CUDA_ERROR_INVALID_VALUE;
  *address = map_shared(memory->fd, buffer->offset, buffer->size);
  return *address != 0 ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}
VD_ENTRY(cuDestroyExternalMemory, CUexternalMemory memory) {
  VD_BEGIN_ANYWHERE(cuDestroyExternalMemory);
  close(memory->fd);
  delete memory;
  live(-1);
  return CUDA_SUCCESS;
}
VD_ENTRY(cuImportExternalSemaphore, CUexternalSemaphore* semaphore, const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC* handle) {
  VD_BEGIN(cuImportExternalSemaphore);
  if (handle->type != CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD ||
      size_of(handle->handle.fd) < kSemaphoreSize)
    return CUDA_ERROR_INVALID_VALUE;
  void* page = mmap(nullptr, kSemaphoreSize, PROT_READ | PROT_WRITE, MAP_SHARED, handle->handle.fd, 0);
  if (page == MAP_FAILED) return CUDA_ERROR_INVALID_VALUE;
  close(handle->handle.fd);
  *semaphore = new CUextSemaphore_st;
  (*semaphore)->value = static_cast<std::atomic<uint64_t>*>(page);
  live(1);
  return CUDA_SUCCESS;
}
VD_ENTRY(cuSignalExternalSemaphoresAsync, const CUexternalSemaphore* semaphores,
         const CUDA_EXTERNAL_SEMAPHORE_PARAMS* values, unsigned count, CUstream handle) {
  VD_BEGIN(cuSignalExternalSemaphoresAsync);
  CUstream stream = resolve(handle);
  for (unsigned i = 0; i < count; ++i)
    stream->push([to = semaphores[i]->value, value = values[i].value] { to->store(value, std::memory_order_release); });
  return CUDA_SUCCESS;
}
VD_ENTRY(cuWaitExternalSemaphoresAsync, const CUexternalSemaphore* semaphores,
         const CUDA_EXTERNAL_SEMAPHORE_PARAMS* values, unsigned count, CUstream handle) {
  VD_BEGIN(cuWaitExternalSemaphoresAsync);
  CUstream stream = resolve(handle);
  for (unsigned i = 0; i < count; ++i)
    stream->push_always([of = semaphores[i]->value, value = values[i].value] {
      while (of->load(std::memory_order_acquire) < value) std::this_thread::sleep_for(std::chrono::microseconds(50));
    });
  return CUDA_SUCCESS;
}
VD_ENTRY(cuDestroyExternalSemaphore, CUexternalSemaphore semaphore) {
  VD_BEGIN_ANYWHERE(cuDestroyExternalSemaphore);
  munmap(static_cast<void*>(semaphore->value), kSemaphoreSize);
  delete semaphore;
  live(-1);
  return CUDA_SUCCESS;
}
