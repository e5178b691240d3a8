// Each pass on small kernels written as text: what it does, and what it leaves alone.
#include <gmock/gmock.h>

#include "ir/analyse.h"
#include "ir/passes/bounds_guard.h"
#include "ir/passes/dead_code.h"
#include "ir/passes/fix_workgroup_size.h"
#include "ir/passes/fold.h"
#include "ir/passes/lower_async.h"
#include "ir/passes/pipeline.h"
#include "ir/passes/share_loads.h"
#include "ir/passes/split_arrays.h"
#include "ir/passes/unroll.h"
#include "ir/verify.h"
#include "unit/ir/run.h"
#include "unit/ir/write.h"

namespace vd::ir::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kHead =
    "kernel\nargument 0 buffer f32\nargument 1 buffer u32\nargument 2 constant u32\nshared 0 f32 x 64\n";

std::string wrap(const std::string& body) { return std::string(kHead) + "{\n" + body + "}\n"; }

// The body's text after a pass.
template <class F>
std::string after(const std::string& body, F&& pass) {
  Kernel kernel = parse_text(wrap(body));
  pass(kernel);
  verify(kernel);
  const std::string text = print_text(kernel);
  const size_t start = text.find("\n{\n") + 3;
  return text.substr(start, text.size() - start - 2);
}

