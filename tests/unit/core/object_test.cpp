#include "core/object.h"

#include <gtest/gtest.h>

namespace vd {
namespace {

struct Counted final : Object {
  explicit Counted(int& alive) : alive(alive) { ++alive; }
  ~Counted() override { --alive; }
  int& alive;
};

TEST(Ref, LastReferenceDeletes) {
  int alive = 0;
  const uint64_t before = live_objects();
  {
    Ref<Counted> first = make_ref<Counted>(alive);
    Ref<Counted> second = first;
    first = nullptr;
    EXPECT_EQ(alive, 1);
    EXPECT_EQ(live_objects(), before + 1);
  }
  EXPECT_EQ(alive, 0);
  EXPECT_EQ(live_objects(), before);
}

TEST(Ref, DetachedReferenceIsTheCallers) {
  int alive = 0;
  Counted* object = make_ref<Counted>(alive).detach();
  EXPECT_EQ(alive, 1);
  object->release();
  EXPECT_EQ(alive, 0);
}

TEST(Ref, ConvertsToItsBaseAndKeepsTheCount) {
  int alive = 0;
  Ref<Object> base = make_ref<Counted>(alive);
  EXPECT_EQ(alive, 1);
  base = nullptr;
  EXPECT_EQ(alive, 0);
}

}  // namespace
}  // namespace vd
