// Words that printer and parser of the text form share.
#pragma once

#include <string_view>

#include "ir/type.h"

namespace vd::ir {

struct FlagWord {
  vd_builder_flags flag;
  std::string_view text;
};
// VD_BUILDER_FUNCTION is the first word of the text; BY_VALUE describes the writing of a kernel, not its meaning.
inline constexpr FlagWord kFlagWords[] = {
    {VD_BUILDER_NO_EXEC_BOUNDS, "no_exec_bounds"},
    {VD_BUILDER_NO_SUBGROUP, "no_subgroup"},
    {VD_BUILDER_NO_PRINTF, "no_printf"},
    {VD_BUILDER_PRECISE, "precise"},
    {VD_BUILDER_NATIVE, "native"},
};

inline constexpr std::string_view kSpaceWords[] = {"value", "private", "shared", "storage", "uniform", "cluster"};
constexpr std::string_view space_word(Space space) {
  return static_cast<uint32_t>(space) < std::size(kSpaceWords) ? kSpaceWords[static_cast<uint32_t>(space)] : "unknown";
}

inline constexpr std::string_view kArgumentWords[] = {"buffer", "constant", "variable", "image", "value", "reference"};
constexpr std::string_view argument_word(vd_argument_kind kind) {
  return kind >= 0 && static_cast<uint32_t>(kind) < std::size(kArgumentWords)
             ? kArgumentWords[static_cast<uint32_t>(kind)]
             : "unknown";
}

}  // namespace vd::ir
