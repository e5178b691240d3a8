// The arguments of a launch. Only their constructor makes them, and it throws if one is invalid. So every launch that
// is run or recorded has checked arguments.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/buffer.h"
#include "runtime/image.h"
#include "runtime/plan.h"

namespace vd::runtime {

// The number of workgroups, and the number of invocations that are in range.
struct Extent {
  std::array<uint32_t, 3> workgroups{};
  std::array<uint32_t, 3> invocations{};
};

// The names in messages of a launch's fields or parameters.
struct LaunchNames {
  const char* invocations = "desc->invocations";
  const char* workgroups = "desc->workgroups";
  const char* axes[3] = {"[0]", "[1]", "[2]"};  // behind either
  const char* counts = "desc->counts";
  const char* binding_count = "desc->binding_count";
  const char* values_size = "desc->values_size";
};

// One of the two is given and the other zero; neither for a plan of several steps. Zero on a later axis means 1.
Extent extent_of(const vd_plan& plan, const uint32_t invocations[3], const uint32_t workgroups[3],
                 const LaunchNames& names = {});

// A range of a buffer for an argument, or an image, whose texels' buffer is filled in, or a sampler, for which the plan's
// stand-in is.
struct Bound {
  vd_buffer* buffer = nullptr;
  uint64_t offset = 0;
  uint64_t size = VD_WHOLE_SIZE;
  vd_image* image = nullptr;
  vd_sampler* sampler = nullptr;
  uint32_t level = 0;
  bool own = false;   // the library's own work, which writes images that the user's kernels may not
  uint64_t lead = 0;  // its first bytes that the library's own kernel does not touch
};

// Bytes of the numbers of workgroups in memory: one of 32 bits for each axis.
inline constexpr uint64_t kCountsSize = 3 * sizeof(uint32_t);

// More arguments than most kernels have; longer lists go to the heap.
inline constexpr uint32_t kFewBindings = 16;

class Arguments {
 public:
  // `bound_at(i)` is what the caller gives for argument i of the buffers and images, and `counts` where the numbers of
  // workgroups are, if they are in memory. The plan, the buffers and the values live as long.
  template <class BoundAt>
  Arguments(vd_plan& plan, const uint32_t invocations[3], const uint32_t workgroups[3], const void* values,
            uint32_t values_size, uint32_t binding_count, BoundAt&& bound_at, const LaunchNames& names = {},
            const Bound& counts = {})
      : plan_(plan), values_(values), counts_(counts) {
    check_numbers(binding_count, values_size, names);
    extent_ = extent_of(plan, invocations, workgroups, names);
    if (binding_count > kFewBindings) {
      many_.resize(binding_count);
      bounds_ = many_.data();
    }
    for (uint32_t i = 0; i < binding_count; ++i) {
      check_binding(i, *std::construct_at(bounds_ + i, bound_at(i)));
    }
    check_overlaps();
    if (plan.stand_in() != nullptr) [[unlikely]]
      check_filters();
    if (has_counts()) [[unlikely]]
      check_counts(names.counts);
    if (too_long_) divide();
  }
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;

  // The caller's, or one that does its work over ranges.
  vd_plan& plan() const { return ranges_ ? *ranges_ : plan_; }
  const Extent& extent() const { return extent_; }  // the most where it has counts
  const Bound* bounds() const { return bounds_; }   // whole sizes are filled in
  const void* values() const { return values_; }
  bool has_counts() const { return counts_.buffer != nullptr; }
  const Bound& counts() const { return counts_; }

 private:
  void check_numbers(uint32_t binding_count, uint32_t values_size, const LaunchNames& names) const;
  // Throws unless the range may be bound to argument number `index`. Fills in the size.
  void check_binding(uint32_t index, Bound& bound);
  void check_image(uint32_t index, Bound& bound);
  void check_size(uint32_t index, const Bound& bound);
  void check_sampler(uint32_t index, Bound& bound) const;
  // Throws if a sampler alone filters linearly beside a texture of integers.
  void check_filters() const;
  // Throws if the plan reads memory of one argument that it writes through another.
  void check_overlaps() const;
  // The same for its counts, and the rules of these.
  void check_counts(const char* name);
  void divide();

  vd_plan& plan_;
  Ref<vd_plan> ranges_;
  bool too_long_ = false;  // a buffer, for a launch that is not over ranges
  const void* const values_;
  Bound counts_;
  Extent extent_;
  union Few {  // not set to anything first: a launch takes 200 ns
    Few() {}
    Bound bounds[kFewBindings];
  } few_;
  std::vector<Bound> many_;
  Bound* bounds_ = few_.bounds;
};

}  // namespace vd::runtime
