// Calls of functions of the program's. An exception that leaves one ends here, whatever the thread: callers of a C API expect
// none, and on a thread of the library or of a driver it would end the process.
#pragma once

#include <string>

#include "core/error.h"

namespace vd {

// In a catch block: "NAME threw an exception: its words". A function that ends its thread, as Python's interpreter ends those
// that come too late, unwinds through here, too; none of our threads may end so, and the calling one then stays here.
std::string describe_thrown(const char* name);
void log_thrown(const char* name) noexcept;

// Calls a function whose caller nothing can be reported to: its exception goes to the log.
template <class F>
void call_program(const char* name, F&& function) noexcept {
  try {
    function();
  } catch (...) {
    log_thrown(name);
  }
}

// Calls a function whose caller waits for a status: its exception becomes an Error.
template <class F>
void call_program_or_fail(vd_status status, const char* name, F&& function) {
  try {
    function();
  } catch (...) {
    throw Error(status, describe_thrown(name));
  }
}

}  // namespace vd
