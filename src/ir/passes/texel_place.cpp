#include "ir/passes/texel_place.h"

namespace vd::ir {
namespace {

// Whether a number is a whole one, as far as the ops say that make it, `depth` of them behind each other at most.
bool is_whole(const Kernel& kernel, ValueId id, int depth = 4) {
  const Inst& inst = kernel.insts[id];
  const auto operand = [&](uint32_t i) { return kernel.operands_of(inst)[i]; };
  switch (inst.op) {
    case VD_OP_CONVERT:
      return kernel.insts[operand(0)].type.is_integer();
    case VD_OP_FLOOR:
    case VD_OP_CEIL:
    case VD_OP_ROUND_EVEN:
    case VD_OP_TRUNC:
      return true;
    case VD_OP_ADD:
    case VD_OP_SUB:
      return depth > 0 && is_whole(kernel, operand(0), depth - 1) && is_whole(kernel, operand(1), depth - 1);
    default:
      return false;
  }
}

ValueId i32(Emitter& e, int32_t value) { return e.bits(kI32, static_cast<uint32_t>(value)); }

}  // namespace

ValueId place_in_level(Emitter& e, ValueId at, ValueId ratio) {
  const ValueId half = e.constant(kF32, 0.5);
  return e.add(e.mul(at, ratio), e.sub(e.mul(ratio, half), half));
}

ValueId bounded_place(Emitter& e, ValueId place) {
  return e.emit(VD_OP_MIN, e.emit(VD_OP_MAX, place, e.constant(kF32, -0x1p30)), e.constant(kF32, 0x1p30));
}

// Adding a half and rounding down would take 0.49999997 for 1.
ValueId nearest_texel(Emitter& e, ValueId place) {
  if (is_whole(e.kernel(), place)) return place;
  const ValueId whole = e.emit(VD_OP_FLOOR, place);
  const ValueId is_next = e.emit(VD_OP_GE, e.sub(place, whole), e.constant(kF32, 0.5));
  return e.add(whole, e.select(is_next, e.constant(kF32, 1), e.constant(kF32, 0)));
}

ChosenLevel chosen_level(Emitter& e, ValueId lod, ValueId last, ValueId nearest) {
  const ValueId none = e.constant(kF32, 0);
  const ValueId exact = e.emit(VD_OP_MIN, e.emit(VD_OP_MAX, lod, none), e.convert(kF32, last));
  const ValueId finer = e.emit(VD_OP_CEIL, e.sub(exact, e.constant(kF32, 0.5)));
  const ValueId lower = e.select(nearest, finer, e.emit(VD_OP_FLOOR, exact));
  return {exact, lower, e.select(nearest, none, e.sub(exact, lower))};
}

ValueId between_0_and(Emitter& e, ValueId last, ValueId x) {
  return e.emit(VD_OP_MAX, e.emit(VD_OP_MIN, x, last), i32(e, 0));
}

ValueId wrapped_texel(Emitter& e, ValueId mode, ValueId texel, ValueId n, ValueId& good) {
  const auto is = [&](vd_address_mode m) {
    return e.emit(VD_OP_EQ, mode, e.bits(e.type(mode), static_cast<uint32_t>(m)));
  };
  const ValueId last = e.sub(n, i32(e, 1));
  const ValueId result = e.var(between_0_and(e, last, texel));
  const ValueId outside = e.emit(VD_OP_LNOT, e.emit(VD_OP_LT, e.convert(kU32, texel), e.convert(kU32, n)));
  e.begin_if(outside);
  e.begin_if(is(VD_ADDRESS_REPEAT));
  e.store(result, e.emit(VD_OP_FLOORMOD, texel, n));
  e.end();
  e.begin_if(is(VD_ADDRESS_MIRRORED_REPEAT));
  const ValueId twice = e.add(n, n);
  const ValueId at = e.emit(VD_OP_FLOORMOD, texel, twice);
  e.store(result, e.emit(VD_OP_MIN, at, e.sub(e.sub(twice, i32(e, 1)), at)));
  e.end();
  e.begin_if(is(VD_ADDRESS_MIRROR_CLAMP_TO_EDGE));
  // One of -1 - i and i is not negative.
  e.store(result, between_0_and(e, last, e.emit(VD_OP_MAX, texel, e.sub(i32(e, -1), texel))));
  e.end();
  e.end();
  const ValueId bordered = e.emit(VD_OP_LAND, outside, is(VD_ADDRESS_CLAMP_TO_BORDER));
  const ValueId stays = e.emit(VD_OP_LNOT, bordered);
  good = good == kNoValue ? stays : e.emit(VD_OP_LAND, good, stays);
  return e.load(result);
}

}  // namespace vd::ir
