// Device memory: from a stream-ordered pool of our own where the driver has them, so that freeing does not wait for the
// whole device as cuMemFree does; else by cuMemAlloc, and a thread of ours waits.
#pragma once

#include <cstdint>
#include <string>

#include "backends/cuda/gpu.h"

namespace vd::cuda {

class Allocator {
 public:
  explicit Allocator(const Gpu& gpu);
  Allocator(const Allocator&) = delete;
  Allocator& operator=(const Allocator&) = delete;
  ~Allocator();

  // Ready for every stream on return. `what` names the memory in messages.
  CUdeviceptr allocate(uint64_t size, const std::string& what) const;
  // Nothing that was submitted may still use it.
  void release(CUdeviceptr address) const noexcept;

  // Memory for the work of one stream, in that stream's order.
  CUdeviceptr allocate(uint64_t size, CUstream stream, const std::string& what) const;
  void release(CUdeviceptr address, CUstream stream) const noexcept;

  // Gives memory that was freed, and is kept for the next allocation, back to the device. False if that failed.
  bool trim() const;

  // A stream for work that belongs to no queue.
  CUstream stream() const noexcept { return stream_; }

 private:
  CUresult take(CUdeviceptr& address, uint64_t size, CUstream stream) const;
  void destroy() noexcept;

  const Gpu& gpu_;
  CUmemoryPool pool_ = nullptr;
  CUstream stream_ = nullptr;
};

}  // namespace vd::cuda
