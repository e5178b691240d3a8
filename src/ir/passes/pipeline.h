// The order of the passes: what a builder runs when a kernel is finished, and what a backend runs on its copy before it
// prints or interprets. With VD_VERIFY_PASSES the verifier runs after each.
#pragma once

#include <array>

#include "ir/kernel.h"

namespace vd::ir {

// Fold, share loads, drop dead code. Keeps names, places and the meaning.
void optimise(Kernel& kernel);

}  // namespace vd::ir
