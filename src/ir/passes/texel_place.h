// Places and levels of an image, which passes compute, and the texel whose center is nearest to a place.
#pragma once

#include "ir/emitter.h"

namespace vd::ir {

// A place of level 0 in texels of a level that has `ratio` times as many. Both have their centers at whole numbers.
ValueId place_in_level(Emitter& e, ValueId at, ValueId ratio);

// Far from every image's texels at most, nan too, so that nothing overflows.
ValueId bounded_place(Emitter& e, ValueId place);

// As a float; of two texels the later one.
ValueId nearest_texel(Emitter& e, ValueId place);

// The texel that stands for one outside, along an axis of `n`, by a vd_address_mode; `good` becomes false where the border
// does. It may be none, or what another axis made of it.
ValueId wrapped_texel(Emitter& e, ValueId mode, ValueId texel, ValueId n, ValueId& good);

// Levels that a sample reads, as floats: `lower` and, with the share `rest`, the next one. `exact` lies between them.
struct ChosenLevel {
  ValueId exact, lower, rest;
};
// For a level of detail, up to `last`; where `nearest`, the level that is nearest, and of two the finer one.
ChosenLevel chosen_level(Emitter& e, ValueId lod, ValueId last, ValueId nearest);

// An i32 between 0 and `last`.
ValueId between_0_and(Emitter& e, ValueId last, ValueId x);

}  // namespace vd::ir
