#include "fft/ticket_order.h"

namespace vd::fft {

TicketOrder::Place TicketOrder::place(uint64_t ticket, uint64_t bundles) const {
  const auto at = [](uint32_t pass, uint64_t bundle, uint64_t tile) {
    return Place{pass, bundle, static_cast<uint32_t>(tile)};
  };
  // Bundles of the first pass alone, then one of each in turns, then those of the second that are left.
  const uint64_t before = ahead(bundles), begin = before * tiles[0];
  if (ticket < begin) return at(0, ticket / tiles[0], ticket % tiles[0]);
  const uint64_t number = ticket - begin, both = (bundles - before) * tiles_of_bundle();
  if (number >= both) {
    const uint64_t left = number - both;
    return at(1, bundles - before + left / tiles[1], left % tiles[1]);
  }
  const uint64_t turn = number / tiles_of_bundle(), tile = number % tiles_of_bundle();
  return tile < tiles[0] ? at(0, before + turn, tile) : at(1, turn, tile - tiles[0]);
}

}  // namespace vd::fft
