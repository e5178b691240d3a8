// Real lines of even length as complex ones of half the length, in one pass or several, if the
// elements of a line are adjacent and no map needs single elements.
#include "fft/strategies/strategy.h"

namespace vd::fft {

bool plan_packed_real(Planner& planner, const Line& whole) {
  const uint64_t n = whole.n;
  const Side &in = whole.read.side, &out = whole.write.side;
  const bool forward = in.real && out.high == n / 2 + 1 && out.low == 0;
  const bool backward = in.mirror == n && out.real && out.high >= n && out.low == 0;
  if (!is_smooth(n) || forward == backward || n % 2 != 0 || whole.sign != (forward ? -1 : 1)) return false;
  if (whole.goes_back() || whole.read.mapped || whole.write.mapped) return false;
  if (in.low != 0 || in.high < n / 2 + 1 || (forward && in.high < n)) return false;
  const Side& real = forward ? in : out;
  if (real.stride != 1 || real.offset % 2 != 0) return false;
  Line line = whole;
  line.n = n / 2;
  const auto stride = forward ? &Batch::in_stride : &Batch::out_stride;
  for (Batch& batch : line.batches) {
    if (batch.count > 1 && batch.*stride % 2 != 0) return false;
    batch.*stride /= 2;
  }
  Side& packed = forward ? line.read.side : line.write.side;
  packed.offset /= 2;
  packed.real = false;
  packed.packed = true;
  packed.high = ~uint64_t{0};
  line.reads_half = !forward;
  line.writes_half = forward;
  line.read.side.mirror = 0;
  return planner.add(one_pass(line)) || plan_four_step(planner, line);
}

}  // namespace vd::fft
