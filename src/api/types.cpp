#include "api/types.h"

#include "core/error.h"

namespace vd::api {

ir::Type known_type(vd_type type, const char* name, const ir::TypeTable& types) {
  const ir::Type known(type);
  if (!known.none() && !types.is_valid(known)) fail(VD_ERR_INVALID, "{} ({:#x}) is not a type", name, type);
  return known;
}

}  // namespace vd::api
