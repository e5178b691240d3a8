// From a kernel to a program: lowering passes, then one scalar op a component over virtual registers (lower.cpp), then
// slots and instructions (emit.cpp).
#pragma once

#include <array>
#include <memory>

#include "backends/host/program.h"
#include "backends/host/pure.h"

namespace vd::host {

// `kernel` has been verified. Its code calls the functions of `table`. Throws VD_ERR_UNSUPPORTED if it needs a feature
// that the host lacks.
std::shared_ptr<const Program> compile(const ir::Kernel& kernel, const std::array<uint32_t, 3>& workgroup_size,
                                       bool checked, const OpTable& table = op_table());

}  // namespace vd::host
