#include "ir/passes/lower_images.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "core/texel.h"
#include "ir/analyse.h"
#include "ir/image_block.h"
#include "ir/passes/texel_place.h"
#include "ir/rewriter.h"
#include "ir/walk.h"

namespace vd::ir {
namespace {

// Fields of the two blocks.
enum SampledField : uint32_t { kSize, kTexel, kSampler, kLevel, kBorder, kFrom, kUnit };
enum StorageField : uint32_t { kStorageSize, kStorageFrom };

Type block_type(TypeTable& types, bool sampled) {
  if (!sampled) return types.structure("vd_storage_image", {{kI32x4, "size"}, {kU32x4, "from"}});
  const Type from = types.array(kU32x4, kMaxImageLevels / 4);
  return types.structure("vd_sampled_image", {{kI32x4, "size"},
                                              {kU32x4, "texel"},
                                              {kU32x4, "sampler"},
                                              {kF32x4, "level"},
                                              {kU32x4, "border"},
                                              {from, "from"},
                                              {kF32x4, "unit"}});
}

// An image argument in the new kernel.
class Texels {
 public:
  // `unit`: the argument for units of the device, if there is one.
  Texels(Emitter& e, Type image, ValueId buffer, ValueId block, ValueId unit, Units units)
      : e_(e), image_(image), buffer_(buffer), block_(block), unit_(unit), units_(units) {}

  ValueId sample(ValueId at, ValueId level);
  ValueId load(ValueId at, ValueId level);
  void store(ValueId at, ValueId texel);
  ValueId size(ValueId level);

 private:
  using Place = std::array<ValueId, 4>;  // width, height, depth, layer: none where the image has none

  ValueId nearest(ValueId at);
  ValueId nearest_with_edges(ValueId at);
  ValueId filtered(ValueId at, ValueId level);
  ValueId of_level(ValueId at, ValueId level, ValueId linear);
  ValueId corners(ValueId at, ValueId level, ValueId linear);
  ValueId linear_by_unit(ValueId at);
  ValueId read_unit(const Place& place);

  ValueId i32(int32_t value) { return e_.bits(kI32, static_cast<uint32_t>(value)); }
  ValueId f32(double value) { return e_.constant(kF32, value); }
  ValueId lt(ValueId a, ValueId b) { return e_.emit(VD_OP_LT, a, b); }
  ValueId eq(ValueId a, uint32_t b) { return e_.emit(VD_OP_EQ, a, e_.bits(e_.type(a), b)); }
  ValueId both(ValueId a, ValueId b) { return a == kNoValue ? b : e_.emit(VD_OP_LAND, a, b); }
  ValueId field(uint32_t number) { return e_.load(e_.member(block_, number)); }
  ValueId field(uint32_t number, uint32_t part) { return e_.at(field(number), part); }
  bool has_unit() const { return unit_ != kNoValue; }
  bool by_unit_alone() const { return units_ >= Units::All; }
  bool layered() const { return image_.is_layered(); }

  ValueId extent(uint32_t axis, ValueId level);
  ValueId first_texel(ValueId level);
  Place place_of(ValueId at);
  ValueId inside(const Place& place, ValueId level);
  ValueId number(const Place& place, ValueId level);
  ValueId wrap(ValueId i, ValueId n, ValueId& good) { return wrapped_texel(e_, field(kSampler, 3), i, n, good); }
  ValueId layer(ValueId at);
  ValueId bounded(ValueId x) { return bounded_place(e_, x); }
  ValueId has_flag(uint32_t flag) {
    return e_.emit(VD_OP_NE, e_.emit(VD_OP_AND, field(kTexel, 3), e_.bits(kU32, flag)), e_.bits(kU32, 0));
  }
  ValueId coordinate(ValueId at, uint32_t i) { return image_.coordinates() == 1 ? at : e_.at(at, i); }
  ValueId between_0_and(ValueId last, ValueId x) { return ir::between_0_and(e_, last, x); }
  // The texel of level 0 that a place of floats is in, along an axis; it may be outside.
  ValueId texel_at(ValueId at, uint32_t axis) { return e_.convert(kI32, nearest_texel(e_, coordinate(at, axis))); }
  ValueId floor_i32(ValueId x) { return e_.convert(kI32, e_.emit(VD_OP_FLOOR, x)); }
  ValueId fetch(ValueId number);
  ValueId fetch_channel(ValueId index);
  // The buffer as channels of a format that the kernel says, and the type of one.
  static Type storage_element(const TexelFormat& f) {
    return Type(f.bits == 8 ? Scalar::U8 : f.bits == 16 ? Scalar::U16 : Scalar::U32);
  }
  ValueId storage_channels(const TexelFormat& f) {
    return f.bits == 32 ? buffer_ : e_.view(buffer_, storage_element(f));
  }
  ValueId decode(ValueId word, const TexelFormat& format);
  ValueId encode(ValueId channel, const TexelFormat& format);
  ValueId half_to_float(ValueId bits);
  ValueId float_to_half(ValueId value);
  ValueId complete(ValueId texel);
  ValueId missing(uint32_t channel) { return e_.constant(Type(image_.scalar()), channel == 3 ? 1 : 0); }
  const TexelFormat& format() const { return *find_texel_format(image_.format()); }

