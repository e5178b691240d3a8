// An estimate of what a layout makes of a device. It need not be true to some percent: it has to tell ways that are
// good from ways that cannot be. Its constants are those of the device's records.
#pragma once

#include <cstdint>

namespace vd::fft {

struct PassDesc;
struct Limits;
struct Layout;

struct Score {
  double time = 0;  // of the pass, in cycles; 0: the device's registers or multiprocessors are not known
  uint64_t read_run = 0, written_run = 0;  // adjacent bytes that neighbouring invocations access together
  double idle = 0;                         // lanes of all stages that have no work, of 1
  uint64_t in_flight = 0;  // bytes that the workgroups of a multiprocessor load at once; of one workgroup, if not known
  uint32_t workgroups = 1;  // of a multiprocessor
  uint32_t spilled = 0;     // words of an invocation that do not fit its registers
  bool tight = false;       // a compiler that nothing bounds would take more than there are
};

constexpr uint32_t kSector = 32;  // bytes that memory moves at once

// A way is taken instead of the usual one if its time is less than this part of it: the estimate is not better
// than that, and the usual ones were measured.
constexpr double kBetterTime = 0.9;

Score score_of(const PassDesc& desc, const Limits& limits, const Layout& layout);

}  // namespace vd::fft
