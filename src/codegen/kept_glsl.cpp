#include "codegen/kept_glsl.h"

#include <cstring>
#include <span>
#include <string_view>

#include "codegen/glslang.h"
#include "codegen/spirv.h"
#include "core/log.h"

namespace vd::codegen {

std::optional<std::vector<uint32_t>> load_spirv(DiskCache& disk, const DiskCache::Key& key) {
  const auto kept = disk.load(key);
  if (!kept || kept->size() % sizeof(uint32_t) != 0 || kept->size() < 5 * sizeof(uint32_t)) return std::nullopt;
  std::vector<uint32_t> words(kept->size() / sizeof(uint32_t));
  std::memcpy(words.data(), kept->data(), kept->size());
  if (words.front() != kSpirvMagic) return std::nullopt;
  return words;
}

DiskCache::Key kept_glsl_key(const std::string& source) {
  Hasher hasher;
  hasher.add(std::string_view("SPIR-V 1.3 of foreign GLSL")).add(std::string_view(glslang_version()));
  return hasher.add(std::string_view(source)).finish();
}

std::vector<uint32_t> compile_kept_glsl(DiskCache& disk, const std::string& source, const std::string& name) {
  const DiskCache::Key key = kept_glsl_key(source);
  if (auto found = load_spirv(disk, key)) {
    log_verbose("the SPIR-V of \"{}\" was kept on disk", name);
    return *std::move(found);
  }
  check_foreign_glsl(source, name);
  std::vector<uint32_t> words = compile_glsl(source, name);
  disk.store(key, std::as_bytes(std::span(words)));
  return words;
}

}  // namespace vd::codegen