  Emitter& e_;
  const Type image_;
  const ValueId buffer_;  // of u32
  const ValueId block_;
  const ValueId unit_;
  const Units units_;
};

// ---- Geometry

ValueId Texels::extent(uint32_t axis, ValueId level) {
  const ValueId whole = field(image_.is_sampled() ? +kSize : +kStorageSize, axis);
  if (level == kNoValue || axis >= image_.dimensions()) return whole;
  return e_.emit(VD_OP_MAX, e_.emit(VD_OP_SHR, whole, level), i32(1));
}

ValueId Texels::first_texel(ValueId level) {
  if (!image_.is_sampled()) return field(kStorageFrom, 0);
  if (level == kNoValue) return e_.bits(kU32, 0);
  const ValueId unsigned_level = e_.convert(kU32, level);
  const ValueId row = e_.index(e_.member(block_, kFrom), e_.emit(VD_OP_SHR, unsigned_level, e_.bits(kU32, 2)));
  const ValueId four = e_.load(row);
  ValueId result = e_.at(four, 0);
  const ValueId part = e_.emit(VD_OP_AND, unsigned_level, e_.bits(kU32, 3));
  for (uint32_t i = 1; i < 4; ++i) result = e_.select(eq(part, i), e_.at(four, i), result);
  return result;
}

// Takes a vector of as many integers as the image has coordinates.
Texels::Place Texels::place_of(ValueId at) {
  Place place{kNoValue, kNoValue, kNoValue, kNoValue};
  const uint32_t n = image_.coordinates();
  for (uint32_t i = 0; i < n; ++i) {
    const ValueId one = n == 1 ? at : e_.at(at, i);
    place[layered() && i + 1 == n ? 3 : i] = e_.convert(kI32, one);
  }
  return place;
}

ValueId Texels::inside(const Place& place, ValueId level) {
  ValueId all = kNoValue;
  const auto check = [&](ValueId i, ValueId n) {
    // As unsigned numbers, negative ones are past the end.
    all = both(all, lt(e_.convert(kU32, i), e_.convert(kU32, n)));
  };
  for (uint32_t axis = 0; axis < image_.dimensions(); ++axis) check(place[axis], extent(axis, level));
  if (layered()) check(place[3], extent(2, kNoValue));
  return all;
}

ValueId Texels::number(const Place& place, ValueId level) {
  // In u32: the runtime makes no image of more than 2^30 texels in a buffer.
  ValueId result = layered() ? e_.convert(kU32, place[3]) : kNoValue;
  for (uint32_t axis = image_.dimensions(); axis-- > 0;) {
    const ValueId i = e_.convert(kU32, place[axis]);
    result = result == kNoValue ? i : e_.add(e_.mul(result, e_.convert(kU32, extent(axis, level))), i);
  }
  return e_.add(first_texel(level), result);
}

// ---- Channels

ValueId Texels::half_to_float(ValueId h) {
  const auto bits = [&](uint32_t value) { return e_.bits(kU32, value); };
  const ValueId sign = e_.emit(VD_OP_SHL, e_.emit(VD_OP_AND, h, bits(0x8000)), bits(16));
  const ValueId mantissa = e_.emit(VD_OP_AND, h, bits(0x3ff));
  const ValueId exponent = e_.emit(VD_OP_AND, e_.emit(VD_OP_SHR, h, bits(10)), bits(0x1f));
  const ValueId high = e_.emit(VD_OP_SHL, mantissa, bits(13));
  const ValueId normal = e_.emit(VD_OP_OR, e_.emit(VD_OP_SHL, e_.add(exponent, bits(112)), bits(23)), high);
  const ValueId special = e_.emit(VD_OP_OR, bits(0x7f800000), high);
  const ValueId small = e_.bitcast(kU32, e_.mul(e_.convert(kF32, mantissa), f32(0x1p-24)));
  ValueId magnitude = e_.select(eq(exponent, 0x1f), special, normal);
  magnitude = e_.select(eq(exponent, 0), small, magnitude);
  return e_.bitcast(kF32, e_.emit(VD_OP_OR, sign, magnitude));
}

// Rounded to nearest even.
ValueId Texels::float_to_half(ValueId value) {
  const auto bits = [&](uint32_t v) { return e_.bits(kU32, v); };
  const ValueId word = e_.bitcast(kU32, value);
  const ValueId sign = e_.emit(VD_OP_AND, e_.emit(VD_OP_SHR, word, bits(16)), bits(0x8000));
  const ValueId magnitude = e_.emit(VD_OP_AND, word, bits(0x7fffffff));
  // Normal: half of the last place but one bit is added, which carries into the exponent as it should.
  const ValueId odd = e_.emit(VD_OP_AND, e_.emit(VD_OP_SHR, magnitude, bits(13)), bits(1));
  const ValueId rounded = e_.add(e_.add(magnitude, bits(0xfff)), odd);
  const ValueId normal = e_.sub(e_.emit(VD_OP_SHR, rounded, bits(13)), bits(112u << 10));
  // Subnormal: adding 0.5 leaves the multiple of 2^-24 in the last bits, rounded.
  const ValueId shifted = e_.add(e_.bitcast(kF32, magnitude), f32(0.5));
  const ValueId small = e_.sub(e_.bitcast(kU32, shifted), bits(0x3f000000));
  ValueId result = e_.select(lt(magnitude, bits(0x38800000)), small, normal);
  result = e_.select(lt(magnitude, bits(0x477ff000)), result, bits(0x7c00));
  result = e_.select(lt(bits(0x7f800000), magnitude), bits(0x7e00), result);
  return e_.emit(VD_OP_OR, sign, result);
}

// A channel from the lowest bits of a word.
ValueId Texels::decode(ValueId word, const TexelFormat& format) {
  switch (format.channel) {
    case Channel::Unorm:
      return e_.div(e_.convert(kF32, e_.emit(VD_OP_AND, word, e_.bits(kU32, 0xff))), f32(255));
    case Channel::Float:
      return format.bits == 32 ? e_.bitcast(kF32, word) : half_to_float(word);
    case Channel::Signed: {
      const ValueId shift = e_.bits(kU32, 32 - format.bits);
      return e_.emit(VD_OP_SHR, e_.bitcast(kI32, e_.emit(VD_OP_SHL, word, shift)), shift);
    }
    default:
      return format.bits == 32 ? word : e_.emit(VD_OP_AND, word, e_.bits(kU32, (1u << format.bits) - 1));
  }
}

// The u32 whose lowest bits are the channel.
ValueId Texels::encode(ValueId channel, const TexelFormat& format) {
  const auto clamp = [&](ValueId low, ValueId high) {
    return e_.emit(VD_OP_MIN, e_.emit(VD_OP_MAX, channel, low), high);
  };
  switch (format.channel) {
    case Channel::Unorm:
      return e_.convert(kU32, e_.emit(VD_OP_ROUND_EVEN, e_.mul(clamp(f32(0), f32(1)), f32(255))));
    case Channel::Float:
      return format.bits == 32 ? e_.bitcast(kU32, channel) : float_to_half(channel);
    case Channel::Signed: {
      if (format.bits == 32) return e_.bitcast(kU32, channel);
      const int32_t half = 1 << (format.bits - 1);
      return e_.bitcast(kU32, clamp(i32(-half), i32(half - 1)));
    }
    default:
      return format.bits == 32 ? channel : e_.emit(VD_OP_MIN, channel, e_.bits(kU32, (1u << format.bits) - 1));
  }
}

// A channel by its number in the image, of a format that only the launch knows.
ValueId Texels::fetch_channel(ValueId index) {
  const ValueId bits = field(kTexel, 1);
  // A word holds one, two or four channels: 1 << log of them.
  const ValueId log =
      e_.select(eq(bits, 32), e_.bits(kU32, 0), e_.select(eq(bits, 16), e_.bits(kU32, 1), e_.bits(kU32, 2)));
  const ValueId whole = e_.load(e_.index(buffer_, e_.emit(VD_OP_SHR, index, log)));
  const ValueId last = e_.sub(e_.emit(VD_OP_SHL, e_.bits(kU32, 1), log), e_.bits(kU32, 1));
  const ValueId shift = e_.mul(e_.emit(VD_OP_AND, index, last), bits);
  const ValueId word = e_.emit(VD_OP_SHR, whole, shift);
  const auto as = [&](Channel channel, uint32_t size) { return decode(word, {VD_FORMAT_NONE, "", channel, 1, size}); };
  switch (image_.scalar()) {
    case Scalar::F32:
      return e_.select(eq(bits, 32), as(Channel::Float, 32),
                       e_.select(eq(bits, 16), as(Channel::Float, 16), as(Channel::Unorm, 8)));
    case Scalar::I32:
      return e_.select(eq(bits, 32), as(Channel::Signed, 32),
                       e_.select(eq(bits, 16), as(Channel::Signed, 16), as(Channel::Signed, 8)));
    default:
      return e_.select(eq(bits, 32), as(Channel::Unsigned, 32),
                       e_.select(eq(bits, 16), as(Channel::Unsigned, 16), as(Channel::Unsigned, 8)));
  }
}

// Four channels of the texel with a number.
ValueId Texels::fetch(ValueId number) {
  std::array<ValueId, 4> parts{};
  if (!image_.is_sampled()) {
    const TexelFormat& f = format();
    const ValueId channels = storage_channels(f);
    const ValueId first = e_.mul(number, e_.bits(kU32, f.channels));
    for (uint32_t c = 0; c < 4; ++c) {
      const bool has = c < f.channels;
      const ValueId index = e_.add(first, e_.bits(kU32, has ? c : 0));
      parts[c] = has ? decode(e_.convert(kU32, e_.load(e_.index(channels, index))), f) : missing(c);
    }
    return e_.construct(image_.texel(), parts);
  }
  const ValueId channels = field(kTexel, 0);
  const ValueId first = e_.mul(number, channels);
  const ValueId result = e_.var(e_.construct(image_.texel(), {missing(0), missing(1), missing(2), missing(3)}));
  const auto put = [&](uint32_t c) { e_.store(e_.at(result, c), fetch_channel(e_.add(first, e_.bits(kU32, c)))); };
  put(0);
  e_.begin_if(lt(e_.bits(kU32, 1), channels));
  put(1);
  e_.begin_if(lt(e_.bits(kU32, 2), channels));
  put(2);
  put(3);
  e_.end();
  e_.end();
  return e_.load(result);
}

// ---- Ops

ValueId Texels::load(ValueId at, ValueId level) {
  const Place place = place_of(at);
  ValueId good = kNoValue;
  if (level != kNoValue) {
    level = e_.convert(kI32, level);
    good = lt(e_.convert(kU32, level), e_.convert(kU32, field(kSize, 3)));
  }
  const ValueId result = e_.var(e_.zero(image_.texel()));
  // A level past the last would shift by too much; the guard comes first.
  const auto read = [&] {
    e_.begin_if(inside(place, level));
    e_.store(result, fetch(number(place, level)));
    e_.end();
  };
  if (good != kNoValue) e_.begin_if(good);
  read();
  if (good != kNoValue) e_.end();
  return e_.load(result);
}

void Texels::store(ValueId at, ValueId texel) {
  const Place place = place_of(at);
  const TexelFormat& f = format();
  e_.begin_if(inside(place, kNoValue));
  const ValueId channels = storage_channels(f);
  const ValueId first = e_.mul(number(place, kNoValue), e_.bits(kU32, f.channels));
  for (uint32_t c = 0; c < f.channels; ++c) {
    const ValueId word = encode(e_.at(texel, c), f);
    e_.store(e_.index(channels, e_.add(first, e_.bits(kU32, c))), e_.convert(storage_element(f), word));
  }
  e_.end();
}

ValueId Texels::size(ValueId level) {
  const ValueId levels = field(image_.is_sampled() ? +kSize : +kStorageSize, 3);
  if (level != kNoValue) {
    // A level past the last has the size of the nearest that does.
    level = e_.convert(kI32, level);
    level = between_0_and(e_.sub(levels, i32(1)), level);
  }
  return e_.construct(kI32x4, {extent(0, level), extent(1, level), extent(2, level), levels});
}

ValueId Texels::layer(ValueId at) {
  const ValueId last = e_.sub(extent(2, kNoValue), i32(1));
  const ValueId asked = e_.convert(kI32, e_.emit(VD_OP_ROUND_EVEN, coordinate(at, image_.dimensions())));
  return between_0_and(last, asked);
}

ValueId Texels::sample(ValueId at, ValueId level) {
  if (units_ == Units::AllNearest) return nearest_with_edges(at);
  if (units_ == Units::AllLinear) return linear_by_unit(at);
  if (by_unit_alone() && image_.scalar() != Scalar::F32) return nearest(at);
  const ValueId texel = e_.var(e_.zero(image_.texel()));
  e_.begin_if(has_flag(level == kNoValue ? kNearestWithoutLevel : kNearestAtAnyLevel));
  e_.store(texel, nearest(at));
  e_.begin_else();
  if (by_unit_alone()) {
    e_.store(texel, linear_by_unit(at));
    e_.end();
    return e_.load(texel);
  }
  const bool plain = has_unit() && level == kNoValue && image_.scalar() == Scalar::F32;
  if (plain) {
    e_.begin_if(has_flag(kLinearByUnit));
    e_.store(texel, linear_by_unit(at));
    e_.begin_else();
  }
  e_.store(texel, filtered(at, level));
  if (plain) e_.end();
  e_.end();
  return e_.load(texel);
}

// The nearest texel of level 0. All that is asked here is the same for every invocation, but for places outside.
ValueId Texels::nearest(ValueId at) {
  const uint32_t dims = image_.dimensions();
  std::array<ValueId, 3> exact{}, kept{};
  ValueId all_inside = kNoValue;
  for (uint32_t axis = 0; axis < dims; ++axis) {
    exact[axis] = texel_at(at, axis);
    kept[axis] = e_.var(exact[axis]);
    all_inside = both(all_inside, lt(e_.convert(kU32, exact[axis]), e_.convert(kU32, extent(axis, kNoValue))));
  }
  const ValueId good = e_.var(e_.bits(kBool, 1));
  e_.begin_if(e_.emit(VD_OP_LNOT, all_inside));
  ValueId wrapped = kNoValue;
  for (uint32_t axis = 0; axis < dims; ++axis) e_.store(kept[axis], wrap(exact[axis], extent(axis, kNoValue), wrapped));
  e_.store(good, wrapped);
  e_.end();
  Place place{kNoValue, kNoValue, kNoValue, kNoValue};
  for (uint32_t axis = 0; axis < dims; ++axis) place[axis] = e_.load(kept[axis]);
  if (layered()) place[3] = layer(at);
  const ValueId texel = e_.var(e_.bitcast(image_.texel(), field(kBorder)));
  e_.begin_if(e_.load(good));
  if (by_unit_alone()) {
    e_.store(texel, read_unit(place));
    e_.end();
    return e_.load(texel);
  }
  if (has_unit()) {
    e_.begin_if(has_flag(kByUnit));
    e_.store(texel, read_unit(place));
    e_.begin_else();
  }
  const ValueId first = number(place, kNoValue);
  e_.begin_if(has_flag(kOneWord));
  const ValueId word = e_.bitcast(Type(image_.scalar()), e_.load(e_.index(buffer_, first)));
  e_.store(texel, e_.construct(image_.texel(), {word, missing(1), missing(2), missing(3)}));
  e_.begin_else();
  e_.store(texel, fetch(first));
  e_.end();
  if (has_unit()) e_.end();
  e_.end();
  return e_.load(texel);
}

ValueId Texels::filtered(ValueId at, ValueId level) {
  const bool floats = image_.scalar() == Scalar::F32;

  // The level: asked for, with the sampler's bias, between the sampler's bounds.
  const ValueId asked = e_.add(level == kNoValue ? f32(0) : level, field(kLevel, 0));
  const ValueId lod = e_.emit(VD_OP_MIN, e_.emit(VD_OP_MAX, asked, field(kLevel, 1)), field(kLevel, 2));
  const ValueId magnifies = e_.emit(VD_OP_LE, lod, f32(0));
  const ValueId linear =
      floats ? eq(e_.select(magnifies, field(kSampler, 0), field(kSampler, 1)), VD_FILTER_LINEAR) : e_.bits(kBool, 0);
  const ValueId highest = e_.sub(field(kSize, 3), i32(1));
  const ValueId nearest = floats ? e_.emit(VD_OP_LNOT, eq(field(kSampler, 2), VD_FILTER_LINEAR)) : e_.bits(kBool, 1);
  const auto [exact, lower, rest] = chosen_level(e_, lod, highest, nearest);
  const ValueId first = e_.convert(kI32, lower);
  const ValueId levels = e_.select(lt(f32(0), rest), i32(2), i32(1));

  const ValueId sum = e_.var(e_.zero(image_.texel()));
  const ValueId turn = e_.begin_for(i32(0), levels, i32(1), VD_LOOP_ROLLED);
  const ValueId here = e_.add(first, turn);
  const ValueId texel = of_level(at, here, linear);
  if (floats) {
    const ValueId share = e_.select(eq(turn, 0), e_.sub(f32(1), rest), rest);
    e_.store(sum, e_.add(e_.load(sum), e_.mul(texel, e_.splat(kF32x4, share))));
  } else {
    e_.store(sum, texel);
  }
  e_.end();
  return e_.load(sum);
}

// A level filtered by the kernel: the sum of the texels around a place, or the nearest.
ValueId Texels::corners(ValueId at, ValueId level, ValueId linear) {
  const uint32_t dims = image_.dimensions();
  const bool floats = image_.scalar() == Scalar::F32;
  Place place{kNoValue, kNoValue, kNoValue, kNoValue};
  if (layered()) place[3] = layer(at);
  // On each axis the first texel, and the part of the second.
  std::array<ValueId, 3> first{}, part{};
  for (uint32_t axis = 0; axis < dims; ++axis) {
    const ValueId n = e_.convert(kF32, extent(axis, level)), whole = e_.convert(kF32, extent(axis, kNoValue));
    // A device's quotient of equal numbers may not be 1.
    const ValueId ratio = e_.select(eq(level, 0), f32(1), e_.div(n, whole));
    const ValueId x = bounded(place_in_level(e_, coordinate(at, axis), ratio));
    first[axis] = e_.select(linear, floor_i32(x), e_.convert(kI32, nearest_texel(e_, x)));
    part[axis] = e_.sub(x, e_.emit(VD_OP_FLOOR, x));
  }
  const ValueId sum = e_.var(e_.zero(image_.texel()));
  const ValueId corner = e_.begin_for(i32(0), e_.select(linear, i32(1 << dims), i32(1)), i32(1), VD_LOOP_ROLLED);
  ValueId weight = f32(1), good = kNoValue;
  for (uint32_t axis = 0; axis < dims; ++axis) {
    const ValueId second = e_.emit(VD_OP_AND, e_.emit(VD_OP_SHR, corner, i32(static_cast<int32_t>(axis))), i32(1));
    const ValueId of_axis = e_.select(eq(second, 1), part[axis], e_.sub(f32(1), part[axis]));
    weight = e_.mul(weight, e_.select(linear, of_axis, f32(1)));
    place[axis] = wrap(e_.add(first[axis], second), extent(axis, level), good);
  }
  const ValueId texel = e_.var(e_.bitcast(image_.texel(), field(kBorder)));
  e_.begin_if(good);
  e_.store(texel, fetch(number(place, level)));
  e_.end();
  if (floats) {
    // A texel without weight is left out of the sum: it may be infinite.
    e_.begin_if(e_.emit(VD_OP_NE, weight, f32(0)));
    e_.store(sum, e_.add(e_.load(sum), e_.mul(e_.load(texel), e_.splat(kF32x4, weight))));
    e_.end();
  } else {
    e_.store(sum, e_.load(texel));
  }
  e_.end();
  return e_.load(sum);
}

// ---- Units of the device

ValueId Texels::of_level(ValueId at, ValueId level, ValueId linear) {
  if (!has_unit()) return corners(at, level, linear);
  const ValueId texel = e_.var(e_.zero(image_.texel()));
  e_.begin_if(e_.emit(VD_OP_LAND, has_flag(kByUnit), eq(level, 0)));
  if (image_.scalar() == Scalar::F32) {
    e_.begin_if(linear);
    e_.store(texel, linear_by_unit(at));
    e_.begin_else();
  }
  e_.store(texel, nearest(at));
  if (image_.scalar() == Scalar::F32) e_.end();
  e_.begin_else();
  e_.store(texel, corners(at, level, linear));
  e_.end();
  return e_.load(texel);
}

ValueId Texels::nearest_with_edges(ValueId at) {
  Place place{kNoValue, kNoValue, kNoValue, kNoValue};
  for (uint32_t axis = 0; axis < image_.dimensions(); ++axis) {
    const ValueId exact = texel_at(at, axis);
    place[axis] = between_0_and(e_.sub(extent(axis, kNoValue), i32(1)), exact);
  }
  if (layered()) place[3] = layer(at);
  return read_unit(place);
}

ValueId Texels::linear_by_unit(ValueId at) {
  const ValueId mirrored = eq(field(kSampler, 3), VD_ADDRESS_MIRROR_CLAMP_TO_EDGE);
  Place place{kNoValue, kNoValue, kNoValue, kNoValue};
  for (uint32_t axis = 0; axis < image_.dimensions(); ++axis) {
    const ValueId x = e_.add(coordinate(at, axis), f32(0.5));
    place[axis] = e_.mul(bounded(e_.select(mirrored, e_.emit(VD_OP_ABS, x), x)), field(kUnit, axis));
  }
  if (layered()) place[3] = e_.convert(kF32, layer(at));
  return read_unit(place);
}

ValueId Texels::read_unit(const Place& place) {
  std::vector<ValueId> parts(place.begin(), place.begin() + image_.dimensions());
  if (layered()) parts.push_back(place[3]);
  const Type whole = Type::vector(e_.type(parts[0]).scalar(), static_cast<uint32_t>(parts.size()));
  const ValueId at = parts.size() == 1 ? parts[0] : e_.construct(whole, parts);
  return complete(e_.emit(kOpImageRead, image_.texel(), {unit_, at}));
}

// Drivers differ in what they give for channels that the format lacks.
ValueId Texels::complete(ValueId texel) {
  const ValueId channels = field(kTexel, 0);
  const auto part = [&](uint32_t c) {
    return e_.select(lt(e_.bits(kU32, c == 1 ? 1 : 2), channels), e_.at(texel, c), missing(c));
  };
  return e_.construct(image_.texel(), {e_.at(texel, 0), part(1), part(2), part(3)});
}

}  // namespace

bool has_images(const Kernel& kernel) {
  return std::ranges::any_of(kernel.arguments, [](const Argument& a) { return a.kind == VD_ARGUMENT_IMAGE; });
}

namespace {

// Units sample no copy of one (backends/opencl/image.cpp).
bool is_array_of_lines(Type image) { return image.dimensions() == 1 && image.is_layered(); }

// Adds arguments for units behind all others. That of each argument which is sampled; kNoArgument for others.
std::vector<uint32_t> add_units(Kernel& kernel, const std::vector<Type>& images) {
  std::vector<bool> sampled(images.size());
  for_each_inst(kernel, [&](ValueId, const Inst& inst) {
    if (inst.op == VD_OP_IMAGE_SAMPLE) sampled[kernel.insts[kernel.operands_of(inst)[0]].immediate] = true;
  });
  std::vector<uint32_t> units(images.size(), kNoArgument);
  uint32_t count = 0;
  for (uint32_t i = 0; i < images.size() && count < kMostUnitImages; ++i) {
    if (!sampled[i] || is_array_of_lines(images[i])) continue;
    ++count;
    units[i] = static_cast<uint32_t>(kernel.arguments.size());
    Argument copy{VD_ARGUMENT_IMAGE, images[i], kernel.arguments[i].name + " copy"};
    copy.texels = i;
    kernel.arguments.push_back(std::move(copy));
  }
  return units;
}

}  // namespace

Units units_for(uint32_t flags) {
  if (!is_sampled_at_base(flags)) return Units::Some;
  if ((flags & kLinearByUnit) != 0) return Units::AllLinear;
  return (flags & kEdgesRepeat) != 0 ? Units::AllNearest : Units::All;
}

Units units_for(Units a, Units b) {
  if (a == b) return a;
  return a == Units::Some || b == Units::Some ? Units::Some : Units::All;
}

bool may_be_all_units(const Kernel& kernel) {
  std::vector<bool> sampled(kernel.arguments.size());
  bool plain = true;
  for_each_inst(kernel, [&](ValueId, const Inst& inst) {
    if (inst.op != VD_OP_IMAGE_SAMPLE) return;
    const auto argument = static_cast<size_t>(kernel.insts[kernel.operands_of(inst)[0]].immediate);
    sampled[argument] = true;
    plain = plain && inst.operand_count == 2 && !is_array_of_lines(kernel.arguments[argument].type);
  });
  const auto images = static_cast<uint32_t>(std::ranges::count(sampled, true));
  return plain && images != 0 && images <= kMostUnitImages;
}

void lower_images(Kernel& kernel, Units units) {
  const size_t count = kernel.arguments.size();
  std::vector<Type> images(count);  // by argument; none for others
  std::vector<size_t> blocks(count);
  for (size_t i = 0; i < count; ++i) {
    if (kernel.arguments[i].kind != VD_ARGUMENT_IMAGE) continue;
    images[i] = std::exchange(kernel.arguments[i].type, kU32);
    kernel.arguments[i].kind = VD_ARGUMENT_BUFFER;
    blocks[i] = kernel.arguments.size();
    const Type block = block_type(kernel.types, images[i].is_sampled());
    kernel.arguments.push_back({VD_ARGUMENT_CONSTANT, block, kernel.arguments[i].name + " image"});
  }
  std::vector<uint32_t> unit_arguments(count, kNoArgument);
  if (units != Units::None) unit_arguments = add_units(kernel, images);
  kernel = rewrite(std::move(kernel), [&](Rewriter& r, ValueId id, const Inst& inst) {
    if (!op_info(inst.op).has(kImage)) return false;
    Emitter& e = r.out;
    const auto argument = static_cast<uint32_t>(r.source().insts[r.operand(inst, 0)].immediate);
    const ValueId buffer = e.leaf(kOpArgument, e.kernel().types.array(kU32, 0).in(Space::Storage), argument);
    const Type block_of = e.kernel().arguments[blocks[argument]].type.in(Space::Uniform);
    const uint32_t copy = unit_arguments[argument];
    const ValueId unit = copy == kNoArgument ? kNoValue : e.leaf(kOpArgument, images[argument], copy);
    Texels texels(e, images[argument], buffer, e.leaf(kOpArgument, block_of, blocks[argument]), unit, units);
    const auto operand = [&](uint32_t i) { return i < inst.operand_count ? r[r.operand(inst, i)] : kNoValue; };
    switch (inst.op) {
      case VD_OP_IMAGE_SAMPLE:
        r.replace(id, texels.sample(operand(1), operand(2)));
        return true;
      case VD_OP_IMAGE_LOAD:
        r.replace(id, texels.load(operand(1), operand(2)));
        return true;
      case VD_OP_IMAGE_STORE:
        texels.store(operand(1), operand(2));
        return true;
      default:
        r.replace(id, texels.size(operand(1)));
        return true;
    }
  });
  analyse(kernel);
}

}  // namespace vd::ir
