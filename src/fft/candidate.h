// A way to run a pass: the choices that the rest of its layout follows from. The planner makes several, and takes the
// best that fits.
#pragma once

#include <vector>

#include "fft/layout.h"

namespace vd::fft {

struct Candidate {
  RadixPlan radices;
  uint32_t lines = 1;   // of a workgroup
  bool turned = false;  // lines are written by the other assignment than they are read
  bool staged_in = false, staged_out = false;
  bool planar = false;  // the exchange
  uint32_t parts = 1;   // of the exchange
};

// Whether a pass reads neighbouring lines whose elements are closer than the neighbours of a line.
bool reads_columns(const PassDesc& desc);

// The usual ways, by rules with their reasons and by records: in order of preference, so that the first one which fits
// is taken. `many_registers`: twice as many, for lines that do not fit otherwise.
std::vector<Candidate> usual_candidates(const PassDesc& desc, const Limits& limits, bool many_registers);

// Ways for lines of which no other fits, with exchanges in parts: where shared memory is what is scarce, and registers
// hold the lines.
std::vector<Candidate> candidates_in_parts(const PassDesc& desc, const Limits& limits);

// All others that the planner knows, in no order.
std::vector<Candidate> other_candidates(const PassDesc& desc, const Limits& limits);

// The layout that a candidate makes, but for where its lines lie in shared memory, which takes a while to find: without
// paddings and bank conflicts. False if even so it does not fit a workgroup.
bool draft(const PassDesc& desc, const Limits& limits, const Candidate& candidate, Layout& out);
// All of it; false if it does not fit a workgroup. Its workgroups are counted and not numbered.
bool lay_out(const PassDesc& desc, const Limits& limits, const Candidate& candidate, Layout& out);

}  // namespace vd::fft
