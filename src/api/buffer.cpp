// Buffers.
#include "runtime/buffer.h"

#include <algorithm>
#include <array>

#include "api/blob.h"
#include "api/desc.h"
#include "api/guard.h"
#include "api/order.h"
#include "core/name.h"
#include "core/program_call.h"
#include "primitives/strided_copy.h"
#include "runtime/dlpack.h"
#include "runtime/pattern_fill.h"

using vd::fail;
using vd::api::guard;
using vd::api::in;
using vd::api::out;
using vd::runtime::CallSpan;

vd_status vd_buffer_create(vd_context* ctx, const vd_buffer_desc* desc, vd_buffer** out_buffer) {
  return guard(__func__, [&] {
    vd_buffer*& result = out(out_buffer, "out_buffer");
    vd_context& c = in(ctx, "ctx");
    const vd_buffer_desc d = vd::api::read_desc(desc, "desc");
    constexpr vd_buffer_flags kKnown = VD_BUFFER_HOST | VD_BUFFER_PER_QUEUE | VD_BUFFER_EXPORT;
    vd_buffer::Desc made;
    made.flags = vd::api::flags(d.flags, kKnown, "desc->flags");
    made.size = d.size;
    std::copy(d.shape, d.shape + VD_MAX_DIMS, made.shape.begin());
    made.device = d.device;
    c.device(d.device, "desc->device");
    if (d.reserved != 0) fail(VD_ERR_INVALID, "desc->reserved ({}) is not zero", d.reserved);
    if (d.label != nullptr) made.label = vd::shown_name(d.label);
    auto buffer = vd_buffer::create(c, std::move(made));
    if (d.data != nullptr) buffer->write(VD_QUEUE_ALL, 0, d.data, d.size);
    result = buffer.detach();
    return VD_OK;
  });
}

// The memory behind desc->fd.
static void read_fd(vd::backends::ExternalMemory& memory, const vd_buffer_import_desc& desc,
                    const vd_device_info& device) {
  const vd_memory_fd f = vd::api::read_desc(&in(desc.fd, "desc->fd"), "desc->fd");
  if (desc.handle != 0) fail(VD_ERR_INVALID, "desc->handle ({:#x}) is not 0 beside desc->fd", desc.handle);
  if ((device.features & VD_FEATURE_MEMORY_FD) == 0)
    fail(VD_ERR_UNSUPPORTED, "device \"{}\" imports no memory by file descriptors (VD_FEATURE_MEMORY_FD)", device.name);
  if (f.fd < 0) fail(VD_ERR_INVALID, "desc->fd->fd ({}) is no file descriptor", f.fd);
  if (f.offset > f.memory_size || f.size > f.memory_size - f.offset)
    fail(VD_ERR_INVALID, "desc->fd->offset ({}) + desc->fd->size ({}) is past desc->fd->memory_size ({})", f.offset,
         f.size, f.memory_size);
  if (desc.size > f.size) fail(VD_ERR_INVALID, "desc->size ({}) is more than desc->fd->size ({})", desc.size, f.size);
  const bool known = std::any_of(std::begin(f.uuid), std::end(f.uuid), [](uint8_t byte) { return byte != 0; });
  if (known && device.uuid_valid != 0 && !std::equal(std::begin(f.uuid), std::end(f.uuid), device.uuid))
    fail(VD_ERR_INVALID, "desc->fd->uuid is another device's than that of \"{}\"", device.name);
  memory.handle = static_cast<uint64_t>(f.fd);
  memory.memory_size = f.memory_size;
  memory.offset = f.offset;
}

