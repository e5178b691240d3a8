#include "ir/passes/pipeline.h"

#include "ir/passes/dead_code.h"
#include "ir/passes/fold.h"
#include "ir/passes/share_loads.h"
#include "ir/verify.h"

namespace vd::ir {
namespace {

void check([[maybe_unused]] const Kernel& kernel) {
#ifdef VD_VERIFY_PASSES
  verify(kernel);
#endif
}

}  // namespace

void optimise(Kernel& kernel) {
  fold(kernel);
  check(kernel);
  if (share_loads(kernel)) {
    check(kernel);
    fold(kernel);  // loads of stored constants
    check(kernel);
  }
  dead_code(kernel);
  check(kernel);
}

}  // namespace vd::ir
