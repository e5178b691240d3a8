// The precise math functions that a module needs, as text of its language.
#pragma once

#include <string>

#include "codegen/module.h"

namespace vd::codegen {

// The functions of `m.needs` that are named vd_<op>, each once.
std::string precise_sources(const Module& m);

}  // namespace vd::codegen
