#include "api/guard.h"

#include <new>
#include <stdexcept>

#include "core/status.h"

namespace vd::api {

vd_status translate_current_exception(const char* function) noexcept {
  try {
    throw;
  } catch (const Error& error) {
    set_last_error(function, error.what());
    return error.status();
  } catch (const std::bad_alloc&) {
    set_last_error(function, "out of host memory");
    return VD_ERR_OUT_OF_MEMORY;
  } catch (const std::length_error&) {
    set_last_error(function, "out of host memory");
    return VD_ERR_OUT_OF_MEMORY;
  } catch (const std::exception& error) {
    set_last_error(function, error.what());
    return VD_ERR_INTERNAL;
  } catch (...) {
    set_last_error(function, "an exception of an unknown kind");
    return VD_ERR_INTERNAL;
  }
}

}  // namespace vd::api
