// Asynchronous copies for targets that have none: ASYNC_COPY becomes loads and stores, COMMIT and WAIT nothing. The
// barrier that the user needs after WAIT anyway makes the bytes visible.
#pragma once

#include "ir/kernel.h"

namespace vd::ir {

void lower_async(Kernel& kernel);

}  // namespace vd::ir
