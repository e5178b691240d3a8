#include "runtime/ranges.h"

#include <algorithm>
#include <numeric>

#include "core/error.h"

namespace vd::runtime {

Ref<vd_plan> divide_launch(vd_plan& plan, const Extent& extent, const Bound* bounds) {
  const vd_device_info& device = plan.device_info();
  const uint64_t most = device.max_storage_buffer_range, all = extent.invocations[0];
  const auto& bindings = plan.bindings();
  // A range begins with a workgroup, at a place where each buffer can be bound as the whole one is.
  uint64_t at_once = all, unit = plan.workgroup_size()[0];
  for (size_t i = 0; i < bindings.size(); ++i) {
    const vd_plan::Binding& binding = bindings[i];
    if (!binding.by_invocation) continue;
    const uint64_t size = binding.element_size, align = binding.device_align;
    if (bounds[i].size / size < all) {
      fail(VD_ERR_INVALID,
           "argument {} (\"{}\") of \"{}\": size ({}) is less than {} invocations access, and others are longer than "
           "device \"{}\" binds ({})",
           i, binding.name, plan.name(), bounds[i].size, all, device.name, most);
    }
    // A buffer that begins between two such places is bound from before its first element.
    const uint64_t before = bounds[i].buffer->span(bounds[i].offset, bounds[i].size).begin % align;
    at_once = std::min(at_once, (most - before) / size);
    unit = std::lcm(unit, align / std::gcd(align, size));
  }
  if (at_once < all) at_once = at_once / unit * unit;
  if (at_once == 0 || extent.workgroups[1] != 1 || extent.workgroups[2] != 1) {
    fail(VD_ERR_INVALID,
         "\"{}\" has buffers of more bytes than device \"{}\" binds ({}), and its launch of {} x {} x {} workgroups is "
         "not along one axis in ranges of {}",
         plan.name(), device.name, most, extent.workgroups[0], extent.workgroups[1], extent.workgroups[2], unit);
  }
  std::vector<vd_plan::Step> steps;
  for (uint64_t first = 0; first < all; first += at_once) {
    const auto count = static_cast<uint32_t>(std::min(at_once, all - first));
    const uint32_t local = plan.workgroup_size()[0];
    vd_plan::Step& step = steps.emplace_back();
    step.plan = Ref<vd_plan>::retain(&plan);
    step.workgroups = {(count + local - 1) / local, 1, 1};
    step.invocations = {count, 1, 1};
    for (uint32_t i = 0; i < bindings.size(); ++i) {
      const uint64_t size = bindings[i].element_size;
      step.arguments.push_back(bindings[i].by_invocation ? vd_plan::Step::Argument{i, first * size, count * size}
                                                         : vd_plan::Step::Argument{i, 0, 0});
    }
  }
  return vd_plan::compose(plan.context(), plan.device(), plan.name(), std::move(steps),
                          static_cast<uint32_t>(bindings.size()), {}, plan.values_size());
}

}  // namespace vd::runtime
