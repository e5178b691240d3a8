// Allocations of the library, of which one fails when a test says so: operator new of the whole process.
#pragma once

#include <cstdint>

namespace allocations {

// Finds the code whose allocations count, of the library whose path contains this. Returns false if none is loaded.
bool watch(const char* name);
// From now on the nth (1 is the next) allocation of what is watched fails, on whatever thread; 0: none does.
void fail(uint64_t nth);
// Whether it came to that. Ends it.
bool failed();

}  // namespace allocations
