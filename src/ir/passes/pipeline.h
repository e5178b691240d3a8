// The order of the passes that a builder runs when a kernel is finished, and of those that a backend runs on its copy
// before it prints or interprets. With VD_VERIFY_PASSES the verifier runs after each.
#pragma once

#include <array>

#include "ir/kernel.h"
#include "ir/passes/lower.h"

namespace vd::ir {

// Fold, share loads, drop dead code. Keeps names, places and the meaning.
void optimise(Kernel& kernel);

struct PrepareOptions {
  std::array<uint32_t, 3> workgroup_size{};  // zero: not known
  LowerOptions lower;
  bool guard = true;          // execution bounds become code
  bool native_async = false;  // the target has asynchronous copies
  bool unroll = true;         // loops that ask for it
};

// Lower a finished kernel for a target. `values`, bindings and offsets stay as in the finished kernel, since the
// runtime fills them; requirements and uses_ are derived anew. Throws VD_ERR_COMPILE if a construct cannot be lowered.
void prepare(Kernel& kernel, const PrepareOptions& options);

}  // namespace vd::ir
