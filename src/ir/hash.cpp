#include "ir/hash.h"

#include "ir/text.h"

namespace vd::ir {

// The hash is that of the canonical text, which contains the code and nothing else.
Hash128 hash_kernel(const Kernel& kernel) { return hash_text(print_text(kernel, VD_PRINT_CANONICAL)); }

}  // namespace vd::ir
