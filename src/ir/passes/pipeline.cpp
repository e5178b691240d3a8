#include "ir/passes/pipeline.h"

#include "ir/analyse.h"
#include "ir/passes/bounds_guard.h"
#include "ir/passes/dead_code.h"
#include "ir/passes/fix_workgroup_size.h"
#include "ir/passes/fold.h"
#include "ir/passes/lower_async.h"
#include "ir/passes/share_loads.h"
#include "ir/passes/split_arrays.h"
#include "ir/passes/unroll.h"
#include "ir/verify.h"
#include "ir/walk.h"

namespace vd::ir {
namespace {

void check([[maybe_unused]] const Kernel& kernel) {
#ifdef VD_VERIFY_PASSES
  verify(kernel);
#endif
}

// The facts that decide whether a pass has anything to do.
struct Contents {
  bool async = false, loops = false, arrays = false;
};

Contents look(const Kernel& kernel) {
  Contents contents;
  for_each_inst(kernel, [&](ValueId, const Inst& inst) {
    contents.async |= inst.op == VD_OP_ASYNC_COPY || inst.op == VD_OP_ASYNC_COMMIT || inst.op == VD_OP_ASYNC_WAIT;
    contents.loops |= inst.op == VD_OP_FOR;
    contents.arrays |= inst.op == VD_OP_VAR && inst.type.is_array();
  });
  return contents;
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

void prepare(Kernel& kernel, const PrepareOptions& options) {
  const Contents contents = look(kernel);
  if (options.workgroup_size[0] != 0) {
    fix_workgroup_size(kernel, options.workgroup_size);
    check(kernel);
  }
  if (options.unroll && contents.loops) {
    fold(kernel);
    check_unrolling(kernel);
    unroll(kernel);
    check(kernel);
    fold(kernel);
    check(kernel);
    check_unrolling(kernel);  // inner loops, whose number of iterations is known only now
  }
  if (contents.arrays) {
    split_arrays(kernel);
    check(kernel);
  }
  if (contents.async && !options.native_async) {
    lower_async(kernel);
    check(kernel);
  }
  lower(kernel, options.lower);
  check(kernel);
  if (options.guard) {
    bounds_guard(kernel);
    check(kernel);
  }
  share_loads(kernel);
  dead_code(kernel);
  check(kernel);
  analyse_code(kernel);
}

}  // namespace vd::ir
