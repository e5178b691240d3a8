// One pass: a kernel that transforms all lines of one axis, and the layout of its lines in memory. Several passes make
// a plan (program.h). Strides and offsets count elements of the side's own kind: scalars on a real side.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/traits.h"
#include "fft/exchange.h"
#include "fft/radix_plan.h"
#include "fft/tuning.h"
#include "ir/type.h"

namespace vd::fft {

// A dimension that the transform does not touch; the first has the smallest stride.
struct Batch {
  uint64_t count = 1;
  uint64_t in_stride = 0, out_stride = 0, filter_stride = 0;
};

// The side of a pass that reads, or that writes.
struct Side {
  uint32_t argument = 0;  // which of the buffers that the pass declares itself
  bool hidden = false;    // or which of its hidden ones
  ir::Scalar scalar = ir::Scalar::F32;
  bool real = false;    // real numbers, not complex ones
  bool packed = false;  // pairs of neighbouring reals as complex numbers, in which strides count
  uint64_t stride = 1;  // between neighbours of a line
  uint64_t split = 0;   // not 0: the lines of the first batch (or several) interleave to one, whose element number
                        // position * split + coordinate is `position` in what follows
  uint64_t offset = 0;
  uint64_t instance = 0;           // between the arrays of several kernels
  uint64_t low = 0, high = ~0ull;  // elements that exist: others read as zero, and are not written
  uint64_t end = ~0ull;            // no line beyond it, except the padding of a longer transform
  uint64_t mirror = 0;             // half spectrum of a real line of this length: elements past its half are conjugates
};

// A complex number that values are multiplied by on their way: at a read, in the middle or at a write.
struct Factor {
  enum class Kind : uint8_t { None, Table, Product };
  Kind kind = Kind::None;
  bool conjugate = false;
  uint32_t first = 0;   // Table: element first + (element number) of the constants
  uint64_t period = 0;  // Product: exp(-2 pi i position * coordinate / period), that of the interleaved batches,
  uint32_t fine = 0;    //   as element fine + index % steps times element coarse + index / steps
  uint32_t coarse = 0;
  uint32_t steps = 1;
};

struct PassDesc {
  std::string name = "fft";
  uint32_t n = 1;
  int sign = -1;     // of the exponent
  double scale = 1;  // of the result
  // A real line of 2 n numbers as a complex one of n: its other side is a half spectrum of n + 1, which is computed
  // from the complex one's (or the other way round) between a position and its mirror.
  bool writes_half_spectrum = false, reads_half_spectrum = false;
  bool convolve = false;           // transform, multiply, transform back, in one kernel
  bool multiply_on_store = false;  // the filter is multiplied on store, not in the middle
  uint32_t instances = 1;          // of the multiplication and of the steps after it
  uint32_t first_instance = 0;     // number that maps get for the first
  ir::Scalar compute = ir::Scalar::F32;
  Side in, out;
  Side filter;            // of a convolution: the kernel's spectrum, if one is read
  bool conjugate = true;  // multiply by the conjugate of the table's element
  std::vector<Batch> batches;
  uint32_t interleaved = 1;  // the first batches, whose coordinates together, nearest first, are one of split sides
  bool maps_in = false, maps_filter = false, maps_out = false;  // the caller writes these accesses
  Factor read_factor, filter_factor, write_factor;
};

// Limit of an invocation's complex values: no device has registers for more, and a plan is searched among all that are
// allowed.
constexpr uint32_t kMostRegisters = 1024;

// Properties of the device, and a caller's wishes.
struct Limits {
  uint32_t shared_bytes = 32768;
  uint32_t invocations = 256;
  std::array<uint32_t, 3> workgroups{65535, 65535, 65535};
  uint32_t registers = 16;       // complex values of an invocation; doubled if a line does not fit otherwise
  bool pairs = false;            // exchange no line in planes
  uint32_t shared_total = 0;     // bytes of a multiprocessor; 0: unknown
  uint32_t registers_total = 0;  // words of a multiprocessor; 0: unknown
  Traits traits{};
  Tuning tuning{};
};

// The execution of a pass: its workgroups, registers and exchange.
struct Layout {
  RadixPlan radices;
  Exchange exchange;
  bool wide = false;  // addresses in 64 bits, so that their known parts go into the instructions
  bool staged_in = false, staged_out = false;  // a workgroup reads or writes its lines as one row, through shared
                                               // memory
  Exchange stage;                              // layout of that row, as one line
  uint32_t min_workgroups = 0, carveout = 0;   // as in vd_builder_desc
  uint32_t lines = 1;                          // of a workgroup
  bool columns = false;  // neighbouring invocations work on neighbouring lines, which are adjacent
  uint64_t tiles = 1;    // workgroups along the first batch (columns), or of all lines
  uint64_t group_count = 1;
  std::array<uint32_t, 3> workgroups{1, 1, 1};
  uint32_t workgroup_size() const { return radices.invocations * lines; }
};

// The largest address of a side, plus one; 0 where it has no elements. `length` is a line's.
uint64_t reach_of(const Side& side, uint64_t length, std::span<const Batch> batches, uint64_t Batch::*stride,
                  uint32_t instances);
uint64_t line_count(std::span<const Batch> batches);
// Bytes of buffers that a pass reads and writes, each element once; constants and the accesses of maps are not counted.
struct Traffic {
  uint64_t read = 0, written = 0;
};
Traffic traffic(const PassDesc& desc);
// False if a line does not fit a workgroup.
bool choose_layout(const PassDesc& desc, const Limits& limits, Layout& out);

}  // namespace vd::fft
