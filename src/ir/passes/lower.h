// Rewrites convenient ops into simple ones, so that printers and the interpreter need only: leaves, memory, INDEX,
// MEMBER and CONSTRUCT, elementwise ops on scalars and vectors, conversions, the scalar math functions, atomics,
// barriers, subgroup ops on scalars and vectors, and control flow.
//
// After it:
// - complex and matrix values are only loaded, stored, indexed, constructed and selected from variables;
// - CONSTRUCT of a vector has one scalar (splat) or as many scalars as components, of a complex two, of a matrix its
//   columns;
// - no SWIZZLE, ANY, ALL, FLOORDIV, FLOORMOD, CLAMP, SIGN, FRACT, MOD, STEP, SMOOTHSTEP, MIX, RADIANS, DEGREES, and no
//   op of geometry, complex or matrices;
// - BITCAST has equal components on both sides;
// - a FOR's step is a constant if it is signed.
#pragma once

#include "ir/kernel.h"

namespace vd::ir {

struct LowerOptions {
  // If the target's own op is defined as in the IR, the guard may be left out.
  bool define_division = true;     // x / 0 is x, x % 0 is 0, least / -1 is least; signed REM by DIV
  bool define_shifts = true;       // counts modulo the bits
  bool define_conversions = true;  // float to integer saturates, NaN is 0
};

void lower(Kernel& kernel, const LowerOptions& options = {});

}  // namespace vd::ir
