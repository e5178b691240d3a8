#include "fft/bank_conflicts.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "fft/exchange.h"

namespace vd::fft {
namespace {

struct Lane {
  uint32_t position, line;
};

// Each access by itself: the most words that one bank has of a pass.
double cycles_by_each(const std::vector<std::vector<Lane>>& accesses, const Exchange& layout, uint32_t words) {
  const size_t lanes = Accesses::kLanes / words;
  uint64_t cycles = 0, passes = 0;
  for (const std::vector<Lane>& access : accesses) {
    for (size_t begin = 0; begin < access.size(); begin += lanes, ++passes) {
      std::map<uint32_t, std::set<uint32_t>> of_bank;
      size_t most = 0;
      for (size_t i = begin; i < std::min(begin + lanes, access.size()); ++i) {
        const uint32_t at = layout.word(access[i].position) * layout.step + access[i].line * layout.pitch;
        auto& met = of_bank[at % static_cast<uint32_t>(lanes)];
        met.insert(at);
        most = std::max(most, met.size());
      }
      cycles += most;
    }
  }
  return static_cast<double>(cycles) / static_cast<double>(passes);
}

std::vector<Exchange> layouts() {
  std::vector<Exchange> all;
  for (const auto& [step, pitch] : {std::pair{1u, 0u}, std::pair{1u, 1029u}, std::pair{4u, 1u}}) {
    Exchange layout;
    layout.step = step, layout.pitch = pitch;
    all.push_back(layout);
    for (const uint32_t amount : {4u, 8u, 16u, 32u, 64u, 128u}) {
      layout.kind = Exchange::Kind::Padded, layout.amount = amount;
      all.push_back(layout);
    }
    for (const uint32_t shift : {3u, 4u, 5u, 6u}) {
      layout.kind = Exchange::Kind::Swizzled, layout.amount = shift;
      all.push_back(layout);
    }
  }
  return all;
}

// Lanes at a stride, from places that repeat in the periods of layouts and from others; some lanes are idle.
TEST(BankConflicts, AreThoseOfEachAccess) {
  std::mt19937 random(7);
  const auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
  for (const uint32_t stride : {1u, 2u, 3u, 8u, 16u, 33u, 64u}) {
    Accesses accesses;
    std::vector<std::vector<Lane>> all;
    for (uint32_t k = 0; k < 96; ++k) {
      const uint32_t base = k % 3 == 0 ? below(4096) : k * (k % 3 == 1 ? 32 : 1), lanes = k % 4 < 2 ? 32 : 20;
      all.emplace_back();
      for (uint32_t i = 0; i < lanes; ++i) {
        all.back().push_back({base + i / (1 + k % 2) * stride, i * (k % 4) % 4});
        accesses.add(all.back().back().position, all.back().back().line);
      }
      accesses.end();
      accesses.end();  // of no lane
    }
    for (const Exchange& layout : layouts()) {
      for (const uint32_t words : {1u, 2u, 4u}) {
        const double expected = cycles_by_each(all, layout, words);
        const auto counted = accesses.cycles(layout, words, [](double) { return true; });
        // A bank that gives two words by turns counts one of them twice.
        ASSERT_TRUE(counted.has_value());
        EXPECT_NEAR(*counted, expected, 0.02 * expected)
            << stride << " " << static_cast<int>(layout.kind) << layout.amount;
        EXPECT_FALSE(accesses.cycles(layout, words, [&](double least) { return least < *counted; }));
      }
    }
  }
}

TEST(BankConflicts, OfNoAccessAreNone) {
  Accesses accesses;
  EXPECT_EQ(accesses.cycles({}, 1, [](double) { return true; }), 1.0);
}

}  // namespace
}  // namespace vd::fft
