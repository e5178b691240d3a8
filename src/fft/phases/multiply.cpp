#include "fft/phases/multiply.h"

#include "fft/slot_factors.h"

namespace vd::fft {

Steps<Element> MultiplyFactors::write(Tile& tile) const {
  const SlotFactors factors(tile, filter_.factors);
  for (size_t i = 0; i < tile.values.size(); ++i) {
    const Value which = tile.number(filter_.split, tile.slots[i].position);
    tile.values[i] = factors.apply(i, which, tile.values[i]);
  }
  co_return;
}

std::vector<Access> MultiplyFilters::accesses(const PassDesc&) const {
  return {{&filters_.side, &Batch::filter_stride, Access::At::Spectrum, filters_.mapped, filters_.count}};
}

Steps<Element> MultiplyFilters::write(Tile& tile) const {
  ComplexWriter& c = tile.c;
  for (size_t i = 0; i < tile.values.size(); ++i) {
    const RegisterSlot& slot = tile.slots[i];
    const Value which = tile.number(filters_.side, slot);
    const Value at = tile.at_copy(tile.address(filters_.side, slot), filters_.side);
    if (!filters_.mapped) {
      tile.values[i] = times_filter(tile, filters_, tile.values[i], at, which);
      continue;
    }
    const Element element = tile.element(Point::Filter, filters_.side, i, which, at);
    c.store(element.value, c.join(tile.values[i]));
    co_yield element;
    tile.values[i] = c.split(c.load(element.value));
  }
}

}  // namespace vd::fft
