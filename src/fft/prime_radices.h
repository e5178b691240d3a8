// Stages of a long prime (rader.h) that give an invocation many values. Few invocations of a line share its butterflies
// out evenly, and meet in fewer exchanges of longer radices: on an H200 lines of 37 to 3897 numbers with such a prime
// took 0.88 of the time of plans with few values on CUDA, and 0.92 on Vulkan (docs/performance.md).
#pragma once

#include "fft/layout.h"

namespace vd::fft {

// Whether a pass may have them: rows of a length with such a prime, as they were measured.
bool has_prime_radices(const PassDesc& desc, const Limits& limits);
// The cheapest plan; one without stages if none fits.
RadixPlan choose_prime_radices(const PassDesc& desc, const Limits& limits, ButterflyForm form);
// Plans to measure: the cheapest with many values, and with few.
std::vector<RadixPlan> prime_radices_tried(const PassDesc& desc, const Limits& limits);
// Lines of a workgroup whose lines have this many invocations.
uint32_t prime_radices_lines(uint32_t invocations);

}  // namespace vd::fft
