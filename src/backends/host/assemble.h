// From a listing to a program: slots for registers, functions for nodes, addresses for labels.
#pragma once

#include "backends/host/code.h"

namespace vd::host {

// Fills the program's code, steps and sizes. Throws VD_ERR_UNSUPPORTED for an op without a function.
void assemble(const Listing& listing, const OpTable& table, Program& program);

}  // namespace vd::host
