#include "runtime/hazard.h"

#include <gtest/gtest.h>

namespace {

using vd::runtime::AccessLog;
using vd::runtime::Span;

int conflicts(const AccessLog& log, Span span, bool write) {
  int count = 0;
  log.conflicts(span, write, [&](const AccessLog::Entry&) { ++count; });
  return count;
}

TEST(AccessLog, ReadsDoNotConflictWithReads) {
  AccessLog log(2);
  log.add({{0, 100}, 1, 1, 0, false});
  EXPECT_EQ(conflicts(log, {0, 100}, false), 0);
  EXPECT_EQ(conflicts(log, {0, 100}, true), 1);
}

TEST(AccessLog, OnlySharedBytesConflict) {
  AccessLog log(2);
  log.add({{0, 100}, 1, 1, 0, true});
  EXPECT_EQ(conflicts(log, {100, 200}, true), 0);
  EXPECT_EQ(conflicts(log, {99, 200}, false), 1);
}

TEST(AccessLog, WriteStandsForAllThatItCovers) {
  AccessLog log(2);
  log.add({{0, 50}, 1, 1, 0, false});
  log.add({{50, 200}, 2, 1, 0, false});
  log.add({{0, 100}, 3, 2, 0, true});
  ASSERT_EQ(log.entries().size(), 2u);  // the read past byte 100 is still there
  EXPECT_EQ(log.entries()[0].value, 2u);
  EXPECT_EQ(log.entries()[1].value, 3u);
}

TEST(AccessLog, RepeatedReadKeepsItsLastValue) {
  AccessLog log(2);
  for (uint64_t value = 1; value <= 1000; ++value) log.add({{0, 50}, value, value, 0, false});
  ASSERT_EQ(log.entries().size(), 1u);
  EXPECT_EQ(log.entries()[0].value, 1000u);
}

TEST(AccessLog, ManyRangesAreMergedAndStillConflict) {
  AccessLog log(2);
  for (uint64_t i = 0; i < 1000; ++i)
    log.add({{16 * i, 16 * i + 16}, i + 1, 1, static_cast<uint32_t>(i % 2), i % 3 == 0});
  EXPECT_LE(log.entries().size(), 18u);
  for (uint64_t i = 0; i < 1000; ++i) EXPECT_GE(conflicts(log, {16 * i, 16 * i + 1}, true), 1) << i;
}

// A use is noted after its work was given, when there is no way back: it may need no memory.
TEST(AccessLog, AllocatesOnlyWhatIsExpected) {
  AccessLog log(3);
  EXPECT_EQ(log.entries().capacity(), 0u);
  for (uint64_t i = 0; i < 1000; i += i % 7 + 1) {
    for (uint64_t use = 0; use < i % 7 + 1; ++use) log.expect();
    const auto* const before = log.entries().data();
    const size_t room = log.entries().capacity();
    EXPECT_LE(room, 21u);
    for (uint64_t use = i; use < i + i % 7 + 1; ++use) {
      log.add({{16 * use, 16 * use + 16}, use + 1, use / 7, static_cast<uint32_t>(use % 3), use % 5 == 0});
    }
    ASSERT_EQ(log.entries().data(), before);
    ASSERT_EQ(log.entries().capacity(), room);
  }
}

// Work that was expected and failed makes no more room than a log may have.
TEST(AccessLog, ForgetsNoRoomOfFailedWork) {
  AccessLog log(1);
  for (int i = 0; i < 1000; ++i) log.expect();
  EXPECT_EQ(log.entries().capacity(), 17u);
  const auto* const before = log.entries().data();
  for (uint64_t i = 0; i < 1000; ++i) log.add({{16 * i, 16 * i + 16}, i + 1, 1, 0, true});
  EXPECT_EQ(log.entries().data(), before);
}

}  // namespace
