#include "backends/opencl/timing.h"

#include <algorithm>

#include "core/steady_time.h"

namespace vd::opencl {

void Timing::add(cl_event event, const backends::Interval& call) {
  commands_.push_back({EventHandle(context_, event), call});
}

uint64_t Timing::time(const EventHandle& event, cl_profiling_info which) const {
  cl_ulong time = 0;
  context_->check(context_->cl.GetEventProfilingInfo(event.get(), which, sizeof(time), &time, nullptr),
                  "clGetEventProfilingInfo", "{:#x}", which);
  return time;
}

// A device notes its own time when the host calls for a command, so the host's time minus that lies between begin and
// end of the call; all commands together bound it best. What has ended by now bounds it, too.
uint64_t Timing::read(std::span<backends::Interval> out) {
  const auto now = static_cast<int64_t>(steady_time());
  int64_t low = INT64_MIN, high = INT64_MAX;
  for (size_t i = 0; i < out.size(); ++i) {
    const Command& command = commands_[i];
    if (command.event.get() == nullptr) {
      out[i] = i != 0 ? backends::Interval{out[i - 1].end, out[i - 1].end} : backends::Interval{};
      continue;
    }
    out[i] = {time(command.event, CL_PROFILING_COMMAND_START), time(command.event, CL_PROFILING_COMMAND_END)};
    const auto called = static_cast<int64_t>(time(command.event, CL_PROFILING_COMMAND_QUEUED));
    const int64_t from = static_cast<int64_t>(command.call.begin) - called;
    const int64_t to =
        std::min(static_cast<int64_t>(command.call.end) - called, now - static_cast<int64_t>(out[i].end));
    if (std::max(low, from) <= std::min(high, to)) {
      low = std::max(low, from);
      high = std::min(high, to);
    } else {  // the clocks have moved, and the later look counts
      low = std::min(from, to);
      high = std::max(from, to);
    }
  }
  if (low == INT64_MIN) {  // nothing ran
    for (backends::Interval& interval : out) interval = commands_.front().call;
    return 0;
  }
  const int64_t offset = low + (high - low) / 2;
  for (backends::Interval& interval : out)
    if (interval.begin != 0)
      interval = {interval.begin + static_cast<uint64_t>(offset), interval.end + static_cast<uint64_t>(offset)};
  // Commands without effect before the first that had one.
  for (size_t i = out.size(); i-- > 0;)
    if (out[i].begin == 0 && i + 1 < out.size()) out[i] = {out[i + 1].begin, out[i + 1].begin};
  return static_cast<uint64_t>(high - low) / 2 + 1;
}

}  // namespace vd::opencl
