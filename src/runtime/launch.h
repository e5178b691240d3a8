// The arguments of a launch: checked, and laid out as a backend takes them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/buffer.h"
#include "runtime/plan.h"
#include "runtime/submission.h"

namespace vd::runtime {

// How many workgroups, and how many invocations of them count.
struct Extent {
  std::array<uint32_t, 3> workgroups{};
  std::array<uint32_t, 3> invocations{};
};

// One of the two is given and the other zero; neither for a plan of several steps. Zero on a later axis means 1.
Extent extent_of(const vd_plan& plan, const uint32_t invocations[3], const uint32_t workgroups[3]);

// A range of a buffer for an argument.
struct Bound {
  vd_buffer* buffer = nullptr;
  uint64_t offset = 0;
  uint64_t size = VD_WHOLE_SIZE;
};

// Throws unless the range may be bound to argument number `index`. Fills in the size.
void check_binding(const vd_plan& plan, uint32_t index, Bound& bound);
// Throws if what the plan reads of one of its arguments is what it writes of another.
void check_apart(const vd_plan& plan, const Bound* bounds);
void check_counts(const vd_plan& plan, uint32_t binding_count, uint32_t values_size);

// The caller's buffers and a step's own.
std::vector<Bound> step_bounds(const vd_plan& plan, const vd_plan::Step& step, const Bound* bounds);
// The caller's values and a step's own, in `all` if there are any of its own.
const void* step_values(const vd_plan& plan, const vd_plan::Step& step, const void* values,
                        std::vector<std::byte>& all);

// Appends the block of values: the user's, the launch's size, the shapes of `bounds`.
void append_values(const vd_plan& plan, const Extent& extent, const void* values, const Bound* bounds,
                   std::vector<std::byte>& out);

// Run a plan now, after `waits`. False if it would have had to wait, which it may only if `patient`.
bool launch(vd_plan& plan, uint32_t queue, const Extent& extent, const Bound* bounds, const void* values,
            std::span<const vd_ticket> waits, bool patient, vd_ticket& out_ticket);

// More arguments than most kernels have; longer lists go to the heap.
inline constexpr uint32_t kFewBindings = 16;

}  // namespace vd::runtime
