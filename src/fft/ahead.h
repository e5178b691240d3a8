// Tiles that are read ahead: a workgroup takes one tile after the other, and begins to copy the next one to shared memory
// before it computes with the present one, whose values it has in registers by then. Each invocation copies what it
// takes itself, so no barrier is needed for that.
//
// In place that is right, too: no tile reads what another one writes, since otherwise workgroups, each with a tile of its
// own, would run in any order.
#pragma once

#include "fft/candidate.h"

namespace vd::fft {

// Whether the pass's tiles may be read ahead if they are taken by this candidate.
bool may_read_ahead(const PassDesc& desc, const Candidate& candidate);
// The values of an invocation that memory has; others are zeros.
uint32_t values_ahead(const PassDesc& desc, const RadixPlan& plan);
// Bytes of a workgroup's shared memory that the next tile takes.
uint64_t ahead_bytes(const PassDesc& desc, const Layout& layout);
// Workgroups among which the tiles are divided: as many as run at once.
uint64_t count_ahead_groups(const PassDesc& desc, const Limits& limits, const Layout& layout);

}  // namespace vd::fft
