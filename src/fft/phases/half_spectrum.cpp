#include "fft/phases/half_spectrum.h"

#include <array>
#include <map>

#include "fft/slot_factors.h"

namespace vd::fft {
namespace {

// exp(-pi i k / n) for the numbers k of the tile's slots, n of the whole line.
std::vector<Complex> pair_roots(Tile& tile, const Side& side) {
  ComplexWriter& c = tile.c;
  const uint64_t period = 2 * side.length(tile.desc.n);
  const Factor factor = twiddle_factor(tile.table, period, false);
  std::map<Value, Complex> bases;
  std::vector<Complex> all;
  for (const RegisterSlot& slot : tile.slots) {
    auto [at, fresh] = bases.try_emplace(slot.place.base);
    if (fresh) at->second = load_root(tile, factor, tile.number(side.split, slot.place.base));
    all.push_back(c.mul_root(at->second, -static_cast<int64_t>(slot.place.offset * side.split), period));
  }
  return all;
}

// Whether a number is the line's first: its position known up to its base.
Value is_first(Tile& tile, const Side& side, const RegisterSlot& slot) {
  if (slot.place.offset != 0) return 0;
  return tile.c.emit(VD_OP_EQ, {tile.number(side, slot), tile.c.index(0)});
}

// Whether line -j of the first batch has line j's mirror images: several batches that interleave count digits.
bool lies_mirrored(const PassDesc& desc) { return desc.interleaved == 1; }

}  // namespace

Demands ReadHalfSpectrum::demands(const PassDesc& desc) const { return {.mirrored = lies_mirrored(desc), .words = 8}; }

Traffic ReadHalfSpectrum::traffic(const PassDesc& desc) const { return {.read = side_bytes(desc, side_, true)}; }

std::vector<Access> ReadHalfSpectrum::accesses(const PassDesc&) const {
  return {{&side_, &Batch::in_stride, Access::At::Read}};
}

// As ReadPairs: Z[k] = E + i O with E = X[k] + conj(X[n - k]), O = (X[k] - conj(X[n - k])) / w^k.
Steps<Element> ReadHalfSpectrum::write(Tile& tile) const {
  ComplexWriter& c = tile.c;
  tile.slots = tile.engine.inputs(tile.forward);
  const std::vector<Complex> roots = pair_roots(tile, side_);
  const Value base = tile.base(side_);
  const ir::Type type = ComplexWriter::type(base);
  const Value end = c.offset(base, side_.length(tile.desc.n) * side_.stride);
  std::vector<std::array<Complex, 2>> loaded;
  for (const RegisterSlot& slot : tile.slots) {
    const Value which = tile.number(side_, slot);
    const Value mirrored = c.emit(VD_OP_SUB, {end, c.mul(c.widen(which, type), side_.stride)});
    loaded.push_back({tile.load(side_, tile.address(side_, slot), 0), tile.load(side_, mirrored, 0)});
  }
  for (size_t i = 0; i < tile.slots.size(); ++i) {
    auto [a, b] = loaded[i];
    // The first and the last number of a real line's spectrum are real.
    if (const Value first = is_first(tile, side_, tile.slots[i]); first != 0) {
      a.im = c.emit(VD_OP_SELECT, {first, c.constant(0), a.im});
      b.im = c.emit(VD_OP_SELECT, {first, c.constant(0), b.im});
    }
    const Complex even{c.real_add(a.re, b.re), c.real_sub(a.im, b.im)};
    const Complex odd = c.mul_conj({c.real_sub(a.re, b.re), c.real_add(a.im, b.im)}, roots[i]);
    tile.values.push_back(c.add_i(even, odd, 1));
  }
  co_return;
}

Demands WriteHalfSpectrum::demands(const PassDesc& desc) const {
  return {.pairs = true, .mirrored = lies_mirrored(desc), .words = 8};
}

Traffic WriteHalfSpectrum::traffic(const PassDesc& desc) const { return {.written = side_bytes(desc, side_, true)}; }

std::vector<Access> WriteHalfSpectrum::accesses(const PassDesc&) const {
  return {{&side_, &Batch::out_stride, Access::At::Write}};
}

// Line j's are in line -j: at n - 1 less its position, or, in line 0 itself, at n less it.
std::vector<Complex> WriteHalfSpectrum::mirror_images(Tile& tile) const {
  ComplexWriter& c = tile.c;
  const uint32_t n = tile.desc.n, lines = tile.layout.lines;
  const auto last = static_cast<uint32_t>(tile.forward.stages.size() - 1);
  tile.engine.put(tile.forward, {last, true}, tile.values);
  tile.engine.switch_access(Engine::SharedAccess::Read);
  const Value line = tile.here().lane.line;
  const Value other = c.rem(c.offset(line, lines / 2), lines);
  const Value in_first = c.emit(VD_OP_EQ, {tile.here().interleaved, c.index(0)});
  std::vector<Complex> images;
  for (const RegisterSlot& slot : tile.slots) {
    const Value behind = c.emit(VD_OP_SUB, {c.index(n - 1), slot.position});
    Value wrapped = c.offset(behind, 1);
    if (slot.place.offset == 0) {
      const Value is_zero = c.emit(VD_OP_EQ, {slot.position, c.index(0)});
      wrapped = c.emit(VD_OP_SELECT, {is_zero, c.index(0), wrapped});
    }
    const Value position = c.emit(VD_OP_SELECT, {in_first, wrapped, behind});
    images.push_back(c.split(c.load(tile.engine.shared({position, 0, 0, n}, other))));
  }
  return images;
}

// As WritePairs: X[k] = (E + w^k O) / 2 with E = Z[k] + conj(Z[n - k]), O = -i (Z[k] - conj(Z[n - k])); and number n,
// which the first one has, too.
Steps<Element> WriteHalfSpectrum::write(Tile& tile) const {
  ComplexWriter& c = tile.c;
  const std::vector<Complex> images = mirror_images(tile), roots = pair_roots(tile, side_);
  const Value exists = tile.here().exists;
  for (size_t i = 0; i < tile.slots.size(); ++i) {
    const RegisterSlot& slot = tile.slots[i];
    const Complex a = tile.values[i], b = images[i];
    const Complex even{c.real_add(a.re, b.re), c.real_sub(a.im, b.im)};
    const Complex odd = c.mul({c.real_add(a.im, b.im), c.real_sub(b.re, a.re)}, roots[i]);
    const Value in_range = c.both(exists, slot.owned), at = tile.address(side_, slot);
    c.begin_if(in_range);
    tile.store(side_, at, c.scale(c.add(even, odd), scale_ / 2));
    c.end_if(in_range);
    const Value first = is_first(tile, side_, slot);
    if (first == 0) continue;
    const Value has_last = c.both(in_range, first);
    c.begin_if(has_last);
    tile.store(side_, c.offset(at, side_.length(tile.desc.n) * side_.stride), c.scale(c.sub(even, odd), scale_ / 2));
    c.end_if(has_last);
  }
  co_return;
}

}  // namespace vd::fft
