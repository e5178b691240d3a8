#include "fft/slot_factors.h"

#include <numeric>

namespace vd::fft {
Complex load_root(Tile& tile, const Factor& factor, Value index) {
  ComplexWriter& c = tile.c;
  const Value constants = tile.buffers.constants;
  return c.mul(load_constant(c, constants, c.rem(index, factor.steps), factor.fine),
               load_constant(c, constants, c.div(index, factor.steps), factor.coarse));
}

SlotFactors::Products::Products(Tile& tile, const Factor& factor) : tile_(tile), factor_(factor), unit_(factor) {
  uint32_t unit = 0;
  for (const RegisterSlot& slot : tile.slots) unit = std::gcd(unit, slot.place.offset);
  unit = std::max(unit, 1u);
  uint32_t bits = 0;
  for (const RegisterSlot& slot : tile.slots) bits |= slot.place.offset / unit;
  if (bits != 0) unit_ = twiddle_factor(tile.table, factor.period / unit, factor.conjugate);
  for (uint32_t power = 1; power <= bits; power *= 2) {
    if ((bits & power) != 0) powers_[power] = load_root(tile, unit_, tile.c.mul(tile.here().interleaved, power));
  }
  for (const RegisterSlot& slot : tile.slots) roots_.push_back(root(slot.place.base, slot.place.offset / unit));
}

Complex SlotFactors::Products::root(Value base, uint32_t steps) {
  ComplexWriter& c = tile_.c;
  if (const auto found = known_.find({base, steps}); found != known_.end()) return found->second;
  const uint32_t rest = steps & (steps - 1), power = steps ^ rest;
  uint64_t known = 0;
  const bool from_zero = c.is_known(base, known) && known == 0;
  Complex result;
  if (steps == 0) {
    result = from_zero ? Complex{c.constant(1), c.constant(0)}
                       : load_root(tile_, factor_, c.emit(VD_OP_MUL, {base, tile_.here().interleaved}));
  } else if (rest == 0 && from_zero) {
    result = powers_.at(power);
  } else {
    result = c.mul(root(base, rest), powers_.at(power));
  }
  known_[{base, steps}] = result;
  return result;
}

SlotFactors::SlotFactors(Tile& tile, const Factors& factors) : tile_(tile), factors_(factors) {
  products_.reserve(factors.size());
  for (const Factor& factor : factors) {
    if (factor.kind == Factor::Kind::Product) products_.emplace_back(tile, factor);
  }
}

Complex SlotFactors::apply(size_t i, Value number, Complex value) const {
  ComplexWriter& c = tile_.c;
  auto product = products_.begin();
  for (const Factor& factor : factors_) {
    const bool by_position = factor.kind == Factor::Kind::Position;
    const Complex by =
        factor.kind == Factor::Kind::Product
            ? (product++)->at(i)
            : load_constant(c, tile_.buffers.constants, by_position ? tile_.slots[i].position : number, factor.first);
    value = factor.conjugate ? c.mul_conj(value, by) : c.mul(value, by);
  }
  return value;
}

}  // namespace vd::fft
