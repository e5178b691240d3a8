// Bytes of a buffer on their way to the host, in memory of the library.
#pragma once

#include <atomic>
#include <cstdint>

#include "runtime/buffer.h"

namespace vd::runtime {

class Fetch {
 public:
  // Gives the copy to the queue, ordered after the work that writes these bytes. Waits for nothing but room on the
  // queue. Throws as vd_buffer::read() does.
  Fetch(vd_buffer& buffer, uint64_t offset, uint64_t size, uint32_t queue, const Waits& waits = {});

  vd_ticket ticket() const { return ticket_; }
  uint64_t size() const { return size_; }
  // Throws VD_ERR_STATE before the ticket is done, and the failure if the copy never will be. Any thread may ask.
  const void* data() const;

 private:
  vd::Ref<vd_context> context_;  // outlives the memory
  uint64_t size_;
  vd_ticket ticket_ = 0;
  std::shared_ptr<DeviceMemory> memory_;  // null for no bytes
  mutable std::atomic<bool> done_{false};
};

}  // namespace vd::runtime
