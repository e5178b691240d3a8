// Checks that all backends share: whether a device can run a kernel at all, and whether a launch has the arguments of
// its kernel.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

#include "backends/backend.h"

namespace vd::backends {

// A command list, or a part of one.
struct CommandView {
  std::span<const Command> commands;
  std::span<const Range> ranges;
  std::span<const std::byte> values;
  std::span<const ImageUse> images = {};
  std::span<const Box> boxes = {};
};

// The name of a module in messages: its label, else its kernel's name. Throws VD_ERR_INVALID if there is neither kernel
// nor source.
std::string label_of(const ModuleDesc& desc);
// Throws unless source text is in one of `languages`, and has no specialisation constants that its language lacks. `kind` as
// below.
void check_source(const SourceText& source, const std::string& label, std::initializer_list<vd_language> languages,
                  const char* kind);

// Each throws VD_ERR_UNSUPPORTED with the number and the limit. `kind` is "CUDA", "Vulkan" or "OpenCL".
// A kernel's features and shared memory, and the workgroup size that it is made for.
void check_limits(const ModuleDesc& desc, const vd_device_info& info, const char* kind);
// A workgroup size; `what` names its owner: kernel "blur".
void check_workgroup_size(const std::string& what, const std::array<uint32_t, 3>& workgroup_size,
                          const vd_device_info& info, const char* kind);

// Throws VD_ERR_INVALID unless a dispatch has the buffers and bytes of values of kernel `label`.
void check_arguments(const Command& command, const CommandView& view, const std::string& label, uint32_t buffer_count,
                     uint32_t values_size);

}  // namespace vd::backends
