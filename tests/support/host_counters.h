// The host device's counts of a context's work and of a buffer's bytes.
#pragma once

#include "backends/host/memory.h"
#include "backends/host/queue.h"
#include "runtime/plan.h"

namespace vd::test {

inline host::Queue::Counts counts_of(const vd_context& context) {
  return static_cast<host::Queue&>(context.queue(0).backend).counts();
}

inline host::Memory& memory_of(const vd_buffer& buffer) {
  const auto& context = buffer.context();
  return static_cast<host::Memory&>(buffer.block(context.queue(0)).memory()->get());
}

}  // namespace vd::test
