// Bank conflicts: the cycles that accesses to shared memory take in a layout, counted from the places of their lanes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/hash.h"

namespace vd::fft {

struct Exchange;

class Accesses {
 public:
  static constexpr uint32_t kLanes = 32;  // that access together, at most
  struct Lane {
    uint32_t position, line;
  };

  void add(uint32_t position, uint32_t line) { lanes_.push_back({position, line}); }
  // The lanes since the last access make one.
  void end();

  // Cycles an access takes on average. Elements of several words, as wide as a bank each, go in as many passes of fewer
  // lanes. Nothing if `is_better` refuses them; counting ends with the least that they can come to which it refuses.
  std::optional<double> cycles(const Exchange& layout, uint32_t words, const std::function<bool(double)>& is_better);

 private:
  struct Access {
    uint32_t begin, end;  // in `lanes_`
    uint32_t shape;       // a number for the distances of its lanes from the first one
  };
  // Accesses that take the same cycles, of which one is counted.
  struct Alike {
    Access access;
    uint64_t count;
  };
  const std::vector<Alike>& alike(uint32_t period);

  std::vector<Lane> lanes_;
  std::vector<Access> accesses_;
  std::unordered_map<Hash128, uint32_t, HashOfHash> shapes_;
  std::map<uint32_t, std::vector<Alike>> alike_;  // by period
};

}  // namespace vd::fft
