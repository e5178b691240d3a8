// Pieces of a ring: where they lie, when they are free again.
#include "core/ring.h"

#include <gtest/gtest.h>

#include <thread>

namespace vd {
namespace {

TEST(Ring, PiecesFollowEachOtherAndAreFreeInOrder) {
  Ring ring(256);
  const auto a = ring.take(100, 0), b = ring.take(64, 0);
  ASSERT_TRUE(a && b);
  EXPECT_EQ(a->offset, 0u);
  EXPECT_EQ(b->offset, 128u) << "pieces begin at cache lines";
  ring.give_back(b->number, 2);
  EXPECT_FALSE(ring.take(128, 2)) << "the first piece is still in use, so nothing behind it is free";
  ring.give_back(a->number, 1);
  EXPECT_EQ(ring.oldest(), 1u);
  EXPECT_FALSE(ring.take(128, 0)) << "given back, but not reached";
  const auto c = ring.take(128, 1);
  ASSERT_TRUE(c);
  EXPECT_EQ(c->offset, 0u) << "64 bytes are left at the end; a piece does not wrap";
}

TEST(Ring, APieceOfTheWholeSizeFits) {
  Ring ring(256);
  const auto small = ring.take(1, 0);
  ASSERT_TRUE(small);
  ring.give_back(small->number, 0);
  const auto whole = ring.take(256, 0);
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->offset, 0u);
  EXPECT_FALSE(ring.take(1, 0));
}

TEST(Ring, OldestWaitsForAPieceInAnotherThreadsHands) {
  Ring ring(64);
  const auto piece = ring.take(64, 0);
  ASSERT_TRUE(piece);
  std::thread other([&] { ring.give_back(piece->number, 7); });
  uint64_t value = ring.oldest();
  if (value == 0) value = ring.oldest();  // it waited
  EXPECT_EQ(value, 7u);
  other.join();
  EXPECT_TRUE(ring.take(64, 7));
  EXPECT_EQ(Ring(64).oldest(), 0u);
}

}  // namespace
}  // namespace vd
