// The text form of a kernel. It says everything that a kernel is: what is printed parses to the same code, and printing
// that gives the same text.
//
//   kernel "scale" no_exec_bounds workgroup_size 64 1 1
//   argument 0 buffer f32 "data"
//   argument 1 constant f32 "factor"
//   shared 0 f32 x 64 "tile"
//   {
//     %0: u32 = index global_id, u32 0
//     %1: storage f32 = index @0, %0
//     %2: f32 = load %1
//     %3: f32 = load @1
//     %4: f32 = mul %2, %3
//     if %5 {
//       store %1, %4
//     } else {
//       return
//     }
//   }
//
// Operands: %n a value, @n an argument, #n a shared array, !n a constant of the table ("constant 0 f32x3 0x..."),
// $"..." a string, a built-in value by its name, "f32 1.5" a constant (splat to a vector), "zero TYPE". Types are as
// type_name() spells them, [f32 x 4] an array, [f32] one as long as its buffer, struct0 a struct of the table. An
// immediate stands behind the op as "load<2>", a math class as "sqrt.precise". Numbers of values follow the order of
// the code.
#pragma once

#include <string>
#include <string_view>

#include "ir/kernel.h"

namespace vd::ir {

// VD_PRINT_LOCATIONS adds "at FILE:LINE" places; VD_PRINT_CANONICAL leaves out names, comments and places, so that
// equal code has equal text; VD_PRINT_LINE_NUMBERS begins each line with its number, for people.
std::string print_text(const Kernel& kernel, vd_print_flags flags = 0);

// Reads, verifies and analyses. Throws VD_ERR_COMPILE; the message has line and column. Safe on any bytes.
Kernel parse_text(std::string_view text);

}  // namespace vd::ir
