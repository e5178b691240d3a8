#include "core/utf8.h"

#include <algorithm>
#include <cstdint>

namespace vd {

size_t utf8_size(std::string_view text) noexcept {
  if (text.empty()) return 0;
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return 1;
  const size_t size = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  if (size == 0 || size > text.size()) return 0;
  uint32_t code = first & (0x7fu >> size);
  for (size_t i = 1; i < size; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte & 0x3fu);
  }
  // A number has one spelling; halves of UTF-16's pairs are no characters.
  const bool longer = (size == 3 && code < 0x800) || (size == 4 && code < 0x10000);
  return longer || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? 0 : size;
}

void make_utf8(std::string& text) noexcept {
  for (size_t i = 0; i < text.size();) {
    const size_t size = utf8_size(std::string_view(text).substr(i));
    if (size == 0) text[i] = '?';
    i += std::max<size_t>(size, 1);
  }
}

}  // namespace vd
