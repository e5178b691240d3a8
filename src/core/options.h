// Options of the process: a program's vd_option_set() takes precedence over the environment's variable, which is
// VKDISPATCH_ and the option's name in upper case. An option keeps its value from its first use on.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace vd {

// `name` is one of the table in options.cpp. A value of "" counts as none.
std::optional<std::string> option(std::string_view name);

// Throws VD_ERR_INVALID for a name that there is not, and VD_ERR_STATE for an option that has been asked for. NULL
// leaves the option to the environment.
void set_option(std::string_view name, const char* value);

}  // namespace vd
