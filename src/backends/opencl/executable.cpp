#include "backends/opencl/executable.h"

namespace vd::opencl {

using backends::Command;

Executable::Executable(std::shared_ptr<const Context> context, const backends::CommandList& list)
    : context_(std::move(context)) {
  context_->require_alive();
  const CommandView view{list.commands, list.ranges, list.values};
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
}

void Executable::issue(cl_command_queue queue, size_t& issued) const {
  for (const Node& node : nodes_) {
    if (node.arguments)
      issue_dispatch(*context_, queue, static_cast<const Module&>(*node.command.module), node.arguments->kernel(),
                     node.command.groups);
    else
      issue_transfer(*context_, queue, node.command);
    ++issued;
  }
}

}  // namespace vd::opencl
