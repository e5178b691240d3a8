#include "core/hash.h"

#include <gtest/gtest.h>

namespace {

TEST(Hash, IsStable) {
  // Names of cache entries: a change here throws every user's cache away.
  EXPECT_EQ(vd::hash_text("").hex(), "99aa06d3014798d86001c324468d497f");
  EXPECT_EQ(vd::hash_text("vkdispatch").hex(), vd::hash_text(std::string("vkdispatch")).hex());
  EXPECT_NE(vd::hash_text("a"), vd::hash_text("b"));
}

TEST(Hasher, KeepsPartsApart) {
  vd::Hasher a, b, c;
  a.add("ab").add("c");
  b.add("a").add("bc");
  c.add("ab").add("c");
  EXPECT_NE(a.finish(), b.finish());
  EXPECT_EQ(a.finish(), c.finish());
}

}  // namespace
