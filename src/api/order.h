// Reads a vd_order_desc.
#pragma once

#include <string>

#include "api/desc.h"
#include "api/guard.h"
#include "core/name.h"
#include "runtime/context.h"
#include "runtime/waits.h"

namespace vd::api {

// The tickets to wait for, the stream and the label. Throws VD_ERR_UNSUPPORTED for semaphores, and for streams where a
// backend has none.
inline runtime::Waits read_order(vd_context& context, const runtime::Queue& queue, const vd_order_desc* order,
                                 const std::string& name) {
  if (order == nullptr) return {};
  const vd_order_desc d = read_desc(order, name.c_str());
  const std::string waits = name + "->waits";
  array(d.waits, d.wait_count, waits.c_str());
  array(d.wait_semaphores, d.wait_semaphore_count, (name + "->wait_semaphores").c_str());
  array(d.signal_semaphores, d.signal_semaphore_count, (name + "->signal_semaphores").c_str());
  backends::Queue& backend = queue.backend;
  if (d.stream != 0) backend.check_stream(d.stream, name + "->stream");
  for (uint32_t i = 0; i < d.wait_semaphore_count; ++i) backend.wait_for(d.wait_semaphores[i]);
  for (uint32_t i = 0; i < d.signal_semaphore_count; ++i) backend.signal(d.signal_semaphores[i]);
  runtime::Waits read = runtime::read_waits(context, queue, {d.waits, d.wait_count}, waits.c_str());
  read.stream = d.stream;
  if (d.label != nullptr) read.label = shown_name(d.label);
  return read;
}

}  // namespace vd::api
