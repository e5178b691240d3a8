// Taking pieces of a staging ring, and filling them.
#include "core/staging.h"

#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <optional>
#include <vector>

#include "core/platform.h"
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

TEST(Staging, CopiesToNewMemory) {
  constexpr size_t kSize = (size_t{9} << 20) + 123, kFront = 77;
  std::vector<std::byte> from(kSize);
  for (size_t i = 0; i < kSize; ++i) from[i] = static_cast<std::byte>(i * 7 >> 3);
  for (const uint32_t threads : {1u, 3u}) {
    ThreadPool copiers(threads);
    const std::unique_ptr<std::byte[]> to(new std::byte[kSize + kFront + 1]);
    to[kFront - 1] = to[kFront + kSize] = std::byte{9};
    copy_out(copiers, to.get() + kFront, from.data(), kSize);
    EXPECT_TRUE(std::equal(from.begin(), from.end(), to.get() + kFront));
    EXPECT_TRUE(platform::has_pages(to.get(), kSize));
    EXPECT_EQ(to[kFront - 1], std::byte{9});
    EXPECT_EQ(to[kFront + kSize], std::byte{9});
  }
}

// Two threads in one new large page would each clear all of it.
TEST(Staging, PartsOfNewMemoryShareNoLargePage) {
  constexpr uint64_t kPage = 2 << 20;
  for (const uint64_t address : {uint64_t{0}, uint64_t{16}, 5 * kPage + 4096, 7 * kPage - 1}) {
    uint64_t last = 0;
    for (const auto& [begin, end] : split_at_large_pages(address, 8 << 20)) {
      EXPECT_EQ(begin, last);
      EXPECT_EQ((address + begin) / kPage, (address + end - 1) / kPage);
      last = end;
    }
    EXPECT_EQ(last, uint64_t{8} << 20);
  }
  EXPECT_TRUE(split_at_large_pages(4096, 0).empty());
}

}  // namespace
}  // namespace vd