size_t count(const std::string& text, const std::string& what) {
  size_t n = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

// ---- fold

// The folded form of an expression of %0 (u32), %1 (i32), %2 (f32), %3 (bool).
std::string folded(const std::string& type, const std::string& expression) {
  const std::string text =
      after("%0: u32 = load @2\n%1: i32 = bitcast %0\n%2: f32 = convert %0\n%3: bool = lt %0, u32 9\n%4: " + type +
                " = " + expression + "\n%5: private " + type + " = var %4 name \"x\"\n",
            [](Kernel& k) {
              fold(k);
              dead_code(k);
            });
  return text;
}

TEST(Fold, EvaluatesConstants) {
  EXPECT_THAT(folded("u32", "add u32 4294967295, u32 3"), HasSubstr("var u32 2 "));
  EXPECT_THAT(folded("f32", "mul f32 1.5, f32 -2"), HasSubstr("var f32 -3 "));
  EXPECT_THAT(folded("i32", "div i32 -2147483648, i32 -1"), HasSubstr("var i32 -2147483648 "));
  EXPECT_THAT(folded("i32", "convert f32 3e9"), HasSubstr("var i32 2147483647 "));
  EXPECT_THAT(folded("f32x3", "construct f32 1, f32 1, f32 1"), HasSubstr("var f32x3 1 "));
  EXPECT_THAT(folded("f32x2", "mul f32x2 2, f32x2 3"), HasSubstr("var f32x2 6 "));
  EXPECT_THAT(folded("u32", "bitcast f32 1"), HasSubstr("var u32 1065353216 "));
  EXPECT_THAT(folded("f32", "select bool 0, %2, f32 7"), HasSubstr("var f32 7 "));
}

TEST(Fold, DropsWhatDoesNothing) {
  for (const char* same :
       {"add %0, u32 0", "mul u32 1, %0", "div %0, u32 1", "or %0, u32 0", "and %0, u32 4294967295", "shl %0, u32 32",
        "xor u32 0, %0", "div %0, u32 0", "select %3, %0, %0", "max %0, %0", "convert %0", "bitcast %0"}) {
    EXPECT_THAT(folded("u32", same), HasSubstr("var %0 ")) << same;
  }
  for (const char* zero : {"mul %0, u32 0", "sub %0, %0", "xor %0, %0", "rem %0, u32 1", "and u32 0, %0"}) {
    EXPECT_THAT(folded("u32", zero), HasSubstr("var u32 0 ")) << zero;
  }
}

TEST(Fold, StrengthReducesUnsignedAndFloorDivision) {
  EXPECT_THAT(folded("u32", "div %0, u32 8"), HasSubstr("shr %0, u32 3"));
  EXPECT_THAT(folded("u32", "rem %0, u32 8"), HasSubstr("and %0, u32 7"));
  EXPECT_THAT(folded("i32", "floordiv %1, i32 8"), HasSubstr("shr %1, i32 3"));
  EXPECT_THAT(folded("i32", "floormod %1, i32 8"), HasSubstr("and %1, i32 7"));
  EXPECT_THAT(folded("i32", "div %1, i32 8"), HasSubstr("div %1, i32 8"));
  EXPECT_THAT(folded("i32", "floordiv %1, i32 -8"), HasSubstr("floordiv"));
}

TEST(Fold, NeverReassociatesFloats) {
  const std::string text = after(
      "%0: u32 = load @2\n%1: f32 = convert %0\n%2: f32 = add %1, f32 1\n%3: f32 = add %2, f32 2\n%4: u32 = add %0, "
      "u32 1\n"
      "%5: u32 = add %4, u32 2\n%6: storage f32 = index @0, %5\nstore %6, %3\n",
      fold);
  EXPECT_THAT(text, HasSubstr("f32 1\n"));
  EXPECT_THAT(text, HasSubstr("f32 2\n"));
  EXPECT_THAT(text, HasSubstr("add %0, u32 3"));
}

TEST(Fold, PiecesOfConstantsAreConstants) {
  Kernel kernel = parse_text(
      "kernel\nstruct 0 \"s\" { u32 \"a\", [f32 x 2] \"b\" }\nconstant 0 struct0 0x070000000000803f00000040\n"
      "argument 0 buffer f32\nargument 1 buffer u32\n{\n  %0: [f32 x 2] = member<1> !0\n  %1: f32 = index %0, i32 1\n"
      "  %2: u32 = member !0\n  %3: struct0 = construct %2, %0\n  %4: u32 = member %3\n"
      "  %5: storage f32 = index @0, %4\n  store %5, %1\n}\n");
  fold(kernel);
  dead_code(kernel);
  EXPECT_THAT(print_text(kernel), HasSubstr("{\n  %0: storage f32 = index @0, u32 7\n  store %0, f32 2\n}"));
}

TEST(Fold, KeepsFloatZerosSigns) {
  EXPECT_THAT(folded("f32", "add %2, f32 0"), HasSubstr("add"));
  EXPECT_THAT(folded("f32", "mul %2, f32 0"), HasSubstr("mul"));
  EXPECT_THAT(folded("f32", "sub %2, f32 0"), Not(HasSubstr("sub")));
}

TEST(Fold, BoolsThatTravelledAsNumbersAreBoolsAgain) {
  const std::string text = after(
      "%0: u32 = load @2\n%1: bool = lt %0, u32 9\n%2: i32 = select %1, i32 1, i32 0\n%3: bool = ne %2, i32 0\n"
      "%4: u32 = convert %1\n%5: bool = eq %4, u32 0\nif %3 {\n barrier\n}\nif %5 {\n barrier\n}\n",
      [](Kernel& k) {
        fold(k);
        dead_code(k);
      });
  EXPECT_THAT(text, HasSubstr("if %1 {"));
  EXPECT_THAT(text, HasSubstr("%2: bool = lnot %1\n"));
}

TEST(Fold, BranchesOfConstantsAreTaken) {
  const std::string text = after(
      "%0: storage f32 = index @0, u32 0\nif bool 1 {\n store %0, f32 1\n} else {\n store %0, f32 2\n}\nif bool 0 {\n "
      "store %0, f32 3\n}\n"
      "%1: i32 = for i32 3, i32 3, i32 1 {\n store %0, f32 4\n}\nif bool 1 {\n return\n}\nstore %0, f32 5\n",
      fold);
  EXPECT_EQ(text, "  %0: storage f32 = index @0, u32 0\n  store %0, f32 1\n  return\n");
}

TEST(Fold, AVariableOfADroppedBranchIsZero) {
  const std::string text = after(
      "if bool 0 {\n %0: private f32 = var f32 7\n}\n%1: f32 = load %0\n%2: storage f32 = index @0, u32 0\nstore %2, "
      "%1\n",
      fold);
  EXPECT_THAT(text, HasSubstr("%0: private f32 = var\n"));
}

// ---- share_loads

std::string shared(const std::string& body) {
  return after(body, [](Kernel& k) { share_loads(k); });
}
constexpr const char* kTwoLoads =
    "%0: storage f32 = index @0, u32 0\n%1: storage f32 = index @0, u32 1\n%2: f32 = load %0\n";

TEST(ShareLoads, EqualLoadsBecomeOne) {
  const std::string text = shared(std::string(kTwoLoads) + "%3: f32 = load %0\n%4: f32 = add %2, %3\nstore %1, %4\n");
  EXPECT_EQ(count(text, "load"), 1u);
}

TEST(ShareLoads, AWriteToAnyBufferSeparates) {
  const std::string text = shared(
      std::string(kTwoLoads) +
      "%3: storage u32 = index @1, u32 0\nstore %3, u32 1\n%4: f32 = load %0\n%5: f32 = add %2, %4\nstore %1, %5\n");
  EXPECT_EQ(count(text, "load"), 2u);
}

TEST(ShareLoads, BarriersFencesAndAtomicsSeparate) {
  for (const char* between : {"barrier\n", "fence\n", "subgroup_barrier\n",
                              "%9: storage u32 = index @1, u32 0\n%10: u32 = atomic_add %9, u32 1\n"}) {
    const std::string text =
        shared(std::string(kTwoLoads) + between + "%3: f32 = load %0\n%4: f32 = add %2, %3\nstore %1, %4\n");
    EXPECT_EQ(count(text, " load"), 2u) << between;
  }
}

TEST(ShareLoads, AStoredValueIsKnown) {
  const std::string text = shared(std::string(kTwoLoads) + "store %0, f32 3\n%3: f32 = load %0\nstore %1, %3\n");
  EXPECT_THAT(text, HasSubstr("store %1, f32 3"));
  // Not across another store to the same buffer, which may be the same element.
  const std::string other = shared(
      "%0: u32 = load @2\n%1: storage f32 = index @0, %0\n%2: storage f32 = index @0, u32 1\nstore %1, f32 3\n"
      "store %2, f32 4\n%3: f32 = load %1\nstore %2, %3\n");
  EXPECT_THAT(other, HasSubstr("load %1"));
}

TEST(ShareLoads, WhatIsAcquiredMayLieInAnyMemory) {
  // A lock in shared memory guards a buffer, and the other way round.
  const std::string lock =
      "%8: shared [u32 x 64] = view #0\n%9: shared u32 = index %8, u32 0\n%10: u32 = atomic_cas<{}> %9, u32 0, u32 1\n";
  for (const auto& [order, loads] : {std::pair(VD_MEMORY_RELAXED, 1u), std::pair(VD_MEMORY_ACQUIRE, 2u),
                                     std::pair(VD_MEMORY_RELEASE, 1u), std::pair(VD_MEMORY_ACQUIRE_RELEASE, 2u)}) {
    const std::string text = shared(std::string(kTwoLoads) + fmt::format(fmt::runtime(lock), static_cast<int>(order)) +
                                    "%3: f32 = load %0\n%4: f32 = add %2, %3\nstore %1, %4\n");
    EXPECT_EQ(count(text, " load"), loads) << order;
  }
}

TEST(ShareLoads, AStoreThatStraysDoNotMakeIsNotKnown) {
  // Past the launch's end nothing is stored and zero is loaded, and the sum is the others' too.
  const std::string body =
      "%0: storage u32 = index @0, u32 0\nstore %0, u32 5\n%1: u32 = load %0\n%2: u32 = subgroup_add %1\n"
      "store %0, %2\n}\n";
  const auto loads = [&](const std::string& flags) {
    Kernel kernel = parse_text("kernel \"k\" " + flags + "\nargument 0 buffer u32\n{\n" + body);
    share_loads(kernel);
    return count(print_text(kernel), " load");
  };
  EXPECT_EQ(loads(""), 1u);
  EXPECT_EQ(loads("no_exec_bounds"), 0u);
}

TEST(ShareLoads, ABranchOnlyForgetsWhatItWrites) {
  const std::string head =
      "%0: private f32 = var f32 1\n%1: private f32 = var f32 2\n%2: u32 = load @2\n%3: bool = lt %2, u32 3\n";
  const std::string tail =
      "%5: f32 = load %0\n%6: f32 = load %1\n%7: storage f32 = index @0, u32 0\nstore %7, %5\nstore %7, %6\n";
  const std::string text = shared(head + "if %3 {\n store %0, f32 5\n}\n" + tail);
  EXPECT_EQ(count(text, "load %0"), 1u);
  EXPECT_EQ(count(text, "load %1"), 0u);
  // A branch that leaves does not reach the code behind.
  EXPECT_EQ(count(shared(head + "if %3 {\n store %0, f32 5\n return\n}\n" + tail), "load %0"), 0u);
}

TEST(ShareLoads, ALoopForgetsWhatItWritesBeforeItStarts) {
  const std::string text = shared(
      "%0: private u32 = var u32 1\nwhile {\n %1: u32 = load %0\n %2: bool = lt %1, u32 9\n} %2 {\n %3: u32 = load "
      "%0\n %4: u32 = add %3, u32 1\n"
      " store %0, %4\n}\n%5: u32 = load %0\n%6: storage u32 = index @1, u32 0\nstore %6, %5\n");
  EXPECT_EQ(count(text, "load %0"), 3u);
}

TEST(ShareLoads, CoherentLoadsStay) {
  const std::string text = shared(
      "%0: storage f32 = index @0, u32 0\n%1: f32 = load<262144> %0\n%2: f32 = load<262144> %0\n%3: f32 = add %1, "
      "%2\nstore %0, %3\n");
  EXPECT_EQ(count(text, "load"), 2u);
}

TEST(ShareLoads, SubgroupOpsStay) {
  const std::string text = shared(
      "%0: u32 = subgroup_add u32 1\n%1: u32 = subgroup_add u32 1\n%2: storage u32 = index @1, %0\nstore %2, %1\n");
  EXPECT_EQ(count(text, "subgroup_add"), 2u);
}

TEST(ShareLoads, ValuesOfABranchAreNotKnownBehindIt) {
  const std::string text = shared(
      "%0: u32 = load @2\n%1: bool = lt %0, u32 3\n%2: storage u32 = index @1, u32 0\nif %1 {\n %3: u32 = mul %0, u32 "
      "7\n store %2, %3\n}\n"
      "%4: u32 = mul %0, u32 7\nstore %2, %4\n");
  EXPECT_EQ(count(text, "mul"), 2u);
}

// ---- dead_code

TEST(DeadCode, DropsUnusedValuesVariablesAndBlocks) {
  const std::string text = after(
      "%0: private f32 = var f32 1\n%1: f32 = load %0\n%2: f32 = mul %1, %1\nstore %0, %2\n%3: u32 = load @2\n%4: bool "
      "= lt %3, u32 3\nif %4 {\n store %0, f32 3\n}\n"
      "%5: u32 = for u32 0, u32 4, u32 1 {\n %6: u32 = mul %5, %5\n}\n%7: u32 = subgroup_add %3\n",
      dead_code);
  EXPECT_EQ(text, "");
}

TEST(DeadCode, KeepsNamedVariablesEffectsAndTheirConditions) {
  const std::string body =
      "  %0: private f32 = var f32 1 name \"seen\"\n  store %0, f32 2\n  %1: u32 = load @2\n  %2: bool = lt %1, u32 "
      "3\n  if %2 {\n    return\n  }\n"
      "  %3: storage u32 = index @1, u32 0\n  %4: u32 = atomic_add %3, u32 1\n  loop {\n    break\n  }\n  barrier\n";
  EXPECT_EQ(after(body, dead_code), body);
}

TEST(DeadCode, AStoreReadInALoopBeforeItIsAlive) {
  const std::string body =
      "  %0: private u32 = var u32 0\n  %1: storage u32 = index @1, u32 0\n  %2: u32 = for u32 0, u32 4, u32 1 {\n    "
      "%3: u32 = load %0\n    store %1, %3\n"
      "    store %0, %2\n  }\n";
  EXPECT_EQ(after(body, dead_code), body);
}

TEST(DeadCode, StoresThatAreStoredOverGo) {
  const std::string text = after(
      "%0: private f32 = var f32 1\nstore %0, f32 2\nstore %0, f32 3\n%1: u32 = load @2\n%2: bool = lt %1, u32 3\n"
      "if %2 {\n store %0, f32 4\n store %0, f32 5\n}\n%3: f32 = load %0\n%4: storage f32 = index @0, u32 0\n"
      "store %4, %3\nstore %0, f32 6\n",
      dead_code);
  EXPECT_EQ(count(text, "store %0"), 2u);
  EXPECT_THAT(text, HasSubstr("store %0, f32 3"));
  EXPECT_THAT(text, HasSubstr("store %0, f32 5"));
}

TEST(DeadCode, AStoreBeforeALoopThatReadsItStays) {
  const std::string body =
      "  %0: private u32 = var\n  store %0, u32 1\n  %1: storage u32 = index @1, u32 0\n  %2: u32 = for u32 0, u32 4, "
      "u32 1 {\n"
      "    %3: u32 = load %0\n    store %1, %3\n    store %0, %2\n  }\n";
  EXPECT_EQ(after(body, dead_code), body);
}

TEST(DeadCode, AStoreBeforeABreakStays) {
  const std::string body =
      "  %0: private u32 = var u32 7\n  %1: u32 = load @2\n  %2: bool = lt %1, u32 3\n  loop {\n    if %2 {\n      "
      "store %0, u32 1\n"
      "      break\n    }\n    store %0, u32 2\n    break\n  }\n  %3: u32 = load %0\n  %4: storage u32 = index @1, u32 "
      "0\n"
      "  store %4, %3\n";
  EXPECT_EQ(after(body, dead_code), body);
}

TEST(DeadCode, AnEmptyElseGoes) {
  const std::string text = after(
      "%0: u32 = load @2\n%1: bool = lt %0, u32 3\nif %1 {\n barrier\n} else {\n %2: u32 = mul %0, %0\n}\n", dead_code);
  EXPECT_THAT(text, Not(HasSubstr("else")));
}

// ---- fix_workgroup_size

TEST(FixLocalSize, SizesBecomeConstants) {
  const std::string text = after(
      "%0: u32 = index workgroup_size, u32 0\n%1: u32 = add %0, local_index\n%2: storage u32 = index @1, %1\nstore %2, "
      "%0\n",
      [](Kernel& k) {
        fix_workgroup_size(k, {16, 4, 1});
        share_loads(k);
        dead_code(k);
      });
  EXPECT_THAT(text, Not(HasSubstr("workgroup_size")));
  EXPECT_THAT(text, Not(HasSubstr("local_index")));
  EXPECT_THAT(text, Not(HasSubstr("u32 2\n")));  // the z of local_id can only be 0
  EXPECT_THAT(text, HasSubstr("mul %0, u32 16"));
}

// ---- bounds_guard

TEST(BoundsGuard, WrapsABodyWithoutConvergentOps) {
  const std::string text = after("%0: storage f32 = index @0, u32 0\nstore %0, f32 1\n", bounds_guard);
  EXPECT_EQ(count(text, "if "), 1u);
  EXPECT_THAT(text, HasSubstr("exec_size"));
}

TEST(BoundsGuard, GuardsEachAccessBesideBarriers) {
  const std::string text = after(
      "%0: storage f32 = index @0, u32 0\n%1: f32 = load %0\n%2: shared f32 = index #0, local_index\nstore %2, "
      "%1\nbarrier\n%3: f32 = load %2\nstore %0, %3\n",
      bounds_guard);
  EXPECT_EQ(count(text, "if "), 2u);
  EXPECT_THAT(text, HasSubstr("\n  barrier\n"));
  EXPECT_THAT(text, HasSubstr("\n  store %15, "));  // to shared memory, outside
}

TEST(BoundsGuard, InvocationsPastTheEndLoadZerosAndStoreNothing) {
  Kernel kernel =
      parse_text(wrap("%0: u32 = index global_id, u32 0\n%1: storage f32 = index @0, %0\n%2: f32 = load %1\n%3: shared "
                      "f32 = index #0, %0\n%4: f32 = add %2, f32 1\nstore %3, %4\n"
                      "barrier\nstore %1, f32 9\n%5: storage u32 = index @1, u32 0\n%6: u32 = atomic_add %5, u32 1\n"));
  bounds_guard(kernel);
  verify(kernel);
  Memory memory{{bytes_of<float>({1, 2, 3, 4}), bytes_of<uint32_t>({0}), {}}, {}};
  run(kernel, memory, {{1, 1, 1}, {4, 1, 1}, {3, 1, 1}});
  EXPECT_THAT(values_of<float>(memory.arguments[0]), ElementsAre(9, 9, 9, 4));
  EXPECT_THAT(values_of<uint32_t>(memory.arguments[1]), ElementsAre(3));
  const auto tile = values_of<float>(memory.shared);
  EXPECT_EQ(tile[2], 4);
  EXPECT_EQ(tile[3], 1);
}

TEST(BoundsGuard, IsLeftOutOnRequest) {
  Kernel kernel = parse_text(
      "kernel no_exec_bounds\nargument 0 buffer f32\n{\n  %0: storage f32 = index @0, u32 0\n  store %0, f32 1\n}\n");
  const std::string before = print_text(kernel);
  bounds_guard(kernel);
  EXPECT_EQ(print_text(kernel), before);
}

// ---- lower_async

TEST(LowerAsync, CopiesBecomeLoadsAndStores) {
  Kernel kernel =
      parse_text(wrap("%0: shared f32 = index #0, u32 4\n%1: storage f32 = index @0, u32 1\nasync_copy<16> %0, "
                      "%1\nasync_commit\nasync_wait\n"));
  lower_async(kernel);
  verify(kernel);
  EXPECT_THAT(print_text(kernel), HasSubstr("load<1284>"));  // four, aligned to 16
  Memory memory{{bytes_of<float>({1, 2, 3, 4, 5, 6}), {}, {}}, {}};
  run(kernel, memory);
  const auto tile = values_of<float>(memory.shared);
  EXPECT_THAT(std::vector<float>(tile.begin() + 4, tile.begin() + 8), ElementsAre(2, 3, 4, 5));
}

// ---- unroll

constexpr const char* kLoop =
    "%0: private u32 = var u32 0\n%1: u32 = for<{}> u32 1, u32 7, u32 1 {{\n %2: private u32 = var %1\n %3: u32 = load "
    "%2\n %4: u32 = load %0\n %5: u32 = mul %4, u32 3\n"
    " %6: u32 = add %5, %3\n store %0, %6\n}}\n%7: u32 = load %0\n%8: storage u32 = index @1, u32 0\nstore %8, %7\n";

TEST(Unroll, FullyAndByAFactor) {
  for (const uint32_t wish : {1u, 2u, 3u, 4u, 6u, 0xffffu}) {
    Kernel kernel = parse_text(wrap(fmt::format(kLoop, wish)));
    unroll(kernel);
    verify(kernel);
    const size_t muls = count(print_text(kernel), "mul ");
    EXPECT_EQ(count(print_text(kernel), " for"), wish >= 6 ? 0u : 1u) << wish;
    if (wish == 2 || wish == 3) {
      EXPECT_GE(muls, wish);
    }
    if (wish == 4) {
      EXPECT_EQ(muls, 1u);  // 6 iterations are not a multiple of 4
    }
    Memory memory{{{}, bytes_of<uint32_t>({0}), {}}, {}};
    run(kernel, memory);
    EXPECT_THAT(values_of<uint32_t>(memory.arguments[1]), ElementsAre(543)) << wish;
  }
}

TEST(Unroll, LoopsThatBreakOrAreTooLongStay) {
  Kernel kernel =
      parse_text(wrap("%0: u32 = for<65535> u32 0, u32 8, u32 1 {\n %1: bool = lt %0, u32 3\n if %1 {\n  break\n }\n}\n"
                      "%2: u32 = for<65535> u32 0, u32 4000000000, u32 1 {\n barrier\n}\n"));
  unroll(kernel);
  EXPECT_EQ(count(print_text(kernel), " for"), 2u);
}

constexpr const char* kNested =
    "%0: private u32 = var u32 0\n%1: u32 = for<{0}> u32 0, u32 {1}, u32 1 at \"blur.py\":12 {{\n"
    " %2: u32 = for<{0}> u32 0, {2}, u32 1 at \"blur.py\":13 {{\n  %3: u32 = load %0\n  %4: u32 = add %3, %2\n"
    "  store %0, %4\n }}\n}}\n";

std::string refused_unrolling(const std::string& body) {
  Kernel kernel = parse_text(wrap(body));
  try {
    prepare(kernel, {});
    return "";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), VD_ERR_COMPILE);
    return error.what();
  }
}

