// Launches: their arguments laid out as a backend takes them, and handed to a queue.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "runtime/arguments.h"
#include "runtime/buffer.h"
#include "runtime/plan.h"
#include "runtime/submission.h"

namespace vd::runtime {

// Whether a binding has a use: images of the device's own, those that its units sample, and samplers.
bool has_use(const vd_plan::Binding& binding, const Bound& bound);
// The use of an image of the device's own by a kernel, or the sampler.
backends::ImageUse use_of(const vd_plan& plan, const vd_plan::Binding& binding, const Bound& bound);

// The caller's buffers and a step's own; `memory_of` gives a workspace's, which lives as long as the bounds are used.
using MemoryOf = std::function<vd_buffer&(Workspace& workspace)>;
std::vector<Bound> step_bounds(const vd_plan& plan, const vd_plan::Step& step, const Bound* bounds,
                               const MemoryOf& memory_of);
// The caller's values and a step's own, in `all` if there are any of its own.
const void* step_values(const vd_plan& plan, const vd_plan::Step& step, const void* values,
                        std::vector<std::byte>& all);

// The arguments, and behind them the counts.
std::vector<Bound> with_counts(const Arguments& arguments);

// Appends the block of values: the user's, the launch's size, the shapes of `bounds`.
void append_values(const vd_plan& plan, const Extent& extent, const void* values, const Bound* bounds,
                   std::vector<std::byte>& out);

// Run a plan now, after `waits`. No ticket if it would have had to wait, which it may only if `patient`.
std::optional<vd_ticket> launch(const Arguments& arguments, uint32_t queue, const Waits& waits, bool patient);

}  // namespace vd::runtime
