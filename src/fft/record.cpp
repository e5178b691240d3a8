#include "fft/record.h"

#include <algorithm>

#include "fft/candidate.h"

namespace vd::fft {
namespace {

using Where = Record::Where;
// Measured on an H200 (docs/performance.md).
const Record kRecords[] = {
    {16, false, Where::Any, {4, 4}, 2, 32},          {30, false, Where::Free, {15, 2}, 2, 16},
    {128, false, Where::Any, {16, 8}, 8, 4},         {243, false, Where::Any, {9, 9, 3}, 27, 2},
    {256, false, Where::Any, {16, 16}, 16, 4, true}, {256, false, Where::Any, {8, 8, 4}, 32, 2},
    {360, false, Where::Any, {15, 8, 3}, 24, 2},     {512, false, Where::Any, {8, 8, 8}, 64, 1},
    {720, false, Where::Free, {15, 12, 4}, 60, 1},   {1024, false, Where::Any, {8, 8, 4, 4}, 128, 1},
    {64, true, Where::Free, {16, 4}, 4, 0},          {512, true, Where::Free, {16, 8, 4}, 32, 0},
    {1024, true, Where::Any, {16, 16, 4}, 64, 0},    {1920, false, Where::Any, {12, 10, 4, 4}, 192, 0},
    {931, false, Where::Bounded, {19, 7, 7}, 49, 1},
};
// For passes that leave an invocation the registers for 32 values: before the others.
const Record kManyValues[] = {
    {1024, true, Where::Bounded, {32, 32}, 32, 16, false, 0},
    {4096, true, Where::Bounded, {32, 16, 8}, 128, 4, false, 1, 2},
    {16384, false, Where::Bounded, {32, 32, 16}, 512, 1, false, 0},
};

}  // namespace

bool takes_many_values(const PassDesc& desc) {
  const Demands demanded = demands(desc);
  return desc.compute == ir::Scalar::F32 && !demanded.back && !demanded.mapped && !demanded.whole_lines &&
         !demanded.real && !demanded.factors && demanded.words == 0 && desc.copies == 1;
}

const Record* find_record(const PassDesc& desc, const Limits& limits, bool columns) {
  const Tuning& t = limits.tuning;
  if (limits.registers != kUsualRegisters || t.registers != 0 || !t.radices.empty()) return nullptr;
  const Demands demanded = demands(desc);
  if (desc.compute != ir::Scalar::F32 || demanded.whole_lines || (demanded.back && !columns)) return nullptr;
  const auto fits = [&](const Record& r) {
    return (!r.real || demanded.real) && r.n == desc.n && r.columns == columns &&
           r.invocations * std::max(r.lines, 1u) <= limits.invocations &&
           (r.where == Where::Any || (r.where == Where::Bounded) == limits.traits.bounds_registers);
  };
  if (takes_many_values(desc) && reads_columns(desc) == columns) {
    for (const Record& r : kManyValues)
      if (fits(r)) return &r;
  }
  for (const Record& r : kRecords)
    if (fits(r)) return &r;
  return nullptr;
}

}  // namespace vd::fft
