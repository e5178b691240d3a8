// Status names, and the message of each thread's last failure.
#pragma once

#include "vkdispatch.h"

namespace vd {

const char* status_name(vd_status status) noexcept;

// Keeps "function: message" for last_error(). Works without memory: then the message is cut short.
void set_last_error(const char* function, const char* message) noexcept;
// The last failure on this thread; "" before any.
const char* last_error() noexcept;

}  // namespace vd
