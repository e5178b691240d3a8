#include "core/name.h"

#include <cstddef>

namespace vd {
namespace {

// Bytes of the control character that begins here; 0 if there is none. UTF-8 has U+0080 to U+009F in two.
size_t control_size(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x20 || byte(0) == 0x7f) return 1;
  return byte(0) == 0xc2 && text.size() > 1 && byte(1) >= 0x80 && byte(1) < 0xa0 ? 2 : 0;
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
    const size_t control = control_size(name);
    if (control == 0)
      out += name.front();
    else
      append_escaped(out, static_cast<unsigned char>(name[control - 1]));
    name.remove_prefix(control == 0 ? 1 : control);
  }
  return out;
}

}  // namespace vd
