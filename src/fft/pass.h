// One pass: a kernel that takes all lines of one axis through a list of phases. Several passes make a plan
// (program.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fft/phase.h"
#include "fft/side.h"

namespace vd::fft {

struct PassDesc {
  std::string name = "fft";
  uint32_t n = 1;     // length of the lines as they are transformed
  uint32_t rows = 0;  // of two axes, n numbers in all: the length of the far one; 0: one axis
  ir::Scalar compute = ir::Scalar::F32;
  std::vector<Batch> batches;
  // Batches whose coordinates together, nearest first, are one of split sides: as many, from that number on.
  uint32_t interleaved = 1, first_interleaved = 0;

  PhaseOf<Source> source;
  std::vector<PhaseOf<Step>> steps;
  // With several copies, the phases from here on run once for each, from the same values: those of several filters.
  uint32_t copies = 1;
  uint32_t first_copy = 0;  // number that maps get for the first
  std::vector<PhaseOf<Step>> copy_steps;
  PhaseOf<Target> target;

  // Whether elements of the side's lines take this batch's place.
  bool is_split(const Side& side, size_t batch) const {
    return side.split != 0 && batch >= first_interleaved && batch - first_interleaved < interleaved;
  }
  // All phases, in order.
  template <class Visit>
  void each(Visit&& visit) const {
    visit(*source);
    for (const PhaseOf<Step>& step : steps) visit(*step);
    for (const PhaseOf<Step>& step : copy_steps) visit(*step);
    visit(*target);
  }
};

Demands demands(const PassDesc& desc);
// Accesses of the source and the target, then of the phases on the way.
std::vector<Access> accesses(const PassDesc& desc);
Traffic traffic(const PassDesc& desc);
// Words of explain() on the phases, each after ", ".
std::string text(const PassDesc& desc);
// Bytes of a side's elements, each once. `spectrum`: half a spectrum of n + 1 elements.
uint64_t side_bytes(const PassDesc& desc, const Side& side, bool spectrum = false);

// Whether what the last batch counts is further apart than it is long.
bool has_gaps(const PassDesc& desc, const Access& access);
// The largest address of its lines, plus one.
uint64_t reach_of(const PassDesc& desc, const Access& access);

}  // namespace vd::fft
