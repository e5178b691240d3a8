// A convolution along a length with a prime factor above 31: a transform, whose results are multiplied by the filters as
// they are written to the workspace, and one back.
#include "fft/strategies/strategy.h"

namespace vd::fft {

bool plan_chirp_convolution(Planner& planner, const Line& line) {
  if (is_smooth(line.n) || !line.goes_back()) return false;
  Line forth = line, back = line;
  uint64_t packed = line.n;
  for (size_t i = 0; i < line.batches.size(); ++i) {
    forth.batches[i].out_stride = back.batches[i].in_stride = packed;
    back.batches[i].filter_stride = 0;
    packed *= line.batches[i].count;
  }
  const uint32_t copies = line.copies();
  forth.name += "_there";
  forth.on_write = std::get<Filters>(line.product);
  forth.product = {};
  forth.write = {.side = planner.workspace(planner.kept())};
  forth.write.side.instance = packed;
  back.name += "_and_back";
  back.sign = -line.sign;
  back.read = {.side = planner.workspace(planner.kept())};
  back.product = {};
  planner.reserve(packed * copies);
  planner.keep(packed * copies);
  planner.plan(forth);
  if (copies > 1 && !back.write.mapped) back.batches.push_back({copies, packed, line.write.side.instance, 0});
  // A map knows the kernel's number while it is traced: each has a pass of its own.
  const uint32_t times = back.write.mapped ? copies : 1;
  for (uint32_t copy = 0; copy < times; ++copy) {
    Line one = back;
    one.first_copy = copy;
    one.read.side.offset += copy * packed;
    one.write.side.offset += copy * line.write.side.instance;
    planner.plan(one);
  }
  return true;
}

}  // namespace vd::fft
