// Choices of the planner that a person who measures can override: VKDISPATCH_FFT_TUNE has words of the form name=number
// separated by commas, "registers=16,threads=256,planar=1". The planner makes the other choices.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace vd::fft {

struct Tuning {
  std::vector<uint32_t> radices;  // "radices=16x16x4"
  uint32_t line_threads = 0;      // of a line; with radices
  uint32_t registers = 0;         // complex numbers of a thread
  uint32_t invocations = 0;       // of a group, about
  uint32_t lines = 0;             // of a group
  uint32_t min_workgroups = 0;    // of a multiprocessor: bounds the registers
  uint32_t shared = 0;            // bytes that a group may have, if that is less than the device's
  int carveout = -1;              // percent of the L1 for shared memory
  int planar = -1, butterflies = -1, swizzle = -1, staged_in = -1, staged_out = -1;

  // Throws for what is none.
  static Tuning parse(const std::string& text);
  // The environment's.
  static Tuning read();
};

}  // namespace vd::fft
