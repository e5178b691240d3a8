// Computes a program, invocation by invocation.
#pragma once

#include "program.h"

namespace vdc::random {

struct Result {
  std::vector<std::vector<Data>> output;     // by kind
  std::vector<std::vector<Data>> variables;  // by variable: what each invocation's holds at the end
  std::vector<Data> counters[2];
  std::vector<bool> open;  // invocations that came upon what devices may do differently
  std::vector<bool> open_counters[2];
};

Result interpret(const Program& program, const Device& device);

}  // namespace vdc::random
