// Lengths drawn at random, the same for the same seed on every machine: a planner cannot have been tuned for them.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

namespace bench {

// 256 lengths from 2 to 4096, in ascending order.
std::vector<uint64_t> draw_lengths(uint64_t seed);
// 64 lengths from 8 to 8192 without a prime factor above 13, in ascending order.
std::vector<uint64_t> draw_smooth_lengths(uint64_t seed, const std::set<uint64_t>& excluded);

}  // namespace bench
