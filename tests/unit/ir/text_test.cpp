#include "ir/text.h"

#include <gmock/gmock.h>

#include <clocale>

#include "ir/hash.h"
#include "unit/ir/write.h"

namespace vd::ir::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// A text whose every line is legal.
constexpr const char* kText =
    R"(kernel "all" no_exec_bounds precise workgroup_size 64 1 1 cluster_size 2 1 1 min_workgroups 2 shared_carveout 51 dynamic_shared_size 128
struct 1 "inner" { f32x3 "a", u32 "b" }
struct 0 "outer" { struct1 "i", [f16 x 3] "h" }
constant 0 [f32 x 2] 0x0000803f00000040
argument 0 buffer f32 "data"
argument 1 constant struct0 "record"
argument 2 variable i64 "n"
argument 3 buffer complex_f32 "z"
shared 0 u32 x 64 "tile"
shared 1 u8 x 16 offset 4 "bytes"
{
  %0: u32 = index global_id, u32 0
  %1: storage f32 = index @0, %0
  %2: f32x4 = load<65540> %1
  %3: f32x4 = sqrt.native %2
  %4: private [f32x4 x 3] = var name "acc"
  %5: private f32x4 = index %4, i32 2
  store %5, %3
  %6: bool = lt %0, u32 4000000000
  if %6 at "x.py":12 "f" {
    comment $"say \"hi\"\\\n"
    %7: shared u32 = index #0, u32 0
    %8: u32 = atomic_add<17> %7, u32 1
  } else {
    while<4> {
      %9: i64 = load @2
      %10: bool = lt %9, i64 -9223372036854775808
    } %10 {
      break
    }
    return
  }
  %11: uniform [f16 x 3] = member<1> @1
  %12: uniform f16 = index %11, u32 0
  %13: f16 = load %12
  %14: f16 = add %13, f16 0.099975586
  %15: f32 = convert %14
  %16: f32 = index !0, %0
  %17: f32 = select bool 1, %16, f32 0x7f800000
  %18: storage complex_f32 = index @3, %0
  store %18, complex_f32 -1.5
  %19: i32 = for<65535> i32 -3, i32 3, i32 1 {
    scope {
      loop<1> {
        continue
      }
    }
  }
  printf $"%f %f", %15, %17
  assert %6, $"small"
  barrier
}
)";

TEST(Text, RoundTripsExactly) {
  for (const vd_print_flags flags : {0u, uint32_t{VD_PRINT_LOCATIONS}, uint32_t{VD_PRINT_CANONICAL}}) {
    const std::string once = print_text(parse_text(kText), flags);
    EXPECT_EQ(print_text(parse_text(once), flags), once);
  }
  EXPECT_EQ(print_text(parse_text(kText), VD_PRINT_LOCATIONS), kText);
}

TEST(Text, CanonicalHasNeitherNamesNorPlacesNorComments) {
  const std::string text = print_text(parse_text(kText), VD_PRINT_CANONICAL);
  for (const char* name : {"\"all\"", "tile", "acc", "outer", "inner", "x.py", "comment"})
    EXPECT_THAT(text, Not(HasSubstr(name)));
}

TEST(Text, ErrorsSayWhere) {
  EXPECT_THAT(message_of([] { parse_text("kernel\n{\n  %1: u32 = neg %0\n}\n"); }),
              HasSubstr("line 3, column 17: expected a value that is defined before"));
  EXPECT_THAT(message_of([] { parse_text("kernel\n{\n  nonsense\n}"); }),
              HasSubstr("line 3, column 3: expected an op"));
  EXPECT_THAT(message_of([] { parse_text("kernel {"); }), HasSubstr("line 1"));
  EXPECT_THAT(message_of([] { parse_text("kernel\n{ %0: f32 = add f32 1, u32 1\n}"); }), HasSubstr("add"));
  EXPECT_EQ(status_of([] { parse_text(""); }), VD_ERR_COMPILE);
}

TEST(Text, DeepNestingIsAnErrorAndNotACrash) {
  std::string text = "kernel\n{\n";
  for (int i = 0; i < 100000; ++i) text += "loop {\n";
  EXPECT_EQ(status_of([&] { parse_text(text); }), VD_ERR_COMPILE);
  text = "kernel\nargument 0 buffer " + std::string(100000, '[');
  EXPECT_EQ(status_of([&] { parse_text(text); }), VD_ERR_COMPILE);
}

TEST(Text, HugeCountsNeedNoMemory) {
  EXPECT_EQ(status_of([] { parse_text("kernel\nshared 0 [f32 x 2000000000] x 2000000000\n{\n}\n"); }), VD_ERR_COMPILE);
  EXPECT_EQ(status_of([] { parse_text("kernel\n{\n %0: private [f32 x 2000000000] = var\n}\n"); }), VD_ERR_COMPILE);
  EXPECT_EQ(status_of([] { parse_text("kernel\n{\n %0: private [f32 x 200000000] = var\n}\n"); }), VD_ERR_COMPILE);
  parse_text("kernel\nargument 0 buffer [f32 x 200000000]\n{\n}\n");
}

