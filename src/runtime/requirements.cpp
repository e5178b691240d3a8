#include "runtime/requirements.h"

#include <algorithm>
#include <string>

#include "core/error.h"
#include "core/features.h"
#include "core/log.h"
#include "core/traits.h"
#include "ir/analyse.h"
#include "ir/divergence.h"
#include "ir/op.h"
#include "ir/walk.h"

namespace vd::runtime {
namespace {

std::string place_of(const ir::Kernel& kernel, uint32_t location) {
  if (location == 0 || location >= kernel.locations.size()) return {};
  const ir::Location& l = kernel.locations[location];
  return l.function.empty() ? fmt::format(" at {}:{}", l.file, l.line)
                            : fmt::format(" at {}:{} in {}", l.file, l.line, l.function);
}

}  // namespace

void check_requirements(const ir::Kernel& kernel, const vd_device_info& device) {
  vd_features missing = kernel.requirements & ~device.features;
  // A kernel is as right without its prints, so they are left out where nothing would collect them.
  if ((missing & VD_FEATURE_PRINTF) != 0) {
    log_warning("kernel \"{}\": its prints and assertions do nothing on device \"{}\"; the host backend shows them",
                kernel.name, device.name);
    missing &= ~static_cast<vd_features>(VD_FEATURE_PRINTF);
  }
  if (missing != 0) {
    const vd_features bit = missing & (~missing + 1);
    // The first op at a known place; else any op; else an argument, whose type no op may even access.
    ir::ValueId culprit = ir::kNoValue;
    ir::for_each_inst(kernel, [&](ir::ValueId id, const ir::Inst& inst) {
      if ((ir::inst_features(kernel, inst) & bit) == 0) return;
      if (culprit == ir::kNoValue || (kernel.insts[culprit].location == 0 && inst.location != 0)) culprit = id;
    });
    if (culprit != ir::kNoValue) {
      const ir::Inst& inst = kernel.insts[culprit];
      fail(VD_ERR_UNSUPPORTED, "kernel \"{}\" needs {} for op \"{}\"{}, which device \"{}\" does not have; {}",
           kernel.name, feature_names(bit), ir::op_info(inst.op).name, place_of(kernel, inst.location), device.name,
           kWithoutFeature);
    }
    for (const ir::Argument& argument : kernel.arguments) {
      if ((ir::argument_features(kernel.types, argument) & bit) == 0) continue;
      fail(VD_ERR_UNSUPPORTED, "kernel \"{}\" needs {} for argument \"{}\", which device \"{}\" does not have; {}",
           kernel.name, feature_names(bit), argument.name, device.name, kWithoutFeature);
    }
    fail(VD_ERR_UNSUPPORTED, "kernel \"{}\" needs {}, which device \"{}\" does not have; {}", kernel.name,
         feature_names(bit), device.name, kWithoutFeature);
  }
  const uint32_t shared = most_shared_memory(device);
  if (kernel.shared_size > shared) {
    fail(VD_ERR_UNSUPPORTED,
         "kernel \"{}\" needs {} bytes of shared memory, device \"{}\" has {}; make its shared arrays smaller",
         kernel.name, kernel.shared_size, device.name, shared);
  }
}

void warn_of_divergence(const ir::Kernel& kernel, const std::array<uint32_t, 3>& workgroup_size) {
  const auto barriers = ir::divergent_barriers(kernel, workgroup_size);
  if (barriers.empty()) return;
  log_warning("kernel \"{}\": not all invocations of a workgroup may arrive at the barrier{}", kernel.name,
              place_of(kernel, kernel.insts[barriers.front()].location));
}

void check_workgroup_size(const std::array<uint32_t, 3>& size, const vd_device_info& device, const std::string& name) {
  uint64_t product = 1;
  for (int axis = 0; axis < 3; ++axis) {
    if (size[axis] > device.max_workgroup_size[axis]) {
      fail(VD_ERR_INVALID, "{}[{}] ({}) is more than device \"{}\" takes ({})", name, axis, size[axis], device.name,
           device.max_workgroup_size[axis]);
    }
    product *= size[axis];
  }
  if (product > device.max_workgroup_invocations) {
    fail(VD_ERR_INVALID, "{} ({}, {}, {}) has {} invocations, which is more than device \"{}\" takes ({})", name,
         size[0], size[1], size[2], product, device.name, device.max_workgroup_invocations);
  }
}

std::array<uint32_t, 3> choose_workgroup_size(const ir::Kernel& kernel, std::array<uint32_t, 3> wish,
                                              const vd_device_info& device) {
  const bool wished = wish[0] != 0 || wish[1] != 0 || wish[2] != 0;
  for (uint32_t& n : wish) n = std::max(n, 1u);
  std::array<uint32_t, 3> fixed = kernel.attributes.workgroup_size;
  if (fixed[0] != 0 || fixed[1] != 0 || fixed[2] != 0) {
    for (uint32_t& n : fixed) n = std::max(n, 1u);
    if (wished && wish != fixed) {
      fail(VD_ERR_INVALID, "desc->workgroup_size ({}, {}, {}) is not what kernel \"{}\" fixes ({}, {}, {})", wish[0],
           wish[1], wish[2], kernel.name, fixed[0], fixed[1], fixed[2]);
    }
    wish = fixed;
  } else if (!wished) {
    // Enough for a GPU to hide latencies behind; a CPU has none to hide.
    const uint32_t best = device.type == VD_DEVICE_CPU ? 64 : 256;
    wish = {std::min({best, device.max_workgroup_size[0], device.max_workgroup_invocations}), 1, 1};
  }
  check_workgroup_size(wish, device,
                       wished ? "desc->workgroup_size" : fmt::format("workgroup_size of kernel \"{}\"", kernel.name));
  return wish;
}

}  // namespace vd::runtime