vd_status vd_buffer_export_fd(const vd_buffer* buffer, vd_memory_fd* out_fd) {
  return guard(__func__, [&] {
    const vd_buffer& b = in(buffer, "buffer");
    vd_memory_fd made = VD_MEMORY_FD_INIT;
    vd::api::write_info(made, out_fd, "out_fd");  // so that a wrong struct fails before there is a descriptor
    const auto memory = b.export_memory();
    made.fd = memory.fd;
    made.memory_size = memory.size;
    made.offset = b.offset();
    made.size = b.size();
    const vd_device_info& device = b.context().device(b.device()).info();
    if (device.uuid_valid != 0) std::copy(std::begin(device.uuid), std::end(device.uuid), made.uuid);
    vd::api::write_info(made, out_fd, "out_fd");
    return VD_OK;
  });
}

vd_status vd_buffer_import(vd_context* ctx, const vd_buffer_import_desc* desc, vd_buffer** out_buffer) {
  return guard(__func__, [&] {
    vd_buffer*& result = out(out_buffer, "out_buffer");
    vd_context& c = in(ctx, "ctx");
    const vd_buffer_import_desc d = vd::api::read_desc(desc, "desc");
    if (d.kind <= VD_MEMORY_KIND_NONE || d.kind > VD_MEMORY_KIND_FD)
      fail(VD_ERR_INVALID, "desc->kind ({}) is unknown", static_cast<int>(d.kind));
    c.device(d.device, "desc->device");
    vd_buffer::Desc made;
    made.size = d.size;
    std::copy(d.shape, d.shape + VD_MAX_DIMS, made.shape.begin());
    made.device = d.device;
    made.read_only = vd::api::truth(d.read_only, "desc->read_only");
    if (d.label != nullptr) made.label = vd::shown_name(d.label);
    vd_buffer::Import from;
    from.memory = {d.kind, d.handle, d.size, made.label};
    if (d.kind == VD_MEMORY_KIND_FD)
      read_fd(from.memory, d, c.device(d.device).info());
    else if (d.fd != nullptr)
      fail(VD_ERR_INVALID, "desc->fd is given, and desc->kind ({}) is not VD_MEMORY_KIND_FD", static_cast<int>(d.kind));
    from.stream = d.stream;
    if (d.release != nullptr)
      from.release = [release = d.release, user = d.user] {
        vd::call_program("the release of imported memory", [&] { release(user); });
      };
    result = vd_buffer::import(c, std::move(made), from).detach();
    return VD_OK;
  });
}

vd_status vd_buffer_export_dlpack(vd_buffer* buffer, const vd_dlpack_desc* desc, uint64_t* out_tensor) {
  return guard(__func__, [&] {
    uint64_t& result = out(out_tensor, "out_tensor");
    const vd_buffer& b = in(buffer, "buffer");
    const vd_dlpack_desc d = vd::api::read_desc(desc, "desc");
    if (d.reserved != 0) fail(VD_ERR_INVALID, "desc->reserved ({}) is not zero", d.reserved);
    vd::api::truth(d.versioned, "desc->versioned");
    vd::api::truth(d.copied, "desc->copied");
    result = vd::runtime::export_dlpack(b, d);
    return VD_OK;
  });
}

vd_status vd_buffer_slice(vd_buffer* buffer, uint64_t offset, uint64_t size, vd_buffer** out_buffer) {
  return guard(__func__, [&] {
    vd_buffer*& result = out(out_buffer, "out_buffer");
    result = in(buffer, "buffer").slice(offset, size).detach();
    return VD_OK;
  });
}

vd_status vd_buffer_view(vd_buffer* buffer, const vd_buffer_view_desc* desc, vd_buffer** out_buffer) {
  return guard(__func__, [&] {
    vd_buffer*& result = out(out_buffer, "out_buffer");
    vd_buffer& b = in(buffer, "buffer");
    const vd_buffer_view_desc d = vd::api::read_desc(desc, "desc");
    if (d.reserved != 0) fail(VD_ERR_INVALID, "desc->reserved ({}) is not zero", d.reserved);
    result = b.slice(d.offset, d.size, std::to_array(d.shape), "desc->").detach();
    return VD_OK;
  });
}

