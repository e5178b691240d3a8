// A transfer between the memory of the host and of a device.
#pragma once

#include <memory>

#include "runtime/claim.h"
#include "runtime/context.h"
#include "runtime/memory.h"

namespace vd::runtime {

// A read or a write of the host's. A write of several pieces is seen whole or not at all.
class Transfer {
 public:
  // Throws VD_ERR_STATE for memory that was discarded.
  Transfer(vd_context& context, const Access& access);

  backends::Memory& memory() const { return memory_->get(); }  // lives on if it is discarded meanwhile
  const Claim& claim() const { return claim_; }

 private:
  const Access access_;
  const Claim claim_;
  std::shared_ptr<DeviceMemory> memory_;
};

}  // namespace vd::runtime
