// The arguments of a vd_launch_desc, checked.
#pragma once

#include <vector>

#include "api/desc.h"
#include "api/guard.h"
#include "runtime/launch.h"

namespace vd::api {

struct LaunchArgs {
  vd_launch_desc desc{};
  runtime::Extent extent;
  std::vector<runtime::Bound> bounds;

  LaunchArgs(const vd_plan& plan, const vd_launch_desc* given) : desc(read_desc(given, "desc")) {
    array(desc.bindings, desc.binding_count, "desc->bindings");
    array(desc.values, desc.values_size, "desc->values");
    runtime::check_counts(plan, desc.binding_count, desc.values_size);
    extent = runtime::extent_of(plan, desc.threads, desc.groups);
    bounds.resize(desc.binding_count);
    for (uint32_t i = 0; i < desc.binding_count; ++i) {
      bounds[i] = {desc.bindings[i].buffer, desc.bindings[i].offset, desc.bindings[i].size};
      runtime::check_binding(plan, i, bounds[i]);
    }
  }
};

}  // namespace vd::api
