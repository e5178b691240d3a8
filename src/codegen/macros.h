// Macros of GLSL, expanded only to be counted: a text of 400 bytes can ask for 2^60 tokens, and glslang would begin to
// make them. Each token of an expansion is looked at once here, so that the count costs less than the compiler's own.
// Expressions are measured, too: glslang calls itself for each operator in another, until its stack is at an end.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>

namespace vd::codegen {

inline constexpr size_t kMaxMacroTokens = size_t{1} << 20;

// Which of these names a compiler defines before it reads a text with this #version line, and as which numbers.
using BuiltinMacros =
    std::function<std::map<std::string, std::string>(const std::string& version, const std::set<std::string>& names)>;

// Throws VD_ERR_COMPILE, with the macro's name and the line that uses it, if the text's macros give more than
// kMaxMacroTokens tokens; or if they take much more to be expanded, whatever remains of them in the end; or if an
// expression has more than 3000 operators and parentheses within each other. `what` has the
// text: kernel "blur".
void check_macros(const std::string& text, const std::string& what, const BuiltinMacros& builtins);

}  // namespace vd::codegen
