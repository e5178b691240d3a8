// The order in which the workgroups of one dispatch take the tiles of two passes: by ticket, the next value of a
// counter. Bundles of lines go through both passes one after the other, and the numbers between the passes lie in a ring
// of as many slots as are in flight, so that they stay in the device's cache.
//
// A tile of the second pass waits until its bundle's tiles of the first are written, and one of the first until the
// bundle that had its slot before was read. In this order each tile that another one waits for has a smaller ticket.
// Workgroups with smaller tickets run or are done, and of those that run the one with the smallest ticket waits for
// none. So it is enough that a workgroup which runs goes on: whether the others are on the device does not matter.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace vd::fft {

// More slots of a ring gain nothing: as many bundles are never in flight.
inline constexpr uint32_t kMostSlots = 256;

struct TicketOrder {
  uint32_t slots = 0;               // of the ring, at least 2; 0: no tile is taken by ticket
  std::array<uint32_t, 2> tiles{};  // of a bundle, in each pass

  explicit operator bool() const { return slots != 0; }
  uint32_t tiles_of_bundle() const { return tiles[0] + tiles[1]; }
  uint64_t tickets(uint64_t bundles) const { return bundles * tiles_of_bundle(); }
  // Bundles that the first pass has begun when the second begins with its first one: the half of the ring, so that each
  // pass is as far behind what it waits for.
  uint32_t most_ahead() const { return slots / 2; }
  uint64_t ahead(uint64_t bundles) const { return std::min<uint64_t>(most_ahead(), bundles); }

  struct Place {
    uint32_t pass = 0;
    uint64_t bundle = 0;
    uint32_t tile = 0;  // of the bundle
    friend bool operator==(const Place&, const Place&) = default;
  };
  // The tile of a ticket below tickets(bundles).
  Place place(uint64_t ticket, uint64_t bundles) const;

  uint64_t slot(uint64_t bundle) const { return bundle % slots; }
  // The tiles of the other pass that a tile waits for: as many have to be done in its slot, over all bundles that had it.
  uint64_t awaited(uint32_t pass, uint64_t bundle) const {
    return pass == 0 ? bundle / slots * tiles[1] : (bundle / slots + 1) * tiles[0];
  }
};

// The counters of a launch, words that are 0 before and after it. Each has a sector of memory of its own, so that
// atomics on one do not wait for those on another.
struct TicketCounters {
  static constexpr uint32_t kStep = 8;  // words
  static constexpr uint32_t kTicket = 0, kRead = kStep;
  // Tiles of a pass that are done, by slot.
  static constexpr uint32_t done(uint32_t pass, uint32_t slot) { return (2 + 2 * slot + pass) * kStep; }
  static constexpr uint32_t count(uint32_t slots) { return 2 + 2 * slots; }
  static constexpr uint32_t words(uint32_t slots) { return count(slots) * kStep; }
};

}  // namespace vd::fft
