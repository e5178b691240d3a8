// Processes that make others. A child has its parent's memory, but none of its threads, and drivers do not know it.
#pragma once

#include <cstdint>

namespace vd {

// The number of this process, never 0. What was made at another number is a parent's, whether that called fork() or the
// system's clone() by itself. A process that shares its parent's memory has its number, too.
uint32_t process_number() noexcept;

}  // namespace vd
