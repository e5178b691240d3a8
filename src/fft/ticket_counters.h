// The counters of two passes whose tiles are taken by ticket (ticket_order.h): memory of a plan, which the last workgroup
// of each launch sets to 0 again.
#pragma once

#include <cstdint>

#include "fft/program.h"
#include "runtime/plan.h"

namespace vd::fft {

Ref<vd_buffer> make_counters(vd_context& context, uint32_t device, const Pass& pass);
// A step that sets them to 0 before a launch, for a device where the one before may have failed half-way. `bindings`: the
// caller's, in the plan that the step is a part of.
vd_plan::Step clear_step(const Ref<vd_buffer>& counters, uint32_t bindings, const Pass& pass);

}  // namespace vd::fft
