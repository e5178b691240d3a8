// The count of macro expansion: what is refused, by whose name, and that honest text passes.
#include "codegen/foreign/macros.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "codegen/glslang.h"
#include "core/error.h"
#include "support/samples.h"

namespace vd::codegen {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr char kBegin[] = "#version 450\nlayout(local_size_x = 1) in;\nlayout(binding = 0) buffer X { int x[]; };\n";

// "" if the text passes.
std::string refusal(const std::string& text) {
  try {
    check_foreign_glsl(text, "test");
    return "";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), VD_ERR_COMPILE);
    return error.what();
  }
}

std::string with_main(const std::string& defines, const std::string& body) {
  return kBegin + defines + "void main() { " + body + " }\n";
}

// Level `i` of `name` is what `next(level i - 1)` says.
template <class F>
std::string tower(int levels, F&& line) {
  std::string text;
  for (int i = 1; i <= levels; ++i) text += line(i) + "\n";
  return text;
}

TEST(Macros, BombsAreRefusedByName) {
  const std::string objects =
      "#define B0 x[0];\n" + tower(40, [](int i) { return fmt::format("#define B{} B{} B{}", i, i - 1, i - 1); });
  EXPECT_LT(objects.size(), 900u);
  EXPECT_THAT(refusal(with_main(objects, "x[0] = B40 1;")),
              AllOf(HasSubstr("macro \"B40\""), HasSubstr("line 45"), HasSubstr("1048576"), HasSubstr("\"test\"")));
  const std::string functions = "#define F0(a) a a\n" + tower(40, [](int i) {
                                  return fmt::format("#define F{}(a) F{}(F{}(a))", i, i - 1, i - 1);
                                });
  EXPECT_THAT(refusal(with_main(functions, "x[0] = F40(1+) 1;")), HasSubstr("macro \"F40\""));
  if (vd::test::kSanitized) return;  // each goes through a million words
  const std::string arguments = tower(
      40, [](int i) { return fmt::format("#define G{}(a) {}", i, i == 1 ? "a" : fmt::format("G{}(a a)", i - 1)); });
  EXPECT_THAT(refusal(with_main(arguments, "x[0] = G40(1+) 1;")), HasSubstr("macro \"G40\""));
  const std::string nothing =
      "#define N0\n" + tower(60, [](int i) { return fmt::format("#define N{} N{} N{}", i, i - 1, i - 1); });
  EXPECT_THAT(refusal(with_main(nothing, "N60 x[0] = 1;")), HasSubstr("macro \"N60\""));
  // Names as arguments, which are called where they are put in.
  const std::string indirect = "#define C(f, a) f(a)\n" + functions;
  EXPECT_THAT(refusal(with_main(indirect, "x[0] = C(F40, 1+) 1;")), HasSubstr("macro \"C\""));
  EXPECT_THAT(refusal(with_main(objects + "#if B40 1\n#endif\n", "x[0] = 1;")), HasSubstr("macro \"B40\""));
}

TEST(Macros, BombsBehindConditionsAreRefusedAndOthersAreNot) {
  const std::string bomb =
      "#define B0 x[0]+\n" + tower(40, [](int i) { return fmt::format("#define B{} B{} B{}", i, i - 1, i - 1); });
  const auto guarded = [&](const std::string& condition) {
    return refusal(with_main(condition + "\n" + bomb + "#else\n#define B40\n#endif\n", "x[0] = B40 1;"));
  };
  for (const char* holds : {"#if 1", "#ifdef GL_EXT_scalar_block_layout", "#if defined(VULKAN) && VULKAN >= 100",
                            "#if __VERSION__ == 450", "#ifndef GL_ES", "#if (3 + 4) * 2 == 14 && !defined nonsense",
                            "#define SIZE(n) ((n) << 1)\n#if SIZE(4) > 7", "#if 0\n#elif -1 < ~0 + 1"})
    EXPECT_THAT(guarded(holds), HasSubstr("\"B40\"")) << holds;
  for (const char* fails : {"#if 0", "#ifdef GL_ES", "#ifndef VULKAN", "#if __VERSION__ < 450", "#if 7 / 0",
                            "#if 1\n#elif 1", "#if 2 - 1 - 1"})
    EXPECT_EQ(guarded(fails), "") << fails;
  // Redefined where it does not count, and taken away where it does.
  EXPECT_THAT(refusal(with_main(bomb + "#if 0\n#undef B40\n#define B40\n#endif\n", "x[0] = B40 1;")), HasSubstr("B40"));
  EXPECT_EQ(refusal(with_main(bomb + "#undef B20\n#define B20 1+\n", "x[0] = B21 1;")), "");
  // Lines joined, comments within, spaces.
  EXPECT_THAT(refusal(with_main("#de\\\nfine A /* of\ntwo lines */ B40\n" + bomb, "x[0] = A 1;")), HasSubstr("\"A\""));
}

