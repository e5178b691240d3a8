// Options of the process: the value that a program set before the first use, else that of the environment variable
// VKDISPATCH_ with the option's name in upper case.
#pragma once

#include <array>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace vd {

// Any thread may call.
class Options {
 public:
  // `name` is one of those in options.cpp. A value of "" counts as none. From now on the option cannot be set.
  std::optional<std::string> get(std::string_view name);
  // The name of a value's source in messages: `option "backend"`, or VKDISPATCH_BACKEND.
  std::string source(std::string_view name);
  // Throws VD_ERR_INVALID for a name or value that there is not, and VD_ERR_STATE for an option that was got. NULL leaves
  // it to the environment.
  void set(std::string_view name, const char* value);

 private:
  struct Option {
    std::optional<std::string> value;
    bool used = false;
  };
  std::mutex mutex_;
  std::array<Option, 15> options_;
};

// The options of the process.
Options& options();
inline std::optional<std::string> option(std::string_view name) { return options().get(name); }
// One that is 0 or 1; `otherwise` where it is not given, or is neither, of which the log warns.
bool switch_option(std::string_view name, bool otherwise);

}  // namespace vd
