// The first step of reading GLSL: lines as the compiler sees them.
#pragma once

#include <string>

namespace vd::codegen {

// Lines joined at backslashes and comments made spaces. The line breaks that this takes away follow the line, so that
// numbers of lines stay.
std::string joined_lines(const std::string& text);

}  // namespace vd::codegen
