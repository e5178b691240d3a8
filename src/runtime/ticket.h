// The parts of a vd_ticket: 8 bits of context tag, 8 of queue, 48 of the queue's value. No tag is 0, so 0 is "done".
#pragma once

#include <cstdint>

#include "vkdispatch.h"

namespace vd::runtime {

struct Ticket {
  uint32_t tag = 0;
  uint32_t queue = 0;
  uint64_t value = 0;
};

inline constexpr uint32_t kMaxQueues = 256;  // of a context
inline constexpr uint64_t kTicketValueMask = (uint64_t{1} << 48) - 1;

constexpr vd_ticket pack_ticket(Ticket t) {
  return uint64_t{t.tag} << 56 | uint64_t{t.queue} << 48 | (t.value & kTicketValueMask);
}
constexpr Ticket unpack_ticket(vd_ticket t) {
  return {static_cast<uint32_t>(t >> 56), static_cast<uint32_t>(t >> 48 & 0xff), t & kTicketValueMask};
}

}  // namespace vd::runtime
