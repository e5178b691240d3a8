#include "lengths.h"

#include <algorithm>
#include <random>
#include <utility>

namespace bench {
namespace {

std::vector<uint64_t> draw(std::vector<uint64_t> from, size_t count, uint64_t seed) {
  // The standard specifies this engine's numbers; those of its distributions differ between libraries.
  std::mt19937_64 engine(seed);
  count = std::min(count, from.size());
  for (size_t i = 0; i < count; ++i) std::swap(from[i], from[i + engine() % (from.size() - i)]);
  from.resize(count);
  std::sort(from.begin(), from.end());
  return from;
}

bool is_smooth(uint64_t n) {
  for (const uint64_t prime : {2, 3, 5, 7, 11, 13}) {
    while (n % prime == 0) n /= prime;
  }
  return n == 1;
}

}  // namespace

std::vector<uint64_t> draw_lengths(uint64_t seed) {
  std::vector<uint64_t> all;
  for (uint64_t n = 2; n <= 4096; ++n) all.push_back(n);
  return draw(std::move(all), 256, seed);
}

std::vector<uint64_t> draw_smooth_lengths(uint64_t seed, const std::set<uint64_t>& excluded) {
  std::vector<uint64_t> all;
  for (uint64_t n = 8; n <= 8192; ++n) {
    if (is_smooth(n) && !excluded.contains(n)) all.push_back(n);
  }
  return draw(std::move(all), 64, seed);
}

}  // namespace bench
