// An assignment of lines to invocations: the line and workgroup of an invocation, and the line's position among all.
#pragma once

#include <span>
#include <vector>

#include "fft/engine.h"
#include "fft/launch_values.h"
#include "fft/layout.h"

namespace vd::fft {

struct Assignment {
  LineIndex lane;
  std::vector<Value> coordinates;  // of the batches
  Value exists = 0;                // condition that this line exists; 0: it always does
  Value invocation = 0, group = 0;
  Value workgroup_exists = 0;
};

// A tile that a workgroup took by ticket.
struct Turn {
  Value tile = 0, bundle = 0;  // the tile of a bundle of lines
  Value slot = 0;              // that the bundle has in the ring
};

// An invocation without a line of its own repeats the last one. `mirrored`: as in Demands. `values`: the kernel gets the
// count of the last batch with each launch, and only knows whether the lines fill all workgroups. `tile`: of which the
// invocation's workgroup has the lines; 0: that of its own number. `turn`: that of a ticket; null: there is none.
Assignment find_assignment(ComplexWriter& c, const Layout& layout, LineOrder order, std::span<const Batch> batches,
                           bool mirrored = false, LaunchValues* values = nullptr, Value tile = 0,
                           const Turn* turn = nullptr);

}  // namespace vd::fft
