// The emulated driver's memory: the host's, with its bounds known, so that a copy past an end is an error.
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "support/emulated_cuda/state.h"

using namespace vd::cuda;
using namespace vd::cuda::emulated;

namespace {

struct Block {
  size_t size;
  bool pinned;
  int device = 0;
  bool registered = false;  // the program's own memory
  size_t mapped = 0;        // bytes of a mapping before it, and one more: it is part of a file
};

std::mutex g_pool_mutex;
std::map<CUdeviceptr, CUmemoryPool>& g_pools = *new std::map<CUdeviceptr, CUmemoryPool>;  // of what they allocated

std::mutex g_memory_mutex;
std::map<CUdeviceptr, Block>& g_blocks = *new std::map<CUdeviceptr, Block>;
uint64_t g_used = 0;

constexpr size_t kAlign = 256;
constexpr int kPattern = 0xA5;  // unwritten memory is not zero
constexpr size_t kMostFilled = 1 << 20;

CUdeviceptr take(size_t size, bool pinned) {
  const std::lock_guard lock(g_memory_mutex);
  if (size == 0 || (!pinned && g_used + size > memory_size())) return 0;
  // No padding behind it, so that a sanitizer sees what goes past the end.
  void* memory = nullptr;
  if (posix_memalign(&memory, kAlign, size) != 0) return 0;
  std::memset(memory, kPattern, std::min(size, kMostFilled));
  const auto address = reinterpret_cast<CUdeviceptr>(memory);
  g_blocks[address] = {size, pinned, current() != nullptr ? current()->device : 0};
  if (!pinned) g_used += size;
  live(1);
  return address;
}

bool give(CUdeviceptr address, bool pinned) {
  const std::lock_guard lock(g_memory_mutex);
  const auto found = g_blocks.find(address);
  if (found == g_blocks.end() || found->second.pinned != pinned) return false;
  const Block block = found->second;
  if (!pinned && block.mapped == 0) g_used -= block.size;
  g_blocks.erase(found);
  if (block.mapped != 0) {
    const size_t front = block.mapped - 1;
    munmap(reinterpret_cast<void*>(address - front), front + block.size);
    live(-1);
    return true;
  }
  std::free(reinterpret_cast<void*>(address));
  live(-1);
  return true;
}

// The block that has these bytes, under the lock.
const Block* block_of(CUdeviceptr address, size_t size) {
  auto found = g_blocks.upper_bound(address);
  if (found == g_blocks.begin()) return nullptr;
  --found;
  const auto& [first, block] = *found;
  return address - first <= block.size && size <= block.size - (address - first) ? &block : nullptr;
}

bool inside(CUdeviceptr address, size_t size, bool pinned_only) {
  const std::lock_guard lock(g_memory_mutex);
  const Block* const block = block_of(address, size);
  return block != nullptr && (!pinned_only || block->pinned);
}

void* at(CUdeviceptr address) { return reinterpret_cast<void*>(address); }

}  // namespace

namespace vd::cuda::emulated {
bool reserve(size_t size) {
  const std::lock_guard lock(g_memory_mutex);
  if (g_used + size > memory_size()) return false;
  g_used += size;
  return true;
}
void give_back(size_t size) {
  const std::lock_guard lock(g_memory_mutex);
  g_used -= size;
}
CUdeviceptr map_shared(int fd, size_t offset, size_t size) {
  const size_t front = offset % 4096;
  void* place = mmap(nullptr, front + size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, static_cast<off_t>(offset - front));
  if (place == MAP_FAILED) return 0;
  const auto address = reinterpret_cast<CUdeviceptr>(place) + front;
  const std::lock_guard lock(g_memory_mutex);
  g_blocks[address] = {size, false, current()->device, false, front + 1};
  live(1);
  return address;
}
void note_memory(CUdeviceptr address, size_t size, bool comes) {
  const std::lock_guard lock(g_memory_mutex);
  if (comes)
    g_blocks[address] = {size, false, current()->device};
  else
    g_blocks.erase(address);
}
bool is_memory(CUdeviceptr address, size_t size) { return inside(address, size, false); }
bool is_pinned(const void* pointer, size_t size) { return inside(reinterpret_cast<CUdeviceptr>(pointer), size, true); }
bool is_registered(CUdeviceptr address) {
  const std::lock_guard lock(g_memory_mutex);
  const Block* const block = block_of(address, 1);
  return block != nullptr && block->registered;
}
}  // namespace vd::cuda::emulated

VD_ENTRY(cuMemAlloc_v2, CUdeviceptr* address, size_t size) {
  VD_BEGIN(cuMemAlloc_v2);
  *address = take(size, false);
  return *address != 0 ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}
