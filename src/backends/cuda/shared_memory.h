// Device memory behind file descriptors: ours for others, and that of others.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "backends/backend.h"
#include "backends/cuda/gpu.h"

namespace vd::cuda {

// Memory that can be exported, mapped in the device's addresses.
class ExportableMemory {
 public:
  // Throws VD_ERR_OUT_OF_MEMORY with the size.
  ExportableMemory(std::shared_ptr<const Gpu> gpu, uint64_t size, const std::string& what);
  ExportableMemory(const ExportableMemory&) = delete;
  ExportableMemory& operator=(const ExportableMemory&) = delete;
  ~ExportableMemory();

  CUdeviceptr address() const noexcept { return address_; }
  backends::ExportedMemory export_memory() const;

 private:
  void map(const std::string& what);
  void free() noexcept;

  const std::shared_ptr<const Gpu> gpu_;
  uint64_t size_ = 0;  // a multiple of the driver's
  CUmemGenericAllocationHandle memory_ = 0;
  CUdeviceptr address_ = 0;
  bool mapped_ = false;
};

// Memory of another API by its file descriptor, which is taken.
class ForeignMemory {
 public:
  ForeignMemory(std::shared_ptr<const Gpu> gpu, const backends::ExternalMemory& memory);
  ForeignMemory(const ForeignMemory&) = delete;
  ForeignMemory& operator=(const ForeignMemory&) = delete;
  ~ForeignMemory();

  CUdeviceptr address() const noexcept { return address_; }  // of the buffer in it

 private:
  const std::shared_ptr<const Gpu> gpu_;
  CUexternalMemory memory_ = nullptr;
  CUdeviceptr address_ = 0;
};

}  // namespace vd::cuda
