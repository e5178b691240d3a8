#include "ir/divergence.h"

#include <gtest/gtest.h>

#include "ir/text.h"

namespace vd::ir::testing {
namespace {

size_t found(const std::string& body, std::array<uint32_t, 3> workgroup_size = {64, 1, 1}) {
  const Kernel kernel =
      parse_text("kernel\nargument 0 buffer u32\nargument 1 constant u32\nshared 0 u32 x 64\n{\n" + body + "}\n");
  return divergent_barriers(kernel, workgroup_size).size();
}

constexpr const char* kIndex = "%0: u32 = index local_id, u32 0\n";
// A condition of the index and one that is the same everywhere.
constexpr const char* kConditions =
    "%0: u32 = index local_id, u32 0\n%1: u32 = load @1\n%2: bool = lt %0, %1\n%3: bool = lt u32 4, %1\n";

TEST(Divergence, ABarrierBehindATestOfTheIndexIsFound) {
  EXPECT_EQ(found("barrier\n"), 0u);
  EXPECT_EQ(found(std::string(kConditions) + "if %2 {\n barrier\n} else {\n barrier\n}\nbarrier\n"), 2u);
  EXPECT_EQ(found(std::string(kConditions) + "if %3 {\n barrier\n}\n"), 0u);
  EXPECT_EQ(found(std::string(kConditions) + "if %3 {\n if %2 {\n  barrier\n }\n barrier\n}\n"), 1u);
}

TEST(Divergence, AnAxisWithOneInvocationIsTheSameEverywhere) {
  const std::string row = "%0: u32 = index global_id, u32 1\n%1: bool = lt %0, u32 4\nif %1 {\n barrier\n}\n";
  EXPECT_EQ(found(row), 0u);
  EXPECT_EQ(found(row, {8, 8, 1}), 1u);
  EXPECT_EQ(found(std::string(kConditions) + "if %2 {\n barrier\n}\n", {1, 1, 1}), 0u);
}

TEST(Divergence, VariablesCarryWhatVaries) {
  const auto loop = [](const std::string& step) {
    return std::string(kIndex) +
           "%1: private u32 = var u32 0\n"
           "while {\n %2: u32 = load %1\n %3: bool = lt %2, u32 9\n} %3 {\n"
           " barrier\n %4: u32 = load %1\n %5: u32 = add %4, " +
           step + "\n store %1, %5\n}\n";
  };
  EXPECT_EQ(found(loop("u32 1")), 0u);
  EXPECT_EQ(found(loop("%0")), 1u);
  // Set to a constant, but not by all.
  EXPECT_EQ(
      found(std::string(kConditions) + "%4: private u32 = var u32 0\nif %2 {\n store %4, u32 1\n}\n%5: u32 = load %4\n"
                                       "%6: bool = lt %5, u32 1\nif %6 {\n barrier\n}\n"),
      1u);
}

TEST(Divergence, WhoLeavesIsMissed) {
  EXPECT_EQ(found(std::string(kConditions) + "if %2 {\n return\n}\nbarrier\n"), 1u);
  EXPECT_EQ(found(std::string(kConditions) + "if %3 {\n return\n}\nbarrier\n"), 0u);
  // A break makes the iterations of its own loop diverge, those before it too, and no others.
  const std::string loops = "loop {\n barrier\n loop {\n  barrier\n  if %2 {\n   break\n  }\n }\n";
  EXPECT_EQ(found(kConditions + loops + " if %3 {\n  break\n }\n}\nbarrier\n"), 1u);
  EXPECT_EQ(found(kConditions + loops + " if %2 {\n  return\n }\n}\n"), 2u);
}

// Invocations that return from a loop miss each of its later iterations, also if they returned from an inner one.
TEST(Divergence, WhoReturnsFromAnInnerLoopMissesTheOuterOne) {
  EXPECT_EQ(found(std::string(kConditions) +
                  "loop {\n barrier\n loop {\n  if %2 {\n   return\n  }\n  if %3 {\n   break\n  }\n }\n if %3 {\n  "
                  "break\n }\n}\nbarrier\n"),
            2u);
}

TEST(Divergence, MemoryAtOneAddressIsOneValueButAtomicsAreNot) {
  const std::string read =
      "%0: storage u32 = index @0, u32 3\n%1: u32 = load %0\n%2: bool = lt %1, u32 1\nif %2 {\n barrier\n}\n";
  EXPECT_EQ(found(read), 0u);
  EXPECT_EQ(found("%0: storage u32 = index @0, u32 3\n%1: u32 = atomic_add %0, u32 1\n%2: bool = lt %1, u32 1\nif %2 "
                  "{\n barrier\n}\n"),
            1u);
}

}  // namespace
}  // namespace vd::ir::testing
