#include "backends/opencl/executable.h"

#include <algorithm>

#include "core/log.h"

namespace vd::opencl {

using backends::Command;

Executable::Executable(std::shared_ptr<const Context> context, cl_command_queue queue,
                       const backends::CommandList& list)
    : context_(std::move(context)) {
  context_->require_alive();
  const CommandView view{list.commands, list.ranges, list.values, list.images};
  check_commands(*context_, view);
  nodes_.reserve(list.commands.size());
  for (const Command& command : list.commands) {
    Node node{command, nullptr};
    if (command.kind == Command::Kind::Dispatch) {
      node.arguments = static_cast<const Module&>(*command.module).make_arguments();
      node.arguments->set(command, view);
    }
    nodes_.push_back(std::move(node));
  }
  // Copies that units sample may have to be made again at each run.
  const auto launches = [](const Node& node) { return node.arguments != nullptr && !node.arguments->has_copies(); };
  if (context_->command_buffers && nodes_.size() > 1 && std::all_of(nodes_.begin(), nodes_.end(), launches))
    record(queue);
}

void Executable::record(cl_command_queue queue) {
  try {
    auto buffer = std::make_unique<CommandBuffer>(context_, queue);
    for (const Node& node : nodes_)
      buffer->dispatch(static_cast<const Module&>(*node.command.module), node.arguments->kernel(),
                       node.command.workgroups);
    buffer->finish();
    buffer_ = std::move(buffer);
  } catch (const Error& error) {
    log_verbose("OpenCL: a graph runs without a command buffer: {}", error.what());
  }
}

bool Executable::patch(const backends::CommandList& list, std::span<const uint32_t> commands) {
  context_->require_alive();
  if (buffer_) return false;
  const CommandView view{list.commands, list.ranges, list.values, list.images};
  check_commands(*context_, view);
  for (const uint32_t i : commands) {
    nodes_[i].command = list.commands[i];
    if (!nodes_[i].arguments) continue;
    nodes_[i].arguments->forget();
    nodes_[i].arguments->set(list.commands[i], view);
  }
  return true;
}

void Executable::issue(cl_command_queue queue, size_t first, size_t count, size_t& issued) const {
  if (is_one(queue)) {
    buffer_->enqueue();
    issued += nodes_.size();
    return;
  }
  for (size_t i = first, end = std::min(first + count, nodes_.size()); i < end; ++i) {
    const Node& node = nodes_[i];
    if (node.arguments)
      issue_dispatch(*context_, queue, static_cast<const Module&>(*node.command.module), *node.arguments,
                     node.command.workgroups);
    else
      issue_transfer(*context_, queue, node.command);
    ++issued;
  }
}

}  // namespace vd::opencl
