#include "ir/uniformity.h"

#include <gtest/gtest.h>

#include "ir/text.h"
#include "ir/walk.h"

namespace vd::ir::testing {
namespace {

constexpr Agreement kAll[] = {Agreement::Strip, Agreement::Workgroup, Agreement::Likely};

// The components that vary in the value of the last store of `body`.
uint32_t stored(const std::string& body, Agreement agreement, std::array<uint32_t, 3> workgroup_size = {64, 1, 1}) {
  const Kernel kernel = parse_text(
      "kernel\nargument 0 buffer u32\nargument 1 constant u32\nargument 2 buffer u32x4\nshared 0 u32 x 64\n{\n" + body +
      "}\n");
  const Uniformity uniformity = find_uniformity(kernel, workgroup_size, agreement);
  ValueId last = kNoValue;
  for_each_inst(kernel, [&](ValueId, const Inst& inst) {
    if (inst.op == VD_OP_STORE) last = kernel.operands_of(inst)[1];
  });
  return uniformity.varying.at(last);
}

constexpr const char* kBegin = "%0: u32 = index local_id, u32 0\n%1: storage u32 = index @0, %0\n";
std::string begin(const std::string& text) { return kBegin + text; }

TEST(Uniformity, ValuesOfIndicesVaryAndArgumentsDoNot) {
  for (const Agreement agreement : kAll) {
    EXPECT_EQ(stored(begin("store %1, %0\n"), agreement), 1u);
    EXPECT_EQ(stored(begin("%2: u32 = load @1\n%3: u32 = add %2, u32 4\nstore %1, %3\n"), agreement), 0u);
    EXPECT_EQ(stored(begin("%2: u32 = index local_id, u32 1\nstore %1, %2\n"), agreement), 0u);
    EXPECT_EQ(stored(begin("%2: u32 = index local_id, u32 1\nstore %1, %2\n"), agreement, {8, 8, 1}), 1u);
  }
}

TEST(Uniformity, ComponentsAreKeptApart) {
  const std::string vector = begin(
      "%2: storage u32x4 = index @2, %0\n%3: u32 = load @1\n%4: u32x4 = construct %3, %0, u32 1, %0\n"
      "%5: private u32x4 = var %4\n%6: u32x4 = load %5\nstore %2, %6\n");
  for (const Agreement agreement : kAll) EXPECT_EQ(stored(vector, agreement), 10u);
}

TEST(Uniformity, MemoryAtOneAddress) {
  const std::string load = begin("%2: storage u32 = index @0, u32 3\n%3: u32 = load %2\nstore %1, %3\n");
  EXPECT_EQ(stored(load, Agreement::Strip), 0u);
  EXPECT_NE(stored(load, Agreement::Workgroup), 0u) << "another invocation may write meanwhile";
  EXPECT_EQ(stored(load, Agreement::Likely), 0u);
  const std::string varying = begin("%2: shared u32 = index #0, %0\n%3: u32 = load %2\nstore %1, %3\n");
  for (const Agreement agreement : kAll) EXPECT_NE(stored(varying, agreement), 0u);
}

TEST(Uniformity, WhatTheOthersDoMatters) {
  const std::string sum = begin("%2: u32 = subgroup_add u32 1\nstore %1, %2\n");
  EXPECT_NE(stored(sum, Agreement::Strip), 0u);
  EXPECT_NE(stored(sum, Agreement::Workgroup), 0u) << "the last subgroup may be shorter";
  EXPECT_EQ(stored(sum, Agreement::Likely), 0u);
  const std::string old = begin("%2: storage u32 = index @0, u32 3\n%3: u32 = atomic_add %2, u32 1\nstore %1, %3\n");
  const std::string elect = begin("%2: bool = subgroup_elect\n%3: u32 = select %2, u32 1, u32 2\nstore %1, %3\n");
  for (const Agreement agreement : kAll) {
    EXPECT_NE(stored(old, agreement), 0u);
    EXPECT_NE(stored(elect, agreement), 0u);
  }
}

TEST(Uniformity, AVariableVariesOnceOnlySomeStoreToIt) {
  const auto variable = [](const std::string& condition) {
    return begin("%2: u32 = load @1\n%3: private u32 = var u32 1\n%4: bool = lt " + condition +
                 ", u32 5\nif %4 {\n store %3, u32 2\n}\n%5: u32 = load %3\nstore %1, %5\n");
  };
  // Some invocations leave the loop at an earlier iteration.
  const auto loop = [](const std::string& condition) {
    return begin(
        "%2: u32 = load @1\n%3: private u32 = var u32 1\nloop {\n %4: u32 = load %3\n %5: u32 = add %4, u32 1\n"
        " store %3, %5\n %6: bool = lt " +
        condition + ", u32 5\n if %6 {\n  break\n }\n}\n%7: u32 = load %3\nstore %1, %7\n");
  };
  for (const Agreement agreement : kAll) {
    EXPECT_EQ(stored(variable("%2"), agreement), 0u);
    EXPECT_EQ(stored(variable("%0"), agreement), 1u);
    EXPECT_EQ(stored(loop("%2"), agreement), 0u);
    EXPECT_EQ(stored(loop("%0"), agreement), 1u);
  }
}

TEST(Uniformity, AVariableThatIsUsedOutsideItsBlock) {
  const auto escapes = [](const std::string& condition) {
    return begin("%2: u32 = load @1\n%3: bool = lt " + condition +
                 ", u32 5\nif %3 {\n %4: private u32 = var u32 1\n}\n%5: u32 = load %4\nstore %1, %5\n");
  };
  for (const Agreement agreement : kAll) EXPECT_EQ(stored(escapes("%0"), agreement), 1u);
  EXPECT_EQ(stored(escapes("%2"), Agreement::Strip), 1u) << "kept lane by lane";
  EXPECT_EQ(stored(escapes("%2"), Agreement::Workgroup), 0u);
  EXPECT_EQ(stored(escapes("%2"), Agreement::Likely), 0u);
}

}  // namespace
}  // namespace vd::ir::testing
