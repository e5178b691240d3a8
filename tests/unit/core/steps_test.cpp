#include "core/steps.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

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

// 1, 2, all of count(2, fails), 9, and nothing of an empty one.
Steps<int> nest(bool fails) {
  co_yield 1;
  co_yield 2;
  co_yield count(2, fails);
  co_yield count(0, false);
  co_yield 9;
}
Steps<int> nest_twice(bool fails) {
  co_yield nest(fails);
  co_yield 10;
}

TEST(Steps, HandsOutThoseOfOthers) {
  Steps<int> steps = nest_twice(false);
  std::vector<int> items;
  for (int item = 0; steps.next(item);) items.push_back(item);
  EXPECT_EQ(items, (std::vector<int>{1, 2, 1, 2, 9, 10}));
  int item = 0;
  EXPECT_FALSE(steps.next(item));
}

TEST(Steps, WhatFailedInsideIsNeverComplete) {
  Steps<int> steps = nest_twice(true);
  int item = 0;
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(steps.next(item));
  EXPECT_THROW(steps.next(item), std::runtime_error);
  EXPECT_THROW(steps.next(item), std::runtime_error);
}

}  // namespace
}  // namespace vd
