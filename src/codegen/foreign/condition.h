// The condition of an #if.
#pragma once

#include <cstdint>

#include "codegen/foreign/tokens.h"

namespace vd::codegen {

inline constexpr int kMaxNesting = 500;  // of arguments within arguments, and of parentheses in #if

// The value of an expression without macros, as glslang computes it; invalid text has some value.
int64_t condition_value(const TokenTable& table, const Tokens& tokens);

}  // namespace vd::codegen
