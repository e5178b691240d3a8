// Pieces of a ring: their positions, and when they are free again.
#include "core/ring.h"

#include <gtest/gtest.h>

#include <thread>

namespace vd {
namespace {

TEST(Ring, PiecesFollowEachOtherAndAreFreeInOrder) {
  Ring ring(256);
  auto a = ring.take(100, 0), b = ring.take(64, 0);
  ASSERT_TRUE(a && b);
  EXPECT_EQ(a->offset(), 0u);
  EXPECT_EQ(b->offset(), 128u) << "pieces begin at cache lines";
  b->use_until(2);
  b.reset();
  EXPECT_FALSE(ring.take(128, 2)) << "the first piece is still in use, so nothing behind it is free";
  a->use_until(1);
  a.reset();
  EXPECT_EQ(ring.oldest(), 1u);
  EXPECT_FALSE(ring.take(128, 0)) << "given back, but not reached";
  const auto c = ring.take(128, 1);
  ASSERT_TRUE(c);
  EXPECT_EQ(c->offset(), 0u) << "64 bytes are left at the end; a piece does not wrap";
}

TEST(Ring, APieceOfTheWholeSizeFits) {
  Ring ring(256);
  EXPECT_TRUE(ring.take(1, 0)) << "and is free at once, as nothing uses it";
  const auto whole = ring.take(256, 0);
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->offset(), 0u);
  EXPECT_FALSE(ring.take(1, 0));
}

TEST(Ring, HasRoomForWhatTakeWouldFindRoomFor) {
  Ring ring(256);
  EXPECT_TRUE(ring.has_room(256, 64, 0));
  EXPECT_FALSE(ring.has_room(257, 64, 0));
  EXPECT_FALSE(ring.has_room(4 * 32 + 129, 32, 0)) << "pieces begin at cache lines";
  auto a = ring.take(100, 0);
  EXPECT_TRUE(ring.has_room(128, 64, 0));
  EXPECT_FALSE(ring.has_room(129, 64, 0));
  a->use_until(3);
  a.reset();
  EXPECT_FALSE(ring.has_room(129, 64, 2));
  EXPECT_TRUE(ring.has_room(129, 64, 3));
  EXPECT_TRUE(ring.has_room(256, 64, 3)) << "the ring is empty, wherever its next piece begins";
  EXPECT_FALSE(ring.has_room(256, 160, 3)) << "a piece does not wrap, so the end of the ring stays unused";
  const auto b = ring.take(128, 3);
  EXPECT_TRUE(ring.has_room(128, 128, 3));
  EXPECT_FALSE(ring.has_room(192, 192, 3));
  EXPECT_TRUE(ring.has_room(0, 64, 3));
}

TEST(Ring, OldestWaitsForAPieceInAnotherThreadsHands) {
  Ring ring(64);
  auto piece = ring.take(64, 0);
  ASSERT_TRUE(piece);
  std::thread other([&] {
    piece->use_until(7);
    piece.reset();
  });
  uint64_t value = ring.oldest();
  if (value == 0) value = ring.oldest();  // it waited
  EXPECT_EQ(value, 7u);
  other.join();
  EXPECT_TRUE(ring.take(64, 7));
  EXPECT_EQ(Ring(64).oldest(), 0u);
}

// Work that the ring had to wait for could not be submitted: no other thread may wait for it.
TEST(Ring, APieceWhoseWorkFailedIsFree) {
  Ring ring(64);
  try {
    const auto piece = ring.take(64, 0);
    throw 1;
  } catch (int) {
  }
  EXPECT_TRUE(ring.take(64, 0));
}

}  // namespace
}  // namespace vd
