#include "core/steps.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace vd {
namespace {

Steps<int> count(int last, bool fails) {
  for (int i = 1; i <= last; ++i) co_yield i;
  if (fails) throw std::runtime_error("no more");
}

TEST(Steps, HandsOutWhatIsYielded) {
  Steps<int> steps = count(2, false);
  int item = 0;
  EXPECT_TRUE(steps.next(item));
  EXPECT_EQ(item, 1);
  EXPECT_TRUE(steps.next(item));
  EXPECT_EQ(item, 2);
  EXPECT_FALSE(steps.next(item));
  EXPECT_FALSE(steps.next(item));
}

TEST(Steps, WhatFailedIsNeverComplete) {
  Steps<int> steps = count(1, true);
  int item = 0;
  EXPECT_TRUE(steps.next(item));
  EXPECT_THROW(steps.next(item), std::runtime_error);
  EXPECT_THROW(steps.next(item), std::runtime_error);
}

}  // namespace
}  // namespace vd
