#include "codegen/foreign/lines.h"

namespace vd::codegen {

std::string joined_lines(const std::string& text) {
  std::string out;
  out.reserve(text.size() + 1);
  size_t owed = 0;
  enum { Code, LineComment, BlockComment } state = Code;
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    const char next = at + 1 < text.size() ? text[at + 1] : '\0';
    if (c == '\r') continue;
    if (c == '\\' && (next == '\n' || (next == '\r' && at + 2 < text.size() && text[at + 2] == '\n'))) {
      at += next == '\r' ? 2 : 1;
      ++owed;
    } else if (c == '\n' && state == BlockComment) {
      ++owed;
    } else if (c == '\n') {
      state = Code;
      out.append(owed + 1, '\n');
      owed = 0;
    } else if (state == BlockComment && c == '*' && next == '/') {
      state = Code;
      ++at;
    } else if (state == Code && c == '/' && (next == '/' || next == '*')) {
      state = next == '/' ? LineComment : BlockComment;
      out += ' ';
      ++at;
    } else if (state == Code) {
      out += c;
    }
  }
  out += '\n';
  return out;
}

}  // namespace vd::codegen
