// Modules of SPIR-V that are looked into without a device.
#include "codegen/spirv.h"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "api/blob.h"
#include "api/desc.h"
#include "api/guard.h"
#include "codegen/kept_glsl.h"
#include "codegen/spirv_read.h"
#include "core/disk_cache.h"
#include "core/name.h"
#include "core/object.h"

using vd::fail;
using vd::api::guard;
using vd::api::in;
using vd::api::out;

// The module's contents, read once.
struct vd_spirv final : vd::Object {
  uint32_t version = 0;
  std::string entry;
  std::vector<std::string> entries;
  vd::codegen::SpirvEntry size;
  vd::codegen::SpirvUses uses;
  std::vector<vd::codegen::SpecConstant> constants;
  std::vector<uint32_t> capabilities;
  bool subgroups = false;
};

namespace {

constexpr size_t kMostNames = 16;  // in a message

std::string names_of(const std::vector<std::string>& entries) {
  std::string names;
  for (size_t i = 0; i < entries.size() && i < kMostNames; ++i)
    names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", vd::shown_name(entries[i]));
  return names + (entries.size() > kMostNames ? ", ..." : "");
}

// The entry point that a caller means.
std::string choose_entry(const std::vector<std::string>& entries, const char* wish) {
  const std::string name = wish != nullptr ? wish : "main";
  if (std::ranges::find(entries, name) != entries.end()) return name;
  if (wish == nullptr && entries.size() == 1) return entries[0];
  if (entries.empty()) fail(VD_ERR_INVALID, "the module has no compute entry point");
  if (wish == nullptr) fail(VD_ERR_INVALID, "entry is NULL, and the module has no \"main\" but {}", names_of(entries));
  fail(VD_ERR_INVALID, "entry (\"{}\") is not a compute entry point of the module, which has {}", vd::shown_name(name),
       names_of(entries));
}

// Text of the module, which may be any bytes, for a terminal.
void show(std::string& name) { name = vd::shown_name(name); }

vd::Ref<vd_spirv> read(const void* data, uint64_t size, const char* entry) {
  if (size % sizeof(uint32_t) != 0) fail(VD_ERR_INVALID, "size ({}) is not a multiple of 4", size);
  const std::vector<uint32_t> words = vd::codegen::read_spirv({static_cast<const char*>(data), size});
  vd::codegen::check_spirv_words(words, "words");
  auto made = vd::make_ref<vd_spirv>();
  made->version = words[1];
  made->entries = vd::codegen::find_entries(words);
  made->entry = choose_entry(made->entries, entry);
  made->size = vd::codegen::find_entry(words, made->entry);
  made->uses = vd::codegen::find_uses(words, made->entry);
  made->constants = vd::codegen::find_spec_constants(words);
  made->capabilities = vd::codegen::find_capabilities(words);
  made->subgroups = vd::codegen::uses_subgroups(words);
  show(made->entry);
  for (auto& name : made->entries) show(name);
  for (auto& binding : made->uses.bindings) show(binding.name);
  for (auto& member : made->uses.push_constants) show(member.name);
  for (auto& constant : made->constants) show(constant.name);
  return made;
}

// Entry `index` of a list.
template <class T>
const T& entry_of(const std::vector<T>& list, uint32_t index, const char* what) {
  if (index >= list.size()) fail(VD_ERR_INVALID, "index ({}) is not below the {} ({})", index, what, list.size());
  return list[index];
}

uint32_t number_of(size_t size) { return static_cast<uint32_t>(size); }

}  // namespace

vd_status vd_spirv_create(const void* words, uint64_t size, const char* entry, vd_spirv** out_spirv) {
  return guard(__func__, [&] {
    vd_spirv*& result = out(out_spirv, "out_spirv");
    if (words == nullptr) fail(VD_ERR_INVALID, "words is NULL");
    result = read(words, size, entry).detach();
    return VD_OK;
  });
}

void vd_spirv_retain(vd_spirv* spirv) {
  if (spirv != nullptr) spirv->retain();
}
void vd_spirv_release(vd_spirv* spirv) {
  if (spirv != nullptr) spirv->release();
}

vd_status vd_spirv_get_info(const vd_spirv* spirv, vd_spirv_info* out_info) {
  return guard(__func__, [&] {
    const vd_spirv& s = in(spirv, "spirv");
    vd_spirv_info info = VD_SPIRV_INFO_INIT;
    info.version = s.version;
    info.entry = s.entry.c_str();
    info.shared_size = s.uses.shared_size;
    std::ranges::copy(s.size.workgroup_size, info.workgroup_size);
    std::ranges::copy(s.size.size_ids, info.workgroup_size_ids);
    info.entry_count = number_of(s.entries.size());
    info.binding_count = number_of(s.uses.bindings.size());
    info.push_constant_count = number_of(s.uses.push_constants.size());
    info.push_constant_size = static_cast<uint32_t>(std::min<uint64_t>(s.uses.last_push_constant().end(), UINT32_MAX));
    info.spec_constant_count = number_of(s.constants.size());
    info.capability_count = number_of(s.capabilities.size());
    info.uses_subgroups = s.subgroups ? 1 : 0;
    vd::api::write_info(info, out_info, "out_info");
    return VD_OK;
  });
}

