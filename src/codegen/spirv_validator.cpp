#include "codegen/spirv_validator.h"

#include "core/error.h"

#if __has_include(<spirv-tools/libspirv.h>)
#define VD_SPIRV_TOOLS 1
#include <spirv-tools/libspirv.h>

#include <memory>
#endif

namespace vd::codegen {

#ifdef VD_SPIRV_TOOLS
namespace {

template <class T, void (*destroy)(T*)>
struct Destroy {
  void operator()(T* object) const { destroy(object); }
};
template <class T, void (*destroy)(T*)>
using Owned = std::unique_ptr<T, Destroy<T, destroy>>;

// For a version newer than SPIRV-Tools, the newest that it knows.
spv_target_env environment_of(uint32_t vulkan_minor) {
  switch (vulkan_minor) {
    case 0:
      return SPV_ENV_VULKAN_1_0;
    case 1:
      return SPV_ENV_VULKAN_1_1_SPIRV_1_4;
    case 2:
      return SPV_ENV_VULKAN_1_2;
    default:
      return SPV_ENV_VULKAN_1_3;
  }
}

}  // namespace

void validate_spirv(std::span<const uint32_t> words, const std::string& what, const SpirvRules& rules) {
  const Owned<spv_context_t, spvContextDestroy> context(spvContextCreate(environment_of(rules.vulkan_minor)));
  const Owned<spv_validator_options_t, spvValidatorOptionsDestroy> options(spvValidatorOptionsCreate());
  if (!context || !options) throw std::bad_alloc();
  spvValidatorOptionsSetScalarBlockLayout(options.get(), rules.scalar_block_layout);
  spvValidatorOptionsSetWorkgroupScalarBlockLayout(options.get(), rules.scalar_workgroup_layout);
  spvValidatorOptionsSetAllowLocalSizeId(options.get(), rules.local_size_id);
  spv_const_binary_t binary{words.data(), words.size()};
  spv_diagnostic found = nullptr;
  const spv_result_t result = spvValidateWithOptions(context.get(), options.get(), &binary, &found);
  const Owned<spv_diagnostic_t, spvDiagnosticDestroy> diagnostic(found);
  if (result == SPV_SUCCESS) return;
  if (result == SPV_ERROR_OUT_OF_MEMORY) throw std::bad_alloc();
  fail(VD_ERR_COMPILE, "the SPIR-V of {} is not valid: {} (word {}).", what,
       diagnostic && diagnostic->error != nullptr ? diagnostic->error : "SPIRV-Tools gives no reason",
       diagnostic ? diagnostic->position.index : 0);
}
#else
void validate_spirv(std::span<const uint32_t>, const std::string& what, const SpirvRules&) {
  fail(VD_ERR_UNSUPPORTED, "{}: this library was built without SPIRV-Tools, which checks SPIR-V for drivers", what);
}
#endif

}  // namespace vd::codegen