TEST(Unroll, MoreInstructionsThanTheLimitAreRefusedByPlaceAndNumber) {
  EXPECT_EQ(
      refused_unrolling(fmt::format(kNested, 0xffff, 1000, "u32 1000")),
      "kernel \"kernel\" at blur.py:12: a loop unrolled 1000 times becomes 3001000 instructions; the limit for all "
      "loops of a kernel is 65536.");
  EXPECT_EQ(refused_unrolling(fmt::format(kNested, 1000, 1000, "u32 1000")).substr(0, 32),
            "kernel \"kernel\" at blur.py:12: a");
  EXPECT_THAT(refused_unrolling(fmt::format(kNested, 0xffff, 4000000000, "u32 4000000000")),
              HasSubstr("becomes more than 4194304 instructions"));
  // A loop whose number of iterations is known once the outer one is unrolled; and one that only asks for a factor.
  EXPECT_THAT(refused_unrolling(fmt::format(kNested, 0xffff, 1000, "%1")), HasSubstr("at blur.py:13"));
  EXPECT_THAT(refused_unrolling(fmt::format(kNested, 16, 1000, "%1")), "");
  // Rolled, or small enough: nothing is said.
  EXPECT_EQ(refused_unrolling(fmt::format(kNested, 1, 1000, "u32 1000")), "");
  EXPECT_EQ(refused_unrolling(fmt::format(kNested, 0, 1000, "u32 1000")), "");
  EXPECT_EQ(refused_unrolling(fmt::format(kNested, 0xffff, 100, "u32 100")), "");
  // Many loops, each within the limit.
  std::string many = "%0: private u32 = var u32 0\n";
  for (int i = 1; i <= 40; ++i)
    many +=
        fmt::format("%{0}: u32 = for<65535> u32 0, u32 2000, u32 1 at \"blur.py\":{0} {{\n store %0, %{0}\n}}\n", i);
  const std::string refused = refused_unrolling(many);
  EXPECT_THAT(refused, HasSubstr("blur.py:"));
  EXPECT_THAT(refused, HasSubstr("with those before it"));
}

