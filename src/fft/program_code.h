// The code of a program, without what launches give it. It follows from the problem and its plan, but for the numbers of
// launch_values.h: another count of the lines has the same, if its layouts are.
#pragma once

#include <memory>
#include <vector>

#include "core/hash.h"
#include "fft/launch_values.h"
#include "fft/planner.h"
#include "runtime/kept_kernel.h"
#include "runtime/kernel.h"

namespace vd::fft {

struct ProgramCode {
  struct Pass {
    Ref<const vd_kernel> kernel;
    std::shared_ptr<const runtime::KeptKernel> kept;  // in place of the kernel
    LaunchBlock launch;
    uint32_t shared_size = 0;  // bytes
  };
  std::vector<Pass> passes;
  std::shared_ptr<const Constants> constants;  // null: they are computed again
};

// Equal for problems without maps whose programs have the same code and constants. `table`: as planning left it.
Hash128 key_of(const Problem& problem, const Plan& plan, const Table& table, vd_builder_flags flags);

}  // namespace vd::fft
