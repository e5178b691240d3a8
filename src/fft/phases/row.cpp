#include "fft/phases/row.h"

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
  const uint64_t count = line_count(tile.desc.batches);
  const bool partial = tile.layout.tiles * tile.layout.lines > count;
  const ir::Type type = tile.layout.wide ? ir::kU64 : ComplexWriter::type(tile.base(tile.desc.source->side()));
  Value limit = 0;
  if (partial) {
    const Value first = c.mul(here.group, tile.layout.lines);
    const Value left = c.emit(VD_OP_SUB, {c.index(count, ComplexWriter::type(first)), first});
    limit = c.mul(c.emit(VD_OP_MIN, {left, c.index(tile.layout.lines)}), n);
  }
  const Value start = c.offset(c.mul(c.widen(here.group, type), elements), side.offset);
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

}  // namespace

bool is_row(const PassDesc& desc, const Side& side, uint64_t Batch::*stride) {
  return side.stride == 1 && side.split == 0 && side.rows.count == 0 && !side.real && side.mirror == 0 &&
         side.scalar == desc.compute && side.low == 0 && side.high >= desc.n && side.end >= desc.n &&
         desc.batches.size() == 1 && desc.batches[0].*stride == desc.n && desc.batches[0].count > 1 &&
         desc.compute == ir::Scalar::F32;
}

Value row_address(Tile& tile, const Position& position) {
  ComplexWriter& c = tile.c;
  Position place = position;
  place.base = c.add(c.mul(tile.here().lane.line, tile.desc.n), place.base);
  place.block = tile.desc.n;
  return tile.layout.stage.address(c, place, c.index(0));
}

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
  for (const RowElement& e : row(tile, side)) {
    const Value in_range = c.both(tile.here().workgroup_exists, e.in_range);
    c.begin_if(in_range);
    const Complex value = c.split(c.load(c.at(tile.shared, tile.layout.stage.address(c, e.place, c.index(0)))));
    tile.store(side, e.address, value);
    c.end_if(in_range);
  }
}

}  // namespace vd::fft
