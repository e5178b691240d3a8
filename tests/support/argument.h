// An argument of a kernel with nothing but its kind, type and name.
#pragma once

#include "vkdispatch.h"

inline vd_status declare_argument(vd_builder* builder, vd_argument_kind kind, vd_type type, const char* name,
                                  vd_value* out_value) {
  const vd_argument_desc desc = VD_ARGUMENT_DESC_OF(kind, type, name);
  return vd_builder_argument(builder, &desc, out_value);
}
