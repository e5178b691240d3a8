#include "backends/cuda/memory.h"

#include <algorithm>
#include <bit>
#include <new>
#include <string_view>

#include "backends/cuda/allocator.h"

namespace vd::cuda {

namespace {

// Bounds of the sizes that are kept, powers of two; larger memory is not kept.
constexpr uint64_t kLeastKept = 64 << 10, kMostKept = 16 << 20;
constexpr uint64_t kAllKept = 64 << 20;  // bytes in all

}  // namespace

HostMemory::HostMemory(std::shared_ptr<const Gpu> gpu, uint64_t size, const std::string& what)
    : gpu_(std::move(gpu)), size_(size) {
  const Current current(*gpu_);
  gpu_->check(gpu_->cu.cuMemHostAlloc(&data_, size, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP),
              "cuMemHostAlloc", "{} bytes of pinned host memory{}", size, what);
  const CUresult result = gpu_->cu.cuMemHostGetDevicePointer(&address_, data_, 0);
  if (result != CUDA_SUCCESS) gpu_->cu.cuMemFreeHost(data_);
  gpu_->check(result, "cuMemHostGetDevicePointer", "{} bytes of pinned host memory{}", size, what);
}

HostMemory::~HostMemory() {
  gpu_->dispose([gpu = gpu_.get(), data = data_] {
    try {
      const Current current(*gpu);
      gpu->cu.cuMemFreeHost(data);
    } catch (...) {
      // The context is gone, and its memory with it.
    }
  });
}

std::unique_ptr<HostMemory> HostPool::take(uint64_t size) {
  if (size > kMostKept) return std::make_unique<HostMemory>(gpu_, size, " for fetched bytes");
  const uint64_t wanted = std::bit_ceil(std::max(size, kLeastKept));
  {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find_if(kept_, [&](const auto& memory) { return memory->size() == wanted; });
    if (found != kept_.end()) {
      auto memory = std::move(*found);
      *found = std::move(kept_.back());
      kept_.pop_back();
      kept_size_ -= wanted;
      return memory;
    }
  }
  return std::make_unique<HostMemory>(gpu_, wanted, " for fetched bytes");
}

void HostPool::give_back(std::unique_ptr<HostMemory> memory) noexcept {
  const std::lock_guard lock(mutex_);
  const uint64_t size = memory->size();
  if (size > kMostKept || kept_size_ + size > kAllKept || gpu_->lost()) return;
  try {
    kept_.push_back(std::move(memory));
    kept_size_ += size;
  } catch (const std::bad_alloc&) {
    // It is freed instead.
  }
}

Memory::Memory(std::shared_ptr<const Gpu> gpu, uint64_t size, std::shared_ptr<HostPool> pool)
    : gpu_(std::move(gpu)), size_(size), pool_(std::move(pool)) {
  gpu_->require_alive();
  host_ = pool_->take(size);
  address_ = host_->address();
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

Memory::Memory(std::shared_ptr<const Gpu> gpu, const backends::ExternalMemory& memory)
    : gpu_(std::move(gpu)), size_(memory.size), foreign_(true) {
  gpu_->require_alive();
  gpu_->expect_captures();
  const Current current(*gpu_);
  find_device_memory(memory);
}

void Memory::find_device_memory(const backends::ExternalMemory& memory) {
  const Driver& cu = gpu_->cu;
  address_ = memory.handle;
  CUmemorytype type{};
  const CUresult known = cu.cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address_);
  if (known == CUDA_ERROR_INVALID_VALUE)
    fail(VD_ERR_INVALID, "desc->handle ({:#x}) is no memory that CUDA knows", memory.handle);
  gpu_->check(known, "cuPointerGetAttribute", "address {:#x}", memory.handle);
  int owner = 0;
  unsigned managed = 0;
  cu.cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, address_);
  const bool local = type == CU_MEMORYTYPE_DEVICE && managed == 0;
  if (local && cu.cuPointerGetAttribute(&owner, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, address_) == CUDA_SUCCESS &&
      owner != gpu_->physical.handle)
    fail(VD_ERR_INVALID, "desc->handle ({:#x}) is memory of CUDA device {}, and the context's device is CUDA device {}",
         memory.handle, owner, gpu_->physical.handle);
  CUdeviceptr begin = 0;
  size_t bytes = 0;
  if (cu.cuPointerGetAttribute(&begin, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, address_) != CUDA_SUCCESS ||
      cu.cuPointerGetAttribute(&bytes, CU_POINTER_ATTRIBUTE_RANGE_SIZE, address_) != CUDA_SUCCESS || bytes == 0)
    return;
  if (address_ - begin > bytes || size_ > bytes - (address_ - begin))
    fail(VD_ERR_INVALID,
         "desc->size ({}) is past the end of the memory at desc->handle ({:#x}), which has {} bytes left", size_,
         memory.handle, address_ - begin > bytes ? 0 : bytes - (address_ - begin));
}

