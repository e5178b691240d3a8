#include "ir/layout.h"

#include <algorithm>

#include "core/error.h"

namespace vd::ir {
namespace {

constexpr uint64_t align_up(uint64_t offset, uint64_t align) { return (offset + align - 1) / align * align; }

// Past every limit of a device; keeps the sums below in 32 bits.
constexpr uint64_t kMaxBytes = uint64_t{1} << 30;

}  // namespace

void assign_values(Kernel& kernel, bool reads_exec_size) {
  ValueLayout layout;
  layout.shape_offsets.assign(kernel.arguments.size(), kNoOffset);
  uint32_t binding = 0;
  uint64_t offset = 0;
  for (Argument& argument : kernel.arguments) {
    switch (argument.kind) {
      case VD_ARGUMENT_BUFFER:
      case VD_ARGUMENT_IMAGE:
        argument.binding = binding++;
        break;
      case VD_ARGUMENT_CONSTANT:
      case VD_ARGUMENT_VARIABLE:
        offset = align_up(offset, kernel.types.align(argument.type));
        argument.offset = static_cast<uint32_t>(offset);
        offset += kernel.types.size(argument.type);
        break;
      default:
        break;
    }
    if (offset > kMaxBytes)
      fail(VD_ERR_INVALID, "the values of kernel \"{}\" are past the limit ({} bytes).", kernel.name, kMaxBytes);
  }
  layout.user_size = static_cast<uint32_t>(offset);
  const bool guarded = !kernel.is_function() && (kernel.flags & VD_BUILDER_NO_EXEC_BOUNDS) == 0;
  if (guarded || reads_exec_size) {
    offset = align_up(offset, 4);
    layout.exec_size_offset = static_cast<uint32_t>(offset);
    offset += 12;
  }
  for (size_t i = 0; i < kernel.arguments.size(); ++i) {
    if ((kernel.arguments[i].use & VD_ARGUMENT_ACCESS_SHAPE) == 0) continue;
    offset = align_up(offset, 4);
    layout.shape_offsets[i] = static_cast<uint32_t>(offset);
    offset += 16;
  }
  layout.total_size = static_cast<uint32_t>(offset);
  kernel.values = std::move(layout);
}

void assign_shared_offsets(Kernel& kernel) {
  uint64_t end = 0;
  for (const SharedArray& shared : kernel.shareds) {
    if (shared.explicit_offset) end = std::max(end, shared.offset + kernel.types.size(shared.element) * shared.count);
  }
  for (SharedArray& shared : kernel.shareds) {
    if (shared.explicit_offset) continue;
    end = align_up(end, kSharedAlign);
    shared.offset = static_cast<uint32_t>(end);
    end += kernel.types.size(shared.element) * shared.count;
    if (end > kMaxBytes) break;
  }
  end += kernel.attributes.dynamic_shared_size;
  if (end > kMaxBytes) {
    fail(VD_ERR_INVALID, "the shared arrays of kernel \"{}\" are past the limit ({} bytes).", kernel.name, kMaxBytes);
  }
  kernel.shared_size = static_cast<uint32_t>(end);
}

}  // namespace vd::ir
