#include "ir/passes/inline.h"

#include <gmock/gmock.h>

#include "support/samples.h"
#include "unit/ir/run.h"
#include "unit/ir/write.h"

namespace vd::ir::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

Kernel function(const std::string& text) { return parse_text(text); }

// out[i] = f(in[i]) for each input.
std::vector<int32_t> map(const Kernel& f, const std::vector<int32_t>& inputs) {
  Write w;
  const vd_value in = w.buffer(kI32), out = w.buffer(kI32);
  const vd_value x = w.index(in, w.gid());
  w.store(w.index(out, w.gid()), w.b->call(f, std::span(&x, 1), 0));
  const Kernel kernel = w.finish();
  Memory memory{{bytes_of(inputs), bytes_of(std::vector<int32_t>(inputs.size(), -99))}, {}};
  run(kernel, memory, {{1, 1, 1}, {static_cast<uint32_t>(inputs.size()), 1, 1}, {1, 1, 1}});
  return values_of<int32_t>(memory.arguments[1]);
}

TEST(Inline, ATailReturnIsCopiedAsItStands) {
  const Kernel f =
      function("function \"twice\" gives i32\nargument 0 value i32\n{\n  %0: i32 = mul @0, i32 2\n  return %0\n}\n");
  Write w;
  const vd_value out = w.buffer(kI32);
  const vd_value x = w.i32(21);
  w.store(w.index(out, 0), w.b->call(f, std::span(&x, 1), 0));
  const std::string text = print_text(w.finish());
  EXPECT_THAT(text, HasSubstr("store %0, i32 42"));
  EXPECT_THAT(map(f, {1, -4}), ElementsAre(2, -8));
}

TEST(Inline, EarlyReturnsInBranches) {
  const Kernel f = function(
      "function gives i32\nargument 0 value i32\n{\n  %0: bool = lt @0, i32 0\n  if %0 {\n    return i32 -1\n  }\n  "
      "%1: bool = eq @0, i32 0\n  if %1 {\n    return i32 0\n"
      "  }\n  %2: i32 = mul @0, i32 3\n  return %2\n}\n");
  EXPECT_THAT(map(f, {-5, 0, 7}), ElementsAre(-1, 0, 21));
}

TEST(Inline, AReturnThatComesOnlySometimes) {
  const Kernel f = function(
      "function gives i32\nargument 0 value i32\n{\n  %0: bool = lt @0, i32 0\n  %1: bool = lt @0, i32 -9\n  %2: "
      "private i32 = var i32 5\n  if %0 {\n    if %1 {\n      return i32 -1\n"
      "    }\n    store %2, i32 6\n  } else {\n    scope {\n      store %2, i32 7\n    }\n  }\n  %3: i32 = load %2\n  "
      "return %3\n}\n");
  EXPECT_THAT(map(f, {-20, -5, 3}), ElementsAre(-1, 6, 7));
}

