// The count of structs' members: what is refused, by whose name, and that honest text passes.
#include "codegen/foreign/structs.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "codegen/glslang.h"
#include "core/error.h"

namespace vd::codegen {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// S0 with `members`, and `levels` structs on top of it, each with two of the one before.
std::string doubled(int levels, const std::string& members = "float a;") {
  std::string text = "struct S0 { " + members + " };\n";
  for (int i = 1; i <= levels; ++i) text += fmt::format("struct S{0} {{ S{1} a; S{1} b; }};\n", i, i - 1);
  return text;
}

std::string shader(const std::string& structs, const std::string& body, const std::string& block = "float x;") {
  return "#version 450\nlayout(local_size_x = 1) in;\n" + structs + "layout(binding = 0) buffer X { " + block +
         " };\nvoid main() { " + body + " }\n";
}

// "" if the text passes, which then has to compile.
std::string struct_refusal(const std::string& text) {
  try {
    check_foreign_glsl(text, "test");
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), VD_ERR_COMPILE);
    return error.what();
  }
  EXPECT_NO_THROW(compile_glsl(text, "test")) << text.substr(0, 400);
  return "";
}

TEST(Structs, NestedOnesAreRefusedByName) {
  const auto refused = AllOf(HasSubstr("struct \"S14\" in line 17"), HasSubstr("16383"), HasSubstr("\"test\""));
  EXPECT_THAT(struct_refusal(shader(doubled(29), "x = 1;", "S29 s; float x;")), refused);
  EXPECT_THAT(struct_refusal(shader(doubled(29), "S29 s; x = 1;")), refused);
  EXPECT_THAT(struct_refusal(shader(doubled(14), "x = 1;")), refused);
  // Several names after one type, members of a macro's, arrays, a struct without a name.
  std::string lists = "struct S0 { float a, b; };\n";
  for (int i = 1; i <= 9; ++i) lists += fmt::format("struct S{} {{ S{} a, b[2], c; }};\n", i, i - 1);
  EXPECT_THAT(struct_refusal(shader(lists, "x = 1;")), HasSubstr("struct \"S9\" in line 12"));
  EXPECT_THAT(
      struct_refusal(shader("#define TWO(T) T a; T b;\n" + doubled(13) + "struct Twice { TWO(S13) };\n", "x = 1;")),
      HasSubstr("struct \"Twice\" in line 18"));
  EXPECT_THAT(struct_refusal(shader(doubled(13), "x = 1;") + "struct { S13 a, b; } s;\n"), HasSubstr("\"<line 19>\""));
  // The one within the function does not hide the large one behind it.
  EXPECT_THAT(struct_refusal(shader(doubled(13), "struct S13 { float a; }; x = 1;") + "struct T { S13 a; S13 b; };\n"),
              HasSubstr("struct \"T\""));
}

TEST(Structs, ManyUsesOfALargeOneAreRefused) {
  std::string uses;
  for (int i = 0; i < 200; ++i) uses += fmt::format("S13 s{}; ", i);
  const auto refused = AllOf(HasSubstr("struct \"S13\""), HasSubstr("named in line 18"), HasSubstr("1048576"));
  EXPECT_THAT(struct_refusal(shader(doubled(13), uses + "x = 1;")), refused);
  std::string names = "S13 s";
  for (int i = 0; i < 200; ++i) names += fmt::format(", s{}", i);
  EXPECT_THAT(struct_refusal(shader(doubled(13), names + "; x = 1;")), refused);
  std::string functions;
  for (int i = 0; i < 200; ++i) functions += fmt::format("void f{}(S13 a);\n", i);
  EXPECT_THAT(struct_refusal(shader(doubled(13) + functions, "x = 1;")), HasSubstr("named in line"));
}

TEST(Structs, HonestTextPasses) {
  EXPECT_EQ(struct_refusal(shader("struct A { vec4 a, b; float c[4]; };\nstruct B { A first; A others[100000]; };\n",
                                  "for (int i = 0, n = 3; i < n; ++i) x += s.first.c[i];", "float x; B s;")),
            "");
  EXPECT_EQ(struct_refusal(shader(doubled(10), "S10 s, t; x = 1;")), "");
  // The very limit.
  std::string wide = "struct Wide {\n";
  for (int i = 0; i < 16383; ++i) wide += fmt::format("float m{};\n", i);
  EXPECT_EQ(struct_refusal(shader(wide + "};\n", "x = 1;")), "");
  EXPECT_THAT(struct_refusal(shader(wide + "float more; };\n", "x = 1;")), HasSubstr("struct \"Wide\" in line 3"));
}

TEST(Structs, BrokenTextGetsAnAnswer) {
  for (const char* broken :
       {"struct", "struct {", "struct S", "struct S {", "struct S { S", "struct S { float a; } }", "}}}",
        "struct struct S { };", "struct S { struct T { float a; } t; };", ")]};,", "struct S ;"})
    EXPECT_NO_THROW(check_foreign_glsl(std::string("#version 450\n") + broken, "test")) << broken;
}

}  // namespace
}  // namespace vd::codegen
