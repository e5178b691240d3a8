#include "fft/pass.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace vd::fft {

void Demands::add(const Demands& other) {
  mapped = mapped || other.mapped;
  back = back || other.back;
  whole_lines = whole_lines || other.whole_lines;
  real = real || other.real;
  pairs = pairs || other.pairs;
  mirrored = mirrored || other.mirrored;
  words += other.words;
  factors = factors || other.factors;
}

Demands demands(const PassDesc& desc) {
  Demands all;
  desc.each([&](const Phase& phase) { all.add(phase.demands(desc)); });
  return all;
}

std::vector<Access> accesses(const PassDesc& desc) {
  std::vector<Access> all;
  const auto add = [&](const Phase& phase) { std::ranges::copy(phase.accesses(desc), std::back_inserter(all)); };
  add(*desc.source);
  add(*desc.target);
  for (const auto& step : desc.steps) add(*step);
  for (const auto& step : desc.copy_steps) add(*step);
  return all;
}

Traffic traffic(const PassDesc& desc) {
  Traffic all;
  desc.each([&](const Phase& phase) {
    const Traffic one = phase.traffic(desc);
    all.read += one.read;
    all.written += one.written;
  });
  return all;
}

std::string text(const PassDesc& desc) {
  std::string all = desc.rows == 0 ? "" : fmt::format(", two axes of {} by {}", desc.rows, desc.n / desc.rows);
  desc.each([&](const Phase& phase) { all += phase.text(); });
  return all;
}

uint64_t side_bytes(const PassDesc& desc, const Side& side, bool spectrum) {
  const uint64_t whole = side.length(desc.n) + (spectrum ? 1 : 0);
  const uint64_t length = side.mirror != 0 ? side.mirror / 2 + 1 : whole;
  const uint64_t high = spectrum ? whole : std::min({length, side.high, side.end});
  uint64_t lines = line_count(desc.batches);
  for (size_t i = 0; i < desc.batches.size(); ++i) lines /= desc.is_split(side, i) ? desc.batches[i].count : 1;
  if (side.rows.count != 0) lines *= std::min(side.rows.count, side.rows.high) - side.rows.low;
  return lines * (high - std::min(high, side.low)) * ir::scalar_size(side.scalar) * (side.real ? 1 : 2);
}

bool has_gaps(const PassDesc& desc, const Access& access) {
  if (desc.batches.empty()) return false;
  const Side& side = *access.side;
  uint64_t length = side.length(desc.n) * side.stride;
  if (side.rows.count != 0) length = std::max(length, side.rows.count * side.rows.stride);
  for (size_t i = 0; i + 1 < desc.batches.size(); ++i) {
    if (!desc.is_split(side, i)) length = std::max(length, desc.batches[i].count * (desc.batches[i].*access.stride));
  }
  // Half a spectrum has one number more.
  return desc.batches.back().*access.stride > length + side.stride;
}

uint64_t reach_of(const PassDesc& desc, const Access& access) {
  const Side& side = *access.side;
  std::vector<Batch> lines;
  for (size_t i = 0; i < desc.batches.size(); ++i) {
    if (!desc.is_split(side, i)) lines.push_back(desc.batches[i]);
  }
  return reach_of(side, side.length(desc.n), lines, access.stride, access.copies);
}

}  // namespace vd::fft
