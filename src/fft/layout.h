// The execution of a pass: its workgroups, registers and exchange, within the limits of a device.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/traits.h"
#include "fft/exchange.h"
#include "fft/pass.h"
#include "fft/radix_plan.h"
#include "fft/score.h"
#include "fft/ticket_order.h"
#include "fft/tuning.h"

namespace vd::fft {

// Limit of an invocation's complex values: no device has registers for more, and a plan is searched among all that are
// allowed.
constexpr uint32_t kMostRegisters = 1024;
constexpr uint32_t kUsualRegisters = 16;

struct Choices;
struct Records;

// Properties of the device, and a caller's wishes.
struct Limits {
  uint32_t shared_bytes = 32768;
  uint32_t invocations = 256;
  std::array<uint32_t, 3> workgroups{65535, 65535, 65535};
  uint32_t registers = kUsualRegisters;  // complex values of an invocation; doubled if a line does not fit otherwise
  bool is_bounded = false;               // by the caller, to `registers`
  bool pairs = false;                    // exchange no line in planes
  uint32_t shared_total = 0;             // bytes of a multiprocessor; 0: unknown
  uint32_t registers_total = 0;          // words of a multiprocessor; 0: unknown
  uint32_t multiprocessors = 0;          // 0: unknown
  bool computes_chirps = false;          // the device has the whole numbers of 64 bits that it takes
  Traits traits{};
  Tuning tuning{};
  uint32_t cluster = 1;                      // workgroups that share a line, at most
  bool shares_all = false;                   // by clusters, also planes and columns, as no rule does: to measure it
  bool copies_ahead = false;                 // copies to shared memory go on while a workgroup computes
  std::shared_ptr<const Choices> choices{};  // of passes that were measured; null: none
  std::shared_ptr<const Records> records{};  // of the device (record.h); null: those of any device

  void bound_registers(uint32_t most) {
    registers = most;
    is_bounded = true;
  }
  // Whether passes take as many values as measured best, more than `registers` too.
  bool leaves_registers() const { return !is_bounded && registers == kUsualRegisters; }
};

// The work of neighbouring invocations: on the elements of a line, or on neighbouring lines.
enum class LineOrder : uint8_t { Lines, Columns };

struct Layout {
  RadixPlan radices;
  Exchange exchange;
  bool wide = false;  // addresses in 64 bits, so that their known parts go into the instructions
  bool staged_in = false, staged_out = false;  // a workgroup reads or writes its lines as one row, through shared
                                               // memory
  bool whole_lines = false;                    // a phase has them there anyway
  Exchange stage;                              // layout of that row, as one line
  uint32_t min_workgroups = 0, carveout = 0;   // as in vd_builder_desc
  uint32_t lines = 1;                          // of a workgroup
  uint32_t ahead = 0;    // values of an invocation that are read ahead (ahead.h); 0: tiles are not
  bool columns = false;  // a workgroup's lines are neighbours along the first batch, not among all lines
  // The assignments that stages of `radices` name.
  std::vector<LineOrder> orders{LineOrder::Lines};
  uint64_t tiles = 1;        // workgroups along the first batch (columns), or of all lines
  uint64_t group_count = 1;  // a cluster's count as one
  std::array<uint32_t, 3> workgroups{1, 1, 1};
  Score score;
  uint32_t tickets = 0;   // a candidate's
  bool recorded = false;  // a record of the device (record.h) chose it
  // Of a pass that shares its dispatch with another one (tickets.h): `workgroups` are those of both, and `tiles` those of
  // a bundle of lines.
  struct Ring {
    TicketOrder order;
    uint64_t bundles = 0;
    uint32_t batches = 0;   // the last ones, which number the bundles
    uint64_t slot = 0;      // elements
    bool coherent = false;  // accesses say that other workgroups' writes are seen: a fence orders no others
  };
  Ring ring{};
  uint32_t workgroup_size() const { return radices.invocations * lines; }
  // Elements of the array through which invocations exchange numbers, and whether these are reals.
  uint32_t shared_elements() const {
    const uint32_t exchanged = radices.invocations > 1 ? exchange.elements : 0;
    return has_stage() ? std::max(exchanged, stage.elements) : exchanged;
  }
  bool shares_reals() const { return exchange.planar && !has_stage(); }
  // Whether the lines are written by another assignment than they are read.
  bool turns() const { return orders.size() > 1; }
  bool has_stage() const { return staged_in || staged_out || whole_lines; }
  // Whether a side's lines are a row, through shared memory.
  bool is_staged(const PassDesc& desc, const Side& side) const {
    return (staged_in && &side == &desc.source->side()) || (staged_out && &side == &desc.target->side());
  }
};

// Whether the choice is the planner's alone.
bool leaves_choice(const Limits& limits);
// Whether a line fits a workgroup.
bool fits_workgroup(const PassDesc& desc, const Limits& limits);
// The layout of the best candidate (candidate.h); false if a line does not fit a workgroup.
bool choose_layout(const PassDesc& desc, const Limits& limits, Layout& out);
// The same for lines that the workgroups of a cluster share.
bool choose_shared_layout(const PassDesc& desc, const Limits& limits, Layout& out);

}  // namespace vd::fft
