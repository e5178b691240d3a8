// Kernels of the library's own that no user writes into.
#pragma once

#include "ir/kernel.h"
#include "runtime/plan.h"

namespace vd::primitives {

// Another plan of the same code shares the compiled module.
Ref<vd_plan> make_own_plan(vd_context& context, uint32_t device, ir::Kernel kernel);

}  // namespace vd::primitives
