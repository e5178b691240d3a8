// Taking pieces of a staging ring, and filling them.
#include "core/staging.h"

#include <gtest/gtest.h>

#include <numeric>
#include <optional>
#include <vector>

#include "core/ring.h"

namespace vd {
namespace {

struct Pieces {
  using Piece = Ring::Piece;
  std::optional<Piece> take(uint64_t size, uint64_t reached) { return ring.take(size, reached); }
  uint64_t oldest() { return ring.oldest(); }
  Ring ring{128};
};

TEST(Staging, WaitsForTheOldestPieceUntilThereIsRoom) {
  Pieces pieces;
  pieces.take(64, 0)->use_until(3);
  pieces.take(64, 0)->use_until(5);
  uint64_t reached = 2;
  std::vector<uint64_t> waited;
  const auto taken = take_piece(
      pieces, 128, [&] { return reached; },
      [&](uint64_t value) {
        waited.push_back(value);
        reached = value;
      });
  EXPECT_EQ(taken.offset(), 0u);
  EXPECT_EQ(waited, (std::vector<uint64_t>{3, 5}));
}

TEST(Staging, CopiesEveryByteWithAnyNumberOfThreads) {
  for (const uint32_t threads : {1u, 3u}) {
    ThreadPool copiers(threads);
    for (const size_t size : {size_t{0}, size_t{1}, size_t{1} << 20, (size_t{5} << 19) + 7}) {
      std::vector<std::byte> from(size), to(size + 1);
      for (size_t i = 0; i < size; ++i) from[i] = static_cast<std::byte>(i * 7 >> 3);
      copy_with(copiers, to.data(), from.data(), size);
      EXPECT_TRUE(std::equal(from.begin(), from.end(), to.begin())) << size;
      EXPECT_EQ(to.back(), std::byte{0}) << size;
    }
  }
}

}  // namespace
}  // namespace vd
