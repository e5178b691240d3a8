#include "core/weak_table.h"

#include <gtest/gtest.h>

#include <string>

namespace vd {
namespace {

Hash128 key(int n) { return hash_text(std::to_string(n)); }

TEST(WeakTable, AnEntryLivesAsLongAsItIsHeld) {
  WeakTable<int> table;
  auto held = table.add(key(1), std::make_shared<int>(1));
  EXPECT_EQ(table.find(key(1)), held);
  EXPECT_EQ(table.add(key(1), std::make_shared<int>(2)), held) << "the first one stays";
  held.reset();
  EXPECT_EQ(table.find(key(1)), nullptr);
  held = table.add(key(1), std::make_shared<int>(3));
  EXPECT_EQ(*table.find(key(1)), 3);
  EXPECT_EQ(table.find(key(2)), nullptr);
}

TEST(WeakTable, EntriesThatEndedTakeNoRoom) {
  WeakTable<int> table;
  const auto held = table.add(key(-1), std::make_shared<int>(0));
  for (int i = 0; i < 10000; ++i) table.add(key(i), std::make_shared<int>(i));
  EXPECT_LE(table.size(), 64u);
  EXPECT_EQ(table.find(key(-1)), held);
}

}  // namespace
}  // namespace vd
