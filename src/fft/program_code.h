// The code of a program, without what launches give it. It follows from the problem and its plan, but for the numbers of
// launch_values.h: another count of the lines has the same, if its layouts are.
#pragma once

#include <memory>
#include <vector>

#include "core/hash.h"
#include "fft/launch_values.h"
#include "fft/planner.h"
#include "runtime/kernel.h"

namespace vd::fft {

struct ProgramCode {
  struct Pass {
    Ref<const vd_kernel> kernel;
    std::vector<LaunchNumber> numbers;  // behind the kernel's other values
  };
  std::vector<Pass> passes;
  std::shared_ptr<const Constants> constants;
};

// Equal for problems without maps whose programs have the same code and constants. `table`: as planning left it.
Hash128 key_of(const Problem& problem, const Plan& plan, const Table& table, vd_builder_flags flags);

}  // namespace vd::fft
