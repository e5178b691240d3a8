// Reading from a device by way of a ring of host memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>

#include "core/staging.h"

namespace vd {

// Reads `size` bytes to `data` in pieces, with up to `in_flight` of them requested at once, so that the device copies
// while the host does. `take(bytes)` waits for a piece of the ring, `try_take(bytes)` may find none, `ask(piece,
// offset)` tells the device to fill a piece and returns the value at which it has, and `wait(value)` waits for that. If
// `ask` fails, the device must no longer use the piece.
template <class Ring, class Take, class TryTake, class Ask, class Wait>
void read_in_pieces(const Ring& ring, ThreadPool& copiers, std::byte* data, uint64_t size, size_t in_flight, Take take,
                    TryTake try_take, Ask ask, Wait wait) {
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
    wait(part.value);
    copy_out(copiers, data + part.offset, part.piece.data, part.piece.size);
    parts.pop_front();
  }
}

}  // namespace vd
