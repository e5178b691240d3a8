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

// The names of these that a compiler defines before it reads a text with this #version line, and their numbers.
using BuiltinMacros =
    std::function<std::map<std::string, std::string>(const std::string& version, const std::set<std::string>& names)>;

// A token as the compiler reads it, at its own position or at that of the macro that made it.
struct PlainToken {
  std::string_view text;
  bool name = false;
  size_t line = 0;
  std::string_view macro;  // empty: the text itself has it
};
using TextReader = std::function<void(const PlainToken& token)>;

// Calls the reader with each token. Throws VD_ERR_COMPILE, with the macro's name and the line that uses it, if the
// text's macros make more than kMaxMacroTokens tokens, or if their expansion takes much more on the way, even if little
// remains. `what` names the text's owner: kernel "blur".
void expand_macros(const std::string& text, const std::string& what, const BuiltinMacros& builtins,
                   const TextReader& reader);

}  // namespace vd::codegen
