// A way to run a pass: the choices that the rest of its layout follows from. The planner makes several, and takes the
// best that fits.
#pragma once

#include <functional>
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
  bool ahead = false;   // the next tile is read while this one is transformed (ahead.h)
  // Of the first of two passes: both are one dispatch, whose workgroups take tiles by ticket (tickets.h), with as many
  // slots of the ring between; 1: as many as a cache holds, 0: they are two dispatches.
  uint32_t tickets = 0;
};

// Whether a pass reads neighbouring lines whose elements are closer than the neighbours of a line.
bool reads_columns(const PassDesc& desc);
// Whether nothing but the values takes an invocation's registers: 32 of them were measured with no more than that.
bool takes_many_values(const PassDesc& desc);
// Whether a pass transforms rows there and back and may have few stages (few_stages.h), which are best then.
bool convolves_rows(const PassDesc& desc, const Limits& limits);
// The largest prime factor of mixed radices (RadixLimits) that a pass takes: rows of many values, which were measured. 0: none.
uint32_t mixed_prime(const PassDesc& desc);
// Whether a candidate may be turned.
bool may_turn(const PassDesc& desc, const Limits& limits);
// While parts before its own go through memory, a value waits in registers: those of half a multiprocessor hold the
// lines, or of a plan with mixed radices, which was measured, all but a few.
bool registers_hold(const PassDesc& desc, const Limits& limits, const Candidate& candidate);
// Stages rows of a candidate with few invocations of a line, whose accesses leave parts of the memory's lines unused.
void choose_staging(const PassDesc& desc, const Limits& limits, Candidate& candidate);
// Fewer lines than this of a workgroup make runs of a column that are no better than single elements.
uint32_t least_columns(const PassDesc& desc);
// Lines that a workgroup may have side by side.
uint64_t available_lines(const PassDesc& desc, bool columns);

// The usual ways, by rules with their reasons and by records (usual.cpp): in order of preference, so that the first one
// which fits is taken. They are handed out until one is; false if none is.
bool find_usual_candidate(const PassDesc& desc, const Limits& limits,
                          const std::function<bool(const Candidate&)>& takes);
std::vector<Candidate> usual_candidates(const PassDesc& desc, const Limits& limits);
// Ways to share lines among the workgroups of a cluster (clusters.cpp), in order of preference.
std::vector<Candidate> cluster_candidates(const PassDesc& desc, const Limits& limits);
// Ways of two workgroups with mixed radices, which go first: none for lengths that were faster with others.
std::vector<Candidate> mixed_cluster_candidates(const PassDesc& desc, const Limits& limits);
// Whether the planner takes the one with the fewest idle lanes, of those whose estimates are alike.
bool chooses_by_idle_lanes(const PassDesc& desc, const Limits& limits);
// All others that the planner knows, in no order.
std::vector<Candidate> other_candidates(const PassDesc& desc, const Limits& limits);
// Ways of lengths with a prime above 31. Their estimates say little, so that they are only measured.
std::vector<Candidate> prime_candidates(const PassDesc& desc, const Limits& limits);

// The layout that a candidate makes, but for where its lines lie in shared memory, which takes a while to find: without
// paddings and bank conflicts. False if even so it does not fit a workgroup, or if the pass does not take it.
bool draft(const PassDesc& desc, const Limits& limits, const Candidate& candidate, Layout& out);
// All of it; false if it does not fit a workgroup. Its workgroups are counted and not numbered.
bool lay_out(const PassDesc& desc, const Limits& limits, const Candidate& candidate, Layout& out);
// The candidate that made a layout.
Candidate candidate_of(const Layout& layout);

}  // namespace vd::fft
