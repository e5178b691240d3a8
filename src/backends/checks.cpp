#include "backends/checks.h"

#include <algorithm>

#include "core/error.h"
#include "core/features.h"
#include "core/traits.h"

namespace vd::backends {

std::string label_of(const ModuleDesc& desc) {
  const std::string label = !desc.label.empty() ? desc.label : desc.kernel != nullptr ? desc.kernel->name : "kernel";
  if (desc.kernel == nullptr && desc.printed.empty() && desc.source == nullptr)
    fail(VD_ERR_INVALID, "plan \"{}\" has neither kernel nor source.", label);
  return label;
}

void check_source(const SourceText& source, const std::string& label, std::initializer_list<vd_language> languages,
                  const char* kind) {
  if (std::ranges::find(languages, source.language) == languages.end()) {
    std::string taken;
    for (const vd_language language : languages)
      taken += fmt::format("{}{}", taken.empty() ? "" : " and ", language_name(language));
    fail(VD_ERR_UNSUPPORTED, "{} takes {}; plan \"{}\" is in {}.", kind, taken, label, language_name(source.language));
  }
  const bool vulkan = source.language == VD_LANGUAGE_GLSL || source.language == VD_LANGUAGE_SPIRV;
  for (const uint32_t binding : source.bindings) {
    const bool apart = binding == VD_BINDING_TEXTURE || binding == VD_BINDING_SAMPLER;
    if (apart && !vulkan)
      fail(VD_ERR_UNSUPPORTED, "binding kind ({}) of plan \"{}\" is {}; {} binds both as one (5).", binding, label,
           binding == VD_BINDING_TEXTURE ? "an image without a sampler" : "a sampler without an image", kind);
    if (!apart && binding != VD_BINDING_STORAGE_BUFFER && binding != VD_BINDING_UNIFORM_BUFFER &&
        binding != VD_BINDING_SAMPLED_IMAGE && binding != VD_BINDING_STORAGE_IMAGE)
      fail(VD_ERR_INVALID, "binding kind ({}) of plan \"{}\" is not a buffer, a uniform block, an image or a sampler.",
           binding, label);
  }
  if (!vulkan && !source.spec_constants.empty())
    fail(
        VD_ERR_UNSUPPORTED,
        "plan \"{}\" is given {} specialisation constants, which {} does not have; write their values into its text as "
        "macros.",
        label, source.spec_constants.size(), language_name(source.language));
}

void check_limits(const ModuleDesc& desc, const vd_device_info& info, const char* kind) {
  if (desc.kernel == nullptr) return;  // it was printed for this device
  const auto& kernel = *desc.kernel;
  // A kernel is as right without its prints, which are left out of the source where the device has none.
  constexpr auto kPrintf = static_cast<vd_features>(VD_FEATURE_PRINTF);
  if (const vd_features missing = kernel.requirements & ~(info.features | kPrintf); missing != 0)
    fail(VD_ERR_UNSUPPORTED, "kernel \"{}\" needs {}, which {} device \"{}\" lacks; {}.", kernel.name,
         feature_names(missing), kind, info.name, kWithoutFeature);
  const uint32_t shared = most_shared_memory(info);
  if (kernel.shared_size > shared)
    fail(VD_ERR_UNSUPPORTED,
         "kernel \"{}\" needs {} bytes of shared memory; a workgroup has {} on {} device \"{}\"; make its shared "
         "arrays smaller.",
         kernel.name, kernel.shared_size, shared, kind, info.name);
  check_workgroup_size(fmt::format("kernel \"{}\"", kernel.name), desc.workgroup_size, info, kind);
}

void check_workgroup_size(const std::string& what, const std::array<uint32_t, 3>& workgroup_size,
                          const vd_device_info& info, const char* kind) {
  uint64_t invocations = 1;
  for (int i = 0; i < 3; ++i) {
    invocations *= workgroup_size[i];
    if (workgroup_size[i] > info.max_workgroup_size[i])
      fail(VD_ERR_UNSUPPORTED, "{} has a workgroup size of {} on axis {}; {} device \"{}\" allows {}.", what,
           workgroup_size[i], "xyz"[i], kind, info.name, info.max_workgroup_size[i]);
  }
  if (invocations > info.max_workgroup_invocations)
    fail(VD_ERR_UNSUPPORTED, "{} has {} invocations in a workgroup; {} device \"{}\" allows {}.", what, invocations,
         kind, info.name, info.max_workgroup_invocations);
}

void check_arguments(const Command& command, const CommandView& view, const std::string& label, uint32_t buffer_count,
                     uint32_t values_size) {
  if (command.binding_count != buffer_count)
    fail(VD_ERR_INVALID, "kernel \"{}\" has {} buffers; the launch gives {}.", label, buffer_count,
         command.binding_count);
  if (command.values_size != values_size)
    fail(VD_ERR_INVALID, "kernel \"{}\" has {} bytes of values; the launch gives {}.", label, values_size,
         command.values_size);
  for (uint32_t i = 0; i < command.binding_count; ++i) {
    const Range& range = view.ranges[command.first_binding + i];
    if (range.memory == nullptr || range.size == 0)
      fail(VD_ERR_INVALID, "buffer {} of kernel \"{}\" is empty.", i, label);
  }
}

}  // namespace vd::backends
