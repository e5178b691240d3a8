// The radices of a length, and the number of invocations that share a line. A stage of radix R has N / R butterflies;
// invocation t of T takes butterflies t, t + T, ...; where T does not divide their number, the last invocations idle in
// the last round.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fft/butterfly.h"

namespace vd::fft {

struct Stage {
  uint32_t radix;
  uint32_t span;    // product of the radices before it
  uint32_t rounds;  // butterflies of an invocation
  // Which of the kernel's assignments of lines to invocations; the exchange before a stage changes to its own.
  uint32_t assignment = 0;
};

struct RadixPlan {
  uint32_t n = 1;
  uint32_t invocations = 1;
  uint32_t registers = 1;  // values that an invocation holds
  double cost = 0;         // operations of a line, idle invocations included
  ButterflyForm form = ButterflyForm::Fused;
  std::vector<Stage> stages;

  uint32_t butterflies(const Stage& stage) const { return n / stage.radix; }
  // Positions of a line that go together where the exchange before this stage has several parts: those of a number of
  // each butterfly's inputs.
  uint32_t part(const Stage& stage, uint32_t parts) const {
    return butterflies(stage) * ((stage.radix + parts - 1) / parts);
  }
  // A plan of the same invocations with the radices in the opposite order: its inputs are where this plan's outputs
  // are.
  RadixPlan reversed() const;
  std::string text() const;  // "16x16x16"
};

struct RadixLimits {
  uint32_t registers = 16;  // values of an invocation
  uint32_t invocations = 1024;
  ButterflyForm form = ButterflyForm::Fused;
  uint32_t radix = kUsualRadix;  // most
};

// The largest prime that is a radix.
constexpr uint64_t kLargestPrime = 31;
// True if all prime factors of n are at most `largest`, which is 31 or less.
bool is_smooth(uint64_t n, uint64_t largest = kLargestPrime);
// 1 of n = 1.
uint64_t largest_prime(uint64_t n);
// The cheapest plan; one without stages if nothing fits the limits. n must be smooth.
RadixPlan choose_radices(uint32_t n, const RadixLimits& limits);
// A plan with these radices, whose product is n, and this number of invocations.
RadixPlan make_radices(uint32_t n, const std::vector<uint32_t>& radices, uint32_t invocations,
                       ButterflyForm form = ButterflyForm::Fused);

}  // namespace vd::fft
