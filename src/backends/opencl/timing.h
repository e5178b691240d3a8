// Times of commands, from the events of a queue with timestamps.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "backends/backend.h"
#include "backends/opencl/context.h"

namespace vd::opencl {

class Timing final : public backends::Timing {
 public:
  explicit Timing(std::shared_ptr<const Context> context) : context_(std::move(context)) {}
  // The next command: its event, null if it has no effect, and when the host called for it.
  void add(cl_event event, const backends::Interval& call);
  uint64_t read(std::span<backends::Interval> out) override;

 private:
  struct Command {
    EventHandle event;
    backends::Interval call;
  };
  uint64_t time(const EventHandle& event, cl_profiling_info which) const;

  const std::shared_ptr<const Context> context_;
  std::vector<Command> commands_;
};

}  // namespace vd::opencl
