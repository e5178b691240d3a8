// The failures of a queue's work that are kept, and to whom they are reported.
#include "core/work_failures.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace vd {
namespace {

void add(WorkFailures& failures, uint64_t value) {
  failures.add(value, std::make_exception_ptr(std::runtime_error(std::to_string(value))));
}
// The value whose failure is thrown, 0 if none is.
uint64_t reported(WorkFailures& failures, uint64_t value, bool asked) {
  try {
    failures.report(value, asked);
  } catch (const std::runtime_error& error) {
    return std::stoull(error.what());
  }
  return 0;
}

TEST(WorkFailures, AreReportedOnceAndToWhoeverAsksForTheirWork) {
  WorkFailures failures;
  add(failures, 3);
  add(failures, 5);
  EXPECT_EQ(reported(failures, 2, true), 0u);
  EXPECT_EQ(reported(failures, 4, true), 3u);
  EXPECT_EQ(reported(failures, 4, true), 0u);
  EXPECT_EQ(reported(failures, 9, false), 5u);
  EXPECT_EQ(reported(failures, 9, false), 0u);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(reported(failures, 3, true), 3u);
    EXPECT_EQ(reported(failures, 5, true), 5u);
    EXPECT_EQ(reported(failures, 5, false), 0u);
  }
}

TEST(WorkFailures, OfAPartAreOfTheWholeWork) {
  WorkFailures failures;
  WorkFailures::Work work, other;
  failures.join(work, 1, 0);
  add(failures, 1);  // before it is known that there are more
  failures.join(other, 2, 0);
  failures.join(work, 3, 0);
  failures.join(work, 4, 0);
  failures.join(other, 5, 0);
  failures.join(work, 6, 0);
  add(failures, 5);
  EXPECT_TRUE(failures.has(1));
  EXPECT_TRUE(failures.has(6));
  EXPECT_FALSE(failures.has(4));
  EXPECT_EQ(reported(failures, 6, false), 1u);
  EXPECT_EQ(reported(failures, 6, false), 5u);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(reported(failures, 6, true), 1u);
    EXPECT_EQ(reported(failures, 5, true), 5u);
    EXPECT_EQ(reported(failures, 4, true), 0u);
  }
}

TEST(WorkFailures, OfWorkThatWentOnBehindWhatIsDone) {
  WorkFailures failures;
  WorkFailures::Work work, other;
  failures.join(work, 1, 0);
  failures.join(work, 2, 0);
  failures.join(other, 3, 2);
  failures.join(other, 4, 2);  // the other's parts so far are done
  failures.join(work, 5, 2);
  add(failures, 5);
  failures.join(work, 6, 2);
  EXPECT_EQ(reported(failures, 6, true), 5u);
  EXPECT_EQ(reported(failures, 6, true), 5u);
}

TEST(WorkFailures, TheOldestThatWereReportedMakeRoom) {
  WorkFailures failures;
  for (uint64_t value = 1; value <= WorkFailures::kMost; ++value) add(failures, value);
  EXPECT_EQ(reported(failures, 1, true), 1u);
  EXPECT_EQ(reported(failures, 2, true), 2u);
  const uint64_t last = WorkFailures::kMost + 3;
  for (uint64_t value = last - 2; value <= last; ++value) add(failures, value);
  EXPECT_FALSE(failures.has(1));
  EXPECT_FALSE(failures.has(2));
  EXPECT_FALSE(failures.has(3)) << "none was reported any more, so it was the oldest";
  for (uint64_t value = 4; value <= last; ++value) EXPECT_EQ(reported(failures, last, false), value);
  EXPECT_EQ(reported(failures, last, false), 0u);
}

}  // namespace
}  // namespace vd
