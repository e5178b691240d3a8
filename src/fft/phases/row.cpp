#include "fft/phases/row.h"

#include <algorithm>

#include "fft/phases/deal.h"

namespace vd::fft {
namespace {

// An element of each invocation: its address, its place in the row and the condition that it exists.
struct RowElement {
  Value address;
  Position place;
  Value in_range;
};

std::vector<RowElement> row(Tile& tile, const Side& side) {
  ComplexWriter& c = tile.c;
  const uint32_t n = tile.desc.n, size = tile.layout.workgroup_size(), elements = n * tile.layout.lines;
  const Tile::Place& here = tile.here();
  const bool partial = is_partial(tile);
  const ir::Type type = tile.layout.wide ? ir::kU64 : ComplexWriter::type(tile.base(tile.desc.source->side()));
  Value limit = 0;
  if (partial) {
    const Value left = c.offset(lines_behind(tile, c.mul(here.group, tile.layout.lines)), 1);
    limit = c.mul(c.emit(VD_OP_MIN, {left, c.index(tile.layout.lines)}), n);
  }
  const Value start = c.add(c.mul(c.widen(here.group, type), elements), tile.first(side));
  const Value at = c.add(start, c.widen(here.invocation, type));
  std::vector<RowElement> all;
  for (uint32_t first = 0; first < elements; first += size) {
    const Value which = c.offset(here.invocation, first);
    Value in_range = 0;
    if (partial) {
      in_range = c.emit(VD_OP_LT, {which, limit});
    } else if (first + size > elements) {
      in_range = c.below(which, elements);
    }
    all.push_back({c.offset(at, first), {here.invocation, first, 0, size}, in_range});
  }
  return all;
}

// Elements of a line that a side has in memory.
uint64_t stored(const PassDesc& desc, const Side& side) {
  return side.mirror != 0 ? side.mirror / 2 + 1 : std::min<uint64_t>(desc.n, side.high);
}

// Whether a workgroup's lines are one row without gaps, of all their elements.
bool adjoin(const PassDesc& desc, const Side& side, uint64_t Batch::*stride) {
  return !side.real && side.mirror == 0 && stored(desc, side) == desc.n && desc.batches[0].*stride == desc.n;
}

// Into shared memory, where a half spectrum becomes the whole one.
void put_dealt(Tile& tile, const Side& side) {
  ComplexWriter& c = tile.c;
  const uint32_t n = tile.desc.n;
  const std::vector<Dealt> elements =
      deal(tile, side, &Batch::in_stride, static_cast<uint32_t>(stored(tile.desc, side)));
  std::vector<Complex> loaded;
  for (const Dealt& e : elements)
    loaded.push_back(tile.load(side, c.add(e.start, c.widen(e.position, ComplexWriter::type(e.start))), e.position));
  for (size_t i = 0; i < elements.size(); ++i) {
    const Dealt& e = elements[i];
    c.begin_if(e.there);
    c.store(c.at(tile.shared, row_address(tile, {e.position, 0, 0, n}, e.line)), c.join(loaded[i]));
    if (side.mirror != 0) {
      const Value mirror = c.emit(VD_OP_SUB, {c.index(n), e.position});
      const Value distinct =
          c.both(c.emit(VD_OP_NE, {e.position, c.index(0)}), c.emit(VD_OP_GT, {mirror, c.index(n / 2)}));
      c.begin_if(distinct);
      c.store(c.at(tile.shared, row_address(tile, {mirror, 0, 0, n}, e.line)),
              c.join({loaded[i].re, c.neg(loaded[i].im)}));
      c.end_if(distinct);
    }
    c.end_if(e.there);
  }
}

// From shared memory.
void store_dealt(Tile& tile, const Side& side) {
  ComplexWriter& c = tile.c;
  for (const Dealt& e : deal(tile, side, &Batch::out_stride, static_cast<uint32_t>(stored(tile.desc, side)))) {
    c.begin_if(e.exists);
    const Value at = row_address(tile, {e.position, 0, 0, tile.desc.n}, e.line);
    const Complex value = c.split(c.load(c.at(tile.shared, at)));
    tile.store(side, c.add(e.start, c.widen(e.position, ComplexWriter::type(e.start))), value);
    c.end_if(e.exists);
  }
}

}  // namespace

bool is_read_row(const PassDesc& desc, const Side& side) {
  const uint64_t count = side.mirror != 0 ? side.mirror / 2 + 1 : desc.n;
  return is_dealt(desc, side, &Batch::in_stride, count) && side.high >= count && side.end >= desc.n;
}

bool is_written_row(const PassDesc& desc, const Side& side) {
  return is_dealt(desc, side, &Batch::out_stride, stored(desc, side)) && side.end >= desc.n;
}

Value row_address(Tile& tile, const Position& position, Value line) {
  ComplexWriter& c = tile.c;
  Position place = position;
  place.base = c.add(c.mul(line, tile.desc.n), place.base);
  place.block = tile.desc.n;
  return tile.layout.stage.address(c, place, c.index(0));
}

Value row_address(Tile& tile, const Position& position) { return row_address(tile, position, tile.here().lane.line); }

void put_in_row(Tile& tile, double scale) {
  ComplexWriter& c = tile.c;
  tile.engine.sync();
  for (size_t i = 0; i < tile.slots.size(); ++i) {
    const RegisterSlot& slot = tile.slots[i];
    c.begin_if(slot.owned);
    c.store(c.at(tile.shared, row_address(tile, slot.place)), c.join(c.scale(tile.values[i], scale)));
    c.end_if(slot.owned);
  }
  c.barrier();
}

std::vector<Complex> take_from_row(Tile& tile) {
  ComplexWriter& c = tile.c;
  c.barrier();
  std::vector<Complex> values;
  for (const RegisterSlot& slot : tile.slots)
    values.push_back(c.split(c.load(c.at(tile.shared, row_address(tile, slot.place)))));
  tile.engine.mark_shared_used();
  return values;
}

std::vector<Complex> load_row(Tile& tile, const Side& side) {
  if (!adjoin(tile.desc, side, &Batch::in_stride)) {
    put_dealt(tile, side);
    return take_from_row(tile);
  }
  ComplexWriter& c = tile.c;
  const std::vector<RowElement> elements = row(tile, side);
  std::vector<Complex> loaded;
  for (const RowElement& e : elements) {
    const Value variable = e.in_range != 0 ? c.variable(c.complex()) : 0;
    c.begin_if(e.in_range);
    const Complex value = tile.load(side, e.address, 0);
    if (variable != 0) c.store(variable, c.join(value));
    c.end_if(e.in_range);
    loaded.push_back(variable != 0 ? c.split(c.load(variable)) : value);
  }
  for (size_t i = 0; i < elements.size(); ++i) {
    // Lines that the last workgroup lacks are zeros here: their invocations read them.
    const Position& place = elements[i].place;
    const uint32_t all = tile.desc.n * tile.layout.lines;
    const bool past = place.offset + tile.layout.workgroup_size() > all;
    const Value in_range = past ? c.below(c.offset(place.base, place.offset), all) : 0;
    c.begin_if(in_range);
    c.store(c.at(tile.shared, tile.layout.stage.address(c, place, c.index(0))), c.join(loaded[i]));
    c.end_if(in_range);
  }
  return take_from_row(tile);
}

void store_row(Tile& tile, const Side& side, double scale) {
  ComplexWriter& c = tile.c;
  put_in_row(tile, scale);
  if (!adjoin(tile.desc, side, &Batch::out_stride)) return store_dealt(tile, side);
  for (const RowElement& e : row(tile, side)) {
    const Value in_range = c.both(tile.here().workgroup_exists, e.in_range);
    c.begin_if(in_range);
    const Complex value = c.split(c.load(c.at(tile.shared, tile.layout.stage.address(c, e.place, c.index(0)))));
    tile.store(side, e.address, value);
    c.end_if(in_range);
  }
}

}  // namespace vd::fft
