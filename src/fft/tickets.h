// Two passes of long lines in one dispatch, whose workgroups take the tiles of both by ticket (ticket_order.h). What lies
// between the passes is then a ring that stays in the device's cache, so that memory moves half the bytes.
#pragma once

#include "fft/planner.h"

namespace vd::fft {

// Whether the plan's passes may share a dispatch on the device.
bool may_take_tickets(const Plan& plan, const Limits& limits);
// Has them share one if the first pass's candidate or the tuning asks for it, and if workgroups of one size take both.
void take_tickets(Plan& plan, const Limits& limits);

}  // namespace vd::fft
