// The workgroups of a pass: their number along each axis, and how many share a multiprocessor.
#pragma once

#include "fft/layout.h"

namespace vd::fft {

// A multiprocessor's registers belong to its parts, among which it distributes the warps of all workgroups; a warp gets
// them in eights for each lane: 25 workgroups of two warps leave 32 to an invocation, 24 leave 40.
inline constexpr uint32_t kWarp = 32, kRegisterStep = 8;
// Words of an invocation with mixed radices that may spill, where a workgroup would be alone on its multiprocessor else.
inline constexpr uint32_t kFewWords = 8;

constexpr uint32_t round_up(uint32_t n, uint32_t to) { return (n + to - 1) / to * to; }

// Counts those of the lines that there are.
void count_groups(const PassDesc& desc, Layout& out);
// Numbers them along each axis. Throws VD_ERR_UNSUPPORTED if the device does not take as many.
void number_groups(const PassDesc& desc, const Limits& limits, Layout& out);
// Whether the device takes them, however they are numbered.
bool has_room(const Limits& limits, const Layout& layout);
// Registers that an invocation can have, of all, if a multiprocessor holds this many.
uint32_t invocation_registers(uint32_t registers, uint32_t invocations);
// Registers that an invocation of a plan with mixed radices needs, in words: the fewest of measured kernels that spill no
// more than a few.
uint32_t mixed_words(const RadixPlan& plan);
// Registers that an invocation of the pass needs, in words.
uint32_t register_words(const PassDesc& desc, const Layout& layout);
// Bytes of shared memory of a workgroup.
uint64_t shared_bytes(const PassDesc& desc, const Layout& layout);
// Workgroups that a multiprocessor holds at once, by their registers and shared memory.
uint32_t resident_groups(const PassDesc& desc, const Limits& limits, const Layout& layout);
void choose_occupancy(const PassDesc& desc, const Limits& limits, Layout& out);

}  // namespace vd::fft
