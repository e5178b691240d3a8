// A vd_launch_desc and its arguments, checked.
#pragma once

#include "api/desc.h"
#include "api/guard.h"
#include "runtime/arguments.h"

namespace vd::api {

// Entry `index` of the list `list`.
inline runtime::Bound read_binding(const vd_binding& given, const char* list, uint32_t index) {
  if ((given.reserved_level | given.reserved[0] | given.reserved[1]) != 0)
    fail(VD_ERR_INVALID, "{}[{}].reserved is not zero", list, index);
  return {given.buffer, given.offset, given.size, given.image, given.sampler, given.level};
}

class LaunchArgs {
 public:
  const vd_launch_desc desc;
  const runtime::Arguments arguments;

  LaunchArgs(vd_plan& plan, const vd_launch_desc* given)
      : desc(read(given)),
        arguments(plan, desc.invocations, desc.workgroups, desc.values, desc.values_size, desc.binding_count,
                  [this](uint32_t i) { return bound(i); }, {}, {desc.counts, desc.counts_offset}) {
    if (desc.counts == nullptr && desc.counts_offset != 0)
      fail(VD_ERR_INVALID, "desc->counts_offset ({}) is given, and desc->counts is NULL", desc.counts_offset);
  }

 private:
  static vd_launch_desc read(const vd_launch_desc* given) {
    const vd_launch_desc d = read_desc(given, "desc");
    array(d.bindings, d.binding_count, "desc->bindings");
    bytes(d.values, d.values_size, "desc->values");
    return d;
  }
  runtime::Bound bound(uint32_t i) const { return read_binding(desc.bindings[i], "desc->bindings", i); }
};

}  // namespace vd::api
