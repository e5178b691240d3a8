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
  const runtime::Bound* bounds;

  LaunchArgs(const vd_plan& plan, const vd_launch_desc* given) : desc(read_desc(given, "desc")) {
    array(desc.bindings, desc.binding_count, "desc->bindings");
    bytes(desc.values, desc.values_size, "desc->values");
    runtime::check_counts(plan, desc.binding_count, desc.values_size);
    extent = runtime::extent_of(plan, desc.invocations, desc.workgroups);
    runtime::Bound* list = few_;
    if (desc.binding_count > runtime::kFewBindings) {
      many_.resize(desc.binding_count);
      list = many_.data();
    }
    for (uint32_t i = 0; i < desc.binding_count; ++i) {
      const vd_binding& given = desc.bindings[i];
      if (given.image != nullptr || given.sampler != nullptr) {
        fail(VD_ERR_UNSUPPORTED, "desc->bindings[{}].{}: images are not in this version", i,
             given.image != nullptr ? "image" : "sampler");
      }
      if ((given.reserved[0] | given.reserved[1] | given.reserved[2]) != 0)
        fail(VD_ERR_INVALID, "desc->bindings[{}].reserved is not zero", i);
      list[i] = {given.buffer, given.offset, given.size};
      runtime::check_binding(plan, i, list[i]);
    }
    runtime::check_apart(plan, list);
    bounds = list;
  }
  LaunchArgs(const LaunchArgs&) = delete;
  LaunchArgs& operator=(const LaunchArgs&) = delete;

 private:
  runtime::Bound few_[runtime::kFewBindings];
  std::vector<runtime::Bound> many_;
};

}  // namespace vd::api
