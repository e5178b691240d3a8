// Contexts that the tests of a process share, since a GPU's driver takes seconds to open one.
#pragma once

#include <chrono>
#include <string>

#include "api/support.h"

namespace api {

// A context of a backend's first device with these flags and a number of queues, opened when a test first asks for it and
// closed behind the last test. Null, and vd_last_error() says why, where the backend or so many queues are not here.
// After each test nothing is left behind in it, or the test fails and the next one gets a new context.
// A test that closes a context, or is about contexts, opens its own: open_context().
Context shared_context(vd_backend backend, vd_context_flags flags = 0, uint32_t queues = 1);

// Names the rest that a test left in a context: work, a failure that nobody waited for, or memory, which threads of the
// library's may give back until `patience` has passed. Empty if there is none.
std::string left_behind(vd_context* ctx, std::chrono::seconds patience);

}  // namespace api
