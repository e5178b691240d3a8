// Names that a caller gives: labels of buffers and plans, names of kernels and arguments, files.
#pragma once

#include <string>
#include <string_view>

namespace vd {

// A name as it is kept, for messages, the log and comments of generated sources: one line, whose line breaks, escapes
// and other control characters are spelt \n, \x1b. A terminal must not obey a label, nor a log gain a line by one.
std::string shown_name(std::string_view name);

}  // namespace vd
