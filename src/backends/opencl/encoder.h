// Issues neutral commands to a command queue, which runs them in order: that is stricter than levels.
#pragma once

#include "backends/opencl/arguments.h"
#include "backends/opencl/module.h"
#include "backends/opencl/timing.h"

namespace vd::opencl {

// Throws if a command cannot be issued on this device: a missing argument, a range that has no sub-buffer.
void check_commands(const Context& context, const CommandView& view);

// Each issues one command; one without effect issues none. A dispatch's arguments have been set. `event`, where given,
// is the command's; untouched if there is none.
void issue_dispatch(const Context& context, cl_command_queue queue, const Module& module, const Arguments& arguments,
                    const std::array<uint32_t, 3>& workgroups, cl_event* event = nullptr);
void issue_transfer(const Context& context, cl_command_queue queue, const backends::Command& command,
                    cl_event* event = nullptr);

// All commands of a list. `issued` counts them as they go, so that it is right after an exception. `event`, where
// given, is the last one's if that is a dispatch.
void issue_list(const Context& context, cl_command_queue queue, const CommandView& view, size_t& issued,
                cl_event* event);
// The same, to a queue with timestamps; `timing` takes the events.
void issue_timed_list(const Context& context, cl_command_queue queue, const CommandView& view, size_t& issued,
                      Timing& timing);

}  // namespace vd::opencl
