// SPIR-V of GLSL, looked up on disk before glslang is asked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/disk_cache.h"

namespace vd::codegen {

// The module that is kept under a key; nothing for bytes that are none.
std::optional<std::vector<uint32_t>> load_spirv(DiskCache& disk, const DiskCache::Key& key);

// The key of a foreign source for compile_kept_glsl().
DiskCache::Key kept_glsl_key(const std::string& source);

// Foreign source as SPIR-V 1.3: checked and compiled as check_foreign_glsl() and compile_glsl() do, unless it was before.
std::vector<uint32_t> compile_kept_glsl(DiskCache& disk, const std::string& source, const std::string& name);

}  // namespace vd::codegen