VD_ENTRY(cuMemFree_v2, CUdeviceptr address) {
  VD_BEGIN_ANYWHERE(cuMemFree_v2);  // also where an error ended the context
  const Exclusive alone;
  return give(address, false) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
VD_ENTRY(cuMemHostAlloc, void** pointer, size_t size, unsigned) {
  VD_BEGIN(cuMemHostAlloc);
  *pointer = at(take(size, true));
  return *pointer != nullptr ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}
VD_ENTRY(cuMemFreeHost, void* pointer) {
  VD_BEGIN_ANYWHERE(cuMemFreeHost);  // also where an error ended the context
  const Exclusive alone;
  return give(reinterpret_cast<CUdeviceptr>(pointer), true) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
VD_ENTRY(cuMemHostGetDevicePointer_v2, CUdeviceptr* address, void* pointer, unsigned) {
  VD_BEGIN(cuMemHostGetDevicePointer_v2);
  if (!is_pinned(pointer, 1)) return CUDA_ERROR_INVALID_VALUE;
  *address = reinterpret_cast<CUdeviceptr>(pointer);
  return CUDA_SUCCESS;
}
VD_ENTRY(cuMemPoolCreate, CUmemoryPool* pool, const CUmemPoolProps* properties) {
  VD_BEGIN(cuMemPoolCreate);
  if (properties->allocType != CU_MEM_ALLOCATION_TYPE_PINNED ||
      properties->location.type != CU_MEM_LOCATION_TYPE_DEVICE)
    return CUDA_ERROR_INVALID_VALUE;
  *pool = new CUmemPoolHandle_st;
  (*pool)->context = current();
  live(1);
  return CUDA_SUCCESS;
}
VD_ENTRY(cuMemPoolDestroy, CUmemoryPool pool) {
  VD_BEGIN_ANYWHERE(cuMemPoolDestroy);  // also where an error ended the context
  {
    const std::lock_guard lock(g_pool_mutex);
    std::erase_if(g_pools, [pool](const auto& one) { return one.second == pool; });
  }
  delete pool;
  live(-1);
  return CUDA_SUCCESS;
}
VD_ENTRY(cuMemPoolSetAttribute, CUmemoryPool pool, CUmemPool_attribute attribute, void* value) {
  VD_BEGIN(cuMemPoolSetAttribute);
  if (attribute == CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES)
    pool->reuses = *static_cast<const int*>(value) != 0;
  else if (attribute != CU_MEMPOOL_ATTR_RELEASE_THRESHOLD)
    return CUDA_ERROR_INVALID_VALUE;
  return CUDA_SUCCESS;
}
VD_ENTRY(cuMemPoolTrimTo, CUmemoryPool, size_t) {
  VD_BEGIN(cuMemPoolTrimTo);
  return CUDA_SUCCESS;
}
VD_ENTRY(cuMemAllocFromPoolAsync, CUdeviceptr* address, size_t size, CUmemoryPool pool, CUstream handle) {
  VD_BEGIN(cuMemAllocFromPoolAsync);
  *address = take(size, false);
  if (*address == 0) return CUDA_ERROR_OUT_OF_MEMORY;
  CUstream stream = resolve(handle);
  const std::lock_guard lock(g_pool_mutex);
  g_pools[*address] = pool;
  if (pool->reuses && pool->freed != nullptr && pool->freeing != stream)
    stream->push_always([freed = pool->freed] { freed->wait(); });
  return CUDA_SUCCESS;
}
VD_ENTRY(cuMemFreeAsync, CUdeviceptr address, CUstream handle) {
  VD_BEGIN_ANYWHERE(cuMemFreeAsync);  // also where an error ended the context
  CUstream stream = resolve(handle);
  if (!is_memory(address, 1)) return CUDA_ERROR_INVALID_VALUE;
  const auto freed = std::make_shared<Token>();
  stream->push_always([address, freed] {
    give(address, false);
    freed->finish();
  });
  const std::lock_guard lock(g_pool_mutex);
  if (const auto pool = g_pools.extract(address); !pool.empty()) {
    pool.mapped()->freeing = stream;
    pool.mapped()->freed = freed;
  }
  return CUDA_SUCCESS;
}
VD_ENTRY(cuMemcpyAsync, CUdeviceptr to, CUdeviceptr from, size_t size, CUstream handle) {
  VD_BEGIN(cuMemcpyAsync);
  CUstream stream = resolve(handle);
  if (stream->captures() && stream->capture->aborted) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  if (!is_memory(to, size) || !is_memory(from, size)) return CUDA_ERROR_INVALID_VALUE;
  stream->push([=] { std::memmove(at(to), at(from), size); });
  return CUDA_SUCCESS;
}
VD_ENTRY(cuMemcpyHtoDAsync_v2, CUdeviceptr to, const void* from, size_t size, CUstream handle) {
  VD_BEGIN(cuMemcpyHtoDAsync_v2);
  CUstream stream = resolve(handle);
  if (stream->captures() && stream->capture->aborted) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  if (!is_memory(to, size)) return CUDA_ERROR_INVALID_VALUE;
  if (is_pinned(from, size)) {
    stream->push([=] { std::memcpy(at(to), from, size); });
  } else {
    const auto* bytes = static_cast<const std::byte*>(from);
    stream->push(
        [to, copy = std::vector<std::byte>(bytes, bytes + size)] { std::memcpy(at(to), copy.data(), copy.size()); });
  }
  return CUDA_SUCCESS;
}
VD_ENTRY(cuMemcpyDtoHAsync_v2, void* to, CUdeviceptr from, size_t size, CUstream handle) {
  VD_BEGIN(cuMemcpyDtoHAsync_v2);
  CUstream stream = resolve(handle);
  if (stream->captures() && stream->capture->aborted) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  if (!is_memory(from, size)) return CUDA_ERROR_INVALID_VALUE;
  stream->push([=] { std::memcpy(to, at(from), size); });
  if (!is_pinned(to, size)) stream->drain();
  return CUDA_SUCCESS;
}
VD_ENTRY(cuMemsetD32Async, CUdeviceptr to, unsigned value, size_t count, CUstream handle) {
  VD_BEGIN(cuMemsetD32Async);
  CUstream stream = resolve(handle);
  if (stream->captures() && stream->capture->aborted) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  if (to % 4 != 0 || !is_memory(to, count * 4)) return CUDA_ERROR_INVALID_VALUE;
  stream->push([=] {
    for (size_t i = 0; i < count; ++i) static_cast<unsigned*>(at(to))[i] = value;
  });
  return CUDA_SUCCESS;
}
// For rivals of benchmarks: these wait.
VD_ENTRY(cuMemcpyHtoD_v2, CUdeviceptr to, const void* from, size_t size) {
  VD_BEGIN(cuMemcpyHtoD_v2);
  if (!is_memory(to, size)) return CUDA_ERROR_INVALID_VALUE;
  std::memcpy(at(to), from, size);
  return CUDA_SUCCESS;
}
VD_ENTRY(cuMemcpyDtoH_v2, void* to, CUdeviceptr from, size_t size) {
  VD_BEGIN(cuMemcpyDtoH_v2);
  if (!is_memory(from, size)) return CUDA_ERROR_INVALID_VALUE;
  std::memcpy(to, at(from), size);
  return CUDA_SUCCESS;
}
VD_ENTRY(cuPointerGetAttribute, void* value, CUpointer_attribute attribute, CUdeviceptr address) {
  VD_BEGIN(cuPointerGetAttribute);
  const std::lock_guard lock(g_memory_mutex);
  auto found = g_blocks.upper_bound(address);
  if (found == g_blocks.begin()) return CUDA_ERROR_INVALID_VALUE;
  --found;
  if (address - found->first >= found->second.size) return CUDA_ERROR_INVALID_VALUE;
  const Block& block = found->second;
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      *static_cast<CUmemorytype*>(value) = block.pinned ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
      break;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      *static_cast<unsigned*>(value) = 0;
      break;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      *static_cast<int*>(value) = block.device;
      break;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      *static_cast<CUdeviceptr*>(value) = found->first;
      break;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
      *static_cast<size_t*>(value) = block.size;
      break;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}
VD_ENTRY(cuMemHostRegister_v2, void* pointer, size_t size, unsigned) {
  VD_BEGIN(cuMemHostRegister_v2);
  const bool known = is_memory(reinterpret_cast<CUdeviceptr>(pointer), 1);
  const std::lock_guard lock(g_memory_mutex);
  if (known) {
    const auto found = g_blocks.find(reinterpret_cast<CUdeviceptr>(pointer));
    const bool registered = found != g_blocks.end() && found->second.registered;
    return registered ? CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED : CUDA_ERROR_INVALID_VALUE;  // as on an H200
  }
  g_blocks[reinterpret_cast<CUdeviceptr>(pointer)] = {size, true, 0, true};
  live(1);
  return CUDA_SUCCESS;
}
VD_ENTRY(cuMemHostUnregister, void* pointer) {
  VD_BEGIN_ANYWHERE(cuMemHostUnregister);
  const std::lock_guard lock(g_memory_mutex);
  const auto found = g_blocks.find(reinterpret_cast<CUdeviceptr>(pointer));
  if (found == g_blocks.end() || !found->second.registered) return CUDA_ERROR_INVALID_VALUE;
  g_blocks.erase(found);
  live(-1);
  return CUDA_SUCCESS;
}
