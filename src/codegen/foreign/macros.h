// Macros of GLSL, expanded only to be counted and read: a text of 400 bytes can ask for 2^60 tokens, and glslang would
// begin to make them. Each token of an expansion is looked at once here, so that the count costs less than the
// compiler's own.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace vd::codegen {

inline constexpr size_t kMaxMacroTokens = size_t{1} << 20;

// Which of these names a compiler defines before it reads a text with this #version line, and as which numbers.
using BuiltinMacros =
    std::function<std::map<std::string, std::string>(const std::string& version, const std::set<std::string>& names)>;

// A token as the compiler reads it: where it stands, or where the macro that made it stands.
struct PlainToken {
  std::string_view text;
  bool name = false;
  size_t line = 0;
  std::string_view macro;  // empty: the text itself has it
};
using TextReader = std::function<void(const PlainToken& token)>;

// Gives the reader each token. Throws VD_ERR_COMPILE, with the macro's name and the line that uses it, if the text's
// macros give more than kMaxMacroTokens tokens, or if they take much more to be expanded, whatever remains of them in
// the end. `what` has the text: kernel "blur".
void expand_macros(const std::string& text, const std::string& what, const BuiltinMacros& builtins,
                   const TextReader& reader);

}  // namespace vd::codegen
