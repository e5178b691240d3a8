// Version, status and log.
#include "core/status.h"

#include "api/guard.h"
#include "core/log.h"
#include "core/object.h"
#include "core/options.h"

using vd::api::guard;

namespace {

void check_level(vd_log_level level, vd_log_level highest) {
  if (level < VD_LOG_VERBOSE || level > highest) {
    vd::fail(VD_ERR_INVALID, "level ({}) is not between 0 and {}", static_cast<int>(level), static_cast<int>(highest));
  }
}

}  // namespace

uint32_t vd_abi(void) { return VD_ABI; }
uint32_t vd_version(void) { return VD_VERSION_MAJOR * 1000000 + VD_VERSION_MINOR * 1000 + VD_VERSION_PATCH; }

const char* vd_last_error(void) { return vd::last_error(); }
const char* vd_status_name(vd_status status) { return vd::status_name(status); }
uint64_t vd_live_objects(void) { return vd::live_objects(); }

vd_status vd_log_add(vd_log_level level, vd_log_fn callback, void* user, vd_free_fn user_free,
                     vd_log_receiver* out_receiver) {
  return guard(__func__, [&] {
    vd_log_receiver& receiver = vd::api::out(out_receiver, "out_receiver");
    check_level(level, VD_LOG_OFF);
    if (callback == nullptr) vd::fail(VD_ERR_INVALID, "callback is NULL");
    receiver = vd::add_log_receiver(level, callback, user, user_free);
    return VD_OK;
  });
}

vd_status vd_log_remove(vd_log_receiver receiver) {
  return guard(__func__, [&] {
    if (!vd::remove_log_receiver(receiver)) {
      vd::fail(VD_ERR_INVALID, "receiver ({}) is unknown or was removed before", receiver);
    }
    return VD_OK;
  });
}

vd_status vd_option_set(const char* name, const char* value) {
  return guard(__func__, [&] {
    vd::api::text(name, "name");
    vd::options().set(name, value);
    return VD_OK;
  });
}

vd_status vd_log_set_level(vd_log_level level) {
  return guard(__func__, [&] {
    check_level(level, VD_LOG_OFF);
    vd::set_log_level(level);
    return VD_OK;
  });
}

vd_log_level vd_log_get_level(void) { return vd::log_level(); }

vd_status vd_log_write(vd_log_level level, const char* message) {
  return guard(__func__, [&] {
    vd::api::text(message, "message");
    check_level(level, VD_LOG_ERROR);
    vd::log(level, "{}", message);
    return VD_OK;
  });
}
