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

// Lines that follow each other without a gap, all read or written: a group's are one row.
bool is_row(const PassDesc& desc, const Side& side, uint64_t Batch::*stride) {
  return side.stride == 1 && side.split == 0 && !side.real && side.mirror == 0 && side.scalar == desc.compute &&
         side.low == 0 && side.high >= desc.n && side.end >= desc.n && desc.batches.size() == 1 &&
         desc.batches[0].*stride == desc.n && desc.batches[0].count > 1 && desc.compute == ir::Scalar::F32;
}

// Below so many threads a line, its accesses leave parts of the memory's lines unused.
constexpr uint32_t kStagedThreads = 16;

void choose_staging(const PassDesc& desc, const Limits& limits, Layout& out) {
  const Tuning& t = limits.tuning;
  const bool few = out.radices.threads < kStagedThreads && desc.n > 1;
  const auto wish = [&](int tuned) { return tuned < 0 ? few : tuned != 0; };
  out.staged_in = wish(t.staged_in) && !out.columns && !desc.maps_in && desc.read_factor.kind == Factor::Kind::None &&
                  is_row(desc, desc.in, &Batch::in_stride);
  out.staged_out = wish(t.staged_out) && !out.columns && !desc.maps_out && desc.instances == 1 &&
                   desc.write_factor.kind == Factor::Kind::None && is_row(desc, desc.out, &Batch::out_stride);
}

bool with_radices(const PassDesc& desc, const Limits& limits, Layout& out) {
  const Tuning& t = limits.tuning;
  out.wide = limits.wide;
  const uint32_t threads = out.radices.threads;
  const uint64_t first = desc.batches.empty() ? 1 : desc.batches.front().count;
  const auto across = [&](const Side& side, uint64_t stride) {
    const uint64_t along = side.stride * std::max<uint64_t>(side.split, 1);
    return along != 1 && (side.split != 0 ? side.stride : stride) < along;
  };
  out.columns = first > 1 && across(desc.in, desc.batches.front().in_stride);
  const uint32_t scalar_size = ir::scalar_size(desc.compute);
  uint32_t wanted = std::max(1u, (t.threads != 0 ? t.threads : kGroupSize) / threads);
  if (out.columns) wanted = std::max(wanted, kColumnBytes / (2 * scalar_size));
  const uint64_t available = out.columns ? first : line_count(desc);
  uint32_t lines = std::bit_floor(std::min(wanted, std::max(1u, limits.threads / threads)));
  if (t.lines != 0) lines = t.lines;
  while (lines / 2 >= available) lines /= 2;
  out.min_groups = t.min_groups;
  out.carveout = static_cast<uint32_t>(t.carveout + 1);
  choose_staging(desc, limits, out);
  // Fewer lines, and then planes, where memory is short.
  for (; lines >= 1; lines /= 2) {
    const bool prefer = t.planar >= 0 ? t.planar != 0 : limits.planar;
    if (out.staged_in || out.staged_out) {
      out.stage = choose_row(out.radices, lines);
      const ExchangeLimits room{limits.shared_bytes, lines, false, false, scalar_size};
      if (uint64_t{out.stage.elements} * 2 * scalar_size <= limits.shared_bytes &&
          (threads == 1 || choose_exchange(out.radices, room, out.exchange))) {
        out.lines = lines;
        return true;
      }
      if (lines > 1) continue;
      out.staged_in = out.staged_out = false;
    }
    for (const bool planar : {prefer, true}) {
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
  const Tuning& t = limits.tuning;
  const uint32_t least = t.registers != 0 ? t.registers : limits.registers;
  for (const uint32_t registers : {least, 2 * least}) {
    out = {};
    uint64_t product = 1;
    for (const uint32_t r : t.radices) product *= r;
    out.radices = product == desc.n && !t.radices.empty() && t.line_threads != 0
                      ? make_radices(desc.n, t.radices, t.line_threads)
                      : choose_radices(desc.n, {registers, limits.threads});
    if (out.radices.stages.empty() || !with_radices(desc, limits, out)) continue;
    number_groups(desc, limits, out);
    return true;
  }
  return false;
}

}  // namespace vd::fft
