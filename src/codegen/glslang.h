// GLSL to SPIR-V inside this process. Any thread may call; glslang's own state is set up once.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace vd::codegen {

// SPIR-V words of a compute shader for Vulkan 1.1 (SPIR-V 1.3), or 1.2 (1.5) with `spirv_1_5`. `name` is used in
// messages. Throws VD_ERR_COMPILE with the compiler's log and the numbered source.
std::vector<uint32_t> compile_glsl(const std::string& source, const std::string& name, bool spirv_1_5 = false);

// For foreign source, before it is compiled: throws VD_ERR_COMPILE for text that would take glslang without end
// (foreign/check.h).
void check_foreign_glsl(const std::string& source, const std::string& name);

// The compiler's version, as part of a cache key.
std::string glslang_version();

// The source with "   1: " before each line.
std::string number_lines(const std::string& text);

}  // namespace vd::codegen
