#include "core/name.h"

#include <cstddef>

#include "core/utf8.h"

namespace vd {
namespace {

// Whether a character is a control character. UTF-8 has U+0080 to U+009F in two bytes.
bool is_control(std::string_view character) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(character[i]); };
  return character.size() == 1 ? byte(0) < 0x20 || byte(0) == 0x7f
                               : character.size() == 2 && byte(0) == 0xc2 && byte(1) < 0xa0;
}

void append_escaped(std::string& out, unsigned char code) {
  constexpr char kDigits[] = "0123456789abcdef";
  switch (code) {
    case '\n':
      out += "\\n";
      break;
    case '\r':
      out += "\\r";
      break;
    case '\t':
      out += "\\t";
      break;
    default:
      out += "\\x";
      out += kDigits[code >> 4];
      out += kDigits[code & 0xf];
  }
}

}  // namespace

std::string shown_name(std::string_view name) {
  std::string out;
  out.reserve(name.size());
  while (!name.empty()) {
    const size_t size = utf8_size(name);
    const std::string_view character = name.substr(0, size == 0 ? 1 : size);
    if (size == 0 || is_control(character))
      append_escaped(out, static_cast<unsigned char>(character.back()));
    else
      out += character;
    name.remove_prefix(character.size());
  }
  return out;
}

}  // namespace vd
