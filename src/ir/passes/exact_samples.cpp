#include "ir/passes/exact_samples.h"

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
enum class SampleField : uint32_t { Flags, Level };

Type sample_block(TypeTable& types) { return types.structure("vd_sample", {{kU32x4, "flags"}, {kF32x4, "level"}}); }

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
  ValueId field(SampleField f, uint32_t part) {
    return e_.at(e_.load(e_.member(block_, static_cast<uint32_t>(f))), part);
  }
  ValueId has_flag(uint32_t flag) {
    return e_.emit(VD_OP_NE, e_.emit(VD_OP_AND, field(SampleField::Flags, 0), e_.bits(kU32, flag)), e_.bits(kU32, 0));
  }
  bool floats() const { return type_.scalar() == Scalar::F32; }

  ValueId extent(ValueId size, uint32_t axis) { return f32(e_.at(size, axis)); }
  ValueId size(ValueId level) { return e_.emit(VD_OP_IMAGE_SIZE, Type::vector(Scalar::I32, 4), {image_, level}); }
  template <class F>
  ValueId centered(ValueId at, ValueId snaps, F&& center);
  ValueId in_level(ValueId at, ValueId snaps, ValueId level);
  ValueId sample(ValueId at, ValueId level) { return e_.emit(VD_OP_IMAGE_SAMPLE, type_.texel(), {image_, at, level}); }

  Emitter& e_;
  const Type type_;
  const ValueId image_;
  const ValueId block_;
};

// A place, or center(coordinate, axis) of its coordinates where `snaps`.
template <class F>
ValueId Samples::centered(ValueId at, ValueId snaps, F&& center) {
  const uint32_t count = type_.coordinates();
  std::vector<ValueId> parts;
  for (uint32_t i = 0; i < count; ++i) {
    const ValueId x = count == 1 ? at : e_.at(at, i);
    const ValueId other = i < type_.dimensions() ? center(x, i) : x;  // a layer is as it is
    parts.push_back(other == x ? x : e_.select(snaps, other, x));
  }
  return count == 1 ? parts[0] : e_.construct(e_.type(at), parts);
}

ValueId Samples::in_level(ValueId at, ValueId snaps, ValueId level) {
  const ValueId whole = size(i32(0)), here = size(level), is_base = e_.emit(VD_OP_EQ, level, i32(0));
  return centered(at, snaps, [&](ValueId x, uint32_t axis) {
    // A device's quotient of equal numbers may not be 1.
    const ValueId n = extent(here, axis), all = extent(whole, axis);
    const ValueId ratio = e_.select(is_base, f32(1.0), e_.div(n, all));
    const ValueId back = e_.select(is_base, f32(1.0), e_.div(all, n));
    return place_in_level(e_, nearest_texel(e_, place_in_level(e_, x, ratio)), back);
  });
}

ValueId Samples::at_level(ValueId at, ValueId level) {
  const ValueId lod =
      min(max(e_.add(level, field(SampleField::Level, 0)), field(SampleField::Level, 1)), field(SampleField::Level, 2));
  const ValueId magnifies = e_.emit(VD_OP_LE, lod, f32(0.0));
  const ValueId snaps = e_.emit(VD_OP_LOR, e_.emit(VD_OP_LAND, magnifies, has_flag(kNearestMagnified)),
                                e_.emit(VD_OP_LAND, e_.emit(VD_OP_LNOT, magnifies), has_flag(kNearestMinified)));
  const ValueId last = e_.sub(e_.at(size(i32(0)), 3), i32(1));
  const ValueId exact = min(max(lod, f32(0.0)), f32(last));
  // The nearest level, and of two the finer one; where levels are weighted, the lower one.
  const ValueId chooses = has_flag(kNearestLevel);
  const ValueId lower = e_.select(chooses, e_.emit(VD_OP_CEIL, e_.sub(exact, f32(0.5))), e_.emit(VD_OP_FLOOR, exact));
  const ValueId number = e_.convert(kI32, lower);
  // Units know parts of a level to 1/256, and magnify where they find 0.
  const ValueId chosen = max(lower, f32(0.25)), weighted = max(exact, f32(1.0 / 256));
  const ValueId whole = e_.select(snaps, lower, weighted);
  const ValueId asked = e_.select(magnifies, f32(0.0), e_.select(chooses, chosen, whole));
  const ValueId texel = sample(in_level(at, snaps, number), asked);
  if (!floats()) return texel;
  // Two nearest texels with weights.
  const ValueId rest = e_.select(chooses, f32(0.0), e_.sub(exact, lower));
  const ValueId sum = e_.var(texel);
  e_.begin_if(e_.emit(VD_OP_LAND, snaps, e_.emit(VD_OP_GT, rest, f32(0.0))));
  const ValueId next = e_.add(number, i32(1));
  const ValueId other = sample(in_level(at, e_.bits(kBool, 1), next), f32(next));
  e_.store(sum, e_.add(e_.mul(texel, e_.splat(kF32x4, e_.sub(f32(1.0), rest))), e_.mul(other, e_.splat(kF32x4, rest))));
  e_.end();
  return e_.load(sum);
}

ValueId Samples::at_base(ValueId at) {
  const ValueId place =
      centered(at, has_flag(kNearestMagnified), [&](ValueId x, uint32_t) { return nearest_texel(e_, x); });
  return e_.emit(VD_OP_IMAGE_SAMPLE, type_.texel(), {image_, place});
}

}  // namespace

bool has_samples(const Kernel& kernel) {
  bool found = false;
  for_each_inst(kernel, [&](ValueId, const Inst& inst) { found = found || inst.op == VD_OP_IMAGE_SAMPLE; });
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
