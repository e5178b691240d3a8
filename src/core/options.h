// Options of the process: what a program sets by vd_option_set(), else what the environment says in VKDISPATCH_ and the
// option's name in upper case. An option that was asked for once stays as it is.
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
