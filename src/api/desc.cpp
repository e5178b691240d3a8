#include "api/desc.h"

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

}  // namespace vd::api
