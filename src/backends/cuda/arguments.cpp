#include "backends/cuda/arguments.h"

#include <cstring>

namespace vd::cuda {
namespace {

using backends::Command;
using backends::Range;

constexpr size_t kValueAlign = 16;

}  // namespace

void check_commands(const CommandView& view) {
  for (const Command& command : view.commands) {
    if (command.kind != Command::Kind::Dispatch) continue;
    const auto& module = static_cast<const Module&>(*command.module);
    backends::check_arguments(command, view, module.label(), module.buffer_count(), module.values_size());
  }
}

void** Arguments::fill(const Command& command, const CommandView& view, CUdeviceptr block) {
  const auto& module = static_cast<const Module&>(*command.module);
  addresses_.clear();
  for (uint32_t i = 0; i < command.binding_count; ++i)
    addresses_.push_back(address_of(view.ranges[command.first_binding + i]));
  addresses_.push_back(block);
  parameters_.clear();
  for (uint32_t i = 0; i < command.binding_count; ++i) parameters_.push_back(&addresses_[i]);
  if (module.values_by_pointer()) {
    parameters_.push_back(&addresses_.back());
  } else if (command.values_size != 0) {
    values_.resize((command.values_size + kValueAlign - 1) / kValueAlign * kValueAlign);
    std::memcpy(values_.data(), view.values.data() + command.first_value, command.values_size);
    parameters_.push_back(values_.data());
  }
  if (parameters_.empty()) parameters_.push_back(nullptr);
  return parameters_.data();
}

}  // namespace vd::cuda
