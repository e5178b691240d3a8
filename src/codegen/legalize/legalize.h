// Rewrites a kernel into the constructs of a language, with the kernel language's meaning, before it is printed.
#pragma once

#include "codegen/dialect.h"
#include "ir/emitter.h"
#include "ir/kernel.h"

namespace vd::codegen {

// All of the below, in order.
ir::Kernel legalize(ir::Kernel kernel, const Dialect& dialect, const Options& options);

// Integers of 8 and 16 bits are computed in 32 bits; memory keeps them.
ir::Kernel widen_small_integers(ir::Kernel kernel);

// -x of 32 bits where a kernel limits integers, too: spelled so that no compiler knows it.
ir::Kernel hide_negatives(ir::Kernel kernel);
ir::ValueId hidden_negative(ir::Emitter& e, ir::ValueId x);

// x itself, of 32 or 64 bits, in a spelling that no compiler looks through.
ir::ValueId hidden(ir::Emitter& e, ir::ValueId x);

inline bool is_min_or_max(const ir::Inst& inst) { return inst.op == VD_OP_MIN || inst.op == VD_OP_MAX; }

// A limit of sums within a limit with a complement, which some compilers never end with, is hidden from it.
ir::Kernel hide_limits_of_sums(ir::Kernel kernel);

// Defines operations that a language leaves open or lacks: conversions out of range, bit counts of all widths, absolute
// values and limits of integers. (Division by zero, shifts past the width and ops that only the kernel language has
// were lowered before: ir/passes/lower.h.)
ir::Kernel define_semantics(ir::Kernel kernel, const Dialect& dialect);

// Ops without a rule for a vector, complex or matrix become ops on its components; ops without one for f16 go by way of
// f32. Subgroup operations that language or device lacks go by way of 32 bits.
ir::Kernel split_values(ir::Kernel kernel, const Dialect& dialect, const Options& options);

// Indices of 64 bits become ones of 32, where the language takes no others. No binding has more elements there.
ir::Kernel narrow_indices(ir::Kernel kernel, const Dialect& dialect);

// Subgroup operations by way of shared memory, on a device that has no subgroups: of `lanes` lanes, a power of two; 0
// changes nothing. The workgroup size must be known.
ir::Kernel emulate_subgroups(ir::Kernel kernel, uint32_t lanes);

// Atomics on floats that language or device lacks, through atomics on integers of their size: an exchange moves the
// bits, and an operation is tried until no other write came between.
ir::Kernel emulate_float_atomics(ir::Kernel kernel, const Dialect& dialect, const Options& options);

// PRINTF with values that every language prints, ASSERT as one; neither where the kernel or the device does not print.
ir::Kernel legalize_prints(ir::Kernel kernel, const Options& options);

// Memory: dynamic components, packed matrices, atomics with an order, barriers that must order buffers too.
ir::Kernel legalize_memory(ir::Kernel kernel, const Dialect& dialect);

// Shared arrays that overlap or are seen as other types, where the language has no pointers: one array of unsigned
// integers, and bit casts.
ir::Kernel flatten_shared(ir::Kernel kernel, const Dialect& dialect);

}  // namespace vd::codegen
