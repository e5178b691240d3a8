// Buffers that a plan of several dispatches owns and binds behind the caller's.
#pragma once

#include "runtime/buffer.h"
#include "runtime/context.h"

namespace vd::runtime {

// With `data` as its contents, unless it is null.
inline Ref<vd_buffer> hidden_buffer(vd_context& context, uint32_t device, uint64_t size, const void* data,
                                    const char* label) {
  vd_buffer::Desc desc;
  desc.size = size;
  desc.device = device;
  desc.label = label;
  Ref<vd_buffer> buffer = vd_buffer::create(context, desc);
  if (data != nullptr) buffer->write(context.first_queue(device), 0, data, size);
  return buffer;
}

}  // namespace vd::runtime
