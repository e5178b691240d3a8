// Entries whose layer is not there yet.
#include "api/guard.h"
#include "core/error.h"

using vd::api::guard;
vd_status vd_kernel_parse(const char*, uint64_t, vd_kernel**) {
  return guard(__func__, []() -> vd_status { vd::fail(VD_ERR_UNSUPPORTED, "is not there yet"); });
}
