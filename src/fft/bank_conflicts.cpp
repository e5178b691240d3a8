#include "fft/bank_conflicts.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "fft/exchange.h"

namespace vd::fft {
namespace {

constexpr uint32_t kBanks = 32;

// Positions that are a multiple of it apart have words that are as far apart for all of them, so that accesses of one
// shape meet in the same way, in other banks.
uint32_t period_of(const Exchange& layout) {
  switch (layout.kind) {
    case Exchange::Kind::Padded:
      return layout.amount;
    case Exchange::Kind::Swizzled:
      return 32u << layout.amount;
    case Exchange::Kind::Plain:
      break;
  }
  return 1;
}

}  // namespace

void Accesses::end() {
  const uint32_t begin = accesses_.empty() ? 0 : accesses_.back().end, end = static_cast<uint32_t>(lanes_.size());
  if (begin == end) return;
  std::array<uint32_t, 2 * kLanes> distances;
  size_t count = 0;
  for (uint32_t i = begin; i < end; ++i) {
    distances[count++] = lanes_[i].position - lanes_[begin].position;
    distances[count++] = lanes_[i].line - lanes_[begin].line;
  }
  const Hash128 hash = hash_text({reinterpret_cast<const char*>(distances.data()), count * sizeof(distances[0])});
  const auto number = static_cast<uint32_t>(shapes_.size());
  accesses_.push_back({begin, end, shapes_.emplace(hash, number).first->second});
}

const std::vector<Accesses::Alike>& Accesses::alike(uint32_t period) {
  const auto [at, made] = alike_.try_emplace(period);
  if (!made) return at->second;
  std::unordered_map<uint64_t, size_t> known;
  for (const Access& access : accesses_) {
    const uint64_t key = uint64_t{access.shape} << 32 | lanes_[access.begin].position % period;
    const auto [number, first] = known.try_emplace(key, at->second.size());
    if (first) at->second.push_back({access, 0});
    ++at->second[number->second].count;
  }
  return at->second;
}

std::optional<double> Accesses::cycles(const Exchange& layout, uint32_t words,
                                       const std::function<bool(double)>& is_better) {
  constexpr uint32_t kBetweenLooks = 8;
  const uint32_t lanes = kLanes / words, mask = kBanks / words - 1;
  const auto passes = [lanes](const Access& access) -> uint64_t {
    return (access.end - access.begin + lanes - 1) / lanes;
  };
  uint64_t least = 0;
  for (const Access& access : accesses_) least += passes(access);
  const uint64_t all = least;
  const auto average = [all](uint64_t cycles) {
    return all == 0 ? 1 : static_cast<double>(cycles) / static_cast<double>(all);
  };
  if (!is_better(average(least))) return {};
  std::array<uint32_t, kBanks> counts{}, last{};
  uint32_t looked = 0;
  for (const Alike& one : alike(period_of(layout))) {
    uint64_t cycles = 0;
    for (uint32_t begin = one.access.begin; begin < one.access.end; begin += lanes) {
      counts.fill(0);
      last.fill(0xffffffffu);
      uint32_t most = 0;
      for (uint32_t i = begin; i < std::min(begin + lanes, one.access.end); ++i) {
        const uint32_t at = layout.word(lanes_[i].position) * layout.step + lanes_[i].line * layout.pitch;
        const uint32_t bank = at & mask;
        if (last[bank] == at) continue;
        last[bank] = at;
        most = std::max(most, ++counts[bank]);
      }
      cycles += most;
    }
    least += one.count * (cycles - passes(one.access));
    if (++looked % kBetweenLooks == 0 && !is_better(average(least))) return {};
  }
  const double found = average(least);
  return is_better(found) ? std::optional(found) : std::nullopt;
}

}  // namespace vd::fft
