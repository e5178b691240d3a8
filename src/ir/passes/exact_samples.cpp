#include "ir/passes/exact_samples.h"

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ir/analyse.h"
#include "ir/image_block.h"
#include "ir/passes/texel_place.h"
#include "ir/rewriter.h"
#include "ir/walk.h"

namespace vd::ir {
namespace {

// Fields of the block.
enum SampleField : uint32_t { kFlags, kBias, kLowest, kHighest, kOutside };

Type sample_block(TypeTable& types) {
  return types.structure("vd_sample",
                         {{kU32, "flags"}, {kF32, "bias"}, {kF32, "lowest"}, {kF32, "highest"}, {kU32x4, "border"}});
}

// The samples of an image argument in the new kernel.
class Samples {
 public:
  Samples(Emitter& e, Type type, ValueId image, ValueId block) : e_(e), type_(type), image_(image), block_(block) {}

  ValueId at_base(ValueId at);
  ValueId at_level(ValueId at, ValueId level);

 private:
  ValueId f32(double value) { return e_.constant(kF32, value); }
  ValueId f32(ValueId integer) { return e_.convert(kF32, integer); }
  ValueId i32(uint32_t value) { return e_.bits(kI32, value); }
  ValueId max(ValueId a, ValueId b) { return e_.emit(VD_OP_MAX, a, b); }
  ValueId min(ValueId a, ValueId b) { return e_.emit(VD_OP_MIN, a, b); }
  ValueId field(SampleField f) { return e_.load(e_.member(block_, f)); }
  ValueId has_flag(uint32_t flag) {
    return e_.emit(VD_OP_NE, e_.emit(VD_OP_AND, field(kFlags), e_.bits(kU32, flag)), e_.bits(kU32, 0));
  }
  bool floats() const { return type_.scalar() == Scalar::F32; }

  ValueId size(ValueId level) { return e_.emit(VD_OP_IMAGE_SIZE, kI32x4, {image_, level}); }
  ValueId coordinate(ValueId at, uint32_t i) { return type_.coordinates() == 1 ? at : e_.at(at, i); }
  ValueId vector_of(Type scalar, std::span<const ValueId> parts) {
    return parts.size() == 1 ? parts[0]
                             : e_.construct(Type::vector(scalar.scalar(), static_cast<uint32_t>(parts.size())), parts);
  }
  ValueId nearest(ValueId at, ValueId level);

