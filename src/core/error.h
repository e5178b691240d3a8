// The error that ends a call inside the library: an exception with a status and a message. src/api/guard.h is the only
// place where it becomes a vd_status. A message names the argument, its value and its limit; the guard puts the name of
// the entry point before it.
#pragma once

#include <fmt/format.h>

#include <exception>
#include <string>
#include <utility>

#include "core/utf8.h"
#include "vkdispatch.h"

namespace vd {

class Error : public std::exception {
 public:
  Error(vd_status status, std::string message) : status_(status), message_(std::move(message)) {
    make_utf8(message_);  // of a compiler's log, or of a name that the caller gave
  }
  vd_status status() const noexcept { return status_; }
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  vd_status status_;
  std::string message_;
};

// Throw an Error with a formatted message: fail(VD_ERR_INVALID, "offset ({}) is past the end ({})", a, b).
template <class... Args>
[[noreturn]] void fail(vd_status status, fmt::format_string<Args...> format, Args&&... args) {
  throw Error(status, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace vd
