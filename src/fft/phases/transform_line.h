// Transforms the lines of a tile, in its registers.
#pragma once

#include "fft/phase.h"

namespace vd::fft {

class TransformLine final : public Step {
 public:
  explicit TransformLine(int sign) : sign_(sign) {}  // of the exponent
  Steps<Element> write(Tile& tile) const override;

 private:
  const int sign_;
};

// The other way, from where the first transform has left the values.
class TransformBack final : public Step {
 public:
  explicit TransformBack(int sign) : sign_(sign) {}
  Demands demands(const PassDesc&) const override { return {.back = true}; }
  void share(Tile& tile) const override;
  Steps<Element> write(Tile& tile) const override;

 private:
  const int sign_;
};

}  // namespace vd::fft
