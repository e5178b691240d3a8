// Pinned host memory, through which data travels to or from a device with memory of its own.
#pragma once

#include <cstddef>
#include <memory>

#include "backends/opencl/context.h"
#include "backends/staging.h"

namespace vd::opencl {

class PinnedMemory {
 public:
  // Mapped by way of `queue`, which outlives it.
  PinnedMemory(std::shared_ptr<const Context> context, cl_command_queue queue, uint64_t size);
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;
  ~PinnedMemory();

  std::byte* data() const noexcept { return data_; }

 private:
  std::shared_ptr<const Context> context_;
  cl_command_queue queue_;
  MemHandle memory_;
  std::byte* data_ = nullptr;
};

using StagingRing = backends::StagingRing<PinnedMemory>;

}  // namespace vd::opencl
