// The ways to transform lines in passes. Each is a file of this folder and a line of catalogue.inc.
#pragma once

#include <span>

#include "fft/planner.h"

namespace vd::fft {

struct Strategy {
  const char* name;
  // Adds the passes of the line; false, with nothing added, if these are not lines for it.
  bool (*plan)(Planner& planner, const Line& line);
};

// In order of preference.
std::span<const Strategy> catalogue();

}  // namespace vd::fft
