// Layouts that were faster in measurements than what the planner would choose.
#pragma once

#include <cstdint>
#include <vector>

#include "fft/layout.h"

namespace vd::fft {

struct Record {
  enum class Where : uint8_t { Any, Bounded, Free };
  uint32_t n;
  bool columns;
  Where where;  // whether the compiler keeps registers bounded
  std::vector<uint32_t> radices;
  uint32_t invocations, lines;  // lines 0: as the rules say
  bool real = false;            // of real lines alone
  int planar = -1;              // -1: as the rules say
  uint32_t parts = 1;
};

// Whether nothing but the values takes an invocation's registers: 32 of them were measured with no more than that.
bool takes_many_values(const PassDesc& desc);
// `columns`: a workgroup's lines are neighbours along the first batch. NULL if there is none.
const Record* find_record(const PassDesc& desc, const Limits& limits, bool columns);

}  // namespace vd::fft
