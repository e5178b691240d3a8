// Numbers of a device that the planner's rules and scores take. They come from files (fft/records), which say what each
// is; one of any device gives them all.
#pragma once

#include <span>
#include <string_view>

namespace vd::fft {

struct DeviceConstants {
  // Numbers of scores.
  double memory_bytes = 0, most_memory_bytes = 0, burst = 0;
  double sector_rate = 0, two_sectors_rate = 0, part_written_rate = 0;
  double shared_bytes = 0, lanes = 0, instructions = 0;
  double latency = 0, barrier = 0, launch = 0;
  double most_words = 0, most_resident = 0, shared_overhead = 0, spill = 0;
  double free_registers = 0, free_column_registers = 0, many_warps = 0, in_turns = 0;
  // Numbers of rules.
  double workgroup_size = 0, light_workgroup_size = 0;
  double bounded_column_invocations = 0, bounded_column_bytes = 0, bounded_column_pairs = 0;
  double free_column_invocations = 0, free_column_bytes = 0, free_column_pairs = 0, row_pairs = 0;
  double ring_bytes = 0;
};

struct NamedConstant {
  std::string_view name;
  double DeviceConstants::*value;
};
// All of them.
std::span<const NamedConstant> named_constants();

}  // namespace vd::fft
