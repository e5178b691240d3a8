// Reads a vd_order_desc.
#pragma once

#include <span>
#include <string>

#include "api/desc.h"
#include "api/guard.h"
#include "runtime/context.h"

namespace vd::api {

// The tickets to wait for, which are the caller's memory. Throws VD_ERR_UNSUPPORTED for streams and semaphores, as no
// backend has them yet.
inline std::span<const vd_ticket> read_order(vd_context& context, uint32_t queue, const vd_order_desc* order,
                                             const std::string& name) {
  if (order == nullptr) return {};
  const vd_order_desc d = read_desc(order, name.c_str());
  array(d.waits, d.wait_count, (name + "->waits").c_str());
  array(d.wait_semaphores, d.wait_semaphore_count, (name + "->wait_semaphores").c_str());
  array(d.signal_semaphores, d.signal_semaphore_count, (name + "->signal_semaphores").c_str());
  backends::Queue& backend = context.queue(queue).backend;
  if (d.stream != 0) backend.use_stream(d.stream);
  for (uint32_t i = 0; i < d.wait_semaphore_count; ++i) backend.wait_for(d.wait_semaphores[i]);
  for (uint32_t i = 0; i < d.signal_semaphore_count; ++i) backend.signal(d.signal_semaphores[i]);
  return {d.waits, d.wait_count};
}

}  // namespace vd::api
