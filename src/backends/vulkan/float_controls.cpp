#include "backends/vulkan/float_controls.h"

#include <array>
#include <cstring>
#include <string_view>

namespace vd::vulkan {

namespace {

constexpr std::array<uint32_t, 3> kWidths{16, 32, 64};

uint32_t widths(VkBool32 f16, VkBool32 f32, VkBool32 f64) { return (f16 ? 16 : 0) + (f32 ? 32 : 0) + (f64 ? 64 : 0); }

uint32_t together(uint32_t wanted, VkShaderFloatControlsIndependence independence) {
  const bool outer = (wanted & 16) && (wanted & 64);
  switch (independence) {
    case VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL:
      return wanted;
    case VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_32_BIT_ONLY:
      return outer ? wanted : wanted & 32;
    default:
      return outer && (wanted & 32) ? wanted : 0;
  }
}

}  // namespace

FloatControls choose_float_controls(const VkPhysicalDeviceFloatControlsProperties& p) {
  FloatControls controls;
  controls.keep_denormals =
      together(widths(p.shaderDenormPreserveFloat16, p.shaderDenormPreserveFloat32, p.shaderDenormPreserveFloat64),
               p.denormBehaviorIndependence);
  controls.keep_special = widths(p.shaderSignedZeroInfNanPreserveFloat16, p.shaderSignedZeroInfNanPreserveFloat32,
                                 p.shaderSignedZeroInfNanPreserveFloat64);
  controls.round_to_even =
      together(widths(p.shaderRoundingModeRTEFloat16, p.shaderRoundingModeRTEFloat32, p.shaderRoundingModeRTEFloat64),
               p.roundingModeIndependence);
  return controls;
}

void add_float_controls(std::vector<uint32_t>& words, const FloatControls& controls) {
  constexpr uint32_t kHeader = 5, kOpExtension = 10, kOpExtInstImport = 11, kOpMemoryModel = 14, kOpEntryPoint = 15,
                     kOpExecutionMode = 16, kOpCapability = 17;
  struct Mode {
    uint32_t widths, capability, mode;
  };
  const std::array<Mode, 3> modes{{{controls.keep_denormals, 4464, 4459},   // DenormPreserve
                                   {controls.keep_special, 4466, 4461},     // SignedZeroInfNanPreserve
                                   {controls.round_to_even, 4467, 4462}}};  // RoundingModeRTE
  std::vector<uint32_t> capabilities, extension, executions;
  for (const Mode& mode : modes)
    if (mode.widths) capabilities.insert(capabilities.end(), {2u << 16 | kOpCapability, mode.capability});
  if (capabilities.empty()) return;
  if (words[1] < 0x00010400) {  // SPIR-V 1.4 has it without
    constexpr std::string_view name = "SPV_KHR_float_controls";
    extension.resize(1 + name.size() / 4 + 1);
    extension[0] = static_cast<uint32_t>(extension.size()) << 16 | kOpExtension;
    std::memcpy(extension.data() + 1, name.data(), name.size());
  }
  // The order of a module's parts: capabilities, extensions, imports, memory model, entry points, execution modes.
  size_t after_capabilities = kHeader, after_extensions = kHeader, after_entries = kHeader;
  for (size_t at = kHeader; at < words.size();) {
    const uint32_t op = words[at] & 0xffff, count = words[at] >> 16;
    if (count == 0 || at + count > words.size()) return;
    const size_t end = at + count;
    if (op == kOpCapability) after_capabilities = after_extensions = end;
    if (op == kOpExtension) after_extensions = end;
    if (op == kOpEntryPoint) {
      after_entries = end;
      for (const Mode& mode : modes)
        for (const uint32_t width : kWidths)
          if (mode.widths & width)
            executions.insert(executions.end(), {4u << 16 | kOpExecutionMode, words[at + 2], mode.mode, width});
    } else if (op != kOpCapability && op != kOpExtension && op != kOpExtInstImport && op != kOpMemoryModel) {
      break;
    }
    at = end;
  }
  const auto put = [&](size_t at, const std::vector<uint32_t>& more) {
    words.insert(words.begin() + static_cast<ptrdiff_t>(at), more.begin(), more.end());
  };
  put(after_entries, executions);
  put(after_extensions, extension);
  put(after_capabilities, capabilities);
}

}  // namespace vd::vulkan
