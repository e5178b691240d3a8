// The radices of a length, and the number of invocations that share a line. A stage of radix R has N / R butterflies;
// invocation t of T takes butterflies t, t + T, ...; where T does not divide their number, the last invocations idle in
// the last round.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/hash.h"
#include "fft/butterfly.h"

namespace vd::fft {

struct Stage {
  uint32_t radix;
  uint32_t span;    // product of the radices before it
  uint32_t rounds;  // butterflies of an invocation
  // Which of the kernel's assignments of lines to invocations; the exchange before a stage changes to its own.
  uint32_t assignment = 0;
  // There and back: of the cyclic convolution that a large prime takes (rader.h), by a transform of one number less, of
  // as many lines as n has of this prime. They lie beside each other, so spans begin at their number.
  enum class Way : uint8_t { Plain, There, Back } way = Way::Plain;
  uint8_t convolution = 0;  // which of the plan's
  // In a cluster: which of the line's butterflies are a workgroup's. From each `slice` times the workgroups of them, the
  // first slice is the first workgroup's, and so on.
  uint32_t slice = 0;
  bool crossed = false;  // comes behind the exchange between workgroups
  // Of two axes: butterflies are dealt to invocations along the second one, this many neighbours of it, which are
  // `apart` positions apart. 0: in their order.
  uint32_t neighbours = 0, apart = 0;
  // The butterfly that is dealt as number i.
  uint32_t dealt(uint32_t i) const { return neighbours == 0 ? i : i % neighbours * apart + i / neighbours; }
};

// The convolution of a large prime: its stages do what one of the prime as its radix would.
struct PrimeConvolution {
  uint32_t prime = 0;
  std::vector<uint32_t> powers;  // of a number: all below the prime but 0
  uint32_t span = 1;             // product of the radices before it
};

struct RadixPlan {
  uint32_t n = 1;
  uint32_t invocations = 1;
  uint32_t registers = 1;  // values that an invocation holds
  double cost = 0;         // operations of a line, idle invocations included
  ButterflyForm form = ButterflyForm::Fused;
  std::vector<Stage> stages;
  // Two axes of a tile, all its numbers one line: the length of the one that the first stages transform. Their stages leave the
  // other axis's numbers beside each other, and position p is number p % second of row p / second; at the end, p % axis
  // of p / axis. 0: there is one axis.
  uint32_t axis = 0;
  std::vector<PrimeConvolution> convolutions;
  // The workgroups that share a line (cluster_plan.h), of which each holds n of its numbers, and the stage behind which
  // they exchange them. 1: there is one.
  uint32_t cluster = 1, crossing = 0;

