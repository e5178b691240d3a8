// Bytes of the host on their way to a queue's memory.
#pragma once

#include <cstddef>
#include <span>

#include "runtime/context.h"
#include "runtime/transfer.h"
#include "runtime/waits.h"

namespace vd::runtime {

// Writes to the start of a range that `transfer` holds, at most all of it, after `waits`. The bytes have been taken on
// return. The ticket is done when the device has them.
vd_ticket send(vd_context& context, Queue& queue, const Access& access, std::span<const std::byte> bytes,
               const Transfer& transfer, const Waits& waits);

}  // namespace vd::runtime