void vd_buffer_retain(vd_buffer* buffer) {
  if (buffer != nullptr) buffer->retain();
}
void vd_buffer_release(vd_buffer* buffer) {
  if (buffer != nullptr) buffer->release();
}

vd_status vd_buffer_get_info(const vd_buffer* buffer, vd_buffer_info* out_info) {
  return guard(__func__, [&] {
    const vd_buffer& b = in(buffer, "buffer");
    vd_buffer_info info = VD_BUFFER_INFO_INIT;
    info.flags = b.flags();
    info.size = b.size();
    std::copy(b.shape().begin(), b.shape().end(), info.shape);
    info.offset = b.slice_offset();
    info.device = b.device();
    info.discarded = b.discarded() ? 1 : 0;
    info.mappable = b.mappable() ? 1 : 0;
    info.imported = b.imported() ? 1 : 0;
    info.read_only = b.read_only() ? 1 : 0;
    vd::api::write_info(info, out_info, "out_info");
    return VD_OK;
  });
}

vd_status vd_buffer_write(vd_buffer* buffer, uint64_t offset, const void* data, uint64_t size, uint32_t queue) {
  return guard(__func__, [&] {
    vd_buffer& b = in(buffer, "buffer");
    const uint64_t all = b.size_from(offset, size);
    const CallSpan span(b.context().profiler(), "vd_buffer_write", VD_SPAN_WRITE, all);
    b.write(queue, offset, vd::api::bytes(data, all, "data"), all);
    return VD_OK;
  });
}

vd_status vd_buffer_read(vd_buffer* buffer, uint64_t offset, uint64_t size, uint32_t queue, void* out_data) {
  return guard(__func__, [&] {
    vd_buffer& b = in(buffer, "buffer");
    const uint64_t all = b.size_from(offset, size);
    const CallSpan span(b.context().profiler(), "vd_buffer_read", VD_SPAN_READ, all);
    b.read(queue, offset, vd::api::bytes(out_data, all, "out_data"), all);
    return VD_OK;
  });
}

vd_status vd_buffer_fetch(vd_buffer* buffer, uint64_t offset, uint64_t size, uint32_t queue, const vd_order_desc* order,
                          vd_blob** out_blob, vd_ticket* out_ticket) {
  return guard(__func__, [&] {
    if (out_ticket != nullptr) *out_ticket = 0;
    vd_blob*& result = out(out_blob, "out_blob");
    vd_buffer& b = in(buffer, "buffer");
    const CallSpan span(b.context().profiler(), "vd_buffer_fetch");
    const vd::api::Order ordered(b.context(), queue, order, "order");
    auto fetch = std::make_unique<vd::runtime::Fetch>(b, offset, b.size_from(offset, size), queue, ordered.waits());
    ordered.end(fetch->ticket(), out_ticket);
    result = vd::make_ref<vd_blob>(std::move(fetch)).detach();
    return VD_OK;
  });
}

vd_status vd_buffer_copy(vd_buffer* source, uint64_t source_offset, vd_buffer* destination, uint64_t destination_offset,
                         uint64_t size, uint32_t queue, const vd_order_desc* order, vd_ticket* out_ticket) {
  return guard(__func__, [&] {
    if (out_ticket != nullptr) *out_ticket = 0;
    vd_buffer& s = in(source, "source");
    const CallSpan span(s.context().profiler(), "vd_buffer_copy");
    const vd::api::Order ordered(s.context(), queue, order, "order");
    const vd_ticket ticket = vd::runtime::copy(s, source_offset, in(destination, "destination"), destination_offset,
                                               s.size_from(source_offset, size), queue, ordered.waits());
    ordered.end(ticket, out_ticket);
    return VD_OK;
  });
}