TEST(Text, EveryPrefixAndEveryDamagedByteIsSafe) {
  const std::string text = kText;
  for (size_t i = 0; i < text.size(); i += 3) {
    const vd_status status = status_of([&] { parse_text(std::string_view(text).substr(0, i)); });
    EXPECT_EQ(status, i + 1 < text.size() ? VD_ERR_COMPILE : VD_OK) << i;
  }
  for (size_t i = 0; i < text.size(); ++i) {
    std::string damaged = text;
    damaged[i] = "%9{\"\n-"[i % 6];
    const vd_status status = status_of([&] { parse_text(damaged); });
    EXPECT_TRUE(status == VD_OK || status == VD_ERR_COMPILE) << i;
  }
}

Kernel sum(const char* name, const char* file, bool comment, float scale = 2) {
  Write w;
  const vd_value out = w.buffer(kF32, name);
  w.at = w.b->location(file, 7, "f");
  if (comment) w.op(VD_OP_COMMENT, {w.b->string("hello")});
  if (comment) w.f32(77);  // never used
  w.store(w.index(out, w.gid()), w.op(VD_OP_MUL, {w.index(out, w.gid()), w.f32(scale)}));
  return w.finish();
}

TEST(Hash, IsOfTheCodeAlone) {
  const Hash128 hash = hash_kernel(sum("a", "a.py", false));
  EXPECT_EQ(hash, hash_kernel(sum("b", "b.py", true)));
  EXPECT_NE(hash, hash_kernel(sum("a", "a.py", false, 3)));
}

TEST(Text, NumbersDoNotFollowTheProgramsLocale) {
  const std::string before = setlocale(LC_NUMERIC, nullptr);
  const char* comma = nullptr;
  for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"}) {
    if (comma == nullptr) comma = setlocale(LC_NUMERIC, name);
  }
  if (comma == nullptr) GTEST_SKIP() << "no locale with a decimal comma is installed";
  const std::string text =
      "kernel \"kernel\"\nargument 0 buffer f32\n{\n  %0: storage f32 = index @0, u32 0\n  store %0, f32 1.5\n}\n";
  EXPECT_THAT(print_text(parse_text(text)), HasSubstr("store %0, f32 1.5"));
  setlocale(LC_NUMERIC, before.c_str());
}

TEST(Text, NumbersPastTheirTypeAreRefused) {
  const auto status = [](const std::string& number) {
    return status_of([&] {
      parse_text(
          "kernel\nargument 0 buffer f32\nargument 1 buffer i32\n{\n%0: storage f32 = index @0, u32 0\n"
          "%1: storage i32 = index @1, u32 0\n" +
          number + "\n}\n");
    });
  };
  EXPECT_EQ(status("store %0, f32 -3.4e38"), VD_OK);
  EXPECT_EQ(status("store %0, f32 1e-45"), VD_OK);
  EXPECT_EQ(status("store %0, f32 1e39"), VD_ERR_COMPILE);
  EXPECT_EQ(status("store %0, f32 1.5.5"), VD_ERR_COMPILE);
  EXPECT_EQ(status("store %1, i32 -2147483648"), VD_OK);
  EXPECT_EQ(status("store %1, i32 -2147483649"), VD_ERR_COMPILE);
  EXPECT_EQ(status("store %1, i32 -99999999999999999999"), VD_ERR_COMPILE);
}

TEST(Text, FloatsOfAllWidthsSurvive) {
  for (const uint32_t bits :
       {0x00000001u, 0x3dcccccdu, 0x7f7fffffu, 0x80000000u, 0x7fc00001u, 0xff800000u, 0x4b7fffffu}) {
    Write w;
    w.store(w.index(w.buffer(kU32), 0),
            w.op(VD_OP_BITCAST,
                 {w.op(VD_OP_ADD, {w.op(VD_OP_LOAD, {w.index(w.buffer(kF32), 0)}), w.op(VD_OP_CONST, {}, kF32, bits)})},
                 kU32));
    const Kernel kernel = w.finish();
    const Kernel back = parse_text(print_text(kernel));
    EXPECT_EQ(print_text(back), print_text(kernel));
    bool found = false;
    for (const Inst& inst : back.insts) found |= inst.op == VD_OP_CONST && inst.type == kF32 && inst.immediate == bits;
    EXPECT_TRUE(found) << std::hex << bits;
  }
}

}  // namespace
}  // namespace vd::ir::testing