// ---- split_arrays

TEST(SplitArrays, ConstantIndicesMakeVariables) {
  const std::string text = after(
      "%0: private [f32 x 2] = var\n%1: private f32 = index %0, u32 0\n%2: private f32 = index %0, i32 1\nstore %1, "
      "f32 3\n%3: f32 = load %2\nstore %1, %3\n"
      "%4: private [f32 x 2] = var\n%5: u32 = load @2\n%6: private f32 = index %4, %5\nstore %6, f32 1\n",
      split_arrays);
  EXPECT_EQ(count(text, "[f32 x 2] = var"), 1u);
  EXPECT_EQ(count(text, "private f32 = var"), 2u);
}

// ---- analyse

TEST(Analyse, SaysHowArgumentsAreUsed) {
  Kernel k = parse_text(
      "kernel\nargument 0 buffer f32\nargument 1 buffer f32\nargument 2 buffer u32\nargument 3 constant f16\nargument "
      "4 buffer f32\nargument 5 variable f32x3\n"
      "shared 0 u8 x 5\nshared 1 f32 x 3 offset 64\n"
      "{\n  %0: storage f32 = index @0, u32 0\n  %1: f32 = load %0\n  %2: storage f32 = index @1, u32 0\n  store %2, "
      "%1\n  %3: storage u32 = index @2, u32 0\n"
      "  %4: u32 = atomic_add %3, u32 1\n  %5: i32x4 = shape @4\n  %6: bool = subgroup_elect\n  barrier\n}\n");
  EXPECT_EQ(k.arguments[0].use, uint32_t{VD_ARGUMENT_ACCESS_READ});
  EXPECT_EQ(k.arguments[1].use, uint32_t{VD_ARGUMENT_ACCESS_WRITE});
  EXPECT_EQ(k.arguments[2].use,
            uint32_t{VD_ARGUMENT_ACCESS_READ | VD_ARGUMENT_ACCESS_WRITE | VD_ARGUMENT_ACCESS_ATOMIC});
  EXPECT_EQ(k.arguments[4].use, uint32_t{VD_ARGUMENT_ACCESS_SHAPE});
  EXPECT_EQ(k.arguments[4].binding, 3u);
  EXPECT_EQ(k.arguments[5].offset, 4u);
  EXPECT_EQ(k.values.user_size, 16u);
  EXPECT_EQ(k.values.exec_size_offset, 16u);
  EXPECT_EQ(k.values.shape_offsets[4], 28u);
  EXPECT_EQ(k.values.total_size, 44u);
  EXPECT_EQ(k.shareds[0].offset, 80u);
  EXPECT_EQ(k.shared_size, 85u);
  EXPECT_TRUE(k.uses_barrier);
  EXPECT_TRUE(k.uses_convergent);
  EXPECT_EQ(k.requirements, uint64_t{VD_FEATURE_SUBGROUP_BASIC | VD_FEATURE_F16 | VD_FEATURE_UNIFORM_16});
}

TEST(Prepare, KeepsTheLayoutOfTheFinishedKernel) {
  Kernel k =
      parse_text(wrap("%0: i32x4 = shape @1\n%1: i32 = index %0, u32 0\n%2: u32 = bitcast %1\n%3: storage u32 = index "
                      "@1, %2\nstore %3, u32 1\n"));
  const uint32_t size = k.values.total_size;
  PrepareOptions options;
  options.workgroup_size = {64, 1, 1};
  prepare(k, options);
  EXPECT_EQ(k.values.total_size, size);
  EXPECT_EQ(k.attributes.workgroup_size[0], 64u);
}

}  // namespace
}  // namespace vd::ir::testing
