#include "api/desc.h"

#include <array>
#include <string_view>

namespace vd::api {

void check_struct(const void* data, uint32_t size, uint32_t first, uint32_t known, const char* name) {
  if (size < first || size > kMaxStructSize) {
    const bool element = std::string_view(name).ends_with(']');
    fail(VD_ERR_INVALID, "{}{}struct_size ({}) is not between {} and {}; set it with the _INIT macro", name,
         element ? "." : "->", size, first, kMaxStructSize);
  }
  const auto* bytes = static_cast<const unsigned char*>(data);
  for (uint32_t at = known; at < size; ++at) {
    if (bytes[at] != 0) {
      fail(VD_ERR_INVALID, "{} is not zero at byte {}, past the {} bytes that this library knows", name, at, known);
    }
  }
}

void check_unstable_version(const void* desc, const char* name) {
  if (desc == nullptr) fail(VD_ERR_INVALID, "{} is NULL", name);
  std::array<uint32_t, 2> words{};              // struct_size, unstable_version
  if (read_size(desc) < sizeof(words)) return;  // too short for any version of the section, as check_struct() says
  std::memcpy(words.data(), desc, sizeof(words));
  if (words[1] != VD_UNSTABLE_VERSION) {
    fail(VD_ERR_UNSUPPORTED,
         "{}->unstable_version ({}) is not {}, the VD_UNSTABLE_VERSION of this library; build the program with the "
         "library's own header",
         name, words[1], VD_UNSTABLE_VERSION);
  }
}

}  // namespace vd::api
