#include "ir/hash.h"

#include "ir/text.h"

namespace vd::ir {

// The canonical text holds what the code is and nothing else, so it is what is hashed.
Hash128 hash_kernel(const Kernel& kernel) { return hash_text(print_text(kernel, VD_PRINT_CANONICAL)); }

}  // namespace vd::ir
