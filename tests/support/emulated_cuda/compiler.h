// Printed CUDA C++ to a shared library, by the host's compiler.
#pragma once

#include <string>

namespace vd::emulated {

// The source with asm statements as calls, and what the driver calls a kernel by after it. `error` if a kernel has
// something that the emulation does not know.
std::string translate(const std::string& source, std::string& error);

// The library's bytes; "" with the compiler's words in `log`. Kept from run to run below VD_EMULATED_CACHE.
std::string compile(const std::string& source, std::string& log);

}  // namespace vd::emulated
