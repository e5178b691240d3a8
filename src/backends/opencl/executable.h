// A list made ready once: each launch has a kernel object of its own with its arguments set, so that a run is a loop of
// enqueues; where the device can, it is one command buffer.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "backends/backend.h"
#include "backends/opencl/command_buffer.h"
#include "backends/opencl/encoder.h"

namespace vd::opencl {

class Executable final : public backends::Executable {
 public:
  // `queue` is the queue on which it runs fastest.
  Executable(std::shared_ptr<const Context> context, cl_command_queue queue, const backends::CommandList& list);

  // Not of a command buffer, which has copied the arguments.
  bool patch(const backends::CommandList& list, std::span<const uint32_t> commands) override;
  // Issue `count` of its commands from the `first` on, all at most. Any number of runs, on any queues, may be in
  // flight: the driver has taken the arguments.
  void issue(cl_command_queue queue, size_t first, size_t count, size_t& issued) const;
  size_t size() const noexcept { return nodes_.size(); }
  // Whether it is one command of that queue, to be issued as a whole.
  bool is_one(cl_command_queue queue) const noexcept { return buffer_ && buffer_->queue() == queue; }

 private:
  struct Node {
    backends::Command command;
    std::unique_ptr<Arguments> arguments;  // of a dispatch
  };

  void record(cl_command_queue queue);

  std::shared_ptr<const Context> context_;
  std::vector<Node> nodes_;
  std::unique_ptr<CommandBuffer> buffer_;  // null where there is none, or the list has more than launches
};

}  // namespace vd::opencl
