// Reading from a device by way of a ring of host memory.
#include "core/readback.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "core/ring.h"

namespace vd {
namespace {

// A device that fills the pieces when they are waited for.
TEST(Readback, ReadsInPieces) {
  struct Filled {
    std::byte* data;
    uint64_t size;
    Ring::Piece place;
  };
  struct Memory {
    using Piece = Filled;
    uint64_t piece_size() const { return uint64_t{2} << 20; }
    std::optional<Piece> take(uint64_t size, uint64_t reached) {
      auto place = ring.take(size, reached);
      if (!place) return std::nullopt;
      return Piece{bytes.data() + place->offset(), size, std::move(*place)};
    }
    Ring ring{uint64_t{8} << 20};
    std::vector<std::byte> bytes = std::vector<std::byte>(8 << 20);
  } memory;
  constexpr size_t kSize = (size_t{13} << 20) + 5;
  std::vector<std::byte> from(kSize), to(kSize);
  for (size_t i = 0; i < kSize; ++i) from[i] = static_cast<std::byte>(i * 7 >> 3);
  ThreadPool copiers(3);
  uint64_t reached = 0, asked = 0;
  std::vector<std::function<void()>> fills;
  read_in_pieces(
      memory, copiers, to.data(), kSize, 3, [&](uint64_t size) { return *memory.take(size, reached); },
      [&](uint64_t size) { return memory.take(size, reached); },
      [&](const Filled& piece, uint64_t offset) {
        fills.emplace_back([&from, data = piece.data, size = piece.size, offset] {
          std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(offset), size, data);
        });
        return ++asked;
      },
      [&](uint64_t value) {
        EXPECT_EQ(value, reached + 1);
        EXPECT_LE(asked, value + 2) << "more are under way than three";
        fills.at(value - 1)();
        reached = value;
      });
  EXPECT_EQ(asked, 7u);
  EXPECT_EQ(reached, 7u);
  EXPECT_EQ(to, from);
}

}  // namespace
}  // namespace vd
