// Kernels of the library's own that no user writes into.
#pragma once

#include "ir/kernel.h"
#include "runtime/plan.h"

namespace vd::primitives {

// Another plan of the same code shares the compiled module. That stays as long as the context: the program may capture a
// launch of it, and keeps no plan for that.
Ref<vd_plan> make_own_plan(vd_context& context, uint32_t device, ir::Kernel kernel);

}  // namespace vd::primitives
