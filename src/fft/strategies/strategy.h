// The ways to transform lines in passes. Each is a file of this folder and a line of catalogue.inc.
#pragma once

#include <span>
#include <string_view>

#include "fft/planner.h"

namespace vd::fft {

struct Strategy {
  std::string_view name;
  // Adds the passes of the line; false, with nothing added, if these are not lines for it. It may say why, with
  // Planner::refuse().
  bool (*plan)(Planner& planner, const Line& line);
};

#define VD_FFT_STRATEGY(NAME) bool plan_##NAME(Planner& planner, const Line& line);
#include "fft/strategies/catalogue.inc"
#undef VD_FFT_STRATEGY

// In order of preference.
std::span<const Strategy> catalogue();
// NULL if there is none of this name.
const Strategy* find_strategy(std::string_view name);

}  // namespace vd::fft
