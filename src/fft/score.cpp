#include "fft/score.h"

#include <algorithm>
#include <cmath>

#include "fft/access.h"
#include "fft/workgroups.h"

namespace vd::fft {
namespace {

// Bytes that memory moves a cycle for each multiprocessor if all ask, and that one of them gets at most if the others
// do not.
constexpr double kBytes = 17, kMostBytes = 64;
// A workgroup that is alone on its multiprocessor gets more than its part while it loads, since others compute then.
constexpr double kBurst = 1.28;
constexpr double kSharedBytes = 128, kLanes = 128;  // a cycle: shared memory, and lanes that issue
// Instructions of an operation that RadixPlan::cost counts.
constexpr double kInstructions = 0.5;
constexpr double kLatency = 800, kBarrier = 100, kLaunch = 2000;  // cycles
constexpr uint32_t kMostWords = 255, kMostResident = 2048;
constexpr uint64_t kSharedOverhead = 1024;
// Times that a word which has no register goes out and comes back.
constexpr double kSpill = 3;
// Registers that a compiler takes which nothing bounds, of those that another one is content with: for columns an
// address for each value, 182 of 128.
constexpr double kFreeRegisters = 1.25, kFreeColumnRegisters = 1.42;
// Warps of a workgroup that compute and exchange at the same time. With fewer, a part of these takes turns.
constexpr double kManyWarps = 32, kInTurns = 0.5;

// The part of memory's rate at which runs of this many bytes move. Writing part of a sector costs more than reading it.
double rate_of(uint64_t run, bool written) {
  const auto bytes = static_cast<double>(std::max<uint64_t>(run, 1));
  constexpr double kSectorRate = 0.7;
  if (run < kSector) return bytes / kSector * (written ? 0.44 : kSectorRate);
  // 32 bytes 0.7, 64 bytes 0.9, 128 bytes 1.
  if (run < 2 * kSector) return kSectorRate + 0.2 * (bytes / kSector - 1);
  return std::min(1.0, 0.9 + 0.1 * (bytes / (2 * kSector) - 1));
}

uint32_t round_up(uint32_t n, uint32_t to) { return (n + to - 1) / to * to; }

// Registers that an invocation needs: of many values, those of measured kernels (27 values took 95).
uint32_t words_of(const PassDesc& desc, const Layout& layout) {
  const uint32_t values = layout.radices.registers;
  double words = values <= 20 ? register_words(desc, layout) : 3 * values + 14 + demands(desc).words;
  if (desc.compute == ir::Scalar::F64) words += 2 * values;
  return round_up(static_cast<uint32_t>(words), kRegisterStep);
}

// Operations that have a lane, of all in the time that the stages take.
double idle_of(const Layout& layout) {
  const RadixPlan& plan = layout.radices;
  double useful = 0, all = 0;
  for (const Stage& stage : plan.stages) {
    const double cost = butterfly_cost(stage.radix, plan.form) + 6.0 * stage.radix;
    useful += cost * plan.butterflies(stage);
    all += cost * stage.rounds * plan.invocations;
  }
  const uint32_t size = layout.workgroup_size();
  return all == 0 ? 0 : 1 - useful / all * size / round_up(size, kWarp);
}

}  // namespace

Score score_of(const PassDesc& desc, const Limits& limits, const Layout& layout) {
  Score score;
  score.read_run = read_run(desc, layout);
  score.written_run = written_run(desc, layout);
  score.idle = idle_of(layout);
  const RadixPlan& plan = layout.radices;
  const uint32_t size = layout.workgroup_size(), lanes = round_up(size, kWarp);
  const uint64_t value_bytes = 2 * uint64_t{ir::scalar_size(desc.compute)};
  score.in_flight = uint64_t{desc.n} * layout.lines * value_bytes;
  if (limits.registers_total == 0 || limits.multiprocessors == 0) return score;

  const uint64_t shared = shared_bytes(desc, layout);
  const uint32_t words = words_of(desc, layout);
  const uint32_t room = std::min(limits.registers_total / lanes / kRegisterStep * kRegisterStep, kMostWords);
  score.spilled = words > room ? words - room : 0;
  const double free = limits.traits.bounds_registers ? 1 : layout.columns ? kFreeColumnRegisters : kFreeRegisters;
  const uint32_t taken = std::min(round_up(static_cast<uint32_t>(words * free), kRegisterStep), room);
  uint64_t resident = std::min(limits.registers_total / (taken * lanes), kMostResident / lanes);
  if (shared != 0)
    resident = std::min(resident, std::max(limits.shared_total, limits.shared_bytes) / (shared + kSharedOverhead));
  score.workgroups = static_cast<uint32_t>(std::clamp<uint64_t>(resident, 1, 32));
  score.in_flight *= score.workgroups;

  const auto count = static_cast<double>(std::max<uint64_t>(layout.group_count, 1));
  const Traffic moved = traffic(desc);
  const double spills = kSpill * 2 * 4 * score.spilled * size;
  const double memory = static_cast<double>(moved.read) / count / rate_of(score.read_run, false) +
                        static_cast<double>(moved.written) / count / rate_of(score.written_run, true) + spills;
  const double times = demands(desc).back ? 1 + desc.copies : 1;
  const double warps = static_cast<double>(lanes) / size;
  const double issue = plan.cost * layout.lines * times * kInstructions * warps / kLanes;
  const auto exchanges = static_cast<double>(plan.invocations > 1 ? plan.stages.size() - 1 : 0);
  const double stages = (layout.staged_in ? 1 : 0) + (layout.staged_out ? 1 : 0);
  const double through = 2.0 * static_cast<double>(value_bytes) * desc.n * layout.lines / kSharedBytes;
  const double exchanged = through * (exchanges * times * layout.exchange.conflicts + stages * layout.stage.conflicts);
  const double barriers = exchanges * times * (layout.exchange.planar ? 4 : 2) * layout.exchange.parts + 2 * stages;

  const double multiprocessors = limits.multiprocessors;
  const double busy = std::min(count, multiprocessors);
  const double rate = std::min(kMostBytes, kBytes * multiprocessors / busy);
  const double in_turns = kInTurns * (1 - lanes / kWarp / kManyWarps);
  const double alone = memory / std::min(kMostBytes, rate * kBurst) + std::max(issue, exchanged) +
                       in_turns * std::min(issue, exchanged) + kLatency + barriers * kBarrier;
  const double each = std::ceil(count / multiprocessors);  // workgroups of the multiprocessor that has the most
  score.time = kLaunch +
               std::max(each * std::max({memory / rate, issue, exchanged}), std::ceil(each / score.workgroups) * alone);
  return score;
}

}  // namespace vd::fft