vd_status vd_buffer_fill(vd_buffer* buffer, uint64_t offset, uint64_t size, uint32_t pattern, uint32_t queue,
                         const vd_order_desc* order, vd_ticket* out_ticket) {
  return guard(__func__, [&] {
    if (out_ticket != nullptr) *out_ticket = 0;
    vd_buffer& b = in(buffer, "buffer");
    const CallSpan span(b.context().profiler(), "vd_buffer_fill");
    const vd::api::Order ordered(b.context(), queue, order, "order");
    const vd_ticket ticket = vd::runtime::fill(b, offset, b.size_from(offset, size), pattern, queue, ordered.waits());
    ordered.end(ticket, out_ticket);
    return VD_OK;
  });
}

vd_status vd_buffer_send(vd_buffer* buffer, uint64_t offset, const void* data, uint64_t size, uint32_t queue,
                         const vd_order_desc* order, vd_ticket* out_ticket) {
  return guard(__func__, [&] {
    if (out_ticket != nullptr) *out_ticket = 0;
    vd_buffer& b = in(buffer, "buffer");
    const uint64_t all = b.size_from(offset, size);
    const CallSpan span(b.context().profiler(), "vd_buffer_send", VD_SPAN_WRITE, all);
    const vd::api::Order ordered(b.context(), queue, order, "order");
    const vd_ticket ticket = b.send(queue, offset, vd::api::bytes(data, all, "data"), all, ordered.waits());
    ordered.end(ticket, out_ticket);
    return VD_OK;
  });
}

vd_status vd_buffer_fill_pattern(vd_buffer* buffer, uint64_t offset, uint64_t size, const void* pattern,
                                 uint32_t pattern_size, uint32_t queue, const vd_order_desc* order,
                                 vd_ticket* out_ticket) {
  return guard(__func__, [&] {
    if (out_ticket != nullptr) *out_ticket = 0;
    vd_buffer& b = in(buffer, "buffer");
    const CallSpan span(b.context().profiler(), "vd_buffer_fill_pattern");
    const auto* bytes = static_cast<const std::byte*>(vd::api::bytes(pattern, pattern_size, "pattern"));
    const vd::api::Order ordered(b.context(), queue, order, "order");
    const vd_ticket ticket = vd::runtime::fill(b, offset, b.size_from(offset, size),
                                               vd::runtime::Pattern({bytes, pattern_size}), queue, ordered.waits());
    ordered.end(ticket, out_ticket);
    return VD_OK;
  });
}

vd_status vd_buffer_copy_strided(vd_buffer* source, vd_buffer* destination, const vd_strided_copy_desc* desc,
                                 uint32_t queue, const vd_order_desc* order, vd_ticket* out_ticket) {
  return guard(__func__, [&] {
    if (out_ticket != nullptr) *out_ticket = 0;
    vd_buffer& s = in(source, "source");
    const CallSpan span(s.context().profiler(), "vd_buffer_copy_strided");
    vd_buffer& d = in(destination, "destination");
    const vd_strided_copy_desc shape = vd::api::read_desc(desc, "desc");
    const vd::api::Order ordered(s.context(), queue, order, "order");
    const vd_ticket ticket = vd::primitives::copy_strided(s, d, shape, queue, ordered.waits());
    ordered.end(ticket, out_ticket);
    return VD_OK;
  });
}

vd_status vd_buffer_discard(vd_buffer* buffer) {
  return guard(__func__, [&] {
    in(buffer, "buffer").discard();
    return VD_OK;
  });
}

vd_status vd_buffer_get_native(const vd_buffer* buffer, const char* kind, uint32_t queue, uint64_t* out_handle,
                               uint64_t* out_offset) {
  return guard(__func__, [&] {
    uint64_t& handle = out(out_handle, "out_handle");
    uint64_t& offset = out(out_offset, "out_offset");
    const vd_buffer& b = in(buffer, "buffer");
    vd::api::text(kind, "kind");
    handle = b.native(kind, queue);
    offset = b.offset();
    return VD_OK;
  });
}
