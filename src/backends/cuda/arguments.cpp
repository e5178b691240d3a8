#include "backends/cuda/arguments.h"

#include <cstring>

#include "backends/cuda/image.h"

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
    backends::check_arguments(command, view, module.label(), static_cast<uint32_t>(module.images().size()),
                              module.values_size());
  }
}

void append_bindings(const Command& command, const CommandView& view, std::vector<std::byte>& out) {
  const auto append = [&](const auto& parameter) {
    const auto* bytes = reinterpret_cast<const std::byte*>(&parameter);
    out.insert(out.end(), bytes, bytes + sizeof(parameter));
  };
  const auto& module = static_cast<const Module&>(*command.module);
  const auto& images = module.images();
  uint32_t next = command.first_image;
  for (uint32_t i = 0; i < command.binding_count; ++i) {
    const Range& range = view.ranges[command.first_binding + i];
    if (images[i].none()) {
      append(address_of(range));
      continue;
    }
    auto& image = static_cast<Image&>(*range.memory);
    const backends::ImageUse& use = view.images[next++];
    if (images[i].is_sampled()) {
      const codegen::CudaSampledImage sampled = image.sampled(static_cast<const Sampler&>(*use.sampler));
      module.plain_images() ? append(sampled.texture) : append(sampled);
    } else {
      const codegen::CudaStorageImage storage = image.storage(use.level);
      module.plain_images() ? append(storage.surface) : append(storage);
    }
  }
}

void** Arguments::fill(const Command& command, const CommandView& view, CUdeviceptr block) {
  bindings_.clear();
  append_bindings(command, view, bindings_);
  return fill(static_cast<const Module&>(*command.module), bindings_,
              view.values.subspan(command.first_value, command.values_size), block);
}

void** Arguments::fill(const Module& module, std::span<const std::byte> bindings, std::span<const std::byte> values,
                       CUdeviceptr block) {
  block_ = block;
  parameters_.clear();
  const std::byte* next = bindings.data();
  for (const ir::Type image : module.images()) {
    parameters_.push_back(const_cast<std::byte*>(next));  // the driver only reads it
    next += module.parameter_size(image);
  }
  if (module.values_by_pointer()) {
    parameters_.push_back(&block_);
  } else if (!values.empty()) {
    values_.resize((values.size() + kValueAlign - 1) / kValueAlign * kValueAlign);
    std::memcpy(values_.data(), values.data(), values.size());
    parameters_.push_back(values_.data());
  }
  if (parameters_.empty()) parameters_.push_back(nullptr);
  return parameters_.data();
}

}  // namespace vd::cuda
