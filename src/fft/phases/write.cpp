#include "fft/phases/write.h"

#include <fmt/format.h>

#include "fft/phases/row.h"
#include "fft/slot_factors.h"

namespace vd::fft {

bool Write::is_row(const PassDesc& desc) const {
  return !what_.mapped && what_.factors.empty() && is_written_row(desc, what_.side);
}

Traffic Write::traffic(const PassDesc& desc) const {
  return {.written = what_.mapped ? 0 : desc.copies * side_bytes(desc, what_.side)};
}

std::vector<Access> Write::accesses(const PassDesc& desc) const {
  return {{&what_.side, &Batch::out_stride, Access::At::Write, what_.mapped, desc.copies}};
}

Value Write::begin(Tile& tile, const RegisterSlot& slot, Value number) const {
  ComplexWriter& c = tile.c;
  const Value wanted = tile.inside(what_.side, number, &slot, what_.mapped);
  if (wanted == Tile::kNever) return wanted;
  const Value in_range = c.both(c.both(tile.here().exists, slot.owned), wanted);
  c.begin_if(in_range);
  return in_range;
}

Complex Write::value(Tile& tile, const SlotFactors& factors, size_t i, Value number) const {
  return tile.c.scale(factors.apply(i, number, tile.values[i]), what_.scale);
}

Steps<Element> Write::write(Tile& tile) const {
  ComplexWriter& c = tile.c;
  if (tile.layout.staged_out) {
    store_row(tile, what_.side, what_.scale);
    co_return;
  }
  const SlotFactors factors(tile, what_.factors);
  for (size_t i = 0; i < tile.slots.size(); ++i) {
    const Value which = tile.number(what_.side, tile.slots[i]);
    const Value in_range = begin(tile, tile.slots[i], which);
    if (in_range == Tile::kNever) continue;
    const Complex result = value(tile, factors, i, which);
    const Value at = tile.at_copy(tile.address(what_.side, tile.slots[i]), what_.side);
    if (what_.mapped) {
      const Element element = tile.element(Point::Write, what_.side, i, which, at);
      c.store(element.value, c.join(result));
      co_yield element;
    } else {
      tile.store(what_.side, at, result);
    }
    c.end_if(in_range);
  }
}

// ---- Products with several filters

Demands WriteProducts::demands(const PassDesc& desc) const {
  Demands all = Write::demands(desc);
  all.add({.mapped = filters_.mapped});
  return all;
}

Traffic WriteProducts::traffic(const PassDesc& desc) const {
  return {.read = filter_bytes(desc, filters_, what_.side.end),
          .written = filters_.count * Write::traffic(desc).written};
}

std::string WriteProducts::text() const {
  return filters_.count == 1 ? ", multiplied by the filter" : fmt::format(", multiplied by {} filters", filters_.count);
}

std::vector<Access> WriteProducts::accesses(const PassDesc&) const {
  return {{&what_.side, &Batch::out_stride, Access::At::Write, what_.mapped, filters_.count},
          {&filters_.side, &Batch::filter_stride, Access::At::Write, filters_.mapped, filters_.count}};
}

Steps<Element> WriteProducts::write(Tile& tile) const {
  ComplexWriter& c = tile.c;
  const SlotFactors factors(tile, what_.factors);
  for (size_t i = 0; i < tile.slots.size(); ++i) {
    const RegisterSlot& slot = tile.slots[i];
    const Value which = tile.number(what_.side, slot);
    const Value in_range = begin(tile, slot, which);
    if (in_range == Tile::kNever) continue;
    const Complex all = value(tile, factors, i, which);
    const Value first = tile.address(what_.side, slot);
    for (uint32_t filter = 0; filter < filters_.count; ++filter) {
      const Value filter_at = tile.at_copy(tile.address(filters_.side, slot), filters_.side, filter);
      Complex result;
      if (filters_.mapped) {
        const Element element = tile.element(Point::Filter, filters_.side, i, which, filter_at, filter);
        c.store(element.value, c.join(all));
        co_yield element;
        result = c.split(c.load(element.value));
      } else {
        result = times_filter(tile, filters_, all, filter_at, which);
      }
      const Value at = tile.at_copy(first, what_.side, filter);
      if (what_.mapped) {
        const Element element = tile.element(Point::Write, what_.side, i, which, at, filter);
        c.store(element.value, c.join(result));
        co_yield element;
      } else {
        tile.store(what_.side, at, result);
      }
    }
    c.end_if(in_range);
  }
}

}  // namespace vd::fft