Pinned::Pinned(std::shared_ptr<const Gpu> gpu, const backends::HostPages& pages)
    : gpu_(std::move(gpu)), begin_(pages.begin) {
  const Current current(*gpu_);
  const Driver& cu = gpu_->cu;
  const CUresult pinned =
      cu.cuMemHostRegister(pages.pointer(), pages.size, CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP);
  // Memory that the program has pinned, or that CUDA allocated for it pinned: a driver refuses it by one code or another.
  CUmemorytype type{};
  ours_ = pinned == CUDA_SUCCESS ||
          cu.cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, begin_) != CUDA_SUCCESS ||
          type != CU_MEMORYTYPE_HOST;
  if (ours_) gpu_->check(pinned, "cuMemHostRegister", "{} bytes at {:#x}", pages.size, begin_);
}

Pinned::~Pinned() {
  if (!ours_) return;
  try {
    const Current current(*gpu_);
    gpu_->cu.cuMemHostUnregister(reinterpret_cast<void*>(begin_));
  } catch (...) {
    // The context is gone, and nothing is pinned for it.
  }
}

CUdeviceptr Pinned::address(const Gpu& gpu, uint64_t of) const {
  const Current current(gpu);
  CUdeviceptr first = 0;
  gpu.check(gpu.cu.cuMemHostGetDevicePointer(&first, reinterpret_cast<void*>(begin_), 0), "cuMemHostGetDevicePointer",
            "address {:#x}", begin_);
  return first + (of - begin_);
}

backends::HostImports<Pinned>& Pinned::of_process() {
  static auto* const imports = new backends::HostImports<Pinned>;  // imports may outlive main()
  return *imports;
}

Memory::Memory(std::shared_ptr<const Gpu> gpu, const backends::ExternalMemory& memory,
               std::shared_ptr<const Pinned> pinned)
    : gpu_(std::move(gpu)),
      size_(memory.size),
      foreign_(true),
      pinned_(std::move(pinned)),
      theirs_(reinterpret_cast<void*>(memory.handle)),
      address_(pinned_->address(*gpu_, memory.handle)) {}

Memory::Memory(std::shared_ptr<const Gpu> gpu, const backends::ExternalMemory& memory,
               std::unique_ptr<ForeignMemory> foreign)
    : gpu_(std::move(gpu)),
      size_(memory.size),
      foreign_(true),
      foreign_memory_(std::move(foreign)),
      address_(foreign_memory_->address()) {}

Memory::Memory(std::shared_ptr<const Gpu> gpu, uint64_t size, std::unique_ptr<ExportableMemory> exported)
    : gpu_(std::move(gpu)),
      size_(size),
      foreign_(true),
      exported_(std::move(exported)),
      address_(exported_->address()) {}

backends::ExportedMemory Memory::export_memory() const {
  return exported_ ? exported_->export_memory() : backends::Memory::export_memory();
}

Memory::~Memory() {
  if (foreign_) return;
  if (pool_)
    pool_->give_back(std::move(host_));
  else if (!host_)
    gpu_->allocator().release(address_);
}

bool Memory::native(const char* kind, uint64_t& out) const {
  const std::string_view wanted = kind;
  if (wanted != "CUdeviceptr" && wanted != "address") return false;
  out = address_;
  return true;
}

}  // namespace vd::cuda
