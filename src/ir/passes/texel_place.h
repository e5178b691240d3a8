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

// Whether a number is a whole one, as far as the ops say that make it, `depth` of them behind each other at most.
inline bool is_whole(const Kernel& kernel, ValueId id, int depth = 4) {
  const Inst& inst = kernel.insts[id];
  const auto operand = [&](uint32_t i) { return kernel.operands_of(inst)[i]; };
  switch (inst.op) {
    case VD_OP_CONVERT:
      return kernel.insts[operand(0)].type.is_integer();
    case VD_OP_FLOOR:
    case VD_OP_CEIL:
    case VD_OP_ROUND_EVEN:
      return true;
    case VD_OP_ADD:
    case VD_OP_SUB:
      return depth > 0 && is_whole(kernel, operand(0), depth - 1) && is_whole(kernel, operand(1), depth - 1);
    default:
      return false;
  }
}

// As a float; of two texels the later one. Adding a half and rounding down would take 0.49999997 for 1.
inline ValueId nearest_texel(Emitter& e, ValueId place) {
  if (is_whole(e.kernel(), place)) return place;
  const ValueId whole = e.emit(VD_OP_FLOOR, place);
  const ValueId is_next = e.emit(VD_OP_GE, e.sub(place, whole), e.constant(kF32, 0.5));
  return e.add(whole, e.select(is_next, e.constant(kF32, 1), e.constant(kF32, 0)));
}

}  // namespace vd::ir
