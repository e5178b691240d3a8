// Any bytes as a module of SPIR-V that is looked into: every question gets an answer, names are text, and a
// specialised module keeps its length.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "codegen/spirv.h"
#include "core/error.h"
#include "vkdispatch.h"

namespace {

void expect(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

void ask_everything(const vd_spirv* module) {
  vd_spirv_info info = VD_SPIRV_INFO_INIT;
  expect(vd_spirv_get_info(module, &info) == VD_OK && info.entry != nullptr, "no properties");
  for (uint32_t i = 0; i < info.entry_count; ++i) expect(vd_spirv_get_entry(module, i) != nullptr, "no entry");
  expect(vd_spirv_get_entry(module, info.entry_count) == nullptr, "an entry past the last");
  for (uint32_t i = 0; i <= info.binding_count; ++i) {
    vd_spirv_binding_info binding = VD_SPIRV_BINDING_INFO_INIT;
    const vd_status status = vd_spirv_get_binding(module, i, &binding);
    expect(status == (i < info.binding_count ? VD_OK : VD_ERR_INVALID), "the number of bindings");
    expect(status != VD_OK || (binding.kind >= VD_BINDING_STORAGE_BUFFER && binding.kind <= VD_BINDING_OTHER),
           "a kind");
  }
  for (uint32_t i = 0; i <= info.push_constant_count; ++i) {
    vd_push_constant_info member = VD_PUSH_CONSTANT_INFO_INIT;
    expect(vd_spirv_get_push_constant(module, i, &member) == (i < info.push_constant_count ? VD_OK : VD_ERR_INVALID),
           "the number of push constants");
  }
  for (uint32_t i = 0; i <= info.spec_constant_count; ++i) {
    vd_spec_constant_info constant = VD_SPEC_CONSTANT_INFO_INIT;
    expect(vd_spirv_get_spec_constant(module, i, &constant) == (i < info.spec_constant_count ? VD_OK : VD_ERR_INVALID),
           "the number of specialisation constants");
  }
  std::vector<uint32_t> capabilities(info.capability_count);
  uint32_t count = 0;
  expect(vd_spirv_get_capabilities(module, info.capability_count, capabilities.data(), &count) == VD_OK &&
             count == info.capability_count,
         "the number of capabilities");
}

// Each constant gets the value that it has: the same words come out.
void specialise_again(const std::vector<uint32_t>& words) {
  std::vector<vd_spec_constant> values;
  for (const auto& constant : vd::codegen::find_spec_constants(words))
    if (values.empty() || values.back().id != constant.id) values.push_back({constant.id, 0, constant.bits});
  std::vector<uint32_t> special = words;
  try {
    vd::codegen::specialise(special, values, "the module");
  } catch (const vd::Error& error) {  // two constants of one number, the second narrower
    expect(error.status() == VD_ERR_INVALID, error.what());
  }
  expect(special.size() == words.size(), "a specialised module has another length");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  vd_spirv* module = nullptr;
  const vd_status status = vd_spirv_create(data, size, nullptr, &module);
  if (status != VD_OK) {
    expect(status == VD_ERR_INVALID || status == VD_ERR_COMPILE, vd_last_error());
    expect(module == nullptr, "a module beside a failure");
    return 0;
  }
  ask_everything(module);
  vd_spirv_release(module);
  std::vector<uint32_t> words(size / 4);
  std::memcpy(words.data(), data, words.size() * 4);
  specialise_again(words);
  return 0;
}
