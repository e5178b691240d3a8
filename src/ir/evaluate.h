// The meaning of elementwise ops on constants, as the op table's lines state it. The only code that defines integers,
// shifts, conversions and NaN "as the IR does"; tests of backends compare against it.
#pragma once

#include <cstdint>
#include <span>

#include "ir/op.h"

namespace vd::ir {

// Evaluate an op on scalars of type `from`, given and returned as bits (integers and f16 zero-extended). False if the
// op does not fold: transcendental functions stay with the device.
bool evaluate(Op op, Scalar from, Scalar to, std::span<const uint64_t> args, uint64_t& result);

// Bits of an integer scalar as a 64-bit number, signed ones sign-extended.
int64_t extend(Scalar s, uint64_t bits);
// Bits of a float scalar as a double.
double float_value(Scalar s, uint64_t bits);
// A double rounded to a float scalar's bits.
uint64_t float_bits(Scalar s, double value);

}  // namespace vd::ir
