// Buffers: device memory, or pinned host memory that kernels reach over the bus.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "backends/backend.h"
#include "backends/cuda/gpu.h"
#include "backends/cuda/shared_memory.h"
#include "backends/host_pages.h"

namespace vd::cuda {

// Pinned host memory, which every device reaches over the bus.
class HostMemory {
 public:
  // Throws VD_ERR_OUT_OF_MEMORY with the size.
  HostMemory(std::shared_ptr<const Gpu> gpu, uint64_t size, const std::string& what);
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;
  ~HostMemory();

  std::byte* data() const noexcept { return static_cast<std::byte*>(data_); }
  CUdeviceptr address() const noexcept { return address_; }
  uint64_t size() const noexcept { return size_; }

 private:
  std::shared_ptr<const Gpu> gpu_;
  const uint64_t size_;
  void* data_ = nullptr;
  CUdeviceptr address_ = 0;
};

// Freed pinned memory for reuse, since pinning takes the driver long.
class HostPool {
 public:
  explicit HostPool(std::shared_ptr<const Gpu> gpu) : gpu_(std::move(gpu)) {}
  HostPool(const HostPool&) = delete;
  HostPool& operator=(const HostPool&) = delete;

  // Memory of at least `size` bytes.
  std::unique_ptr<HostMemory> take(uint64_t size);
  void give_back(std::unique_ptr<HostMemory> memory) noexcept;

 private:
  const std::shared_ptr<const Gpu> gpu_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<HostMemory>> kept_;
  uint64_t kept_size_ = 0;
};

// The program's own memory, pinned unless another library has done so.
class Pinned {
 public:
  Pinned(std::shared_ptr<const Gpu> gpu, const backends::HostPages& pages);
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;
  // At once: when this returns, the owner may free it.
  ~Pinned();
  // The address by which a device knows one of its bytes.
  CUdeviceptr address(const Gpu& gpu, uint64_t of) const;
  // The imports of all devices of the process. Whichever asked first, memory is pinned for all of them.
  static backends::HostImports<Pinned>& of_process();

 private:
  std::shared_ptr<const Gpu> gpu_;
  const uint64_t begin_;
  bool ours_ = false;
};

class Memory final : public backends::Memory {
 public:
  // Throws VD_ERR_OUT_OF_MEMORY with the size.
  Memory(std::shared_ptr<const Gpu> gpu, uint64_t size, bool host, const std::string& label);
  // Over memory of CUDA's that another owner keeps.
  Memory(std::shared_ptr<const Gpu> gpu, const backends::ExternalMemory& memory);
  // Over memory of the program's.
  Memory(std::shared_ptr<const Gpu> gpu, const backends::ExternalMemory& memory, std::shared_ptr<const Pinned> pinned);
  // For bytes that are fetched.
  Memory(std::shared_ptr<const Gpu> gpu, uint64_t size, std::shared_ptr<HostPool> pool);
  // Over memory behind a file descriptor.
  Memory(std::shared_ptr<const Gpu> gpu, const backends::ExternalMemory& memory,
         std::unique_ptr<ForeignMemory> foreign);
  // Device memory that can be exported.
  Memory(std::shared_ptr<const Gpu> gpu, uint64_t size, std::unique_ptr<ExportableMemory> exported);
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() override;

  uint64_t size() const override { return size_; }
  void* host_pointer() override { return host_ ? host_->data() : theirs_; }
  bool native(const char* kind, uint64_t& out) const override;
  backends::ExportedMemory export_memory() const override;

  CUdeviceptr address() const noexcept { return address_; }

 private:
  void find_device_memory(const backends::ExternalMemory& memory);

  std::shared_ptr<const Gpu> gpu_;
  uint64_t size_;
  bool foreign_ = false;  // another owner frees it
  std::shared_ptr<const Pinned> pinned_;
  void* theirs_ = nullptr;  // the program's memory that is pinned
  std::unique_ptr<ForeignMemory> foreign_memory_;
  std::unique_ptr<ExportableMemory> exported_;
  std::unique_ptr<HostMemory> host_;
  std::shared_ptr<HostPool> pool_;  // where that goes back to
  CUdeviceptr address_ = 0;
};

inline CUdeviceptr address_of(const backends::Range& range) noexcept {
  return static_cast<const Memory*>(range.memory)->address() + range.offset;
}

}  // namespace vd::cuda
