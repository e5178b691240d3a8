// Processes that fork. A child has its parent's memory, but none of its threads, and drivers do not know it.
#pragma once

#include <cstdint>

namespace vd {

// The number of forks between the process that loaded the library and this one. What was made at another number is a
// parent's.
uint32_t fork_count() noexcept;

}  // namespace vd
