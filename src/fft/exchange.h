// Addresses of a workgroup's lines in shared memory between two stages. Element p of line l is at word(p) * step + l *
// pitch; word() pads or swizzles so that the lanes of a subgroup have few bank conflicts. The choice is made by
// counting: the addresses of every access are known when the kernel is written.
//
// Where memory is short, a line goes through it in parts, one after the other: first all values whose place is in the
// first positions of the line, then the next ones. A part is what some of each butterfly's inputs are, so an invocation
// knows when the kernel is written which of its values it reads in each part.
#pragma once

#include <cstdint>

#include "fft/complex_writer.h"
#include "fft/radix_plan.h"

namespace vd::fft {

// A position along a line: a number that the kernel computes, plus one known now. The first is a multiple of `block`
// (0: of anything, so none) plus less than `within`: with it, most of an address is known when the kernel is written.
struct Position {
  Value base = 0;
  uint32_t offset = 0;
  uint32_t block = 0, within = 1;
};

struct Exchange {
  enum class Kind : uint8_t { Plain, Padded, Swizzled };
  Kind kind = Kind::Plain;
  bool planar = false;    // real and imaginary parts one after the other through one plane
  uint32_t parts = 1;     // that a line goes through it in
  uint32_t amount = 0;    // Padded: elements between paddings. Swizzled: p ^ (p >> amount) % 32
  uint32_t step = 1;      // elements between neighbours of a line
  uint32_t pitch = 0;     // elements between lines
  uint32_t elements = 0;  // of the shared array: complex numbers, or reals where planar
  double conflicts = 1;   // cycles an access, of 1 without conflicts

  uint32_t word(uint32_t position) const;
  Value address(ComplexWriter& c, const Position& place, Value line) const;
};

struct ExchangeLimits {
  uint32_t max_bytes = 0;
  uint32_t lines = 1;
  bool columns = false;  // neighbouring invocations work on neighbouring lines, not on one line
  bool planar = false;
  uint32_t scalar_size = 4;
  bool swizzle = true;  // may
  bool turned = false;  // stages of the second assignment work the other way than `columns` says
  uint32_t parts = 1;
};

// The layout of `lines` lines that are adjacent in memory, as one row: neighbouring invocations write it in that order,
// and invocations of the engine's first stage read it; or, in the plan's opposite order, the other way round.
Exchange choose_row(const RadixPlan& plan, uint32_t lines);

// The layout with the fewest conflicts that fits, for both directions through the stages; false if none fits.
bool choose_exchange(const RadixPlan& plan, const ExchangeLimits& limits, Exchange& out);

}  // namespace vd::fft