  bool convolves() const { return !convolutions.empty(); }
  const PrimeConvolution& convolution(const Stage& stage) const { return convolutions[stage.convolution]; }
  // The lines of a stage's convolution that the line has.
  uint32_t prime_lines(const Stage& stage) const { return n / convolution(stage).prime; }
  // Values of an invocation beside those that are convolved: the first of each line.
  uint32_t beside(const Stage& stage) const { return (prime_lines(stage) + invocations - 1) / invocations; }
  uint32_t size(const Stage& stage) const { return stage.way == Stage::Way::Plain ? n : n - prime_lines(stage); }
  uint32_t butterflies(const Stage& stage) const { return size(stage) / stage.radix; }
  // The stage's span within its lines: of how many roots its twiddles are powers.
  uint32_t turn(const Stage& stage) const {
    if (stage.way != Stage::Way::Plain) return stage.span / prime_lines(stage);
    return is_near(stage) ? whole_span(stage) / axis : whole_span(stage);
  }
  uint32_t whole_span(const Stage& stage) const { return stage.crossed ? stage.span * cluster : stage.span; }
  // Whether it transforms the second of two axes.
  bool is_near(const Stage& stage) const { return axis != 0 && whole_span(stage) >= axis; }
  // Tells, of two axes in a cluster, whether a workgroup's part behind the crossing is one of the first axis.
  bool shares_first() const { return cluster > 1 && stages[crossing + 1].slice * cluster <= axis; }
  // Whether the exchange behind a stage is the one between workgroups.
  bool crosses(size_t stage) const { return cluster > 1 && stage == crossing; }
  // Counts, of two axes, the numbers of a row beside each other that neighbouring invocations write.
  uint32_t written_neighbours() const {
    const Stage& last = stages.back();
    return axis == 0 || cluster == 1 || shares_first() ? last.neighbours : std::min(last.neighbours, last.slice / axis);
  }
  // Positions of a line that go together where the exchange before this stage has several parts: those of a number of
  // each butterfly's inputs.
  uint32_t part(const Stage& stage, uint32_t parts) const {
    return butterflies(stage) * ((stage.radix + parts - 1) / parts);
  }
  // Whether a stage's inputs are the first of the convolution, its outputs the last, or multiplied in between.
  bool enters(size_t stage) const;
  bool leaves(size_t stage) const;
  bool multiplies(size_t stage) const;
  // The place, between two stages, of a butterfly's value. In a cluster: in the memory of the workgroup that has it.
  uint32_t input_place(size_t stage, uint32_t butterfly, uint32_t value) const;
  uint32_t output_place(size_t stage, uint32_t butterfly, uint32_t value) const;
  // A plan of the same invocations with the radices in the opposite order: its inputs are where this plan's outputs
  // are. One with a convolution has none, and remains as it is.
  RadixPlan reversed() const;
  std::string text() const;  // "16x16x16"; with convolutions, "61(10x6)x4" and "41(10x4)x61(10x6)"
  void add_to(Hasher& hasher) const;
};

struct RadixLimits {
  uint32_t registers = 16;  // values of an invocation
  uint32_t invocations = 1024;
  ButterflyForm form = ButterflyForm::Fused;
  uint32_t radix = kUsualRadix;  // most, but for long primes
  uint32_t axis = 0;             // of two axes: the length of the first
  uint32_t cluster = 1;          // workgroups that shall be able to share the line; the invocations are theirs together
  uint32_t mixed = 0;            // largest prime factor of the mixed radices: composed ones above the usual; 0: none
  bool bounded = false;          // the compiler bounds registers: mixed radices are ordered as they were fastest then
  // Of a plan with a long prime: the invocations of a workgroup, whose idle lanes cost as much as busy ones (0: they do
  // not count); and the part of the cost that each further 16 values of an invocation add.
  uint32_t workgroup = 0;
  double crowding = 0;
};

// The largest prime that is a radix.
constexpr uint64_t kLargestPrime = 31;
// True if all prime factors of n are at most `largest`, which is 31 or less.
bool is_smooth(uint64_t n, uint64_t largest = kLargestPrime);
// Whether a stage may have this radix.
bool takes(const RadixLimits& limits, uint32_t radix);
// 1 of n = 1.
uint64_t largest_prime(uint64_t n);
// Costs in operations: of moving a value through shared memory, and of starting a round of butterflies with its indices
// and twiddle loads.
constexpr double kExchangeCost = 24, kRoundCost = 12;

// Whether the first of these radices transform an axis of this length (0: there is one axis).
bool has_axis(const std::vector<uint32_t>& radices, uint32_t axis);
// Whether a stage has a mixed radix.
bool has_mixed_stage(const RadixPlan& plan);
// The cheapest plan; one without stages if nothing fits the limits, or n has a prime factor that no stage takes.
RadixPlan choose_radices(uint32_t n, const RadixLimits& limits);
// A plan with these radices, whose product is n, and this number of invocations. `axis`: the first ones' product is
// this, the first of two axes.
RadixPlan make_radices(uint32_t n, const std::vector<uint32_t>& radices, uint32_t invocations,
                       ButterflyForm form = ButterflyForm::Fused, uint32_t axis = 0);

}  // namespace vd::fft
