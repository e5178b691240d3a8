// Places along an axis of an image, which passes compute, and the texel whose center is nearest to one.
#pragma once

#include "ir/emitter.h"

namespace vd::ir {

constexpr Type kI32x4 = Type::vector(Scalar::I32, 4), kU32x4 = Type::vector(Scalar::U32, 4),
               kF32x4 = Type::vector(Scalar::F32, 4);

// A place of level 0 in texels of a level that has `ratio` times as many. Both have their centers at whole numbers.
inline ValueId place_in_level(Emitter& e, ValueId at, ValueId ratio) {
  const ValueId half = e.constant(kF32, 0.5);
  return e.add(e.mul(at, ratio), e.sub(e.mul(ratio, half), half));
}

// As a float; of two texels the later one. Adding a half and rounding down would take 0.49999997 for 1.
inline ValueId nearest_texel(Emitter& e, ValueId place) {
  const ValueId whole = e.emit(VD_OP_FLOOR, place);
  const ValueId is_next = e.emit(VD_OP_GE, e.sub(place, whole), e.constant(kF32, 0.5));
  return e.add(whole, e.select(is_next, e.constant(kF32, 1), e.constant(kF32, 0)));
}

}  // namespace vd::ir
