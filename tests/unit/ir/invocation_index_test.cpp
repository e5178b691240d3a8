#include "ir/invocation_index.h"

#include <gtest/gtest.h>

#include "ir/text.h"

namespace vd::ir {
namespace {

// A kernel of three buffers, whose number on the first axis is %0.
std::vector<bool> indexed(const std::string& code) {
  return indexed_by_invocation(parse_text(R"(kernel "k"
argument 0 buffer u32 "a"
argument 1 buffer u32 "b"
argument 2 buffer u32x4 "c"
{
  %0: u32 = index global_id, u32 0
)" + code + "}\n"));
}

using Which = std::vector<bool>;

TEST(InvocationIndex, EachAccessIsAtTheNumber) {
  EXPECT_EQ(indexed(R"(  %1: storage u32 = index @0, %0
  %2: i32 = convert %0
  %3: storage u32x4 = index @2, %2
  %4: storage u32 = index %3, u32 2
  %5: u32 = load %4
  %6: storage u32 = index @1, u32 3
  %7: u32 = load %6
  %8: u32 = add %5, %7
  store %1, %8
)"),
            (Which{true, false, true}))
      << "b is accessed at a constant, and nowhere else";
}

TEST(InvocationIndex, AnotherUseOfTheNumberNeedsAllOfThem) {
  const std::string store = "  %1: storage u32 = index @0, %0\n  store %1, ";
  EXPECT_EQ(indexed(store + "u32 1\n"), (Which{true, true, true}));
  EXPECT_EQ(indexed(store + "%0\n"), (Which{false, false, false}));
  EXPECT_EQ(indexed("  %1: u32 = add %0, u32 1\n  %2: storage u32 = index @0, %1\n  store %2, u32 1\n"),
            (Which{false, false, false}));
  EXPECT_EQ(indexed(R"(  %1: storage u32 = index @0, %0
  %2: u32 = index workgroup_id, u32 0
  store %1, %2
)"),
            (Which{false, false, false}));
  EXPECT_EQ(indexed(R"(  %1: storage u32 = index @0, %0
  %2: storage u32 = index @0, u32 0
  %3: u32 = load %2
  store %1, %3
)"),
            (Which{false, false, false}))
      << "a is accessed at a constant, too";
}

}  // namespace
}  // namespace vd::ir
