// The memory that a pass accesses at once: adjacent bytes of a side that neighbouring invocations read or write
// together. Shorter runs than a sector (32 bytes) move whole sectors all the same.
#pragma once

#include "fft/layout.h"

namespace vd::fft {

uint64_t read_run(const PassDesc& desc, const Layout& layout);
uint64_t written_run(const PassDesc& desc, const Layout& layout);

}  // namespace vd::fft
