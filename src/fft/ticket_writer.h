// Writes the code by which a workgroup takes a tile by ticket, waits for the tiles that it depends on, and tells others
// that it is done.
#pragma once

#include "fft/assignment.h"
#include "fft/complex_writer.h"
#include "fft/launch_values.h"
#include "fft/layout.h"

namespace vd::fft {

class TicketWriter {
 public:
  // `layout`: of either pass. `counters`: the buffer of TicketCounters.
  TicketWriter(ComplexWriter& code, const Layout& layout, Value counters, LaunchValues& values);

  // Takes the ticket. What follows is within the block of a workgroup that has one.
  Turn take();
  // The tiles of a pass, one after the other: begin() waits for what this workgroup's tile needs.
  void begin(uint32_t pass);
  void end(uint32_t pass);
  void finish() { c_.end_if(exists_); }

 private:
  void fence();
  Value counter(Value at) { return c_.at(counters_, at); }
  Value done(uint32_t pass);
  void add_one(Value reference);
  void reset_after_last();

  ComplexWriter& c_;
  const Layout::Ring& ring_;
  const Value counters_;
  const Value bundles_;
  Value exists_ = 0;                // condition that there is a tile for the workgroup; 0: there is
  Value leader_ = 0;                // condition of one invocation; 0: there is but one
  Value is_first_ = 0, round_ = 0;  // round_: bundles that had the slot before
  Turn turn_;
};

}  // namespace vd::fft
