#include "fft/phases/read.h"

#include "fft/phases/row.h"
#include "fft/slot_factors.h"

namespace vd::fft {

bool Read::is_row(const PassDesc& desc) const {
  return !what_.mapped && what_.factors.empty() && is_read_row(desc, what_.side);
}

Traffic Read::traffic(const PassDesc& desc) const { return {.read = what_.mapped ? 0 : side_bytes(desc, what_.side)}; }

std::vector<Access> Read::accesses(const PassDesc&) const {
  return {{&what_.side, &Batch::in_stride, Access::At::Read, what_.mapped}};
}

void Read::copy_ahead(Tile& tile) const {
  ComplexWriter& c = tile.c;
  uint32_t count = 0;
  for (const RegisterSlot& slot : tile.engine.inputs(tile.forward)) {
    const Value in_range = tile.inside(what_.side, tile.number(what_.side, slot), &slot);
    if (in_range == Tile::kNever) continue;
    c.begin_if(in_range);
    const Value from = c.at(tile.buffer(what_.side), tile.address(what_.side, slot));
    c.emit(VD_OP_ASYNC_COPY, {c.at(tile.ahead, tile.place_ahead(count++)), from}, ir::Type(),
           2 * ir::scalar_size(what_.side.scalar));
    c.end_if(in_range);
  }
}

Steps<Element> Read::write(Tile& tile) const {
  ComplexWriter& c = tile.c;
  tile.slots = tile.engine.inputs(tile.forward);
  if (tile.layout.staged_in) {
    tile.values = load_row(tile, what_.side);
    co_return;
  }
  const SlotFactors factors(tile, what_.factors);
  const bool ahead = tile.layout.ahead != 0;
  const Value buffer = ahead ? tile.ahead : what_.mapped ? 0 : tile.buffer(what_.side);
  uint32_t count = 0;
  for (size_t i = 0; i < tile.slots.size(); ++i) {
    const RegisterSlot& slot = tile.slots[i];
    const Value which = tile.number(what_.side, slot);
    const Value at = ahead ? 0 : tile.address(what_.side, slot);
    Value in_range = tile.inside(what_.side, which, &slot, what_.mapped);
    if (in_range == Tile::kNever) {
      tile.values.push_back(c.zero());
      continue;
    }
    // With no barrier between, an idle invocation may not read where another one writes its result.
    if (tile.forward.invocations == 1) in_range = c.both(tile.here().exists, in_range);
    // Zero where nothing is read.
    const Value variable = in_range != 0 ? c.variable(c.complex()) : 0;
    c.begin_if(in_range);
    Complex value;
    if (what_.mapped) {
      const Element element = tile.element(Point::Read, what_.side, i, which, at);
      co_yield element;
      value = c.split(c.load(element.value));
    } else {
      value = tile.load(what_.side, buffer, ahead ? tile.place_ahead(count++) : at, which);
    }
    value = factors.apply(i, which, value);
    if (variable != 0) c.store(variable, c.join(value));
    c.end_if(in_range);
    tile.values.push_back(variable != 0 ? c.split(c.load(variable)) : value);
  }
}

}  // namespace vd::fft
