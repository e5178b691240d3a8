// Sending data to a device, or fetching it, by way of a ring of host memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/thread_pool.h"

namespace vd {

// A piece of a staging ring, waiting for room where there is none: `reached()` says how far the timeline is, and
// `wait(value)` ends when it has reached a value. A caller that holds a piece and takes another may wait for itself.
template <class Ring, class Reached, class Wait>
typename Ring::Piece take_piece(Ring& ring, uint64_t size, Reached reached, Wait wait) {
  for (;;) {
    if (auto piece = ring.take(size, reached())) return std::move(*piece);
    if (const uint64_t value = ring.oldest(); value != 0) wait(value);
  }
}

// As memcpy, with several threads where that pays: one alone fills pinned memory at half of the bus's speed.
void copy_with(ThreadPool& copiers, std::byte* to, const std::byte* from, uint64_t size);

// The same to memory of the program's, which may be new and have no pages yet. Each of its pages, large ones too, is then
// made by one thread: of threads that write to one new page at the same time each would make and clear it.
void copy_out(ThreadPool& copiers, std::byte* to, const std::byte* from, uint64_t size);

// The bytes at `address` in parts that share no large page.
std::vector<std::pair<uint64_t, uint64_t>> split_at_large_pages(uint64_t address, uint64_t size);

}  // namespace vd
