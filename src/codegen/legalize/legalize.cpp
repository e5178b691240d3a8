#include "codegen/legalize/legalize.h"

#include "ir/passes/dead_code.h"
#include "ir/passes/pipeline.h"

namespace vd::codegen {

using namespace ir;

Kernel legalize(Kernel kernel, const Dialect& dialect, const Options& options) {
  PrepareOptions prepare;
  prepare.workgroup_size = kernel.attributes.workgroup_size;
  prepare.native_async = find_rule(dialect, VD_OP_ASYNC_COPY, Type(), Type(), false, false) != nullptr;
  prepare.lower.define_conversions = false;  // language by language, below
  ir::prepare(kernel, prepare);
  kernel = narrow_indices(std::move(kernel), dialect);
  kernel = emulate_subgroups(std::move(kernel), options.subgroup_size);
  kernel = emulate_float_atomics(std::move(kernel), dialect, options);
  kernel = flatten_shared(std::move(kernel), dialect);
  kernel = legalize_prints(std::move(kernel), options);
  kernel = legalize_memory(std::move(kernel), dialect);
  kernel = widen_small_integers(std::move(kernel));
  kernel = hide_negatives(std::move(kernel));
  kernel = hide_limits_of_sums(std::move(kernel));
  kernel = define_semantics(std::move(kernel), dialect);
  kernel = split_values(std::move(kernel), dialect, options);
  dead_code(kernel);
  return kernel;
}

}  // namespace vd::codegen
