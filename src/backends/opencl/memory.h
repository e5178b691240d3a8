// Buffers: one cl_mem each.
#pragma once

#include <memory>
#include <string>

#include "backends/backend.h"
#include "backends/opencl/context.h"

namespace vd::opencl {

class Memory final : public backends::Memory {
 public:
  // `host_visible` asks the driver for memory that it can also map. Throws VD_ERR_OUT_OF_MEMORY with the size.
  Memory(std::shared_ptr<const Context> context, uint64_t size, bool host_visible, const std::string& label);
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  uint64_t size() const override { return size_; }
  bool native(const char* kind, uint64_t& out) const override;

  cl_mem handle() const noexcept { return handle_.get(); }
  // Never used again, as an address may be.
  uint64_t serial() const noexcept { return serial_; }

 private:
  uint64_t size_;
  uint64_t serial_;
  MemHandle handle_;
};

}  // namespace vd::opencl
