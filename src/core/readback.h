// Reading from a device by way of a ring of host memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>

namespace vd {

// Reads `size` bytes in pieces, with up to `in_flight` of them requested at once, so that the device copies while the
// host does. `take(bytes)` waits for a piece of the ring, `try_take(bytes)` may find none, `ask(piece, offset)` tells
// the device to fill a piece and returns the value at which it has, and `finish(piece, value, offset)` waits for that
// and takes the bytes out. If `ask` fails, the device must no longer use the piece.
template <class Ring, class Take, class TryTake, class Ask, class Finish>
void read_in_pieces(const Ring& ring, uint64_t size, size_t in_flight, Take take, TryTake try_take, Ask ask,
                    Finish finish) {
  struct Part {
    typename Ring::Piece piece;
    uint64_t value, offset;
  };
  std::deque<Part> parts;
  for (uint64_t asked = 0; asked < size || !parts.empty();) {
    while (asked < size && parts.size() < in_flight) {
      const uint64_t bytes = std::min(size - asked, ring.piece_size());
      // The last piece in our own hands is never waited for by ourselves.
      auto piece = parts.empty() ? std::optional(take(bytes)) : try_take(bytes);
      if (!piece) break;
      Part& part = parts.emplace_back(Part{std::move(*piece), 0, asked});
      part.value = ask(part.piece, asked);
      part.piece.place.use_until(part.value);
      asked += bytes;
    }
    const Part& part = parts.front();
    finish(part.piece, part.value, part.offset);
    parts.pop_front();
  }
}

}  // namespace vd
