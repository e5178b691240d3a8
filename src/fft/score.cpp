#include "fft/score.h"

#include <algorithm>
#include <cmath>

#include "fft/access.h"
#include "fft/record.h"
#include "fft/workgroups.h"

namespace vd::fft {
namespace {

// The part of memory's rate at which runs of this many bytes move.
double rate_of(const DeviceConstants& constants, uint64_t run, bool written) {
  const auto bytes = static_cast<double>(std::max<uint64_t>(run, 1));
  const double one = constants.sector_rate, two = constants.two_sectors_rate;
  if (run < kSector) return bytes / kSector * (written ? constants.part_written_rate : one);
  if (run < 2 * kSector) return one + (two - one) * (bytes / kSector - 1);
  return std::min(1.0, two + (1 - two) * (bytes / (2 * kSector) - 1));
}

// Registers that an invocation needs: of many values, those of measured kernels (27 values of short stages took 95).
uint32_t words_of(const PassDesc& desc, const Layout& layout) {
  const uint32_t values = layout.radices.registers;
  double words = 3 * values + 14 + demands(desc).words;
  if (has_mixed_stage(layout.radices)) {
    words = mixed_words(layout.radices) + demands(desc).words;
  } else if (values <= 20) {
    words = register_words(desc, layout);
  }
  if (desc.compute == ir::Scalar::F64) words += 2 * values;
  return round_up(static_cast<uint32_t>(words), kRegisterStep);
}

// Bytes of a line that are read; maps read what they like.
uint64_t loaded(const PassDesc& desc) {
  const uint64_t read = desc.source->traffic(desc).read / line_count(desc.batches);
  return read != 0 ? read : uint64_t{desc.n} * 2 * ir::scalar_size(desc.compute);
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
  const DeviceConstants& k = records(limits).constants;
  Score score;
  score.read_run = read_run(desc, layout);
  score.written_run = written_run(desc, layout);
  score.idle = idle_of(layout);
  const RadixPlan& plan = layout.radices;
  const uint32_t size = layout.workgroup_size(), lanes = round_up(size, kWarp);
  const uint64_t value_bytes = 2 * uint64_t{ir::scalar_size(desc.compute)};
  score.in_flight = loaded(desc) * layout.lines / plan.cluster;
  if (limits.registers_total == 0 || limits.multiprocessors == 0) return score;

  const uint64_t shared = shared_bytes(desc, layout);
  const uint32_t words = words_of(desc, layout);
  // The words of other plans were found with a room that ignores how warps are distributed among a multiprocessor's parts.
  const uint32_t all = has_mixed_stage(plan) ? invocation_registers(limits.registers_total, lanes)
                                             : limits.registers_total / lanes / kRegisterStep * kRegisterStep;
  const uint32_t room = std::min(all, static_cast<uint32_t>(k.most_words));
  score.spilled = words > room ? words - room : 0;
  const double unbound = layout.columns ? k.free_column_registers : k.free_registers;
  const double free = limits.traits.bounds_registers ? 1 : unbound;
  score.tight = words * unbound > room;
  const uint32_t taken =
      std::max(std::min(round_up(static_cast<uint32_t>(words * free), kRegisterStep), room), kRegisterStep);
  uint64_t resident =
      std::min(limits.registers_total / (taken * lanes), static_cast<uint32_t>(k.most_resident) / lanes);
  // The compiler is told how many.
  if (limits.traits.bounds_registers && has_mixed_stage(plan)) resident = resident_groups(desc, limits, layout);
  if (shared != 0) {
    const uint64_t each = shared + static_cast<uint64_t>(k.shared_overhead);
    resident = std::min(resident, std::max(limits.shared_total, limits.shared_bytes) / each);
  }
  score.workgroups = static_cast<uint32_t>(std::clamp<uint64_t>(resident, 1, 32));
  score.in_flight *= score.workgroups;

  const auto count = static_cast<double>(std::max<uint64_t>(layout.group_count, 1) * plan.cluster);
  const Traffic moved = traffic(desc);
  const double spills = k.spill * 2 * 4 * score.spilled * size;
  const double memory = static_cast<double>(moved.read) / count / rate_of(k, score.read_run, false) +
                        static_cast<double>(moved.written) / count / rate_of(k, score.written_run, true) + spills;
  const double times = demands(desc).back ? 1 + desc.copies : 1;
  const double warps = static_cast<double>(lanes) / size;
  const double issue = plan.cost * layout.lines * times * k.instructions * warps / k.lanes;
  const auto exchanges = static_cast<double>(plan.invocations > 1 ? plan.stages.size() - 1 : 0);
  const double stages = (layout.staged_in ? 1 : 0) + (layout.staged_out ? 1 : 0);
  const double through = 2.0 * static_cast<double>(value_bytes) * plan.n * layout.lines / k.shared_bytes;
  const double exchanged = through * (exchanges * times * layout.exchange.conflicts + stages * layout.stage.conflicts);
  const double barriers = exchanges * times * (layout.exchange.planar ? 4 : 2) * layout.exchange.parts + 2 * stages;

  const double multiprocessors = limits.multiprocessors;
  const double busy = std::min(count, multiprocessors);
  const double rate = std::min(k.most_memory_bytes, k.memory_bytes * multiprocessors / busy);
  const double in_turns = k.in_turns * (1 - lanes / kWarp / k.many_warps);
  const double moving = memory / std::min(k.most_memory_bytes, rate * k.burst);
  // A warp issues one instruction a cycle, so few warps leave lanes of their multiprocessor idle.
  const double computing = issue * std::max(1.0, k.lanes / lanes);
  double alone = moving + std::max(computing, exchanged) + in_turns * std::min(computing, exchanged) + k.latency +
                 barriers * k.barrier;
  // The next tile comes while this one is computed.
  if (layout.ahead != 0) alone = std::max(moving, alone - moving - k.latency);
  const double each = std::ceil(count / multiprocessors);  // workgroups of the multiprocessor that has the most
  score.time = k.launch +
               std::max(each * std::max({memory / rate, issue, exchanged}), std::ceil(each / score.workgroups) * alone);
  return score;
}

}  // namespace vd::fft
