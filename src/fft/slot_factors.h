// The factors of the elements that an invocation holds: of a table, by element number; or, between the passes of a long
// line, roots of unity by the product of an element's position and its line's number.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "fft/tile.h"

namespace vd::fft {

// exp(-2 pi i index / period) of a factor that is a product.
Complex load_root(Tile& tile, const Factor& factor, Value index);

class SlotFactors {
 public:
  // For the tile's slots as they are now. Writes what several slots share, so it stands before the conditions under
  // which single elements are read or written.
  SlotFactors(Tile& tile, const Factors& factors);

  // A value of slot i times its factors. `number` of the side where they are applied.
  Complex apply(size_t i, Value number, Complex value) const;

 private:
  // Roots of one factor: those of positions that differ by a known number differ by a power of one root, which is loaded
  // in powers of two. Neighbouring lines find these next to each other.
  class Products {
   public:
    Products(Tile& tile, const Factor& factor);
    Complex at(size_t slot) const { return roots_[slot]; }

   private:
    // The root of the position base + unit * steps.
    Complex root(Value base, uint32_t steps);

    Tile& tile_;
    const Factor& factor_;
    Factor unit_;
    std::map<uint32_t, Complex> powers_;  // by the power of the unit's root
    std::map<std::pair<Value, uint32_t>, Complex> known_;
    std::vector<Complex> roots_;
  };

  Tile& tile_;
  const Factors& factors_;
  std::vector<Products> products_;  // of the factors that are products, in their order
};

}  // namespace vd::fft