TEST(Inline, MoreReturnsThanBlocksMayNestAreRefused) {
  Write f(VD_BUILDER_FUNCTION);
  const vd_value x = f.b->argument(VD_ARGUMENT_VALUE, kI32, "x");
  for (int32_t i = 0; i < static_cast<int32_t>(vd::test::samples(100'000)); ++i) {
    f.op(VD_OP_IF, {f.op(VD_OP_EQ, {x, f.i32(i)})});
    f.op(VD_OP_RETURN);
    f.end();
  }
  const Kernel kernel = f.finish();
  Write w;
  const vd_value given = w.i32(1);
  EXPECT_EQ(message_of([&] { w.b->call(kernel, std::span(&given, 1), 0); }),
            "function \"kernel\": its returns make blocks nest more than 400 deep.");
}

TEST(Inline, ReturnsFromNestedLoops) {
  // The first pair (i, j) with i * j == x, as 100 * i + j; -1 if there is none.
  const Kernel f = function(
      "function gives i32\nargument 0 value i32\n{\n  %0: i32 = for i32 1, i32 9, i32 1 {\n    %1: i32 = for i32 1, "
      "i32 9, i32 1 {\n      %2: i32 = mul %0, %1\n      %3: bool = eq %2, @0\n"
      "      if %3 {\n        %4: i32 = mul %0, i32 100\n        %5: i32 = add %4, %1\n        return %5\n      }\n    "
      "}\n  }\n  return i32 -1\n}\n");
  EXPECT_THAT(map(f, {12, 49, 11, 64}), ElementsAre(206, 707, -1, 808));
}

TEST(Inline, ReferencesTakeTheSpaceOfTheArgument) {
  const Kernel f = function(
      "function\nargument 0 reference i32\nargument 1 reference [i32 x 4]\n{\n  %0: private i32 = index @1, i32 2\n  "
      "%1: i32 = load %0\n  store @0, %1\n}\n");
  Write w;
  const vd_value data = w.buffer(kI32);
  const vd_value tile = w.b->shared(kI32, 4, VD_SHARED_OFFSET_AUTO, "tile");
  w.store(w.index(tile, 2), w.i32(17));
  const vd_value args[] = {w.index(data, w.u32(1)), tile};
  EXPECT_EQ(w.b->call(f, args, 0), 0u);
  const vd_value local = w.var(kI32);
  const vd_value more[] = {local, tile};
  w.b->call(f, more, 0);
  w.store(w.index(data, 0), w.op(VD_OP_ADD, {local, w.i32(1)}));
  const Kernel kernel = w.finish();
  Memory memory{{bytes_of<int32_t>({0, 0})}, {}};
  run(kernel, memory);
  EXPECT_THAT(values_of<int32_t>(memory.arguments[0]), ElementsAre(18, 17));
}

TEST(Inline, TablesAreJoined) {
  const Kernel f = function(
      "function gives f32\nstruct 0 \"pair\" { f32 \"a\", [f32 x 2] \"b\" }\nconstant 0 [f32 x 3] "
      "0x0000803f0000004000004040\nargument 0 value u32\nargument 1 reference struct0\n{\n"
      "  %0: f32 = index !0, @0\n  %1: private [f32 x 2] = member<1> @1\n  %2: private f32 = index %1, u32 1\n  %3: "
      "f32 = load %2\n  %4: f32 = mul %0, %3\n  printf $\"%f\", %4\n  return %4\n}\n");
  Write w;
  w.b->array_type(kU32, 7);  // so that the numbers differ
  const Type field_types[] = {kF32, w.b->array_type(kF32, 2)};
  const char* const names[] = {"a", "b"};
  const Type pair = w.b->struct_type("pair", field_types, names);
  const vd_value record = w.value(pair), out = w.buffer(kF32);
  const vd_value args[] = {w.u32(2), record};
  w.store(w.index(out, 0), w.b->call(f, args, 0));
  const Kernel kernel = w.finish();
  Memory memory{{bytes_of<float>({1, 2, 5}), bytes_of<float>({0})}, {}};
  run(kernel, memory);
  EXPECT_THAT(values_of<float>(memory.arguments[1]), ElementsAre(15));
}

TEST(Inline, CallsAreChecked) {
  const Kernel f = function("function \"f\" gives i32\nargument 0 value i32 \"x\"\n{\n  return @0\n}\n");
  Write w;
  w.at = 0;
  const uint32_t place = w.b->location("map.py", 3, "");
  const vd_value wrong = w.f32(1);
  EXPECT_THAT(message_of([&] { w.b->call(f, std::span(&wrong, 1), place); }),
              HasSubstr("argument \"x\" has type f32, not i32"));
  EXPECT_THAT(message_of([&] { w.b->call(f, std::span(&wrong, 1), place); }), HasSubstr("map.py:3"));
  EXPECT_THAT(message_of([&] { w.b->call(f, {}, 0); }), HasSubstr("operand count (0)"));
  EXPECT_THAT(message_of([&] { w.b->call(parse_text("kernel\n{\n}\n"), {}, 0); }), HasSubstr("not a function"));
}

TEST(Inline, AFunctionThatWritesMustGetWhatMayBeWritten) {
  const Kernel f = function("function\nargument 0 reference i32\n{\n  store @0, i32 1\n}\n");
  Write w;
  const vd_value constant = w.value(kI32);
  EXPECT_THAT(message_of([&] { w.b->call(f, std::span(&constant, 1), 0); }), HasSubstr("may be written"));
}

TEST(Inline, FunctionsCallFunctions) {
  const Kernel inner =
      function("function gives i32\nargument 0 value i32\n{\n  %0: i32 = add @0, i32 1\n  return %0\n}\n");
  Write w(VD_BUILDER_FUNCTION, kI32);
  const vd_value x = w.b->argument(VD_ARGUMENT_VALUE, kI32, "x");
  const vd_value once = w.b->call(inner, std::span(&x, 1), 0);
  w.op(VD_OP_RETURN, {w.b->call(inner, std::span(&once, 1), 0)});
  EXPECT_THAT(map(w.finish(), {1, 2}), ElementsAre(3, 4));
}

}  // namespace
}  // namespace vd::ir::testing
