// Multiplies the tile's values, between a transform and the one back.
#pragma once

#include "fft/factor.h"
#include "fft/phases/filters.h"

namespace vd::fft {

// Factors by element number; of lines that are split as a side's.
struct KnownFilter {
  Factors factors;
  uint64_t split = 0;
};

// By factors that the pass knows: a chirp's filter.
class MultiplyFactors final : public Step {
 public:
  explicit MultiplyFactors(KnownFilter filter) : filter_(std::move(filter)) {}
  std::string text() const override { return ", multiplied by a chirp's filter"; }
  Steps<Element> write(Tile& tile) const override;

 private:
  const KnownFilter filter_;
};

// By a filter of the caller's, one for each copy of the pass; or as a map of the caller's says.
class MultiplyFilters final : public Step {
 public:
  explicit MultiplyFilters(Filters filters) : filters_(filters) {}
  Demands demands(const PassDesc&) const override { return {.mapped = filters_.mapped}; }
  Traffic traffic(const PassDesc& desc) const override { return {.read = filter_bytes(desc, filters_, ~uint64_t{0})}; }
  std::vector<Access> accesses(const PassDesc& desc) const override;
  Steps<Element> write(Tile& tile) const override;

 private:
  const Filters filters_;
};

}  // namespace vd::fft
