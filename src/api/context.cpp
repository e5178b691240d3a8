// Contexts.
#include "runtime/context.h"

#include <exception>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "api/desc.h"
#include "api/guard.h"
#include "core/process_end.h"
#include "core/program_call.h"
#include "runtime/open.h"
#include "runtime/stream.h"

using vd::fail;
using vd::api::guard;
using vd::api::in;
using vd::api::out;

// No machine has more processors, and a thread too many ends the process on some.
static constexpr uint32_t kMaxThreads = 4096;

namespace {

// The words of a text; NULL has none.
std::vector<std::string> words_of(const char* text) {
  std::vector<std::string> words;
  std::istringstream stream(text == nullptr ? "" : text);
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

// A device of the program's, for a context that is described so.
vd::backends::NativeDevice read_native(const vd_context_desc& desc) {
  const vd_native_desc d = vd::api::read_desc(desc.native, "desc->native");
  const bool vulkan = desc.backend == VD_BACKEND_VULKAN;
  if (!vulkan && desc.backend != VD_BACKEND_CUDA)
    fail(VD_ERR_INVALID, "desc->native is given, and desc->backend ({}) is neither Vulkan nor CUDA",
         static_cast<int>(desc.backend));
  if (desc.device_count != 0 || desc.device_name != nullptr || desc.queue_family_count != 0 ||
      desc.required_extensions != nullptr || desc.wished_extensions != nullptr)
    fail(VD_ERR_INVALID, "desc->native is given, and so is a choice of devices, queue families or extensions");
  if (d.reserved != 0) fail(VD_ERR_INVALID, "desc->native->reserved ({}) is not zero", d.reserved);
  const auto handle = [&](const char* field, uint64_t value, bool wanted) {
    if (wanted == (value != 0)) return;
    if (wanted)
      fail(VD_ERR_INVALID, "desc->native->{} (0) is null, and {} needs it", field, vulkan ? "Vulkan" : "CUDA");
    fail(VD_ERR_INVALID, "desc->native->{} ({:#x}) is not 0, and {} does not use it", field, value,
         vulkan ? "Vulkan" : "CUDA");
  };
  handle("instance", d.instance, vulkan);
  handle("physical_device", d.physical_device, vulkan);
  handle("device", d.device, vulkan);
  handle("features", d.features, vulkan);
  handle("cuda_context", d.cuda_context, !vulkan);
  vd::backends::NativeDevice native;
  if (!vulkan) {
    native.cuda_context = d.cuda_context;
    return native;
  }
  native.api_version = d.api_version;
  native.instance = d.instance;
  native.physical_device = d.physical_device;
  native.device = d.device;
  native.features = d.features;
  vd::api::array(d.queues, d.queue_count, "desc->native->queues");
  if (d.queue_count == 0) fail(VD_ERR_INVALID, "desc->native->queue_count (0) is zero");
  if (d.queue_count > vd::runtime::kMaxQueues)
    fail(VD_ERR_INVALID, "desc->native->queue_count ({}) is more than {}", d.queue_count, vd::runtime::kMaxQueues);
  for (uint32_t i = 0; i < d.queue_count; ++i) {
    const vd_native_queue& queue = d.queues[i];
    if (queue.queue == 0)
      fail(VD_ERR_INVALID, "desc->native->queues[{}].queue (0) is null, not the handle of a queue", i);
    if (queue.reserved != 0)
      fail(VD_ERR_INVALID, "desc->native->queues[{}].reserved ({}) is not zero", i, queue.reserved);
    for (uint32_t j = 0; j < i; ++j)
      if (d.queues[j].queue == queue.queue)
        fail(VD_ERR_INVALID, "desc->native->queues[{}].queue ({:#x}) is the same as entry {}", i, queue.queue, j);
    native.queues.push_back(queue);
  }
  native.extensions = words_of(d.extensions);
  if (d.lock != nullptr)
    native.lock = [lock = d.lock, user = d.user](uint64_t queue, bool begins) {
      const auto call = [&] { lock(queue, begins ? 1 : 0, user); };
      constexpr const char* kName = "the lock of desc->native";
      if (begins)
        vd::call_program_or_fail(VD_ERR_STATE, kName, call);
      else
        vd::call_program(kName, call);
    };
  return native;
}

// Entries of notifications, and what their calls are in messages.
struct Notify {
  static constexpr char kEntry[] = "vd_ticket_notify", kCall[] = "the callback of vd_ticket_notify";
};
struct NotifyEnd {
  static constexpr char kEntry[] = "vd_ticket_notify_end", kCall[] = "the callback of vd_ticket_notify_end";
};

// The call of the program's. It fits into the function without memory of its own.
template <class Entry>
std::function<void(const std::exception_ptr&)> notification(vd_ticket_fn callback, void* user) {
  if (callback == nullptr) fail(VD_ERR_INVALID, "callback is NULL");
  return [callback, user](const std::exception_ptr& failure) {
    vd_status status = VD_OK;
    if (failure) {
      try {
        std::rethrow_exception(failure);
      } catch (...) {
        status = vd::api::translate_current_exception(Entry::kEntry);
      }
    }
    vd::call_program(Entry::kCall, [&] { callback(status, failure ? vd_last_error() : "", user); });
  };
}

}  // namespace

vd_status vd_context_create(const vd_context_desc* desc, vd_context** out_context) {
  return guard(__func__, [&] {
    vd_context*& result = out(out_context, "out_context");
    const vd::DriverLoad load;
    const vd_context_desc d = vd::api::read_desc_or_default(desc, "desc");
    if (d.backend < VD_BACKEND_AUTO || d.backend > VD_BACKEND_DUMMY) {
      fail(VD_ERR_INVALID, "desc->backend ({}) is unknown", static_cast<int>(d.backend));
    }
    constexpr vd_context_flags kKnown =
        VD_CONTEXT_USE_CPU | VD_CONTEXT_DEBUG | VD_CONTEXT_CHECKED | VD_CONTEXT_NO_CACHE | VD_CONTEXT_ROBUST;
    if (d.device_count > VD_MAX_DEVICES) {
      fail(VD_ERR_INVALID, "desc->device_count ({}) is more than {}", d.device_count, VD_MAX_DEVICES);
    }
    if (d.reserved != 0) fail(VD_ERR_INVALID, "desc->reserved ({}) is not zero", d.reserved);
    if (d.reserved_families != 0) fail(VD_ERR_INVALID, "desc->reserved_families ({}) is not zero", d.reserved_families);
    vd::api::array(d.queue_families, d.queue_family_count, "desc->queue_families");
    if (d.queue_family_count != 0 && d.device_count == 0)
      fail(VD_ERR_INVALID, "desc->device_count (0) is zero, and desc->queue_families is given");
    if (d.queue_family_count > vd::runtime::kMaxQueues)
      fail(VD_ERR_INVALID, "desc->queue_family_count ({}) is more than {}", d.queue_family_count,
           vd::runtime::kMaxQueues);
    if (d.thread_count > kMaxThreads) {
      fail(VD_ERR_INVALID, "desc->thread_count ({}) is more than {}", d.thread_count, kMaxThreads);
    }
    vd::runtime::Wish wish;
    wish.backend = d.backend;
    wish.flags = vd::api::flags(d.flags, kKnown, "desc->flags");
    if (d.device_count == 0 && (d.devices != nullptr || d.queue_counts != nullptr)) {
      fail(VD_ERR_INVALID, "desc->device_count (0) is zero, and desc->{} is given",
           d.devices != nullptr ? "devices" : "queue_counts");
    }
    if (d.devices != nullptr) {
      wish.devices.assign(d.devices, d.devices + d.device_count);
    } else if (d.device_count > 1) {
      fail(VD_ERR_INVALID, "desc->devices is NULL, and desc->device_count ({}) is more than 1", d.device_count);
    }
    if (d.queue_counts != nullptr) wish.queue_counts.assign(d.queue_counts, d.queue_counts + d.device_count);
    if (d.queue_family_count != 0)
      wish.queue_families.assign(d.queue_families, d.queue_families + d.queue_family_count);
    wish.required_extensions = words_of(d.required_extensions);
    wish.wished_extensions = words_of(d.wished_extensions);
    if (d.dummy_device != nullptr) wish.dummy_device = vd::api::read_desc(d.dummy_device, "desc->dummy_device");
    if (d.device_name != nullptr) wish.device_name = d.device_name;
    if (!wish.device_name.empty() && !wish.devices.empty()) {
      fail(VD_ERR_INVALID, "both desc->devices and desc->device_name (\"{}\") are given", d.device_name);
    }
    if (d.cache_dir != nullptr) wish.cache_dir = d.cache_dir;
    if (d.native != nullptr) wish.native = read_native(d);
    wish.watchdog_ns = d.watchdog_ns;
    wish.thread_count = d.thread_count;
    result = vd::runtime::open_context(std::move(wish)).detach();
    return VD_OK;
  });
}

void vd_context_retain(vd_context* ctx) {
  if (ctx != nullptr) ctx->retain();
}
void vd_context_release(vd_context* ctx) {
  if (ctx != nullptr) ctx->release();
}

vd_status vd_context_get_info(const vd_context* ctx, vd_context_info* out_info) {
  return guard(__func__, [&] {
    const vd_context& c = in(ctx, "ctx");
    const auto counts = c.compile_counts();
    vd_context_info info = VD_CONTEXT_INFO_INIT;
    info.backend = c.backend();
    info.device_count = c.device_count();
    info.queue_count = c.queue_count();
    info.flags = c.flags();
    info.lost = c.lost() ? 1 : 0;
    info.memory_in_use = c.memory_in_use();
    info.kernels_compiled = counts.compiled;
    info.cache_hits = counts.cached;
    vd::api::write_info(info, out_info, "out_info");
    return VD_OK;
  });
}

vd_status vd_context_get_device(const vd_context* ctx, uint32_t device, vd_device_info* out_info) {
  return guard(__func__, [&] {
    vd::api::write_info(in(ctx, "ctx").device(device).info(), out_info, "out_info");
    return VD_OK;
  });
}

vd_status vd_context_has_extension(const vd_context* ctx, uint32_t device, const char* name, vd_bool* out_enabled) {
  return guard(__func__, [&] {
    vd_bool& result = out(out_enabled, "out_enabled");
    const vd_context& c = in(ctx, "ctx");
    result = c.device(device).has_extension(vd::api::text(name, "name")) ? 1 : 0;
    return VD_OK;
  });
}

vd_status vd_context_get_queue(const vd_context* ctx, uint32_t queue, vd_queue_info* out_info) {
  return guard(__func__, [&] {
    const vd_context& c = in(ctx, "ctx");
    const vd::runtime::Queue& q = c.queue(queue);
    vd_queue_info info = VD_QUEUE_INFO_INIT;
    info.device = q.device;
    info.index = queue - c.first_queue(q.device);
    info.family = q.backend.family();
    vd::api::write_info(info, out_info, "out_info");
    return VD_OK;
  });
}

vd_status vd_context_wait_idle(vd_context* ctx, uint32_t queue, uint64_t timeout_ns) {
  return guard(__func__, [&] {
    vd_context& c = in(ctx, "ctx");
    const vd::runtime::CallSpan span(c.profiler(), "vd_context_wait_idle", VD_SPAN_WAIT);
    return c.wait_idle(queue, timeout_ns) ? VD_OK : VD_TIMEOUT;
  });
}

vd_status vd_context_wait_writable(vd_context* ctx, uint32_t queue, uint64_t size, uint64_t timeout_ns) {
  return guard(__func__, [&] {
    vd_context& c = in(ctx, "ctx");
    const vd::runtime::CallSpan span(c.profiler(), "vd_context_wait_writable", VD_SPAN_WAIT);
    return c.wait_writable(queue, size, timeout_ns) ? VD_OK : VD_TIMEOUT;
  });
}

vd_status vd_context_get_native(const vd_context* ctx, uint32_t device, const char* kind, uint64_t* out_handle) {
  return guard(__func__, [&] {
    uint64_t& result = out(out_handle, "out_handle");
    const vd_context& c = in(ctx, "ctx");
    vd::api::text(kind, "kind");
    if (!c.device(device).native(kind, result)) {
      fail(VD_ERR_UNSUPPORTED, "the {} backend has no \"{}\"", vd::backends::backend_name(c.backend()), kind);
    }
    return VD_OK;
  });
}

vd_status vd_context_get_queue_native(const vd_context* ctx, uint32_t queue, const char* kind, uint64_t* out_handle) {
  return guard(__func__, [&] {
    uint64_t& result = out(out_handle, "out_handle");
    const vd_context& c = in(ctx, "ctx");
    vd::api::text(kind, "kind");
    if (!c.queue(queue).backend.native(kind, result)) {
      fail(VD_ERR_UNSUPPORTED, "the {} backend has no \"{}\" of a queue", vd::backends::backend_name(c.backend()),
           kind);
    }
    return VD_OK;
  });
}

// ---- Streams

// CUDA's default stream is 1 here.
static void check_given(uint64_t stream) {
  if (stream == 0) fail(VD_ERR_INVALID, "stream (0) is zero; CUDA's default stream is 1");
}

vd_status vd_context_wait_stream(vd_context* ctx, uint32_t queue, uint64_t stream, vd_ticket* out_ticket) {
  return guard(__func__, [&] {
    if (out_ticket != nullptr) *out_ticket = 0;
    vd_context& c = in(ctx, "ctx");
    check_given(stream);
    const vd_ticket ticket = vd::runtime::wait_stream(c, c.queue(queue), stream);
    if (out_ticket != nullptr) *out_ticket = ticket;
    return VD_OK;
  });
}

vd_status vd_context_signal_stream(vd_context* ctx, uint32_t queue, uint64_t stream) {
  return guard(__func__, [&] {
    vd_context& c = in(ctx, "ctx");
    check_given(stream);
    vd::runtime::signal_stream(c, queue, stream);
    return VD_OK;
  });
}

// ---- Tickets

vd_status vd_ticket_wait(vd_context* ctx, vd_ticket ticket, uint64_t timeout_ns) {
  return guard(__func__, [&] {
    vd_context& c = in(ctx, "ctx");
    const vd::runtime::Ticket t = c.check_ticket(ticket);
    if (ticket == 0) return VD_OK;
    const vd::runtime::CallSpan span(c.profiler(), "vd_ticket_wait", VD_SPAN_WAIT);
    return c.wait(t.queue, t.value, timeout_ns) ? VD_OK : VD_TIMEOUT;
  });
}

vd_status vd_ticket_is_done(vd_context* ctx, vd_ticket ticket, vd_bool* out_done) {
  return guard(__func__, [&] {
    vd_context& c = in(ctx, "ctx");
    vd_bool& result = out(out_done, "out_done");
    const vd::runtime::Ticket t = c.check_ticket(ticket);
    result = ticket == 0 || c.reached(t.queue, t.value) ? 1 : 0;
    return VD_OK;
  });
}

vd_status vd_context_get_last_ticket(vd_context* ctx, uint32_t queue, vd_ticket* out_ticket) {
  return guard(__func__, [&] {
    vd_ticket& result = out(out_ticket, "out_ticket");
    result = in(ctx, "ctx").last_ticket(queue);
    return VD_OK;
  });
}

vd_status vd_ticket_notify(vd_context* ctx, vd_ticket ticket, vd_ticket_fn callback, void* user) {
  return guard(__func__, [&] {
    vd_context& c = in(ctx, "ctx");
    const vd::runtime::Ticket t = c.check_ticket(ticket);
    c.notify(t.queue, t.value, notification<Notify>(callback, user));
    return VD_OK;
  });
}

vd_status vd_ticket_notify_end(vd_context* ctx, vd_ticket ticket, vd_ticket_fn callback, void* user) {
  return guard(__func__, [&] {
    vd_context& c = in(ctx, "ctx");
    const vd::runtime::Ticket t = c.check_ticket(ticket);
    c.when_done(t.queue, t.value, notification<NotifyEnd>(callback, user));
    return VD_OK;
  });
}