const char* vd_spirv_get_entry(const vd_spirv* spirv, uint32_t index) {
  return spirv == nullptr || index >= spirv->entries.size() ? nullptr : spirv->entries[index].c_str();
}

vd_status vd_spirv_get_binding(const vd_spirv* spirv, uint32_t index, vd_spirv_binding_info* out_info) {
  return guard(__func__, [&] {
    const auto& binding = entry_of(in(spirv, "spirv").uses.bindings, index, "bindings");
    vd_spirv_binding_info info = VD_SPIRV_BINDING_INFO_INIT;
    info.kind = binding.kind;
    info.name = binding.name.c_str();
    info.size = binding.size;
    info.set = binding.set;
    info.binding = binding.binding;
    info.count = binding.count;
    info.used = binding.used ? 1 : 0;
    if (binding.readable) info.access |= VD_ARGUMENT_ACCESS_READ;
    if (binding.writable) info.access |= VD_ARGUMENT_ACCESS_WRITE;
    if (!binding.image.none()) {
      info.type = vd::ir::Type(binding.image.scalar()).bits();
      info.image_dimensions = binding.image.dimensions();
      info.image_layers = binding.image.is_layered() ? 1 : 0;
      info.image_format = binding.image.format();
    }
    info.element = binding.element.bits();
    vd::api::write_info(info, out_info, "out_info");
    return VD_OK;
  });
}

vd_status vd_spirv_get_push_constant(const vd_spirv* spirv, uint32_t index, vd_push_constant_info* out_info) {
  return guard(__func__, [&] {
    const auto& member = entry_of(in(spirv, "spirv").uses.push_constants, index, "push constants");
    vd_push_constant_info info = VD_PUSH_CONSTANT_INFO_INIT;
    info.offset = static_cast<uint32_t>(member.offset);
    info.name = member.name.c_str();
    info.size = member.size;
    info.type = member.type.bits();
    info.used = member.used ? 1 : 0;
    info.element = member.element.bits();
    info.stride = static_cast<uint32_t>(std::min<uint64_t>(member.stride, UINT32_MAX));
    info.matrix_stride = member.matrix_stride;
    info.row_major = member.row_major ? 1 : 0;
    vd::api::write_info(info, out_info, "out_info");
    return VD_OK;
  });
}

vd_status vd_spirv_get_spec_constant(const vd_spirv* spirv, uint32_t index, vd_spec_constant_info* out_info) {
  return guard(__func__, [&] {
    const auto& constant = entry_of(in(spirv, "spirv").constants, index, "specialisation constants");
    vd_spec_constant_info info = VD_SPEC_CONSTANT_INFO_INIT;
    info.id = constant.id;
    info.name = constant.name.c_str();
    info.bits = constant.bits;
    info.type = constant.type.bits();
    vd::api::write_info(info, out_info, "out_info");
    return VD_OK;
  });
}

vd_status vd_spirv_get_capabilities(const vd_spirv* spirv, uint32_t cap, uint32_t* out_capabilities,
                                    uint32_t* out_count) {
  return guard(__func__, [&] {
    uint32_t& count = out(out_count, "out_count");
    const auto& list = in(spirv, "spirv").capabilities;
    vd::api::array(out_capabilities, cap, "out_capabilities");
    count = number_of(list.size());
    std::copy_n(list.begin(), std::min<size_t>(cap, list.size()), out_capabilities);
    return cap < list.size() ? VD_INCOMPLETE : VD_OK;
  });
}

namespace {

// The disk cache of calls without a context. Never taken down, since other threads may compile while the process ends.
vd::DiskCache& kept_modules() {
  static std::mutex mutex;
  static auto& caches = *new std::map<std::string, std::unique_ptr<vd::DiskCache>>;
  const std::string directory = vd::cache_directory(nullptr);
  const std::lock_guard lock(mutex);
  auto& found = caches[directory];
  if (!found) found = std::make_unique<vd::DiskCache>(directory);
  return *found;
}

}  // namespace

vd_status vd_spirv_compile_glsl(const char* text, uint64_t size, const char* label, vd_blob** out_words) {
  return guard(__func__, [&] {
    vd_blob*& result = out(out_words, "out_words");
    vd::api::text(text, "text");
    const std::string source(text, size), name(label != nullptr ? label : "shader");
    const std::vector<uint32_t> words = vd::codegen::compile_kept_glsl(kept_modules(), source, name);
    std::string bytes(words.size() * sizeof(uint32_t), '\0');
    std::memcpy(bytes.data(), words.data(), bytes.size());
    result = vd::make_ref<vd_blob>(std::move(bytes)).detach();
    return VD_OK;
  });
}
