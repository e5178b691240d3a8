// A list made ready once: each launch has a kernel object of its own with its arguments set, so that a run is a loop of
// enqueues; where the device can, it is one command buffer.
#pragma once

#include <memory>
#include <vector>

#include "backends/backend.h"
#include "backends/opencl/encoder.h"

namespace vd::opencl {

class Executable final : public backends::Executable {
 public:
  Executable(std::shared_ptr<const Context> context, const backends::CommandList& list);

  // Issue it once. Any number of runs, on any queues, may be in flight: nothing of it changes.
  void issue(cl_command_queue queue, size_t& issued) const;
  size_t size() const noexcept { return nodes_.size(); }

 private:
  struct Node {
    backends::Command command;
    std::unique_ptr<Arguments> arguments;  // of a dispatch
  };

  std::shared_ptr<const Context> context_;
  std::vector<Node> nodes_;
};

}  // namespace vd::opencl