  Emitter& e_;
  const Type type_;
  const ValueId image_;
  const ValueId block_;
};

// The nearest texel of a level, fetched: a unit that magnifies and minifies by different filters chooses for several
// invocations at once on some devices.
ValueId Samples::nearest(ValueId at, ValueId level) {
  const ValueId whole = size(i32(0)), here = size(level), is_base = e_.emit(VD_OP_EQ, level, i32(0));
  const ValueId mode = e_.emit(VD_OP_SHR, field(kFlags), e_.bits(kU32, kAddressModeShift));
  std::vector<ValueId> place;
  ValueId good = kNoValue;
  for (uint32_t axis = 0; axis < type_.dimensions(); ++axis) {
    const ValueId n = e_.at(here, axis);
    // A device's quotient of equal numbers may not be 1.
    const ValueId ratio = e_.select(is_base, f32(1.0), e_.div(f32(n), f32(e_.at(whole, axis))));
    const ValueId x = bounded_place(e_, place_in_level(e_, coordinate(at, axis), ratio));
    place.push_back(wrapped_texel(e_, mode, e_.convert(kI32, nearest_texel(e_, x)), n, good));
  }
  if (type_.is_layered()) {
    const ValueId layer = e_.convert(kI32, e_.emit(VD_OP_ROUND_EVEN, coordinate(at, type_.dimensions())));
    place.push_back(between_0_and(e_, e_.sub(e_.at(whole, 2), i32(1)), layer));
  }
  const ValueId texel = e_.var(e_.bitcast(type_.texel(), field(kOutside)));
  e_.begin_if(good);
  e_.store(texel, e_.emit(VD_OP_IMAGE_LOAD, type_.texel(), {image_, vector_of(kI32, place), level}));
  e_.end();
  return e_.load(texel);
}

ValueId Samples::at_level(ValueId at, ValueId level) {
  const ValueId lod = min(max(e_.add(level, field(kBias)), field(kLowest)), field(kHighest));
  const ValueId magnifies = e_.emit(VD_OP_LE, lod, f32(0.0));
  const ValueId snaps = e_.emit(VD_OP_LOR, e_.emit(VD_OP_LAND, magnifies, has_flag(kNearestMagnified)),
                                e_.emit(VD_OP_LAND, e_.emit(VD_OP_LNOT, magnifies), has_flag(kNearestMinified)));
  const ValueId last = e_.sub(e_.at(size(i32(0)), 3), i32(1));
  const ValueId chooses = has_flag(kNearestLevel);
  const auto [exact, lower, rest] = chosen_level(e_, lod, last, chooses);
  const ValueId number = e_.convert(kI32, lower);
  if (!floats()) return nearest(at, number);
  const ValueId texel = e_.var(e_.zero(type_.texel()));
  e_.begin_if(snaps);
  e_.store(texel, nearest(at, number));
  e_.begin_if(e_.emit(VD_OP_GT, rest, f32(0.0)));
  const ValueId below = e_.mul(e_.load(texel), e_.splat(kF32x4, e_.sub(f32(1.0), rest)));
  e_.store(texel, e_.add(below, e_.mul(nearest(at, e_.add(number, i32(1))), e_.splat(kF32x4, rest))));
  e_.end();
  e_.begin_else();
  // Units know parts of a level to 1/256, and magnify where they find 0.
  const ValueId minified = e_.select(chooses, max(lower, f32(0.25)), max(exact, f32(1.0 / 256)));
  const ValueId asked = e_.select(magnifies, f32(0.0), minified);
  e_.store(texel, e_.emit(VD_OP_IMAGE_SAMPLE, type_.texel(), {image_, at, asked}));
  e_.end();
  return e_.load(texel);
}

ValueId Samples::at_base(ValueId at) {
  const ValueId snaps = has_flag(kNearestMagnified);
  std::vector<ValueId> place;
  for (uint32_t i = 0; i < type_.coordinates(); ++i) {
    const ValueId x = coordinate(at, i);
    const ValueId center = i < type_.dimensions() ? nearest_texel(e_, x) : x;  // a layer is as it is
    place.push_back(center == x ? x : e_.select(snaps, center, x));
  }
  return e_.emit(VD_OP_IMAGE_SAMPLE, type_.texel(), {image_, vector_of(kF32, place)});
}

}  // namespace

bool has_samples(const Kernel& kernel) {
  bool found = false;
  for_each_inst(kernel, [&](ValueId, const Inst& inst) { found = found || inst.op == VD_OP_IMAGE_SAMPLE; });
  return found;
}

bool has_plain_samples(const Kernel& kernel) {
  bool found = false;
  for_each_inst(kernel, [&](ValueId, const Inst& inst) {
    found = found || (inst.op == VD_OP_IMAGE_SAMPLE && inst.operand_count == 2);
  });
  return found;
}

void exact_samples(Kernel& kernel, PlainLevel plain) {
  std::vector<size_t> blocks(kernel.arguments.size());
  for (size_t i = 0, count = blocks.size(); i < count; ++i) {
    const Argument& argument = kernel.arguments[i];
    if (argument.kind != VD_ARGUMENT_IMAGE || !argument.type.is_sampled()) continue;
    blocks[i] = kernel.arguments.size();
    std::string name = argument.name + " sample";
    kernel.arguments.push_back({VD_ARGUMENT_CONSTANT, sample_block(kernel.types), std::move(name)});
  }
  kernel = rewrite(std::move(kernel), [&](Rewriter& r, ValueId id, const Inst& inst) {
    if (inst.op != VD_OP_IMAGE_SAMPLE) return false;
    Emitter& e = r.out;
    const ValueId image = r.operand(inst, 0);
    const auto argument = static_cast<size_t>(r.source().insts[image].immediate);
    const size_t block = blocks[argument];
    const Type block_of = e.kernel().arguments[block].type.in(Space::Uniform);
    Samples samples(e, e.kernel().arguments[argument].type, r[image], e.leaf(kOpArgument, block_of, block));
    const ValueId at = r[r.operand(inst, 1)];
    if (inst.operand_count < 3)
      r.replace(id, plain == PlainLevel::Base ? samples.at_base(at) : samples.at_level(at, e.constant(kF32, 0)));
    else
      r.replace(id, samples.at_level(at, r[r.operand(inst, 2)]));
    return true;
  });
  analyse(kernel);
}

}  // namespace vd::ir
