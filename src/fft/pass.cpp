#include "fft/pass.h"

#include <fmt/format.h>

#include <algorithm>

namespace vd::fft {

void Demands::add(const Demands& other) {
  mapped = mapped || other.mapped;
  back = back || other.back;
  whole_lines = whole_lines || other.whole_lines;
  real = real || other.real;
  pairs = pairs || other.pairs;
  words += other.words;
  factors = factors || other.factors;
}

Demands demands(const PassDesc& desc) {
  Demands all;
  desc.each([&](const Phase& phase) { all.add(phase.demands()); });
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

}  // namespace vd::fft
