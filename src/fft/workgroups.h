// The workgroups of a pass: their number along each axis, and how many share a multiprocessor.
#pragma once

#include "fft/layout.h"

namespace vd::fft {

// Counts those of the lines that there are.
void count_groups(const PassDesc& desc, Layout& out);
// Numbers them along each axis. Throws VD_ERR_UNSUPPORTED if the device does not take as many.
void number_groups(const PassDesc& desc, const Limits& limits, Layout& out);
// Registers that an invocation of the pass needs, in words.
uint32_t register_words(const PassDesc& desc, const Layout& layout);
// Bytes of shared memory of a workgroup.
uint64_t shared_bytes(const PassDesc& desc, const Layout& layout);
void choose_occupancy(const PassDesc& desc, const Limits& limits, Layout& out);

}  // namespace vd::fft
