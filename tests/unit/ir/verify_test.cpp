// Kernels that break one rule of kernel.h each. They are damaged by hand, since no builder would make them.
#include "ir/verify.h"

#include <gmock/gmock.h>

#include "unit/ir/write.h"

namespace vd::ir::testing {
namespace {

using ::testing::HasSubstr;

Kernel parse(const std::string& body) {
  return parse_text("kernel\nargument 0 buffer f32\nargument 1 constant f32\nshared 0 u32 x 8\n{\n" + body + "}\n");
}
std::string error_of(const std::string& body) {
  return message_of([&] { parse(body); });
}
std::string damage(const std::string& body, const std::function<void(Kernel&)>& f) {
  Kernel kernel = parse(body);
  f(kernel);
  return message_of([&] { verify(kernel); });
}

constexpr const char* kIf = "%0: bool = lt u32 1, u32 2\nif %0 {\n %1: u32 = add u32 1, u32 2\n}\n";

TEST(Verify, UsesComeBehindWhatTheyUseAndInsideItsBlock) {
  EXPECT_THAT(damage(std::string(kIf) + "%2: u32 = neg u32 1\n",
                     [](Kernel& k) {
                       const ValueId add = k.regions[k.insts[k.regions[k.body].insts[1]].regions[0]].insts[0];
                       k.operands[k.insts[k.regions[k.body].insts[2]].first_operand] = add;
                     }),
              HasSubstr("outside the block"));
  EXPECT_THAT(damage("%0: u32 = neg u32 1\n%1: u32 = neg %0\n",
                     [](Kernel& k) { std::swap(k.regions[k.body].insts[0], k.regions[k.body].insts[1]); }),
              HasSubstr("before it is computed"));
}

TEST(Verify, NumbersAreInRange) {
  EXPECT_THAT(damage(kIf, [](Kernel& k) { k.operands[0] = 12345; }), HasSubstr("out of range"));
  EXPECT_THAT(damage(kIf, [](Kernel& k) { k.regions[k.body].insts[0] = 12345; }), HasSubstr("out of range"));
  EXPECT_THAT(damage(kIf, [](Kernel& k) { k.insts[k.regions[k.body].insts[0]].operand_count = 99999; }),
              HasSubstr("out of range"));
  EXPECT_THAT(damage(kIf, [](Kernel& k) { k.insts[k.regions[k.body].insts[1]].regions[0] = 99; }),
              HasSubstr("regions"));
  EXPECT_THAT(damage(kIf, [](Kernel& k) { k.insts[k.regions[k.body].insts[0]].location = 99; }), HasSubstr("location"));
  EXPECT_THAT(damage(kIf, [](Kernel& k) { k.body = 99; }), HasSubstr("no body"));
  EXPECT_THAT(damage(kIf, [](Kernel& k) { k.insts[k.regions[k.body].insts[0]].op = static_cast<Op>(777); }),
              HasSubstr("is unknown"));
}

TEST(Verify, NothingStandsTwice) {
  EXPECT_THAT(damage(kIf, [](Kernel& k) { k.regions[k.body].insts.push_back(k.regions[k.body].insts[0]); }),
              HasSubstr("twice"));
  EXPECT_THAT(damage(kIf,
                     [](Kernel& k) {
                       k.insts[k.regions[k.body].insts[1]].regions[1] = k.insts[k.regions[k.body].insts[1]].regions[0];
                     }),
              HasSubstr("two instructions"));
  EXPECT_THAT(damage(kIf, [](Kernel& k) { k.insts[k.regions[k.body].insts[1]].regions[0] = k.body; }),
              HasSubstr("two instructions"));
}

TEST(Verify, TerminatorsEndTheirRegion) {
  EXPECT_THAT(error_of("return\nbarrier\n"), HasSubstr("code follows it"));
  EXPECT_THAT(error_of("break\n"), HasSubstr("not inside a loop"));
  EXPECT_THAT(error_of("while {\n %0: bool = lt u32 1, u32 2\n return\n} bool 1 {\n}\n"), HasSubstr("condition"));
}

TEST(Verify, AccessesFitTheirReference) {
  EXPECT_THAT(error_of("store @1, f32 1\n"), HasSubstr("may be written"));
  EXPECT_THAT(error_of("%0: f32x2 = load<2> @1\n"), HasSubstr("wide access"));
  EXPECT_THAT(error_of("%0: storage f32 = index @0, u32 0\n%1: f32x3 = load<3> %0\n"), HasSubstr("immediate"));
  EXPECT_THAT(error_of("%0: shared u32 = index #0, u32 8\n"), HasSubstr("out of range"));
  EXPECT_THAT(error_of("%0: storage f32 = index @0, i32 -1\n"), HasSubstr("index (-1) is negative"));
  EXPECT_THAT(error_of("%0: storage f32 = index @0, u64 9223372036854775808\n"),
              HasSubstr("index (9223372036854775808) is past the end of every buffer"));
  EXPECT_THAT(error_of("%0: shared u32 = index #0, u64 18446744073709551615\n"),
              HasSubstr("index (18446744073709551615) is out of range"));
  EXPECT_THAT(error_of("%0: shared u32 = index #0, u32 0\n%1: u32 = atomic_add<3840> %0, u32 1\n"),
              HasSubstr("immediate"));
  EXPECT_THAT(error_of("%0: storage f32 = index @0, u32 0\n%1: f32 = atomic_min %0, f32 1\n"), ::testing::IsEmpty());
  EXPECT_THAT(error_of("%0: storage f32 = index @0, u32 0\n%1: f32 = atomic_or %0, f32 1\n"), HasSubstr("integer"));
  EXPECT_THAT(error_of("%0: shared u32 = index #0, u32 0\n%1: u32 = cluster_load %0, u32 1\n"), ::testing::IsEmpty());
  EXPECT_THAT(error_of("%0: shared u32 = index #0, u32 0\n%1: u32 = cluster_load %0, i32 1\n"), HasSubstr("an u32"));
  EXPECT_THAT(error_of("%0: storage f32 = index @0, u32 0\n%1: f32 = cluster_load %0, u32 1\n"),
              HasSubstr("in shared memory"));
}

TEST(Verify, ACounterEndsWithItsLoop) {
  EXPECT_THAT(error_of("%0: u32 = for u32 0, u32 1, u32 1 {\n}\n%1: u32 = neg %0\n"), HasSubstr("outside the block"));
  EXPECT_THAT(error_of("%0: u32 = for u32 0, u32 1, u32 0 {\n}\n"), HasSubstr("step is 0"));
}

TEST(Verify, BuildersOpsAreNotInKernels) {
  EXPECT_THAT(error_of("%0: u32 = let u32 1\n"), HasSubstr("only a builder"));
  EXPECT_THAT(error_of("end\n"), HasSubstr("only a builder"));
}

TEST(Verify, FormatsFitTheirValues) {
  EXPECT_EQ(error_of("printf $\"100 %% %-5.2f %#x\", f32 1, u32 2\n"), "");
  EXPECT_THAT(error_of("printf $\"%d\", f32 1\n"), HasSubstr("does not fit"));
  EXPECT_THAT(error_of("printf $\"%y\", f32 1\n"), HasSubstr("unknown conversion"));
  EXPECT_THAT(error_of("printf $\"%5\", f32 1\n"), HasSubstr("ends inside"));
  for (const char* format : {"%hhhd", "%v4f", "%*d", "%n", "%s", "%9999d", "%.9999d", "%5-d", "%.5.5d"}) {
    EXPECT_THAT(error_of(fmt::format("printf $\"{}\", u32 1\n", format)), HasSubstr("unknown conversion")) << format;
  }
  EXPECT_THAT(error_of("printf $\"x\", f32 1\n"), HasSubstr("takes 0 values"));
}

TEST(Verify, AnInstructionIsNotItsOwnOperand) {
  EXPECT_THAT(damage("%0: u32 = neg u32 1\n", [](Kernel& k) { k.operands[0] = k.regions[k.body].insts[0]; }),
              HasSubstr("before it is computed"));
}

TEST(Verify, NoBoolLiesInABuffer) {
  EXPECT_THAT(message_of([&] { parse_text("kernel\nargument 0 buffer [bool x 2] \"b\"\n{}\n"); }),
              HasSubstr("argument \"b\" holds a bool"));
}

TEST(Verify, ValuesHaveALimitAndMemoryHasNone) {
  const std::string buffer = "kernel\nargument 0 buffer [u8 x 65537]\n{\n";
  EXPECT_THAT(message_of([&] { parse_text("kernel\n{\n%0: private [u8 x 65537] = var\n}\n"); }),
              HasSubstr("var: type u8[65537] has 65537 scalars, which is past the limit of a value (65536)"));
  const std::string element = "%0: storage [u8 x 65537] = index @0, u32 0\n";
  EXPECT_THAT(message_of([&] { parse_text(buffer + element + "%1: [u8 x 65537] = load %0\n}\n"); }),
              HasSubstr("load: type u8[65537] has 65537 scalars"));
  EXPECT_THAT(message_of([&] { parse_text(buffer + element + "store %0, zero [u8 x 65537]\n}\n"); }),
              HasSubstr("65537 scalars"));
  EXPECT_EQ(
      message_of([&] { parse_text(buffer + element + "%1: storage u8 = index %0, u32 65536\nstore %1, u8 1\n}\n"); }),
      "");
}

TEST(Verify, FunctionsAndKernelsDiffer) {
  EXPECT_NE(message_of([] { parse_text("kernel\nargument 0 value f32\n{\n}\n"); }), "");
  EXPECT_NE(message_of([] { parse_text("function\nargument 0 constant f32\n{\n}\n"); }), "");
  EXPECT_NE(message_of([] { parse_text("kernel gives f32\n{\n return f32 1\n}\n"); }), "");
  EXPECT_NE(message_of([] { parse_text("function gives f32\n{\n return u32 1\n}\n"); }), "");
  EXPECT_EQ(
      message_of([] {
        parse_text(
            "function gives f32\nargument 0 value f32\nargument 1 reference f32\n{\n store @1, @0\n return @0\n}\n");
      }),
      "");
}

TEST(Verify, AVariableMayBeUsedOutsideItsBlock) {
  EXPECT_EQ(error_of(std::string(kIf) + "if %0 {\n %2: private f32 = var f32 1\n}\n%3: f32 = load %2\n"), "");
}

}  // namespace
}  // namespace vd::ir::testing
