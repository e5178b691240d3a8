// SPIR-V of unknown origin, checked by SPIRV-Tools before a driver sees it: drivers assume that a module is valid, and
// crash or hang where it is not. Any thread may call.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace vd::codegen {

struct SpirvRules {
  uint32_t vulkan_minor = 1;  // of Vulkan 1.x, whose SPIR-V and capabilities are allowed
  bool scalar_block_layout = false;
  bool scalar_workgroup_layout = false;
  bool local_size_id = false;
};

// Throws VD_ERR_COMPILE with the validator's message; `what` names the module's owner: plan "blur". VD_ERR_UNSUPPORTED
// without SPIRV-Tools.
void validate_spirv(std::span<const uint32_t> words, const std::string& what, const SpirvRules& rules);

}  // namespace vd::codegen
