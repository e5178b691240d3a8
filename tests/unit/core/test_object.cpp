#include "core/object.h"

#include <gtest/gtest.h>

namespace {

struct Thing final : vd::Object {};

TEST(Object, LivesAsLongAsItsReferences) {
  const uint64_t before = vd::live_objects();
  {
    vd::Ref<Thing> a = vd::make_ref<Thing>();
    vd::Ref<Thing> b = a;
    Thing* raw = a.detach();
    EXPECT_EQ(vd::live_objects(), before + 1);
    b = nullptr;
    EXPECT_EQ(vd::live_objects(), before + 1);
    raw->release();
    EXPECT_EQ(vd::live_objects(), before);
  }
  EXPECT_EQ(vd::live_objects(), before);
}

}  // namespace
