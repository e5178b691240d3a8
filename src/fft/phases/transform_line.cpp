#include "fft/phases/transform_line.h"

#include "fft/tile.h"

namespace vd::fft {

Steps<Element> TransformLine::write(Tile& tile) const {
  tile.engine.run(tile.forward, sign_, tile.values);
  tile.slots = tile.end = tile.engine.outputs(tile.forward);
  tile.move_to(tile.at_spectrum());
  tile.set_transposed(true);
  co_return;
}

void TransformBack::share(Tile& tile) const { tile.end = tile.engine.outputs(tile.backward); }

Steps<Element> TransformBack::write(Tile& tile) const {
  tile.engine.run(tile.backward, sign_, tile.values);
  tile.slots = tile.end;
  tile.move_to(tile.at_write());
  tile.set_transposed(false);
  co_return;
}

}  // namespace vd::fft
