// Semaphores.
#include "runtime/semaphore.h"

#include "api/desc.h"
#include "api/guard.h"
#include "core/name.h"

using vd::fail;
using vd::api::guard;
using vd::api::in;
using vd::api::out;

static constexpr uint64_t kTimeout = 10'000'000'000;

vd_status vd_semaphore_create(vd_context* ctx, const vd_semaphore_desc* desc, vd_semaphore** out_semaphore) {
  return guard(__func__, [&] {
    vd_semaphore*& result = out(out_semaphore, "out_semaphore");
    vd_context& c = in(ctx, "ctx");
    const vd_semaphore_desc d = vd::api::read_desc_or_default(desc, "desc");
    if (d.source < VD_SEMAPHORE_NEW || d.source > VD_SEMAPHORE_NATIVE)
      fail(VD_ERR_INVALID, "desc->source ({}) is unknown", static_cast<int>(d.source));
    if (d.reserved != 0) fail(VD_ERR_INVALID, "desc->reserved ({}) is not zero", d.reserved);
    c.device(d.device, "desc->device");
    const bool made = d.source == VD_SEMAPHORE_NEW;
    if (made && d.handle != 0) fail(VD_ERR_INVALID, "desc->handle ({:#x}) is not 0 for a new semaphore", d.handle);
    if (!made && d.initial_value != 0)
      fail(VD_ERR_INVALID, "desc->initial_value ({}) is not 0 for a semaphore that is there", d.initial_value);
    if (d.source == VD_SEMAPHORE_NATIVE && d.handle == 0)
      fail(VD_ERR_INVALID, "desc->handle (0) is null, not the handle of a semaphore");
    if (d.source == VD_SEMAPHORE_FD && d.handle > INT32_MAX)
      fail(VD_ERR_INVALID, "desc->handle ({}) is above {}, the largest file descriptor", d.handle, INT32_MAX);
    vd::backends::SemaphoreDesc wanted;
    wanted.source = d.source;
    wanted.handle = d.handle;
    wanted.initial_value = d.initial_value;
    wanted.label = d.label != nullptr ? fmt::format("semaphore \"{}\"", vd::shown_name(d.label)) : "a semaphore";
    result = vd::make_ref<vd_semaphore>(c, d.device, d.timeout_ns == 0 ? kTimeout : d.timeout_ns, wanted).detach();
    return VD_OK;
  });
}

void vd_semaphore_retain(vd_semaphore* semaphore) {
  if (semaphore != nullptr) semaphore->retain();
}
void vd_semaphore_release(vd_semaphore* semaphore) {
  if (semaphore != nullptr) semaphore->release();
}

vd_status vd_semaphore_export_fd(vd_semaphore* semaphore, int32_t* out_fd) {
  return guard(__func__, [&] {
    int32_t& fd = out(out_fd, "out_fd");
    fd = -1;
    const vd_semaphore& s = in(semaphore, "semaphore");
    fd = s.context().call([&] { return s.get().export_fd(); });
    return VD_OK;
  });
}

vd_status vd_semaphore_get_value(const vd_semaphore* semaphore, uint64_t* out_value) {
  return guard(__func__, [&] {
    uint64_t& value = out(out_value, "out_value");
    const vd_semaphore& s = in(semaphore, "semaphore");
    value = s.context().call([&] { return s.get().value(); });
    return VD_OK;
  });
}

vd_status vd_semaphore_signal(vd_semaphore* semaphore, uint64_t value) {
  return guard(__func__, [&] {
    const vd_semaphore& s = in(semaphore, "semaphore");
    s.context().call([&] { s.get().signal(value); });
    return VD_OK;
  });
}

vd_status vd_semaphore_wait(vd_semaphore* semaphore, uint64_t value, uint64_t timeout_ns) {
  return guard(__func__, [&] {
    const vd_semaphore& s = in(semaphore, "semaphore");
    s.context().require_callable();
    return s.context().call([&] { return s.get().wait(value, timeout_ns); }) ? VD_OK : VD_TIMEOUT;
  });
}

vd_status vd_semaphore_get_native(const vd_semaphore* semaphore, const char* kind, uint64_t* out_handle) {
  return guard(__func__, [&] {
    uint64_t& result = out(out_handle, "out_handle");
    vd::api::text(kind, "kind");
    const vd_semaphore& s = in(semaphore, "semaphore");
    if (!s.get().native(kind, result))
      fail(VD_ERR_UNSUPPORTED, "the {} backend has no \"{}\" of a semaphore",
           vd::backends::backend_name(s.context().backend()), kind);
    return VD_OK;
  });
}
