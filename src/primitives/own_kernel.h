// Kernels of the library's own that no user writes into.
#pragma once

#include "ir/kernel.h"
#include "runtime/plan.h"

namespace vd::primitives {

// Invocations in a row of a launch over more elements than that. Devices take at least 65,535 workgroups on each axis.
inline constexpr uint32_t kRow = 1 << 20;
// The alignment of bindings of elements of up to 16 bytes.
uint64_t binding_align(const vd_context& context, uint32_t device);

// Another plan of the same code shares the compiled module. That stays as long as the context: the program may capture a
// launch of it, and keeps no plan for that.
Ref<vd_plan> make_own_plan(vd_context& context, uint32_t device, ir::Kernel kernel);

}  // namespace vd::primitives
