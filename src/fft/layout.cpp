#include <algorithm>
#include <bit>

#include "core/error.h"
#include "fft/pass.h"

namespace vd::fft {
namespace {

// Threads that a group should have: enough to hide latency, few enough that several groups share a multiprocessor.
constexpr uint32_t kGroupSize = 128;
// Bytes of neighbouring columns that a group reads at a time; half of it still uses whole sectors.
constexpr uint32_t kColumnBytes = 128;

bool with_radices(const PassDesc& desc, const Limits& limits, Layout& out) {
  const uint32_t threads = out.radices.threads;
  const uint64_t first = desc.batches.empty() ? 1 : desc.batches.front().count;
  const auto across = [&](const Side& side, uint64_t stride) {
    const uint64_t along = side.stride * std::max<uint64_t>(side.split, 1);
    return along != 1 && (side.split != 0 ? side.stride : stride) < along;
  };
  out.columns = first > 1 && across(desc.in, desc.batches.front().in_stride);
  const uint32_t scalar_size = ir::scalar_size(desc.compute);
  uint32_t wanted = std::max(1u, kGroupSize / threads);
  if (out.columns) wanted = std::max(wanted, kColumnBytes / (2 * scalar_size));
  const uint64_t available = out.columns ? first : line_count(desc);
  uint32_t lines = std::bit_floor(std::min(wanted, std::max(1u, limits.threads / threads)));
  while (lines / 2 >= available) lines /= 2;
  // Fewer lines, and then planes, where memory is short.
  for (; lines >= 1; lines /= 2) {
    for (const bool planar : {limits.planar, true}) {
      const ExchangeLimits room{limits.shared_bytes, lines, out.columns, planar, scalar_size};
      const bool alone = threads == 1;
      if (alone || choose_exchange(out.radices, room, out.exchange)) {
        out.lines = lines;
        return true;
      }
    }
  }
  return false;
}

void number_groups(const PassDesc& desc, const Limits& limits, Layout& out) {
  const uint64_t all = line_count(desc);
  const uint64_t first = out.columns ? desc.batches.front().count : all;
  out.tiles = (first + out.lines - 1) / out.lines;
  out.group_count = out.columns ? out.tiles * (all / first) : out.tiles;
  uint64_t rest = out.group_count;
  for (int axis = 0; axis < 3; ++axis) {
    const uint64_t most = std::min<uint64_t>(limits.groups[axis], 1u << 30);
    out.groups[axis] = static_cast<uint32_t>(std::min(rest, most));
    rest = (rest + most - 1) / most;
  }
  if (rest > 1)
    fail(VD_ERR_UNSUPPORTED, "{} lines make more workgroups ({}) than the device takes.", all, out.group_count);
}

}  // namespace

uint64_t line_count(const PassDesc& desc) {
  uint64_t count = 1;
  for (const Batch& batch : desc.batches) count *= batch.count;
  return count;
}

bool choose_layout(const PassDesc& desc, const Limits& limits, Layout& out) {
  for (const uint32_t registers : {limits.registers, 2 * limits.registers}) {
    out = {};
    out.radices = choose_radices(desc.n, {registers, limits.threads});
    if (out.radices.stages.empty() || !with_radices(desc, limits, out)) continue;
    number_groups(desc, limits, out);
    return true;
  }
  return false;
}

}  // namespace vd::fft