TEST(Macros, HonestTextPasses) {
  const auto compiles = [](const std::string& text) {
    EXPECT_EQ(refusal(text), "");
    EXPECT_NO_THROW(compile_glsl(text, "test")) << text.substr(0, 400);
  };
  compiles(with_main("", "x[0] = 1;"));
  compiles(with_main("#define ONE 1\n#define SELF SELF_ + ONE\n#define SELF_ x[1]\n", "x[0] = SELF;"));
  // A name that means itself, two that mean each other, a function without its parenthesis.
  compiles(with_main("#define x x\n#define a b\n#define b a\n", "int a = 2; x[0] = a;"));
  compiles(with_main("#define twice(v) ((v) + (v))\n", "int twice = 3; x[0] = twice (twice) + twice(\n x[1]\n);"));
  compiles(with_main("#define SET(i, v) x[i] = v;\n#define NAME(a, b) a##b\n", "int NAME(va, lue) = 4; SET(0, value)"));
  compiles(with_main(
      "#define T0(a) (a)\n" + tower(30, [](int i) { return fmt::format("#define T{}(a) T{}((a) + 1)", i, i - 1); }),
      "x[0] = T30(x[1]);"));
  // An unrolled loop of 4096 bodies.
  std::string unrolled = "#define BODY(i) x[i] = x[i] * 3 + 1;\n#define R1(i) BODY(i)\n";
  for (int i = 2; i <= 4096; i *= 2) unrolled += fmt::format("#define R{0}(i) R{1}(i) R{1}(i + {1})\n", i, i / 2);
  EXPECT_EQ(refusal(with_main(unrolled, "R4096(0)")), "");
}

TEST(Macros, DeepNestingAndBrokenTextGetAnAnswer) {
  std::string deep = "1", parentheses = "1";
  for (int i = 0; i < 20000; ++i) deep = "F(" + deep + ")";
  EXPECT_THAT(refusal(with_main("#define F(a) a\n", "x[0] = " + deep + ";")), HasSubstr("\"F\""));
  refusal(with_main("#define F(a) a\n#if " + std::string(100000, '(') + std::string(100000, '!') + "1\n#endif\n", ""));
  for (const char* broken :
       {"#define", "#define F(", "#define F(a", "#define F(a) a##", "#define F ##b\nF", "#if", "#elif 1", "#endif",
        "#else", "#undef", "#define F(a) a\nF(", "#define F(a,b) b\nF(1) F(1,2,3)", "/* define", "#define A \\",
        "#if defined", "#if defined(", "#if 1 +", "#if A(", "#define A(x) x\n#if A("})
    refusal(std::string(kBegin) + broken);
}

std::string repeated(int count, const std::string& text) {
  std::string out;
  for (int i = 0; i < count; ++i) out += text;
  return out;
}

TEST(Macros, ExpressionsThatAreTooDeepForTheCompilerAreRefused) {
  for (const std::string& deep :
       {"x[0] = " + repeated(9000, "abs(") + "1" + repeated(9000, ")") + ";",
        "int a = 1; a" + repeated(10000, ", a") + ";", "int a = x[1]; a = a" + repeated(100000, " + a") + ";",
        "bool a = x[0] > 0; a = a" + repeated(20000, "&&a") + ";",
        "vec2 a = vec2(0); a" + repeated(100000, ".xy") + ";"})
    EXPECT_THAT(refusal(with_main("", deep)), AllOf(HasSubstr("line 4"), HasSubstr("3000")));
  EXPECT_THAT(
      refusal(with_main("#define A4(a) a a a a\n#define A(a) A4(A4(A4(A4(A4(A4(a))))))\n", "x[0] = 1 A(+ x[1]);")),
      HasSubstr("line 6"));
  // Text side by side is not deep: lists, arguments, statements, blocks.
  const std::string list =
      "float t[] = float[](1.0" + repeated(20000, ", -1.0 * (2.0)") + "); x[0] = int(t[x[1] & 3]);";
  for (const std::string& wide :
       {list, "float t[] = {1.0" + repeated(5000, ", -2.0") + "}; x[0] = int(t[1]);",
        repeated(20000, "x[0] = -x[1] + (2);"), repeated(5000, "if (x[0] > 1) { x[1] = -1; }")})
    EXPECT_EQ(refusal(with_main("", wide)), "");
}

// 1 us a use here; a count that is not linear would take minutes, which ctest's limit ends.
TEST(Macros, TheCountIsLinear) {
  std::string text = std::string(kBegin) + "#ifdef GL_KHR_shader_subgroup_basic\n#endif\n";
  text += "#define ADD(i) x[i] += i;\nvoid main() {\n";
  for (int i = 0; i < 50000; ++i) text += fmt::format("  ADD({})\n", i);
  EXPECT_EQ(refusal(text + "}\n"), "");
}

}  // namespace
}  // namespace vd::codegen
