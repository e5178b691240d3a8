// Checks of foreign GLSL before glslang reads it, which was not made for hostile text.
#pragma once

#include <string>

#include "codegen/foreign/macros.h"

namespace vd::codegen {

// Throws VD_ERR_COMPILE if macros (macros.h), expressions (expressions.h) or structs (structs.h) are past their limits.
// `what` names the text's owner: kernel "blur".
void check_foreign(const std::string& text, const std::string& what, const BuiltinMacros& builtins);

}  // namespace vd::codegen
