// Names that a caller gives: labels of buffers and plans, names of kernels and arguments, files.
#pragma once

#include <string>
#include <string_view>

namespace vd {

// A name as it is kept, for messages, the log and comments of generated sources: one line of UTF-8, whose line breaks,
// escapes, other control characters and bytes of no character are spelt \n, \x1b, \xff. A terminal must not obey a label,
// nor a log gain a line by one.
std::string shown_name(std::string_view name);

}  // namespace vd
