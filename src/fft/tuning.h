// Overrides of the planner's choices, for measurements: VKDISPATCH_FFT_TUNE has words of the form name=number separated
// by commas, "registers=16,threads=256,planar=1". The planner makes the other choices.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fft/rader.h"

namespace vd::fft {

struct Tuning {
  std::vector<uint32_t> radices;     // "radices=16x16x4"
  std::vector<PrimeRadices> primes;  // "radices=61(10x6)x4": the primes of convolutions, and these's radices
  std::vector<uint32_t> factors;     // "factors=256x256": lengths of the passes of a line whose length is their product
  uint32_t line_threads = 0;         // of a line; with radices
  uint32_t registers = 0;            // complex numbers of an invocation
  uint32_t invocations = 0;          // of a workgroup, approximately
  uint32_t lines = 0;                // of a workgroup
  uint32_t min_workgroups = 0;       // of a multiprocessor: bounds the registers
  uint32_t radix = 0;                // most of a stage
  uint32_t parts = 0;                // of an exchange: 1, 2 or 4
  uint32_t cluster = 0;              // workgroups that share a line
  uint32_t shared = 0;               // most bytes of a workgroup, if less than the device's limit
  int carveout = -1;                 // percent of the L1 for shared memory
  int planar = -1, butterflies = -1, swizzle = -1, staged_in = -1, staged_out = -1;
  std::string strategy;  // of the catalogue (strategies/catalogue.inc), before all others
  int host_chirp = -1;   // longest spectrum of a chirp's filter that the processor computes, not the device
  uint32_t padded = 0;   // length of a chirp's transforms, where it is long enough and smooth
  int crossing = -1;     // stage of a shared line behind which its workgroups exchange numbers
  uint32_t groups = 0;   // workgroups that take all tiles, where these are read ahead
  int ahead = -1;        // 1: tiles are read ahead where they can be
  int turned = -1;       // 0: no line is written by another assignment than it is read
  int wide = -1;         // 1: addresses in 64 bits; 0: in 32, whatever Traits::wide_addresses is
  int tickets = -1;      // as a candidate's

  // Whether no word is about the sizes of a workgroup or its exchange.
  bool leaves_sizes() const {
    return radices.empty() && registers == 0 && invocations == 0 && lines == 0 && planar < 0 && radix == 0 &&
           parts == 0 && cluster == 0;
  }

  ButterflyForm form() const { return butterflies == 1 ? ButterflyForm::Fewest : ButterflyForm::Fused; }

  // Whether it asks for lines that the workgroups of a cluster share.
  bool wishes_clusters() const { return cluster != 0 || strategy == "cluster"; }

  // Whether it has the stages of a line of length n, and the line's invocations.
  bool gives_stages(uint64_t n) const;

  // Throws VD_ERR_INVALID if a word is unknown.
  static Tuning parse(const std::string& text);
  // The environment's.
  static Tuning read();
};

}  // namespace vd::fft
