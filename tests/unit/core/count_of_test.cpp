#include "core/count_of.h"

#include <gtest/gtest.h>

namespace {

using vd::count_of;

TEST(CountOf, NounsAgreeWithTheirCounts) {
  EXPECT_EQ(count_of(0, "line"), "0 lines");
  EXPECT_EQ(count_of(1, "line"), "1 line");
  EXPECT_EQ(count_of(2, "line"), "2 lines");
  EXPECT_EQ(count_of(1, "pass", "passes"), "1 pass");
  EXPECT_EQ(count_of(11, "pass", "passes"), "11 passes");
}

}  // namespace
